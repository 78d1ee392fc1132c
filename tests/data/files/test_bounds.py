"""What a reading may take, and what is left when it is stopped or cannot go on: nothing but a sentence."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tabulaflow_core.data.files import ReadBounds, ReadProgress, Watch, read_file
from tabulaflow_core.data.files.lines import Lines
from tabulaflow_core.data.files.storage import new_database, sweep
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable

MB = 1024**2


def refused(folder: Path, content: bytes, bounds: ReadBounds | None = None, name: str = "data.csv") -> str:
    """The sentence with which a file is refused; nothing may be left of it."""
    path = folder / name
    path.write_bytes(content)
    with pytest.raises(FileUnreadable) as caught:
        read_file(path, storage=folder / "storage", watch=Watch(bounds=bounds or ReadBounds()))
    assert not (folder / "storage").exists() or not list((folder / "storage").iterdir())
    return caught.value.user_message


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2\n" + b"x" * (3 * MB) + b"\n3,4\n",
        b"x" * (3 * MB),
        b'a,b\n1,"' + b"x" * (3 * MB) + b'"\n',
        ("a,b\n1,2\n" + "x" * (3 * MB) + "\n").encode("utf-16"),
        b"a,b\r1,2\r" + b"x" * (3 * MB) + b"\r",
    ],
    ids=["a line", "the only line", "a cell", "wide", "returns"],
)
def test_a_line_longer_than_the_bound(content: bytes, tmp_path: Path) -> None:
    said = refused(tmp_path, content, ReadBounds(cell_bytes=MB))
    assert "longer than 1,048,576 bytes" in said
    assert "export it again" in said


def test_more_columns_than_the_bound(tmp_path: Path) -> None:
    names = ",".join(f"c{i}" for i in range(60))
    assert "60 columns" in refused(tmp_path, f"{names}\n{names}\n".encode(), ReadBounds(columns=50))


@pytest.mark.parametrize("piece", [b'"', b"\n", b'"\n', b",\n", b"\0", b" \r\n"])
def test_floods_of_nothing(piece: bytes, tmp_path: Path) -> None:
    assert "data.csv" in refused(tmp_path, piece * 200_000)


def test_blank_lines_between_rows_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"a,b\n1,2\n" + b"\n" * 300_000 + b"3,4\n")
    report = read_file(path, storage=tmp_path / "storage").report
    assert (report.rows_in_table, report.blank_lines) == (2, 300_000)


@pytest.mark.parametrize("change", ["grows", "shrinks"])
def test_a_file_that_changes_meanwhile(change: str, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 400_000)
    with path.open("rb") as file:
        lines = Lines(file, "utf-8", "\n", Watch())
        lines.block()
        with path.open("r+b") as other:
            if change == "grows":
                other.seek(0, 2)
                other.write(b"3,4\n" * 100)
            else:
                other.truncate(900_000)
        with pytest.raises(FileUnreadable, match="changed while it was read"):
            list(lines)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    for path in (tmp_path / "pipe.csv", tmp_path / "loop.csv", Path("/dev/zero"), tmp_path):
        with pytest.raises(FileUnreadable):
            read_file(path, storage=tmp_path / "storage")
    assert not (tmp_path / "storage").exists()


def long_file(folder: Path, rows: int = 120_000) -> Path:
    path = folder / "long.csv"
    path.write_text("id,name,amount\n" + "".join(f"{i},name {i % 999},{i % 100}.50\n" for i in range(rows)))
    return path


@pytest.mark.parametrize("stage", ["reading", "finding types", "writing"])
def test_stopping_leaves_nothing(stage: str, tmp_path: Path) -> None:
    told: list[ReadProgress] = []
    stopped: list[float] = []

    def tell(progress: ReadProgress) -> None:
        told.append(progress)
        if progress.stage == stage and not stopped:
            stopped.append(time.monotonic())
            watch.stop()

    watch = Watch(tell)
    path = long_file(tmp_path)
    try:
        read_file(path, storage=tmp_path / "storage", watch=watch)
    except FileReadingStopped:
        assert not list((tmp_path / "storage").iterdir())
    else:
        assert not stopped  # that stage was too short to be told of
    assert all(0 <= p.done <= p.total for p in told)
    if stage != "reading":
        assert any(p.done > path.stat().st_size // 2 and p.total == path.stat().st_size for p in told)


def test_a_running_statement_is_stopped(tmp_path: Path) -> None:
    """Also one that began after `stop` looked, when an interrupt would be lost."""
    calls: list[int] = []

    def tell(progress: ReadProgress) -> None:
        calls.append(1)
        if len(calls) == 2:
            watch.stop()

    watch = Watch(tell)
    with pytest.raises(FileReadingStopped), new_database(tmp_path, "t", watch) as (bench, _):
        bench.execute("SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b")
    assert list(tmp_path.iterdir()) == []


def test_stop_calls_those_who_asked() -> None:
    watch, calls = Watch(), []
    forget = watch.on_stop(lambda: calls.append(1))
    watch.on_stop(lambda: calls.append(2))
    forget()
    watch.stop()
    assert calls == [2]


def test_memory_is_bounded(tmp_path: Path) -> None:
    with new_database(tmp_path, "t", Watch(bounds=ReadBounds(memory_bytes=100 * MB))) as (bench, _):
        assert bench.one("SELECT current_setting('memory_limit')") == ("100.0 MiB",)
    with (
        pytest.raises(FileUnreadable, match="more memory than a reading may take"),
        new_database(tmp_path / "s", "t", Watch(bounds=ReadBounds(memory_bytes=64 * MB))) as (bench, _),
    ):
        bench.execute("SELECT list(range) FROM range(50000000)")
    assert list((tmp_path / "s").iterdir()) == []


def limited(code: str, folder: Path, prepare: Callable[[], None]) -> str:
    """What a process prints that reads the long file under a limit."""
    text = f"""
