"""Long files in one pass: the table and the report are those of the careful way, whatever stands in the file."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files import FileReading, ReadOptions, columns, fast, read_file, sums
from tabulaflow_core.data.files.fast import FastRows
from tabulaflow_core.data.files.formats import text_plan

ROWS = 2_000


class Spy:
    """Counts what went the quick way."""

    def __init__(self) -> None:
        self.blocks = self.rows = self.anew = 0


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    """Small bounds, so that files of a few hundred kilobytes have many blocks."""
    monkeypatch.setattr(fast, "_MOST", 30_000)
    monkeypatch.setattr(fast, "_LEAST", 6_000)
    monkeypatch.setattr(fast, "_SPARE", 8_000)
    monkeypatch.setattr(fast, "_FIRST_ROWS", 60)
    monkeypatch.setattr(fast, "_FEWEST", 900)
    monkeypatch.setattr(sums, "_MOST_ROWS", 900)
    monkeypatch.setattr(columns, "_LONG", 900)
    monkeypatch.setattr(columns, "_SPREAD", 200)
    monkeypatch.setattr("tabulaflow_core.data.files.lines._BLOCK", 5_000)
    monkeypatch.setattr("tabulaflow_core.data.files.lines._LAST", 2_000)
    monkeypatch.setattr(text_plan, "_SAMPLE_LINES", 150)
    found = Spy()
    ended, anew = FastRows._ended, FastRows._write_anew

    def count(self: FastRows, running: object, block: fast._Block, lines: object) -> bool:
        good = ended(self, running, block, lines)  # type: ignore[arg-type]
        found.blocks += good
        found.rows += block.rows * good
        return good

    def count_anew(self: FastRows, *args: object) -> None:
        found.anew += 1
        anew(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(FastRows, "_ended", count)
    monkeypatch.setattr(FastRows, "_write_anew", count_anew)
    return found


def content(reading: FileReading) -> list[object]:
    """Everything that can be seen of a reading: rows in their order, types, comments and the report."""
    (table,) = reading.tables
    with duckdb.connect(str(table.database), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'").fetchall()
        rows = connection.execute(f'SELECT * FROM "{table.table}"').fetchall()
        columns = connection.execute(
            "SELECT column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    plain = replace(table, database=Path("x"))
    return [repr(rows), columns, tables, plain, reading.report]


def both(folder: Path, data: bytes, monkeypatch: pytest.MonkeyPatch, **options: object) -> list[object]:
    """Read a file both ways; what is seen of it, which must be the same."""
    path = folder / "data.csv"
    path.write_bytes(data)
    told = ReadOptions(**options)  # type: ignore[arg-type]
    quick = read_file(path, storage=folder / "quick", options=told)
    with monkeypatch.context() as patch:
        patch.setattr(FastRows, "take", lambda self, lines: None)
        careful = read_file(path, storage=folder / "careful", options=told)
    seen = content(quick)
    for mine, other in zip(seen, content(careful), strict=True):
        assert mine == other
    assert [p.suffix for p in (folder / "quick").iterdir()] == [".duckdb"]
    return seen


def lines(count: int = ROWS) -> list[str]:
    rnd = random.Random(4)
    result = ["id,code,amount,weight,day,at,town,note"]
    for i in range(count):
        day = date(2020, 1, 1) + timedelta(days=rnd.randrange(2000))
        at = datetime(2021, 5, 6) + timedelta(seconds=rnd.randrange(10**8))
        town = rnd.choice(["Rome", "Oslo", "Évora", '"Aa, Bb"', ""])
        weight = round(rnd.random() * 20, rnd.randrange(1, 6))
        amount = f"{rnd.randrange(-99999, 99999) / 100:.2f}".replace("-0.00", "0.00")
        result.append(f"{i},{i % 90},{amount},{weight},{day},{at},{town},n{i % 7}")
    return result


def text(rows: list[str], end: str = "\n") -> bytes:
    return (end.join(rows) + end).encode()


def test_a_clean_file_goes_the_quick_way(spy: Spy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = both(tmp_path, text(lines()), monkeypatch)
    assert spy.rows > ROWS * 0.8
    assert not spy.anew
    types = [t for _, t, _ in seen[1]]  # type: ignore[attr-defined]
    assert types == ["BIGINT", "BIGINT", "DECIMAL(18,2)", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR", "VARCHAR"]


def change(where: int, line: Callable[[str], str]) -> Callable[[list[str]], None]:
    def _change(rows: list[str]) -> None:
        rows[where] = line(rows[where])

    return _change


def cell(where: int, column: int, value: str) -> Callable[[list[str]], None]:
    def put(line: str) -> str:
        cells = line.split(",")
        cells[column] = value
        return ",".join(cells)

    return change(where, put)


def cells(rows: list[str], values: dict[tuple[int, int], str]) -> None:
    for (where, column), value in values.items():
        cell(where, column, value)(rows)


def spread(rows: list[str], column: int, value: str, step: int, first: int = 700) -> None:
    for i in range(first, ROWS, step):
        cell(i, column, value)(rows)


MIDDLE = ROWS // 2
CHANGES: dict[str, Callable[[list[str]], None]] = {
    "a word among numbers": cell(MIDDLE, 0, "none of these"),
    "a missing word": cell(MIDDLE, 1, "NA"),
    "a leading zero": cell(MIDDLE, 1, "007"),
    "a zero more and one less": lambda rows: cells(rows, {(MIDDLE, 1): "07", (MIDDLE + 1, 3): ".5"}),
    "a blank before a number": cell(MIDDLE, 1, " 5"),
    "blanks behind a number": cell(MIDDLE, 1, "5  "),
    "a quoted number": cell(MIDDLE, 1, '"5"'),
    "a quoted leading zero": cell(MIDDLE, 1, '"05"'),
    "a quoted line end": cell(MIDDLE, 1, '"5\r"'),
    "no zero before the point": cell(MIDDLE, 3, ".5"),
    "a blank and no zero": cell(MIDDLE, 3, " .5"),
    "nothing behind the point": cell(MIDDLE, 3, "5."),
    "a zero at the end": cell(MIDDLE, 3, "5.50"),
    "a blank behind a whole number": cell(MIDDLE, 3, "5. "),
    "a negative zero among doubles": cell(MIDDLE, 3, "-0.0"),
    "a plus": cell(MIDDLE, 1, "+7"),
    "an underscore": cell(MIDDLE, 1, "1_000"),
    "hexadecimal": cell(MIDDLE, 1, "0x1F"),
    "an exponent among whole numbers": cell(MIDDLE, 1, "1e2"),
    "decimals among whole numbers": cell(MIDDLE, 1, "1.5"),
    "nineteen digits": cell(MIDDLE, 1, "1234567890123456789"),
    "forty digits": cell(MIDDLE, 1, "1" * 40),
    "one decimal": cell(MIDDLE, 2, "1.5"),
    "three decimals": cell(MIDDLE, 2, "1.555"),
    "a negative zero": cell(MIDDLE, 2, "-0.00"),
    "an empty decimal": cell(MIDDLE, 2, ""),
    "thousands": cell(MIDDLE, 2, '"1'),
    "a small number": cell(MIDDLE, 3, "1e-05"),
    "nan": cell(MIDDLE, 3, "nan"),
    "infinity": cell(MIDDLE, 3, "inf"),
    "too large a number": cell(MIDDLE, 3, "1e400"),
    "a number without decimals": cell(MIDDLE, 3, "5"),
    "a day that is none": cell(MIDDLE, 4, "2023-02-30"),
    "a day of one digit": cell(MIDDLE, 4, "2026-1-05"),
    "a blank behind a day": cell(MIDDLE, 4, "2023-02-3 "),
    "a second of one digit": cell(MIDDLE, 5, "2023-02-03 10:00:5Z"),
    "two blanks in a time": cell(MIDDLE, 5, "2023-02-03  1:00:00"),
    "a zone in place of seconds": cell(MIDDLE, 5, "2023-02-03 10:00+01"),
    "a short day": cell(MIDDLE, 4, "2023-2-3"),
    "a day with slashes": cell(MIDDLE, 4, "2023/02/03"),
    "an infinite day": cell(MIDDLE, 4, "infinity"),
    "a time among days": cell(MIDDLE, 4, "2023-02-03 10:00:00"),
    "a fraction of a second": cell(MIDDLE, 5, "2023-02-03 10:00:00.25"),
    "a T": cell(MIDDLE, 5, "2023-02-03T10:00:00"),
    "a zone": cell(MIDDLE, 5, "2023-02-03 10:00:00+02"),
    "blanks around text": cell(MIDDLE, 6, "  Rome "),
    "a no-break space": cell(MIDDLE, 6, "\u00a0Rome"),
    "a narrow no-break space at the end": cell(MIDDLE, 6, "Rome\u202f"),
    "a tab at the end": cell(MIDDLE, 6, "Rome\t"),
    "the marker of no value": cell(MIDDLE, 6, "\\N"),
    "a backslash": cell(MIDDLE, 6, "a\\b"),
    "a quote inside": cell(MIDDLE, 6, 'the "new" town'),
    "doubled quotes": cell(MIDDLE, 6, '"the ""new"" town"'),
    "an open quote": cell(MIDDLE, 6, '"the new town'),
    "a quote after a blank": cell(MIDDLE, 6, ' "the new town"'),
    "a line break in a cell": cell(MIDDLE, 6, '"two\nlines"'),
    "a carriage return": cell(MIDDLE, 6, "two\rlines"),
    "a zero byte": cell(MIDDLE, 6, "Ro\0me"),
    "an unknown character": cell(MIDDLE, 6, "Ro\ufffdme"),
    "a blank line": change(MIDDLE, lambda line: line + "\n"),
    "a line of blanks": change(MIDDLE, lambda line: line + "\n   "),
    "a line of commas": change(MIDDLE, lambda line: line + "\n,,,,,,,"),
    "a line of wide blanks": change(MIDDLE, lambda line: line + "\n\u3000,,,,,,\u3000,"),
    "a short row": change(MIDDLE, lambda line: line.rsplit(",", 2)[0]),
    "a long row": change(MIDDLE, lambda line: line + ",more"),
    "a comma at the end": change(MIDDLE, lambda line: line + ","),
    "the header again": change(MIDDLE, lambda line: "id,code,amount,weight,day,at,town,note\n" + line),
    "a total": change(-1, lambda line: line + f"\nTotal,,,,,,,\nmade by a program on {MIDDLE}"),
    "a true total": change(-1, lambda line: line + f"\nTotal,{sum(i % 90 for i in range(ROWS))},,,,,,"),
    "a note": change(-1, lambda line: line + "\n\nNote: all of it is invented"),
    "lines above": change(0, lambda line: "A title\n\n" + line),
    "no last line end": change(-1, lambda line: line),
    "many words": lambda rows: spread(rows, 1, "many", 31),
    "many missing": lambda rows: spread(rows, 1, "n/a", 31),
    "other decimals from the middle on": lambda rows: spread(rows, 2, "1.125", 1, MIDDLE),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_in_doubt_is_read_with_care(
    name: str, spy: Spy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = lines()
    CHANGES[name](rows)
    both(tmp_path, text(rows), monkeypatch)
    assert spy.rows > ROWS * 0.02


@pytest.mark.parametrize("name", ["cp1252", "utf-8-sig", "utf-16", "crlf", "tabs", "semicolons", "no quotes", "packed"])
def test_dialects(name: str, spy: Spy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = lines()
    data = text(rows)
    match name:
        case "cp1252" | "utf-8-sig" | "utf-16":
            data = data.decode().encode(name)
        case "crlf":
            data = text(rows, "\r\n")
        case "tabs":
            data = data.replace(b",", b"\t")
        case "semicolons":
            data = data.replace(b'"Aa, Bb"', b"Aa").replace(b",", b";")
        case "no quotes":
            data = data.replace(b'"Aa, Bb"', b"Aa")
    both(tmp_path, data, monkeypatch)
    assert (spy.rows > ROWS * 0.8) == (name != "utf-16")


def test_one_column(spy: Spy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ["amount", *(str(i % 977) for i in range(20_000))]
    rows[9_000:9_000] = ["", '"7"', "  8 ", "x"]
    both(tmp_path, text(rows), monkeypatch)
    assert spy.rows > 15_000


@pytest.mark.parametrize(
    "options",
    [
        {"types": {"code": "text"}},
        {"types": {"town": "integer"}},
        {"missing": ("n3",)},
        {"decimal": ","},
        {"header": False},
        {"skip_lines": 100},
        {"skip_end": 3},
        {"quote": ""},
        {"keep_totals": True},
    ],
    ids=str,
)
def test_choices(options: dict[str, object], spy: Spy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both(tmp_path, text(lines()), monkeypatch, **options)


def tables(rnd: random.Random) -> Iterator[Callable[[int], str]]:
    """Makers of random columns."""
    digits = rnd.randrange(1, 21)
    yield lambda i: str(rnd.randrange(10**digits))
    yield lambda i: rnd.choice(["", str(rnd.randrange(-5, 5))])
    places = rnd.randrange(1, 7)
    yield lambda i: f"{rnd.random() * 1000:.{places}f}"
    yield lambda i: repr(rnd.random() * 10 ** rnd.randrange(-8, 20))
    yield lambda i: rnd.choice(["true", "false", "True"])
    yield lambda i: rnd.choice(["a", "b c", "", "ü", "x-y"])
    yield lambda i: f"{rnd.randrange(1, 29):02}.{rnd.randrange(1, 13):02}.2026"
    yield lambda i: (datetime(2026, 1, 1) + timedelta(milliseconds=rnd.randrange(10**9))).isoformat(" ")
    yield lambda i: (datetime(2026, 1, 1) + timedelta(minutes=rnd.randrange(10**6))).isoformat() + "Z"
    yield lambda i: f"{rnd.randrange(10**6):,}".replace(",", ".") + ",50"
    yield lambda i: "" if i < 1500 else "late"
    yield lambda i: f"{rnd.randrange(100):05}"


@pytest.mark.parametrize("seed", range(8))
def test_random_files(seed: int, spy: Spy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rnd = random.Random(seed)
    makers = rnd.sample(list(tables(rnd)), 4)
    odd = ["NA", "-", "x", "1e5", " 7", "7 ", '"', '"q"', "0012", "1,5", "\\N", "2026-01-01", "~"]
    rows = ["one;two;three;four"]
    rate = rnd.choice([0, 0, 0.0001, 0.001])
    for i in range(1_800):
        cells = [rnd.choice(odd) if rnd.random() < rate else make(i) for make in makers]
        rows.append(";".join(cells) if rnd.random() >= rate else rnd.choice(["", ";;;", ";".join(cells[:3])]))
    both(tmp_path, text(rows), monkeypatch)
