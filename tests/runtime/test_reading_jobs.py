"""Readings in the background: progress, the end, a stop that leaves nothing, and what a killed process leaves."""

from __future__ import annotations

import io
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import NotFound
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import ReadingJob, Runtime, disk, file_reader, uploads
from tabulaflow_core.runtime import reading_jobs as jobs_module
from tests.runtime.conftest import MakeRuntime

SALES = b"day,amount\n2026-01-05,10\n2026-01-06,20\n"


def ended(rt: Runtime, job_id: str, *, seconds: float = 20) -> ReadingJob:
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        for job in rt.reading_jobs(LOCAL_USER):
            if job.id == job_id and job.state != "running":
                return job
        time.sleep(0.01)
    raise AssertionError("the job did not end")


def stored(rt: Runtime) -> list[Path]:
    return [path for path in (rt.settings.data_dir / "files").rglob("*") if path.is_file()]


class Gate:
    """A reader that says how far it is and then waits to be let go or stopped."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.read_file = file_reader.read_file

    def __call__(self, path: Path, **given: object) -> object:
        watch = given["watch"]
        watch.advance("finding types", 40, 100)  # type: ignore[attr-defined]
        self.begun.set()
        while not self.go.wait(0.01):
            watch.advance("finding types", 40, 100)  # type: ignore[attr-defined]
        return self.read_file(path, **given)  # type: ignore[arg-type]


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    held = Gate()
    monkeypatch.setattr(file_reader, "read_file", held)
    yield held
    held.go.set()


def test_a_job_tells_how_far_it_is_and_its_end_is_given_once(rt: Runtime, gate: Gate) -> None:
    job_id = rt.start_adding(LOCAL_USER, [("sales.csv", io.BytesIO(SALES)), ("more.csv", io.BytesIO(b"a,b\n1,2\n"))])
    assert gate.begun.wait(30)
    (job,) = rt.reading_jobs(LOCAL_USER)
    assert (job.id, job.file, job.state, job.names) == (job_id, "sales.csv", "running", ("sales.csv", "more.csv"))
    assert (job.stage, job.done, job.total, job.outcomes) == ("finding types", 40, 100, ())
    assert rt.files(LOCAL_USER) == ()
    gate.go.set()
    end = ended(rt, job_id)
    assert (end.state, [outcome.status for outcome in end.outcomes]) == ("done", ["loaded", "loaded"])
    assert rt.reading_jobs(LOCAL_USER) == ()
    assert len(rt.files(LOCAL_USER)) == 2


def test_a_stop_leaves_nothing_behind(rt: Runtime, gate: Gate) -> None:
    job_id = rt.start_adding(LOCAL_USER, [("sales.csv", io.BytesIO(SALES)), ("more.csv", io.BytesIO(b"a,b\n1,2\n"))])
    assert gate.begun.wait(30)
    rt.stop_reading(LOCAL_USER, job_id)
    end = ended(rt, job_id)
    assert (end.state, end.outcomes) == ("stopped", ())
    assert rt.files(LOCAL_USER) == ()
    assert stored(rt) == []
    with pytest.raises(NotFound):
        rt.stop_reading(LOCAL_USER, job_id)


def test_a_stop_keeps_what_was_there(rt: Runtime, gate: Gate) -> None:
    gate.go.set()
    rt.add_files(LOCAL_USER, [("sales.csv", io.BytesIO(SALES))])
    gate.go.clear()
    gate.begun.clear()
    job_id = rt.start_adding(LOCAL_USER, [("sales.csv", io.BytesIO(SALES + b"2026-01-07,5\n"))], choice="replace")
    assert gate.begun.wait(30)
    rt.stop_reading(LOCAL_USER, job_id)
    assert ended(rt, job_id).state == "stopped"
    (file,) = rt.files(LOCAL_USER)
    assert (file.version, file.tables[0].row_count) == (1, 2)
    assert len(stored(rt)) == 2


def test_questions_come_with_the_outcomes(rt: Runtime) -> None:
    rt.add_files(LOCAL_USER, [("sales.csv", io.BytesIO(SALES))])
    end = ended(rt, rt.start_adding(LOCAL_USER, [("sales.csv", io.BytesIO(SALES + b"2026-01-07,5\n"))]))
    assert [outcome.status for outcome in end.outcomes] == ["waiting"]
    assert end.outcomes[0].question is not None


def test_a_job_of_what_cannot_be_copied_ends_with_its_reason(rt: Runtime, tmp_path: Path) -> None:
    end = ended(rt, rt.start_adding(LOCAL_USER, [("gone.csv", tmp_path / "gone.csv")]))
    assert [outcome.status for outcome in end.outcomes] == ["message"]
    assert "could not be copied" in end.outcomes[0].message


def test_a_fault_of_a_job_is_a_sentence(rt: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **given: object) -> object:
        raise KeyError("inside")

    monkeypatch.setattr(file_reader, "read_file", broken)
    end = ended(rt, rt.start_adding(LOCAL_USER, [("sales.csv", io.BytesIO(SALES))]))
    assert "inside" not in end.outcomes[0].message
    assert "server's log" in end.outcomes[0].message


def test_a_job_that_nobody_asks_for_is_forgotten(rt: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "_KEPT_SECONDS", -1.0)
    rt.start_adding(LOCAL_USER, [("sales.csv", io.BytesIO(SALES))])
    give_up = time.monotonic() + 60
    while not rt.files(LOCAL_USER) and time.monotonic() < give_up:
        time.sleep(0.01)
    time.sleep(0.2)
    assert rt.reading_jobs(LOCAL_USER) == ()


def test_closing_ends_the_jobs(rt: Runtime, gate: Gate) -> None:
    rt.start_adding(LOCAL_USER, [("sales.csv", io.BytesIO(SALES))])
    assert gate.begun.wait(30)
    rt.close()
    give_up = time.monotonic() + 60
    while len(stored(rt)) > 2 and time.monotonic() < give_up:
        time.sleep(0.01)
    assert sorted(path.name for path in stored(rt)) == [".reading", "sales.csv"], "the upload, to be read again"


def age(path: Path) -> None:
    long_ago = time.time() - 2 * 3600
    os.utime(path, (long_ago, long_ago))


def test_what_a_killed_process_left_is_swept(rt: Runtime) -> None:
    rt.add_files(LOCAL_USER, [("sales.csv", io.BytesIO(SALES))])
    (kept,) = (rt.settings.data_dir / "files").glob("*")
    draft = kept / ("0" * 32) / "half.csv"
    draft.parent.mkdir()
    draft.write_bytes(b"a,b\n1")
    workshop = kept / "tables" / ".feed"
    (workshop / "spill").mkdir(parents=True)
    (workshop / "table.duckdb").write_bytes(b"half")
    rt.add_files(LOCAL_USER, [("b.csv", io.BytesIO(b"a,b\n1,2\n"))])
    assert draft.exists(), "another process may be at it"
    assert workshop.exists()
    for path in (draft, *workshop.rglob("*"), workshop):
        age(path)
    for path in stored(rt):
        age(path)
    rt.add_files(LOCAL_USER, [("c.csv", io.BytesIO(b"a,c\n1,2\n"))])
    assert not draft.parent.exists()
    assert not workshop.exists()
    assert [len(rt.preview(LOCAL_USER, "files", name).table) for name in ("sales", "b", "c")] == [2, 1, 1]
    assert rt.original(LOCAL_USER, "sales.csv").read_bytes() == SALES


def test_a_full_disk_is_said_before_anything_is_copied(rt: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 70 * 2**20})
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda path: usage)
    (fits,) = rt.add_files(LOCAL_USER, [("small.csv", io.BytesIO(SALES))])
    assert fits.status == "loaded"
    (full,) = rt.add_files(LOCAL_USER, [("large.csv", io.BytesIO(b"x" * (8 * 2**20)))])
    assert full.status == "message"
    assert "not enough room on the server's disk for large.csv" in full.message
    assert "about 72 MB are needed and 70 MB are free" in full.message
    assert len(stored(rt)) == 2


def test_a_packed_file_that_would_not_fit_is_not_unpacked(rt: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip

    usage = type("Usage", (), {"free": 66 * 2**20})
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 2**20)
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda path: usage)
    (full,) = rt.add_files(LOCAL_USER, [("large.csv.gz", io.BytesIO(packed))])
    assert full.status == "message"
    assert "room on the server's disk to read large.csv.gz" in full.message


def test_the_size_of_packed_files(tmp_path: Path) -> None:
    import gzip
    import zipfile

    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(bytes(100_000)))
    assert disk.unpacked_size(packed) == 100_000
    packed.write_bytes(gzip.compress(bytes(100_000))[:-4] + b"\xff\xff\xff\xff")
    assert disk.unpacked_size(packed) == packed.stat().st_size, "a size that deflate cannot reach is not believed"
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", "a" * 5000)
        archive.writestr("b.csv", "b" * 3000)
    assert disk.unpacked_size(tmp_path / "a.zip") == 8000
    (tmp_path / "plain.csv").write_text("a,b\n")
    assert disk.unpacked_size(tmp_path / "plain.csv") == 0
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04" + bytes(40))
    assert disk.unpacked_size(tmp_path / "broken.zip") == 0


def test_an_open_file_is_copied_from_its_beginning(tmp_path: Path) -> None:
    stream = io.BytesIO(SALES)
    stream.read()
    upload = uploads.copy_in(stream, tmp_path, "sales.csv", most=1000)
    assert upload.path.read_bytes() == SALES
    assert (upload.size, upload.path.parent.name) == (len(SALES), upload.copy)
    with pytest.raises(uploads.TooLarge):
        uploads.copy_in(io.BytesIO(bytes(2000)), tmp_path, "large.csv", most=1000)
    assert [path.name for path in tmp_path.iterdir()] == [upload.copy]


def test_a_reading_that_was_cut_short_is_offered_again(
    make_runtime: MakeRuntime, settings: Settings, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_runtime(settings)
    assert first.cut_short(LOCAL_USER) == ()
    first.start_adding(LOCAL_USER, [("sales.csv", io.BytesIO(SALES))])
    assert gate.begun.wait(30)
    assert first.cut_short(LOCAL_USER) == (), "it runs"
    first.close()
    again = make_runtime(settings)
    (told,) = again.cut_short(LOCAL_USER)
    assert (told.name, told.size) == ("sales.csv", len(SALES))
    assert again.files(LOCAL_USER) == ()
    monkeypatch.setattr(uploads, "_GRACE_SECONDS", -1.0)
    gate.go.set()
    again.add_files(LOCAL_USER, [("more.csv", io.BytesIO(b"a,b\n1,2\n"))])  # sweeps
    assert [outcome.status for outcome in ended(again, again.read_again(LOCAL_USER, told.id)).outcomes] == ["loaded"]
    assert again.cut_short(LOCAL_USER) == ()
    with pytest.raises(NotFound):
        again.read_again(LOCAL_USER, told.id)
    again.forget_cut_short(LOCAL_USER, told.id)
    assert sorted(file.name for file in again.files(LOCAL_USER)) == ["more.csv", "sales.csv"]
    assert again.original(LOCAL_USER, "sales.csv").read_bytes() == SALES


def test_a_reading_that_was_cut_short_is_forgotten(make_runtime: MakeRuntime, settings: Settings, gate: Gate) -> None:
    first = make_runtime(settings)
    first.start_adding(LOCAL_USER, [("sales.csv", io.BytesIO(SALES))])
    assert gate.begun.wait(30)
    first.close()
    again = make_runtime(settings)
    again.forget_cut_short(LOCAL_USER, again.cut_short(LOCAL_USER)[0].id)
    again.forget_cut_short(LOCAL_USER, "../../elsewhere")
    assert (again.cut_short(LOCAL_USER), stored(again)) == ((), [])