from pathlib import Path
from tabulaflow_core.data.files import read_file
from tabulaflow_core.errors import FileUnreadable
folder = Path({str(folder)!r})
try:
    {code}
except FileUnreadable as error:
    print(error.user_message)
print([p.name for p in (folder / "storage").iterdir()] if (folder / "storage").exists() else [])
"""
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True, preexec_fn=prepare, timeout=100
    )
    return done.stdout


def test_a_full_disk(tmp_path: Path) -> None:
    long_file(tmp_path)
    code = 'read_file(folder / "long.csv", storage=folder / "storage")'
    said = limited(code, tmp_path, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MB // 4, MB // 4)))
    assert "no room left on the disk" in said
    assert said.rstrip().endswith("[]")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_rights(tmp_path: Path) -> None:
    (tmp_path / "storage").mkdir(mode=0o500)
    assert "cannot be written" in refused(tmp_path, b"a,b\n1,2\n")


def test_leftovers_of_killed_processes_are_swept(tmp_path: Path) -> None:
    old, new, other = tmp_path / f".{'a' * 32}", tmp_path / f".{'b' * 32}", tmp_path / ".mine"
    for folder in (old, new, other):
        folder.mkdir()
        (folder / "table.duckdb").write_bytes(b"x")
    hours_ago = time.time() - 7200
    for folder in (old, other):
        for path in (folder / "table.duckdb", folder):
            os.utime(path, (hours_ago, hours_ago))
    sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([new, other])


def test_thousands_of_columns_stay_within_the_memory(tmp_path: Path) -> None:
    width = 3_000
    cells = ("2026-01-02", "1,5", "7", "x")
    rows = ["\t".join(f"n{i}" for i in range(width))]
    rows += ["\t".join(cells[i % 4] for i in range(width)) for _ in range(6)]
    rows.insert(4, rows[0])
    (tmp_path / "wide.tsv").write_text("\n".join(rows) + "\n")
    reading = read_file(tmp_path / "wide.tsv", storage=tmp_path / "storage")
    (table,) = reading.tables
    assert table.types[:4] == ("date", "number", "integer", "text")
    assert (len(table.columns), table.row_count) == (width, 6)
    assert any("repeats the header" in n for n in reading.report.notices)


def test_only_the_last_rows_are_wider_than_the_table(tmp_path: Path) -> None:
    """Their cells beyond the table are more than a report lists, so the table becomes as wide as they are."""
    wide = ",".join(f"v{i}" for i in range(300))
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "1,2\n" * 500 + f"{wide}\n")
    (table,) = read_file(path, storage=tmp_path / "s").tables
    assert len(table.columns) == 300
    assert table.row_count == 501
