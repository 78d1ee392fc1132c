"""Parquet, Feather, Arrow files and streams, and ORC."""

from __future__ import annotations

import datetime as dt
import io
import uuid
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import feather, orc, parquet

from tabulaflow_core.data.files import ReadBounds, ReadProgress, Watch, read_file
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable
from tests.data.files.conftest import Reader


def as_file(table: pa.Table, compression: str | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def as_stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return bytes(sink.getvalue().to_pybytes())


def as_feather_1(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        feather.write_feather(table, buffer, version=1)
    return buffer.getvalue()


def as_parquet(table: pa.Table, **options: object) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, **options)
    return buffer.getvalue()


def as_orc(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    orc.write_table(table, buffer)
    return buffer.getvalue()


WRITERS: dict[str, Callable[[pa.Table], bytes]] = {
    "t.feather": lambda t: as_file(t, "lz4"),
    "t.arrow": lambda t: as_file(t, "zstd"),
    "t.arrows": as_stream,
    "old.feather": as_feather_1,
    "t.parquet": as_parquet,
    "t.orc": as_orc,
}
PLAIN = pa.table({"n": pa.array([1, None, 3]), "s": ["a", "ä", None], "d": pa.array([dt.date(2026, 1, 31)] * 3)})


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_by_suffix_and_by_bytes(read: Reader, name: str) -> None:
    content = WRITERS[name](PLAIN)
    for called in (name, "export.bin"):
        seen = read(content, called)
        day = dt.date(2026, 1, 31)
        assert seen.rows == [(1, "a", day), (None, "ä", day), (3, None, day)]
        assert seen.types == ["integer", "text", "date"]


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_was_cut_off(read: Reader, name: str) -> None:
    content = WRITERS[name](PLAIN)
    with pytest.raises(FileUnreadable, match="cut off"):
        read(content[: len(content) * 2 // 3], name)


def extension(kind: pa.DataType, values: list[object]) -> pa.Array:
    return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))


ID = uuid.UUID(int=5)
CASES: list[tuple[pa.Array, str, object]] = [
    (pa.array(["x", None]).dictionary_encode(), "text", "x"),
    (pa.array([1.5, None], pa.float16()), "number", 1.5),
    (pa.array([Decimal("1.50"), None], pa.decimal256(20, 2)), "number", Decimal("1.50")),
    (pa.array([Decimal("1.50"), None], pa.decimal256(60, 2)), "text", "1.50"),
    (pa.array([Decimal("1200"), None], pa.decimal128(5, -2)), "number", Decimal("1200")),
    (pa.array([dt.datetime(2026, 1, 1, 12), None], pa.timestamp("s")), "datetime", dt.datetime(2026, 1, 1, 12)),
    (pa.array([dt.datetime(2026, 1, 1, 12), None], pa.timestamp("ns")), "datetime", dt.datetime(2026, 1, 1, 12)),
    (
        pa.array([dt.datetime(2026, 1, 1, 12), None], pa.timestamp("us", "Europe/Berlin")),
        "datetime",
        dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC),
    ),
    (pa.array([dt.time(1, 2), None], pa.time64("ns")), "other", dt.time(1, 2)),
    (pa.array([None, None]), "text", None),
    (pa.array([[1, 2], None]), "other", [1, 2]),
    (pa.array([{"a": 1, "A": 2}, None]), "text", '{"a": 1, "A": 2}'),
    (pa.array([[Decimal("1.5")], None], pa.list_(pa.decimal256(60, 1))), "text", '["1.5"]'),
    (pa.array([b"ab", None]), "text", "ab"),
    (pa.array([b"\xff\x00", None]), "other", b"\xff\x00"),
    (pa.array([2**64 - 1, None], pa.uint64()), "integer", 2**64 - 1),
    (extension(pa.uuid(), [ID.bytes, None]), "text", ID),
    (extension(pa.bool8(), [1, None]), "boolean", True),
    (extension(pa.json_(pa.string()), ['{"a":1}', None]), "text", '{"a":1}'),
]


@pytest.mark.parametrize(("column", "kind", "value"), CASES, ids=[str(c[0].type) for c in CASES])
def test_types(read: Reader, column: pa.Array, kind: str, value: object) -> None:
    seen = read(as_stream(pa.table({"v": column})), "t.arrows")
    assert (seen.types, seen.rows) == ([kind], [(value,), (None,)])


def test_nanoseconds_that_count_are_kept(read: Reader) -> None:
    seen = read(as_file(pa.table({"t": pa.array([1], pa.timestamp("ns"))})), "t.arrow")
    assert seen.report.columns[0].engine_type == "TIMESTAMP_NS"


def test_names_twice(read: Reader) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "a", ""])
    seen = read(as_file(table), "t.arrow")
    assert seen.names == ["a", "a_2", "column_3"]
    assert seen.told("2 column names")


def test_bytes_that_are_no_utf8_are_said(read: Reader) -> None:
    array = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\3\0\0\0"), pa.py_buffer(b"a\xffb")])
    seen = read(as_stream(pa.table({"s": array})), "t.arrows")
    assert seen.rows == [("a\ufffdb",)]
    assert seen.told("no UTF-8", "“s”")


def test_offsets_that_lie_are_refused(read: Reader) -> None:
    content = as_stream(pa.table({"s": ["abcdefg"]}))
    offsets = b"\0\0\0\0\7\0\0\0"
    before, _, after = content.rpartition(offsets)
    with pytest.raises(FileUnreadable, match="damaged"):
        read(before + b"\0\0\0\0\7\0\0\x7f" + after, "t.arrows")


def test_old_times_of_parquet(read: Reader) -> None:
    times = [dt.datetime(1500, 1, 1), dt.datetime(2026, 1, 1, 12, 30)]
    content = as_parquet(pa.table({"t": pa.array(times, pa.timestamp("us"))}), use_deprecated_int96_timestamps=True)
    assert read(content, "t.parquet").column("t") == times


def test_row_groups(read: Reader) -> None:
    content = as_parquet(pa.table({"n": list(range(1000))}), row_group_size=100)
    assert read(content, "t.parquet").column("n") == list(range(1000))


def test_encrypted_parquet(read: Reader) -> None:
    with pytest.raises(FileUnreadable, match="encrypted Parquet file"):
        read(b"PARE" + bytes(100) + b"PARE", "t.parquet")


def test_text_that_begins_like_orc(read: Reader) -> None:
    assert read("ORCHID,n\nred,1\n", "t.csv").rows == [("red", 1)]


def test_bounds_progress_and_stop(tmp_path: Path) -> None:
    path = tmp_path / "t.arrows"
    path.write_bytes(as_stream(pa.table({"a": list(range(10)), "b": list(range(10))})))
    with pytest.raises(FileUnreadable, match="more than 1 columns"):
        read_file(path, storage=tmp_path / "s", watch=Watch(bounds=ReadBounds(columns=1)))
    heard: list[ReadProgress] = []
    read_file(path, storage=tmp_path / "t", watch=Watch(heard.append))
    assert ReadProgress("reading", 8) in heard
    watch = Watch()
    watch.tell = lambda progress: watch.stop()
    with pytest.raises(FileReadingStopped):
        read_file(path, storage=tmp_path / "s", watch=watch)
    assert list((tmp_path / "s").iterdir()) == []
