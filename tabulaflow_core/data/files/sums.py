"""Rows among the staged ones that repeat others: totals, subtotals, means, and the header once more."""

from __future__ import annotations

from dataclasses import dataclass

from tabulaflow_core.data.files import convert
from tabulaflow_core.data.files.columns import Typing
from tabulaflow_core.data.files.footers import total_label
from tabulaflow_core.data.files.naming import clean_header
from tabulaflow_core.data.files.stage import Stage
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.words import MEANS, SUBTOTALS, TOTALS

#: Rows of a table within which totals are looked for everywhere; in a larger one only at its end.
_MOST_ROWS = 200_000
#: More rows that are called totals are a kind of data.
_MOST_TOTALS = 100
#: Cells by which DuckDB finds rows that may be the header; a test of thousands of columns costs gigabytes.
_TOLD_BY = 16
#: Rows that are left out by one statement.
_AT_ONCE = 10_000
#: Columns that are fetched by one statement.
_ACROSS = 1_000
_PART_OF_NAME = "^(?:(?:sub|grand )?totals?|summe|gesamt|sum of|suma|somme|totale?)(?: ?[:–-])? .+|.+ (?:total|gesamt)$"


@dataclass(slots=True)
class Judged:
    """What became of one row that is called a total."""

    record: Record
    label: str
    kind: str = ""


def take_repeated_headers(stage: Stage, header: list[str]) -> int:
    """Leave out rows that are the header once more, as files have that were put one after the other."""
    cells = [clean_header(c) for c in header[: stage.width]] + [""] * (stage.width - len(header))
    if sum(map(bool, cells)) < 2:
        return 0
    told = [i for i, c in enumerate(cells) if c][:_TOLD_BY]
    tests = " AND ".join(f"c{i} = {convert.literal(cells[i])}" for i in told)
    again = [r for r in _records(stage, tests, _MOST_ROWS) if r.cells == cells]
    _leave_out(stage, again)
    for record in again:
        stage.skip(record, "the header again")
    return len(again)


def _leave_out(stage: Stage, records: list[Record]) -> None:
    for start in range(0, len(records), _AT_ONCE):
        lines = ", ".join(str(r.line) for r in records[start : start + _AT_ONCE])
        stage.bench.execute(f"DELETE FROM {stage.bench.texts} WHERE line IN ({lines})")
    stage.rows -= len(records)


def _records(stage: Stage, tests: str, limit: int) -> list[Record]:
    """The rows that pass the tests, in their order; a sort of all cells of a wide table would take gigabytes."""
    bench, table = stage.bench, stage.bench.texts
    lines = [int(str(n)) for (n,) in bench.rows(f"SELECT line FROM {table} WHERE {tests} ORDER BY line LIMIT {limit}")]
    found: dict[int, list[str]] = {line: [] for line in lines}
    for rows in range(0, len(lines), _AT_ONCE):
        some = ", ".join(map(str, lines[rows : rows + _AT_ONCE]))
        for first in range(0, stage.width, _ACROSS):
            cells = ", ".join(f"c{i}" for i in range(first, min(first + _ACROSS, stage.width)))
            for line, *values in bench.rows(f"SELECT line, {cells} FROM {table} WHERE line IN ({some})"):
                found[int(str(line))] += [str(v or "") for v in values]
    return [Record(line, cells) for line, cells in found.items()]


def take_totals(stage: Stage) -> list[Record]:
    """Take rows that are called totals out of the stage, until the types of the columns are known."""
    if stage.width < 2 or stage.rows < 2:
        return []
    table = stage.bench.texts
    if stage.bench.typed is None and stage.rows <= _MOST_ROWS:
        words = ", ".join(convert.literal(w) for w in sorted(TOTALS))
        label = "lower(trim(CASE WHEN c0 = '' THEN c1 ELSE c0 END, ' :.*'))"
        tests = f"({label} IN ({words}) OR regexp_matches({label}, {convert.literal(_PART_OF_NAME)}))"
        found = [r for r in _records(stage, tests, _MOST_TOTALS + 1) if total_label(r)]
        if len(found) > min(_MOST_TOTALS, max(3, stage.rows // 2)):
            found = []
        last = _records(stage, f"line = (SELECT max(line) FROM {table})", 1)
        (blank,) = stage.bench.one(f"SELECT count(*) FROM {table} WHERE c0 = ''")
        if last and blank == 1 and not last[0].cells[0] and stage.rows > 3 and last[0] not in found:
            found.append(last[0])
    else:
        found = [
            r
            for r in _records(stage, f"line >= (SELECT max(line) FROM {table})", 1)
            if total_label(r) and sum(map(bool, r.cells)) > 1
        ]
    found = [r for r in found if sum(map(bool, r.cells)) > 1]
    _leave_out(stage, found)
    return found


def judge(stage: Stage, typing: Typing, totals: list[Record]) -> list[Judged]:
    """Whether each row called a total is the sum of rows: of all, or of those since the last such row."""
    judged = [Judged(r, total_label(r)) for r in totals]
    numeric = [c for c in typing.columns if c.kind in ("integer", "number")]
    since = 0
    for one in judged:
        cells = (one.record.cells + [""] * stage.width)[: stage.width]
        columns = ", ".join(f"? AS c{i}" for i in range(stage.width))
        stage.bench.connection.execute(f"CREATE OR REPLACE TEMP TABLE totals AS SELECT {columns}", cells).fetchall()
        word = one.label.casefold().rstrip(" :.*")
        way = "avg" if word in MEANS else "sum"
        hits = misses = part_hits = 0
        for column in numeric:
            value = f"CAST({column.expression} AS DOUBLE)"
            (stated,) = stage.bench.one(f"SELECT {value} FROM totals")
            if not isinstance(stated, float) or (not stated and not one.label):
                continue
            (whole,) = stage.bench.one(f"SELECT {way}({value}) FROM stage")
            (part,) = stage.bench.one(
                f"SELECT {way}({value}) FROM stage WHERE line > {since} AND line < {one.record.line}"
            )
            hits += _same(stated, whole) and bool(stated)
            part_hits += _same(stated, part) and bool(stated)
            misses += not _same(stated, whole)
        if hits and (one.label or not misses):
            one.kind = "totals row"
        elif part_hits and one.label and (word in SUBTOTALS or len(totals) > 1):
            one.kind = "subtotals row"
        if one.kind:
            since = one.record.line
    return judged


def _same(stated: float, found: object) -> bool:
    return isinstance(found, float) and abs(stated - found) <= max(1e-6, abs(stated) * 1e-4)


def put_back(stage: Stage, records: list[Record]) -> None:
    """Give rows back to the stage, each at its place."""
    (last,) = stage.bench.one(f"SELECT coalesce(max(line), 0) FROM {stage.bench.texts}")
    for record in records:
        stage.add_late(record)
    if stage.bench.typed is None and any(r.line < int(str(last)) for r in records):
        stage.bench.execute("CREATE OR REPLACE TEMP TABLE stage AS SELECT * FROM stage ORDER BY line")
