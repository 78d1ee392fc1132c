"""One block of a sheet into one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tabulaflow_core.data.files.column_notices import tell_of_absent
from tabulaflow_core.data.files.columns import Column, Typing, told_missing, type_columns, write_table
from tabulaflow_core.data.files.convert import TRIMMED, quoted
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.formats.workbook.blocks import Block
from tabulaflow_core.data.files.formats.workbook.book import SheetCells
from tabulaflow_core.data.files.formats.workbook.grid import CellColumn, Rows
from tabulaflow_core.data.files.formats.workbook.heads import Head, find_head
from tabulaflow_core.data.files.formats.workbook.kinds import Typed, type_cells
from tabulaflow_core.data.files.formats.workbook.look import Range
from tabulaflow_core.data.files.formats.workbook.tails import note_rows, total_row
from tabulaflow_core.data.files.formats.workbook.totals import find_sums
from tabulaflow_core.data.files.layout import filled, joined
from tabulaflow_core.data.files.naming import clean_header, column_names
from tabulaflow_core.data.files.report import LISTED, ReadOptions, SkippedLine
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.values import looks_like

#: The first and the last rows of a block that are looked at as text.
_HEAD = 400
_TAIL = 40


@dataclass(slots=True)
class BlockTable:
    """A block that was read.

    Attributes:
        columns: Columns of the sheet that are columns of the table.
        header_lines: Numbers of the rows that name them.
        first_row: Where the table itself begins, header and all; it ends with `last_row`.
        merged_body: Merged cells whose value was given to all of their rows, the first of them, and how many.
        left_out: Columns of the block without a header or a value.
        notes: How many rows below the table were skipped.
        body_end: The row after the last one that is no note.
        sums: Rows that are the sums of others and were left out, each with what it is.
        total: The last row that calls itself a total where its numbers could not be compared at once: left out, or kept
            because it is no sum (`total_kept`).
    """

    block: Block
    columns: list[int]
    head: Head
    header: list[str]
    typing: Typing
    header_lines: list[int] = field(default_factory=list)
    first_row: int = 0
    rows: int = 0
    last_row: int = 0
    blank: int = 0
    skipped: list[SkippedLine] = field(default_factory=list)
    skipped_count: int = 0
    merged_body: list[Range] = field(default_factory=list)
    left_out: list[int] = field(default_factory=list)
    notes: int = 0
    body_end: int = 0
    repeated: int = 0
    sums: list[tuple[str, Record]] = field(default_factory=list)
    total: Record | None = None
    total_kept: bool = False

    def skip(self, records: Sequence[Record], why: str) -> None:
        """Leave rows out and say so."""
        self.skipped_count += len(records)
        room = max(0, LISTED - len(self.skipped))
        self.skipped += [SkippedLine(r.line, joined(r), why) for r in records[:room]]


def read_block(
    job: ReadJob, sheet: SheetCells, block: Block, table: str, options: ReadOptions, *, date_1904: bool
) -> tuple[WrittenTable, BlockTable]:
    """Write one block as one table, and tell what became of its rows."""
    grid = sheet.grid
    inside = grid.filled[block.first_row : block.last_row + 1]
    columns = [c for c in range(block.first_column, block.last_column + 1) if inside[:, c].any()]
    rows: Rows = np.flatnonzero(inside[:, columns].any(axis=1)) + block.first_row
    local = _local(sheet.merged, columns)
    first = grid.records(rows[:_HEAD], columns)
    head = _head(first, block, len(columns), local, options)
    header = list(head.names) if head.rows else []
    result = BlockTable(block, columns, head, header, Typing([]))
    result.blank = block.last_row - block.first_row + 1 - len(rows)
    result.left_out = [c for c in range(block.first_column, block.last_column + 1) if c not in set(columns)]
    result.skip(first[: head.titles], "above the table")
    result.header_lines = [first[i].line for i in head.rows]
    for record, why in zip(first[head.body - len(head.below.why) : head.body], head.below.why, strict=True):
        result.skip([record], why)
    body = rows[head.body :]
    body = _without_repeats(sheet, result, body, columns)
    body, total_at = _without_tail(sheet, result, body, columns, first[head.body :], options)
    names = column_names([clean_header(h) for h in header], len(columns))
    cells = _body_cells(sheet, result, columns, local, body)
    if not options.keep_totals and (sums := find_sums(cells)):
        places = np.array([s.place for s in sums])
        for one, record in zip(sums, sheet.grid.records(body[places], columns), strict=True):
            result.skip([record], one.kind)
            result.sums.append((one.kind, record))
        rest = np.setdiff1d(np.arange(len(body)), places)
        total_at = None if total_at is not None and total_at in body[places] else total_at
        result.total = result.total if total_at is not None else None
        body, cells = body[rest], [c.take(rest) for c in cells]
    keep = body if total_at is None else np.setdiff1d(body, [total_at])
    typing = _type(job, sheet, cells, names, header, columns, body, keep, options, date_1904)
    if total_at is not None:
        lone = result.total is not None and filled(result.total) == 1
        if result.block.totals_rows or lone or _adds_up(job, typing, cells, body, total_at):
            result.skip([result.total] if result.total else [], "totals row")
        else:
            result.total_kept = True
            typing = _type(job, sheet, cells, names, header, columns, body, body, options, date_1904)
    result.typing = typing
    result.first_row = result.header_lines[0] - 1 if head.rows else int(body[0])
    result.last_row = int(keep[-1]) if len(keep) else result.header_lines[-1] - 1
    for index, group in head.groups.items():
        column = typing.columns[index]
        column.note = "; ".join(filter(None, [column.note, f"under “{group}”"]))
    for column, note in zip(typing.columns, head.below.notes(), strict=False):
        column.note = "; ".join(filter(None, [column.note, note]))
    job.watch.advance("writing")
    try:
        result.rows = write_table(job.bench, table, typing)
    finally:
        _unstage(job)
    kinds = tuple(c.kind for c in typing.columns)
    return WrittenTable(table, tuple(names), kinds, result.rows, part=sheet.look.name), result


def _head(first: list[Record], block: Block, width: int, local: Sequence[Range], options: ReadOptions) -> Head:
    untold = options.header is None and options.header_rows is None
    if block.header_row is None or not untold or not block.header_rows:
        return find_head(first, width, local, options)
    at = next((i for i, r in enumerate(first) if r.line == block.header_row + 1), None)
    if at is None:
        return find_head(first, width, local, options)
    rows = list(range(at, min(at + block.header_rows, len(first))))
    head = find_head(first[at:], width, local, replace(options, header_rows=len(rows)))
    head.rows, head.titles = rows, at
    why = f"the workbook has the table “{block.name}” there" if block.name else "the page says that they are headings"
    head.certainty, head.reason = "certain", why
    return head


def _local(merged: Sequence[Range], columns: list[int]) -> list[Range]:
    """Merged cells with their columns counted within the table."""
    places = np.asarray(columns)
    found = []
    for area in merged:
        inside = np.flatnonzero((places >= area.first_column) & (places <= area.last_column))
        if len(inside) and columns[int(inside[0])] == area.first_column:
            found.append(Range(area.first_row, int(inside[0]), area.last_row, int(inside[-1])))
    return found


def _without_repeats(sheet: SheetCells, result: BlockTable, body: Rows, columns: list[int]) -> Rows:
    """The rows without those that only repeat the header, as printed reports do on every page."""
    head = result.head
    if len(head.rows) != 1 or len(body) < 2:
        return body
    same = np.ones(len(body), dtype=bool)
    compared = 0
    for name, index in zip(head.names, columns, strict=True):
        texts = sheet.grid.columns[index].arrays.get("text")
        if not name or looks_like(name) != "text":
            continue
        if texts is None:
            return body
        cells = pc.utf8_trim_whitespace(texts.take(pa.array(body)))
        same &= pc.fill_null(pc.equal(cells, name), False).to_numpy(zero_copy_only=False)
        compared += 1
        if not same.any():
            return body
    if compared < 2:
        return body
    repeats = body[same]
    result.repeated = len(repeats)
    result.skip(sheet.grid.records(repeats[:LISTED], columns), "the header again")
    result.skipped_count += max(0, len(repeats) - LISTED)
    return body[~same]


def _without_tail(
    sheet: SheetCells, result: BlockTable, body: Rows, columns: list[int], first: list[Record], options: ReadOptions
) -> tuple[Rows, int | None]:
    """The rows without notes at their end, and the row of totals among them that is to be judged."""
    if options.keep_totals or len(body) < 2:
        return body, None
    tail = sheet.grid.records(body[-_TAIL:], columns)
    known = {int(b) + 1 for b in body} if len(body) <= _HEAD else None
    rows = [r for r in first if known is None or r.line in known]
    count = note_rows(rows, tail, len(columns))
    if count:
        result.skip(tail[len(tail) - count :], "below the table")
        result.notes = count
        result.body_end = tail[len(tail) - count - 1].line
        body, tail = body[:-count], tail[: len(tail) - count]
    if len(body) > 1 and (result.block.totals_rows or total_row(tail, len(columns))):
        result.total = tail[-1]
        return body, int(body[-1])
    return body, None


def _body_cells(
    sheet: SheetCells, result: BlockTable, columns: list[int], local: Sequence[Range], body: Rows
) -> list[CellColumn]:
    """The cells of the body, with the value of cells merged over several rows in each of them."""
    sources = {c: body for c in range(len(columns))}
    if len(body):
        for area in local:
            if area.last_row <= area.first_row or area.first_row < body[0] or area.first_row > body[-1]:
                continue
            start, stop = np.searchsorted(body, (area.first_row, area.last_row + 1))
            if start >= len(body) or body[start] != area.first_row or stop - start < 2:
                continue
            if sources[area.first_column] is body:
                sources[area.first_column] = body.copy()
            sources[area.first_column][start:stop] = area.first_row
            result.merged_body.append(area)
    return [sheet.grid.columns[c].take(sources[i]) for i, c in enumerate(columns)]


def _type(
    job: ReadJob, sheet: SheetCells, cells: list[CellColumn], names: list[str], header: list[str], columns: list[int],
    body: Rows, keep: Rows, options: ReadOptions, date_1904: bool,
) -> Typing:  # fmt: skip
    """Stage the rows to keep and decide the types of all columns."""
    job.watch.advance("finding types")
    missing = frozenset(w.strip(TRIMMED).casefold() for w in options.missing or ()) - {""}
    chosen = None if len(keep) == len(body) else np.searchsorted(body, keep)
    first, last = (int(keep[0]), int(keep[-1])) if len(keep) else (0, 0)
    typed: list[Typed] = []
    for index, column in enumerate(cells):
        part = column if chosen is None else column.take(chosen)
        code = sheet.look.column_format(columns[index], first, last)
        name = names[index]
        typed.append(
            type_cells(
                part, name=name, header=header[index] if index < len(header) else "", code=code,
                told=options.types.get(name), missing=missing, date_1904=date_1904,
            )
        )  # fmt: skip
    texts = [i for i, t in enumerate(typed) if t.column is None]
    _stage(job, keep, typed, texts, change=bool(missing))
    told = {n: kind for n, kind in options.types.items() if n in {names[i] for i in texts}}
    told |= {names[i]: kind for i in texts if (kind := typed[i].forced) is not None and names[i] not in told}
    own_header = [header[i] if i < len(header) else "" for i in texts]
    typing = Typing([])
    if texts:
        typing = type_columns(job.bench, [names[i] for i in texts], own_header, replace(options, types=told), ",")
    by_index = dict(zip(texts, typing.columns, strict=True))
    typing.columns = [_finished(i, t, by_index.get(i)) for i, t in enumerate(typed)]
    emptied = tell_of_absent([t.column for t in typed if t.column is not None])
    typing.notices = [*(n for t in typed for n in t.notices), *typing.notices, *emptied, *_unknown(options, names)]
    if options.missing is not None and not texts:
        typing.decisions.append(told_missing(options.missing))
    return typing


def _finished(index: int, typed: Typed, judged: Column | None) -> Column:
    if judged is None:
        assert typed.column is not None
        column = typed.column
        column.source = column.expression = f"x{index}"
        column.note = "; ".join(typed.notes)
        return column
    extra = list(typed.notes)
    if judged.kind != "text" and typed.text_cells:
        words = "stored as text in the workbook"
        extra.append(words if not typed.from_numbers else f"{typed.text_cells} of its values were {words}")
    if judged.certainty == "told" and typed.forced:
        judged.certainty = "certain"
    judged.note = "; ".join(filter(None, [judged.note, *extra]))
    return judged


def _unknown(options: ReadOptions, names: list[str]) -> list[str]:
    """Sentences on types that were asked for columns that are not there."""
    known = ", ".join(f"“{n}”" for n in names[:20])
    return [
        f"There is no column “{name}” to read as {kind}; the columns are {known}."
        for name, kind in options.types.items()
        if name not in names
    ]


def _stage(job: ReadJob, rows: Rows, typed: list[Typed], texts: list[int], *, change: bool) -> None:
    """Show the rows to DuckDB as `stage`: text as `c0`, `c1` …, what has its type already as `x` with its place.

    Args:
        change: Cells of it will be changed, so that it must be a table of its own.
    """
    columns: dict[str, pa.Array] = {"line": pa.array(rows + 1, pa.int64())}
    for place, index in enumerate(texts):
        columns[f"c{place}"] = typed[index].values
    for index, column in enumerate(typed):
        if column.column is not None:
            columns[f"x{index}"] = column.values
    _unstage(job)
    bench = job.bench
    bench.renew()
    bench.connection.register("staged", pa.table(columns))
    bench.execute(f"CREATE TEMP {'TABLE' if change else 'VIEW'} stage AS SELECT * FROM staged")
    if change:
        bench.connection.unregister("staged")


def _unstage(job: ReadJob) -> None:
    connection = job.bench.connection
    found = job.bench.rows("SELECT 1 FROM duckdb_views() WHERE view_name = 'stage' AND NOT internal")
    job.bench.execute(f"DROP {'VIEW' if found else 'TABLE'} IF EXISTS {quoted('stage')}")
    if found:
        connection.unregister("staged")


def _adds_up(job: ReadJob, typing: Typing, cells: list[CellColumn], body: Rows, total_at: int) -> bool:
    """True when a number of the totals row is the sum of its column."""
    place = int(np.searchsorted(body, total_at))
    for column, own in zip(typing.columns, cells, strict=True):
        if column.kind not in ("integer", "number"):
            continue
        stated = _number(own, place)
        (summed,) = job.bench.one(f"SELECT sum(CAST({column.expression} AS DOUBLE)) FROM stage")
        if stated and isinstance(summed, float) and abs(stated - summed) <= max(1e-6, abs(stated) * 1e-4):
            return True
    return False


def _number(cells: CellColumn, place: int) -> float | None:
    (value,) = cells.take(np.array([place])).cells()
    if isinstance(value, str):
        text = "".join(c for c in value if c.isdigit() or c in "-.")
        try:
            return float(text)
        except ValueError:
            return None
    return float(value) if isinstance(value, int | float) else None
