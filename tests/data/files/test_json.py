"""JSON in its layouts, and what is no JSON."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files import FileReading, ReadBounds, ReadOptions, ReadProgress, Watch, read_file
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable
from tests.data.files.conftest import Reader


def several(tmp_path: Path, content: str, **options: object) -> dict[str, list[tuple[object, ...]]]:
    reading = raw(tmp_path, content, **options)  # type: ignore[arg-type]
    found = {}
    for table in reading.tables:
        with duckdb.connect(str(table.database), read_only=True) as connection:
            found[table.name] = connection.execute(f'SELECT * FROM "{table.table}"').fetchall()
    return found


def raw(
    tmp_path: Path, content: str, name: str = "t.json", watch: Watch | None = None, **options: object
) -> FileReading:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return read_file(path, storage=tmp_path / "s", watch=watch, options=ReadOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "names", "rows"),
    [
        ('{"a": [1, 2], "b": ["x", null]}', ["a", "b"], [(1, "x"), (2, None)]),
        ('{"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": null}}', ["a", "b"], [(1, "x"), (2, None)]),
        ('{"people": {"2020": 7, "2021": 8}}', ["index", "people"], [(2020, 7), (2021, 8)]),
        ('{"x": {"a": 1, "b": 2}, "y": {"a": 3}}', ["index", "a", "b"], [("x", 1, 2), ("y", 3, None)]),
        ('{"columns": ["a", "b"], "index": [0, 1], "data": [[1, "x"], [2, "y"]]}', ["a", "b"], [(1, "x"), (2, "y")]),
        ('{"columns": ["a"], "index": ["p", "q"], "data": [[1], [2]]}', ["index", "a"], [("p", 1), ("q", 2)]),
        ('{"header": [{"name": "a"}], "rows": [[5]]}', ["a"], [(5,)]),
        ('{"columns": ["a", "b"], "data": []}', ["a", "b"], []),
        ('{"schema": {"fields": [{"name": "a"}, {"name": "b"}]}, "data": [{"a": 1, "b": 2}]}', ["a", "b"], [(1, 2)]),
        ('{"s": "ok", "data": {"n": 1, "items": [{"id": 1}]}, "e": {"w": [{"x": 1}]}}', ["id"], [(1,)]),
        ('[["id", "name"], [1, "x"], [2, "y"]]', ["id", "name"], [(1, "x"), (2, "y")]),
        ("[[1, 2], [3, 4]]", ["column_1", "column_2"], [(1, 2), (3, 4)]),
        ('["a", "b"]\n[3, 4]\n', ["a", "b"], [(3, 4)]),
        ("[1, 2]", ["value"], [(1,), (2,)]),
        ('{"id": 1, "at": {"lat": 1, "in": {"x": 2}}}', ["id", "at.lat", "at.in.x"], [(1, 1, 2)]),
        ('{"a": 1}{"a": 2} {"a": 3}', ["a"], [(1,), (2,), (3,)]),
        ('{\n "a": 1\n}\n{\n "a": 2\n}\n', ["a"], [(1,), (2,)]),
        ('\ufeff{"a": 1}\r\n\r\n{"a": 2}\r\n', ["a"], [(1,), (2,)]),
        ('{"a": 1}\r{"a": 2}\r', ["a"], [(1,), (2,)]),
        ('[{"a": 1, "b": {}}, {"a": null, "b": {"c": 2}}, {}]', ["a", "b.c"], [(1, None), (None, 2), (None, None)]),
        ('{"h": {"t": ["2026-01-01T10:00"], "v": [1]}, "lat": 5}', ["t", "v"], [(dt.datetime(2026, 1, 1, 10), 1)]),
    ],
)  # fmt: skip
def test_layouts(read: Reader, content: str, names: list[str], rows: list[tuple[object, ...]]) -> None:
    seen = read(content, "t.json")
    assert (seen.names, seen.rows) == (names, rows)


def test_lists_of_records_side_by_side_are_tables(tmp_path: Path) -> None:
    content = '{"n": 2, "nodes": [{"id": 1}, {"id": 2}], "links": [{"a": 1, "b": 2}], "x": {"log": [{"m": "hi"}]}}'
    assert several(tmp_path, content) == {"t_nodes": [(1,), (2,)], "t_links": [(1, 2)]}
    reading = raw(tmp_path, content)
    assert [(p.name, p.state, p.tables) for p in reading.report.parts] == [
        ("nodes", "read", ("t_nodes",)), ("links", "read", ("t_links",)), ("x.log", "off", ()),
    ]  # fmt: skip
    assert reading.report.rows_in_table == 3
    assert reading.tables[0].report is not None
    assert any("n (2)" in n for n in reading.report.notices)
    assert several(tmp_path, content, parts=("x.log",)) == {"t": [("hi",)]}
    with pytest.raises(FileUnreadable, match="holds no “y”"):
        raw(tmp_path, content, parts=("y",))


def test_siblings_of_the_records_are_said(read: Reader) -> None:
    seen = read('{"status": "ok", "data": {"total": 9, "items": [{"id": 1}]}}', "t.json")
    assert seen.told("status (ok)", "data.total (9)")
    assert seen.choice("path") == "data.items"


def test_features_of_geojson(read: Reader) -> None:
    seen = read(
        '{"type": "FeatureCollection", "features": [{"type": "Feature", "id": "f", "properties": {"n": "x"}, '
        '"geometry": {"type": "Point", "coordinates": [1.50, 2]}}, {"type": "Feature", "properties": null, '
        '"geometry": null}]}',
        "t.geojson",
    )
    assert seen.names == ["id", "n", "geometry"]
    assert seen.rows == [("f", "x", '{"type": "Point", "coordinates": [1.50, 2]}'), (None, None, None)]


def test_numbers_keep_every_digit(read: Reader) -> None:
    seen = read(
        '[{"i": 9223372036854775808, "d": 1.234, "m": 1, "l": [0.10]}, {"i": 1, "d": 5.678, "m": 2.5}]', "t.json"
    )
    assert seen.rows[0] == (9223372036854775808, Decimal("1.234"), Decimal("1.0"), "[0.10]")
    assert seen.types == ["integer", "number", "number", "text"]
    long = "9" * 50
    assert read(f'[{{"i": {long}}}]', "t.json").rows == [(long,)]


def test_texts_stay_as_they_are(read: Reader) -> None:
    seen = read(
        '[{"a": " x ", "d": "2026-01-31"}, {"a": "", "d": ""}, {"a": null, "d": null}, {"a": "\\\\N"}]', "t.json"
    )
    assert seen.column("a") == [" x ", "", None, "\\N"]
    assert seen.column("d") == [dt.date(2026, 1, 31), None, None, None]
    assert seen.told("1 empty text", "“d”")


def test_columns_of_several_kinds_are_text_and_said(read: Reader) -> None:
    seen = read('[{"a": 1}, {"a": "two"}, {"a": 3.0}, {"a": true}, {"a": null}]', "t.json")
    assert seen.column("a") == ["1", "two", "3.0", "true", None]
    assert seen.told("text (1)", "numbers (2)", "true or false (1)")


def test_keys(read: Reader) -> None:
    seen = read('[{"ID": 1, "id": 2, "": 3, "k": 4, "k": 5}]', "t.json")
    assert (seen.names, seen.rows) == (["ID", "id_2", "column_3", "k"], [(1, 2, 3, 5)])
    assert seen.told("key twice", "“k”")
    assert seen.told("“id” is “id_2”")


def test_an_object_with_many_keys_is_one_column(read: Reader) -> None:
    records = [{"id": i, "by_day": {f"d{i}": i, "x": {"y": 1}}} for i in range(500)]
    seen = read(json.dumps(records), "t.json")
    assert seen.names == ["id", "by_day"]
    assert seen.rows[300] == (300, '{"d300": 300, "x": {"y": 1}}')


def test_broken_lines_are_listed_and_the_others_read(read: Reader) -> None:
    seen = read('{"a": 1}\n{"a":\n{"a": 3}\n{"b": "x}\n{"a": 4}\n', "t.ndjson")
    assert seen.rows == [(1,), (3,), (4,)]
    assert [(s.line, s.text) for s in seen.report.skipped] == [(2, '{"a":'), (4, '{"b": "x}')]
    assert seen.report.rows_in_file == 5
    assert seen.told("2 lines are no JSON", "line 2")


def test_what_is_almost_json(read: Reader) -> None:
    seen = read('// made by a tool\n[{"a": 1, "u": "http://x/,]"},\n {"a": 2 /* two */,}, ]\n', "t.json")
    assert seen.rows == [(1, "http://x/,]"), (2, None)]
    assert seen.told("not strict JSON", "2 comments and 2 commas")
    seen = read('[{"a": NaN}, {"a": 1.5}, {"a": -Infinity}]', "t.json")
    assert seen.rows == [(None,), (Decimal("1.5"),), (None,)]
    assert seen.told("NaN or Infinity")
    assert read('[{"a": "x\ny"}]', "t.json").rows == [("x\ny",)]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp1252"])
def test_encodings(read: Reader, codec: str) -> None:
    assert read('[{"größe": "für alle"}]'.encode(codec), "t.json").rows == [("für alle",)]
    assert read('{"a": "ü"}\n{"a": "é"}\n'.encode(codec), "t.ndjson").rows == [("ü",), ("é",)]


def test_halves_of_characters(read: Reader) -> None:
    seen = read('[{"a": "\\ud83d\\ude00"}, {"a": "\\ud83d", "\\ud83d": 1}]', "t.json")
    assert (seen.column("a"), seen.names[1]) == (["😀", "\ufffd"], "\ufffd")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[" * 5000 + "]" * 5000, "more than 200 levels deep"),
        ('[{"a": ' + "[" * 300 + "]" * 300 + "}]", "more than 200 levels deep"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "more than 200 levels deep"),
        ("{}", "no records"),
        ("[null]", "no records"),
        ("[{}, {}]", "only empty records"),
        ("[[], []]", "only empty lists"),
        ("12", "no records"),
        (" \n ", "only blanks"),
        ('[{"a": 1}', "ends too early"),
        ("{'a': 1}", "line 1 cannot be read"),
        ('{"a": 1\n"b": 2}', "line 2 cannot be read"),
    ],
)
def test_what_cannot_be_read(read: Reader, content: str, words: str) -> None:
    with pytest.raises(FileUnreadable, match=words):
        read(content, "t.json")


def test_json_under_other_names(read: Reader) -> None:
    assert read('[{"a": 1}]', "t.txt").report.format == "json"
    assert read('{"a": 1}\n{"a": 2}\n', "export").rows == [(1,), (2,)]


SMALL = ReadBounds(memory_bytes=16 * 1000, cell_bytes=10_000)


@pytest.mark.parametrize("shape", ["list", "wrapped", "lines", "behind each other"])
def test_documents_longer_than_the_memory_are_read_bit_by_bit(tmp_path: Path, shape: str) -> None:
    records = [json.dumps({"id": i, "text": "é" * 20, "at": {"x": i}}, ensure_ascii=False) for i in range(2000)]
    content = {
        "list": "[" + ",".join(records) + "]",
        "wrapped": '{"n": 2000, "deep": {"rows": [' + ",\n".join(records) + '], "empty": []}, "few": [{"z": 1}]}',
        "lines": "\n".join(records),
        "behind each other": "".join(records),
    }[shape]
    heard: list[ReadProgress] = []
    reading = raw(tmp_path, content, watch=Watch(heard.append, SMALL))
    (table,) = reading.tables
    with duckdb.connect(str(table.database), read_only=True) as connection:
        sums = connection.execute(f'SELECT count(*), sum(id), sum("at.x"), min(text) FROM "{table.table}"').fetchall()
    assert sums == [(2000, 1_999_000, 1_999_000, "é" * 20)]
    assert {p.name: p.state for p in reading.report.parts} == (
        {"deep.rows": "read", "few": "off"} if shape == "wrapped" else {}
    )
    assert any(p.stage == "reading" and p.total for p in heard)


def test_what_cannot_be_read_bit_by_bit(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable, match="no list of records, so it cannot be read bit by bit"):
        raw(tmp_path, json.dumps({"a": list(range(3000)), "b": list(range(3000))}), watch=Watch(bounds=SMALL))
    with pytest.raises(FileUnreadable, match=r"a value of more than .* raise the bound \(cell_bytes\)"):
        raw(tmp_path, json.dumps([{"a": "x" * 3_000_000}]), watch=Watch(bounds=SMALL))
    with pytest.raises(FileUnreadable, match="more than 5 columns"):
        raw(tmp_path, json.dumps([{f"k{i}": i} for i in range(9)]), watch=Watch(bounds=ReadBounds(columns=5)))


def test_stop(tmp_path: Path) -> None:
    watch = Watch()
    watch.tell = lambda progress: watch.stop()
    with pytest.raises(FileReadingStopped):
        raw(tmp_path, "\n".join(f'{{"a": {i}}}' for i in range(20_000)), watch=watch)
    assert list((tmp_path / "s").iterdir()) == []
