"""Long lists of flat records: the table and the report are those of the careful way, whatever stands in the file."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files import FileReading, read_file
from tabulaflow_core.data.files.formats import json as json_reader
from tabulaflow_core.data.files.formats import json_feed, json_typed
from tabulaflow_core.data.files.formats.json_flat import flat_block
from tabulaflow_core.data.files.formats.json_typed import JsonRows

ROWS = 700


def content(reading: FileReading) -> list[object]:
    """Everything that can be seen of a reading."""
    (table,) = reading.tables
    with duckdb.connect(str(table.database), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'").fetchall()
        rows = connection.execute(f'SELECT * FROM "{table.table}"').fetchall()
        columns = connection.execute(
            "SELECT column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    return [repr(rows), columns, tables, replace(table, database=Path("x")), reading.report]


class Both:
    """Reads a file both ways and counts the rows that went the quick way."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.monkeypatch, self.quick = folder, monkeypatch, 0

    def __call__(self, text: str) -> list[object]:
        path = self.folder / "t.json"
        path.write_text(text, encoding="utf-8")
        take = JsonRows.take

        def count(rows: JsonRows, *args: object) -> int:
            found = take(rows, *args)  # type: ignore[arg-type]
            self.quick += found
            return found

        with self.monkeypatch.context() as patch:
            patch.setattr(JsonRows, "take", count)
            quick = read_file(path, storage=self.folder / "quick")
        with self.monkeypatch.context() as patch:
            patch.setattr(JsonRows, "take", lambda *args: 0)
            careful = read_file(path, storage=self.folder / "careful")
        seen = content(quick)
        for mine, other in zip(seen, content(careful), strict=True):
            assert mine == other
        return seen


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Both:
    monkeypatch.setattr(json_typed, "_MOST", 20_000)
    monkeypatch.setattr(json_typed, "_LEAST", 6_000)
    monkeypatch.setattr(json_typed, "_FIRST_ROWS", 60)
    monkeypatch.setattr(json_feed, "_CHUNK", 3_000)
    monkeypatch.setattr(json_feed, "_TOGETHER", 60)
    monkeypatch.setattr(json_reader, "_GROWS", 1 << 40)
    return Both(tmp_path, monkeypatch)


def record(rnd: random.Random, number: int) -> dict[str, object]:
    seconds = rnd.randrange(60)
    return {
        "id": number,
        "amount": round(rnd.random() * 1000 - 100, rnd.randrange(1, 6)),
        "town": rnd.choice(["Rome", "Évora", 'a "b", c', "x}, {y", "", None, " y ", "\\", "null", "1"]),
        "day": f"2026-01-{rnd.randrange(10, 29)}",
        "at": f"2026-01-02T03:04:{seconds:02}Z",
        "ok": rnd.choice([True, False, None]),
        "code": f"{rnd.randrange(1000):05}",
        "note": rnd.choice(["line\nbreak", "tab\t", "π", "😀", "plain"]),
    }


