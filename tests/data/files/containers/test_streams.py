"""Compressed files of all kinds, whole and broken."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from tabulaflow_core.data.files import ReadBounds, ReadProgress, Watch, read_file
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable
from tests.data.files.conftest import Reader
from tests.data.files.containers.conftest import ReadAll

TEXT = b"a,b\n1,x\n2,y\n"
ROWS = [(1, "x"), (2, "y")]


def arrow_packed(content: bytes, codec: str) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as out:
        out.write(content)
    return bytes(sink.getvalue().to_pybytes())


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda b: arrow_packed(b, "zstd"),
    "lz4": lambda b: arrow_packed(b, "lz4"),
}


@pytest.mark.parametrize("suffix", PACKERS)
def test_every_compression_is_told_by_its_bytes(read: Reader, suffix: str) -> None:
    packed = PACKERS[suffix](TEXT)
    seen = read(packed, f"t.csv.{suffix}")
    assert (seen.rows, seen.reading.tables[0].name) == (ROWS, "t")
    assert read(packed, "t.csv").rows == ROWS
    assert read(PACKERS[suffix](json.dumps([{"a": 1}]).encode()), f"t.json.{suffix}").rows == [(1,)]


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_file_that_was_cut_off_is_refused(read: Reader, suffix: str) -> None:
    packed = PACKERS[suffix](b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(20_000)))
    with pytest.raises(FileUnreadable, match=r"damaged .* file that ends too early"):
        read(packed[: len(packed) // 2], f"t.csv.{suffix}")


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst"])
def test_pieces_behind_each_other_are_one_file(read: Reader, suffix: str) -> None:
    pack = PACKERS[suffix]
    assert read(pack(b"a,b\n1,x\n") + pack(b"2,y\n"), f"t.csv.{suffix}").rows == ROWS


def test_packed_twice(read: Reader) -> None:
    assert read(gzip.compress(bz2.compress(TEXT)), "t.csv.bz2.gz").rows == ROWS
    content = TEXT
    for _ in range(4):
        content = gzip.compress(content)
    with pytest.raises(FileUnreadable, match="more than 3 times"):
        read(content, "t.gz")


def test_an_empty_file_inside(read: Reader) -> None:
    with pytest.raises(FileUnreadable, match="holds an empty file"):
        read(gzip.compress(b""), "t.csv.gz")


def test_bounds_on_what_is_unpacked(read_all: ReadAll) -> None:
    packed = gzip.compress(b"a,b\n" + b"0" * 30_000_000)
    with pytest.raises(FileUnreadable, match=re.escape("more than 1 MB, the most that is unpacked")):
        read_all(packed, "t.csv.gz", watch=Watch(bounds=ReadBounds(unpacked_bytes=1024**2)))
    with pytest.raises(FileUnreadable, match=r"more than 500 times its size.*unpacked_ratio"):
        read_all(packed, "t.csv.gz", watch=Watch(bounds=ReadBounds(unpacked_ratio=500)))


def test_progress_and_stop_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000))
    heard: list[ReadProgress] = []
    watch = Watch(heard.append)

    def tell(progress: ReadProgress) -> None:
        heard.append(progress)
        if progress.done:
            watch.stop()

    watch.tell = tell
    with pytest.raises(FileReadingStopped):
        read_file(path, storage=tmp_path / "s", watch=watch)
    assert heard[0].stage == "unpacking"
    assert heard[0].total == path.stat().st_size
    assert [*scratch.iterdir(), *(tmp_path / "s").iterdir()] == []