LAYOUTS: dict[str, Callable[[list[dict[str, object]]], str]] = {
    "lines": lambda rows: "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows),
    "ascii": lambda rows: "".join(json.dumps(r) + "\r\n" for r in rows),
    "compact": lambda rows: json.dumps(rows, separators=(",", ":"), ensure_ascii=False),
    "list": lambda rows: json.dumps(rows),
    "pretty": lambda rows: json.dumps(rows, indent=2, ensure_ascii=False),
    "a line each": lambda rows: "[\n\t" + ",\n\t".join(json.dumps(r) for r in rows) + "\n]\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_go_the_quick_way(both: Both, layout: str) -> None:
    rnd = random.Random(3)
    seen = both(LAYOUTS[layout]([record(rnd, i) for i in range(ROWS)]))
    assert both.quick > ROWS * 0.5
    types = [t for _, t, _ in seen[1]]  # type: ignore[attr-defined]
    zoned = "TIMESTAMP WITH TIME ZONE"
    assert types == ["BIGINT", "DOUBLE", "VARCHAR", "DATE", zoned, "BOOLEAN", "VARCHAR", "VARCHAR"]


def texts(change: Callable[[list[str]], None]) -> str:
    lines = [f'{{"a":{i},"b":"x{i}","c":{i % 50}.25}}' for i in range(ROWS)]
    change(lines)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "odd",
    [
        '{"a":1.50,"b":"x","c":1.25}', '{"a":1e2,"b":"x","c":1.25}', '{"a":-0,"b":"x","c":-0.0}',
        '{"a":12345678901234567890123,"b":"x","c":1.25}', '{"a":"7","b":"x","c":1.25}', '{"a":7,"b":7,"c":1.25}',
        '{"a":7,"b":"x","b":"y","c":1.25}', '{"a":7,"c":1.25,"b":"x"}', '{"a":7,"c":1.25}',
        '{"a":7,"b":"x","c":1.25,"d":true}', '{"a":7,"b":{"k":1},"c":1.25}', '{"a":7,"b":["x","y"],"c":1.25}',
        '{"a":7,"b":"x" "y","c":1.25}', '{"a":7,"b":"x,","b":"c":1.25}', '{"a":NaN,"b":"x","c":Infinity}',
        '{"a":07,"b":"x","c":1.25}', '{"a":7,"b":"\\ud83d","c":1.25}', '{"a":7,"b":"\\u0000","c":1.25}',
        '{"a":7,"b":"\\q","c":1.25}', '{"a":7,"b":null,"c":null}', "null", "[1]", '{"a":7', "",
        '{"a":7,"b":"x","c":1,25}',
        '{"a": 7,"b":"x","c":1.25}', '{"a":7,"b":"},{","c":0.00008}', '{"a":7,"b":"},{\\"a\\":1","c":1.250}',
        '{"a":7,"b":"x","c":3}', '{"a":7,"b":"x","c":0.1234567890123456789}', '{"a":7,"b":true,"c":1.25}',
        '{"a":7,"b":"x","c":1.25},', '{"a":7,"b":"x","c":1.25}{"a":8,"b":"y","c":1.25}',
    ],
)  # fmt: skip
def test_what_is_in_doubt_is_read_with_care(both: Both, odd: str) -> None:
    both(texts(lambda lines: lines.__setitem__(400, odd)))
    assert both.quick > ROWS * 0.3


@pytest.mark.parametrize("seed", range(4))
def test_random_records(both: Both, seed: int) -> None:
    rnd = random.Random(seed)

    def value() -> object:
        numbers = [rnd.randrange(-5, 10 ** rnd.randrange(1, 20)), round(rnd.random() * 10 ** rnd.randrange(-6, 9), 4)]
        return rnd.choice([*numbers, rnd.choice(['"', ",", "\\", "}", "é", "a", "", "2026-01-02"]) * 2, None, True])

    makers = [lambda: rnd.randrange(10**6), lambda: round(rnd.random(), 5), lambda: rnd.choice(["a", '","', "}\n{"])]
    usual = {f"k{i}": rnd.choice(makers) for i in range(5)}
    rows = []
    for _ in range(ROWS):
        row: dict[str, object] = {key: make() for key, make in usual.items()}
        if rnd.random() < 0.004:
            row[rnd.choice(list(row))] = value()
        rows.append(row)
    both(LAYOUTS[rnd.choice(list(LAYOUTS))](rows))


def test_blocks_are_cut_where_records_end() -> None:
    block = flat_block(b'{"a": 1, "b": "x"}\n{"a": 2, "b": ","}\n{"a": 3', lines=True)
    assert block is not None
    assert (block.keys, block.colon, block.rows) == (("a", "b"), '": ', 2)
    assert block.cells == b'a": 1,"b": "x"\na": 2,"b": ","'
    assert flat_block(b'{"a": [1]}\n{"a": [2]}\n', lines=True) is None
    assert flat_block(b'{"a":\n1}\n{"a":\n2}\n{"a"', lines=True) is None
