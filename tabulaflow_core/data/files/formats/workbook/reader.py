"""Workbooks: every visible sheet is read, each table on it by itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.convert import quoted
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.formats.later import LaterReader
from tabulaflow_core.data.files.formats.workbook.blocks import Block, find_blocks
from tabulaflow_core.data.files.formats.workbook.book import (
    BARE_BIFF,
    OLE_MAGIC,
    OpenBook,
    SheetCells,
    SheetUnreadable,
    kind_of_workbook,
    open_book,
)
from tabulaflow_core.data.files.formats.workbook.heads import is_year
from tabulaflow_core.data.files.formats.workbook.shown import span
from tabulaflow_core.data.files.formats.workbook.table import BlockTable, read_block
from tabulaflow_core.data.files.formats.workbook.words import report_of
from tabulaflow_core.data.files.layout import joined
from tabulaflow_core.data.files.naming import table_name, unique
from tabulaflow_core.data.files.report import LISTED, Part, PartKind, PartState, ReadingReport, ReadOptions, SkippedLine
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.errors import FileUnreadable

_SUFFIXES = frozenset({".xlsx", ".xlsm", ".xltx", ".xltm", ".xlsb", ".ods", ".ots"})
_KINDS = {"chart": "a chart", "macro": "a sheet of macros", "dialog": "a dialog"}
#: Names of titles in the names of tables are cut here.
_TITLE_CHARS = 40


@dataclass(slots=True)
class _Read:
    """One table that was read, with where it comes from."""

    sheet: SheetCells
    table: BlockTable
    written: WrittenTable
    options: ReadOptions
    notices: list[str] = field(default_factory=list)


class WorkbookReader:
    """Reads XLSX, XLSM, XLSB, XLS and ODS."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """True for the containers of workbooks and for their suffixes; `reader_for` knows text behind those."""
        return head.startswith((b"PK\x03\x04", OLE_MAGIC, *BARE_BIFF)) or suffix in _SUFFIXES

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Write the tables of the sheets that are visible, or of those that the options name.

        Raises:
            FileReadingStopped: Somebody stopped it.
            FileUnreadable: It is no workbook, is locked, or holds no data.
        """
        kind = kind_of_workbook(job.path)
        if kind is None:
            return _no_workbook(job)
        with open_book(job.path, job.name, kind, job.bench.folder, job.watch) as book:
            return read_book(job, book, kind)


def read_book(job: ReadJob, book: OpenBook, kind: str) -> tuple[list[WrittenTable], ReadingReport]:
    """Write the tables of an open workbook.

    Args:
        kind: What the report calls the format; with `html` the sheets are tables of a page.

    Raises:
        FileReadingStopped: Somebody stopped it.
        FileUnreadable: It holds no data.
    """
    notices = [*book.seen.notices]
    read, parts = _sheets(job, book, notices, "table" if kind == "html" else "sheet")
    dates = any(kind in ("date", "datetime") for item in read for kind in item.written.types)
    if book.seen.date_1904 and dates:
        notices.append("The workbook counts its days from 1904, and the dates were read so.")
    if not read:
        raise FileUnreadable(_nothing(job, parts))
    if len(read) == 1:
        (one,) = read
        told = [*notices, *_left_notices(parts), *one.notices]
        return [one.written], report_of(one.sheet, one.table, kind, one.options, notices=told, parts=parts)
    tables, reports = [], []
    for item in read:
        report = report_of(item.sheet, item.table, kind, item.options, notices=item.notices)
        reports.append(report)
        tables.append(replace(item.written, report=report))
    return tables, ReadingReport(
        kind,
        skipped_count=sum(r.skipped_count for r in reports),
        misfit_count=sum(r.misfit_count for r in reports),
        blank_lines=sum(r.blank_lines for r in reports),
        rows_in_file=sum(r.rows_in_file for r in reports),
        rows_in_table=sum(r.rows_in_table for r in reports),
        notices=(*notices, *_left_notices(parts)),
        parts=parts,
    )


def _no_workbook(job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
    with job.path.open("rb") as file:
        head = file.read(8)
    suffix = "." + job.name.rsplit(".", 1)[-1].lower()
    if suffix not in _SUFFIXES:
        return LaterReader().read(job)
    what = "a spreadsheet" if suffix in (".ods", ".ots") else "an Excel workbook"
    why = (
        f"is {what} that is damaged or cut off" if head.startswith(b"PK") else f"is not {what}, whatever its name says"
    )
    raise FileUnreadable(f"{job.name} {why}. Save it again in a spreadsheet program, or choose another file.")


def _sheets(job: ReadJob, book: OpenBook, notices: list[str], noun: PartKind) -> tuple[list[_Read], tuple[Part, ...]]:
    wanted = _wanted(job, book, notices)
    read: list[_Read] = []
    parts: list[Part] = []
    lone: list[tuple[int, SheetCells]] = []
    taken: set[str] = set()
    several = sum(s.kind == "sheet" and s.name in wanted for s in book.seen.sheets) > 1
    for look in book.seen.sheets:
        part = Part(look.name, noun, "off", hidden=look.state != "visible")
        if look.kind != "sheet":
            parts.append(replace(part, message=f"It is {_KINDS[look.kind]}, which holds no table."))
            continue
        if look.name not in wanted:
            message = {"hidden": "It is hidden in the workbook.", "very hidden": "It is hidden, even from its menu."}
            parts.append(replace(part, message=message.get(look.state, "It was not asked for.")))
            continue
        try:
            cells = book.cells(look)
        except SheetUnreadable as error:
            parts.append(replace(part, state="unreadable", message=error.message))
            continue
        if cells is not None and several and job.options.parts is None and (words := _lone_words(cells)):
            lone.append((len(parts), cells))
            parts.append(replace(part, message=f"It holds no table, only one cell: “{words}”."))
            continue
        found = [] if cells is None else _tables(job, book, cells, several, taken)
        read += found
        state: PartState = "read" if found else "empty"
        parts.append(replace(part, state=state, tables=tuple(r.written.name for r in found)))
    for place, cells in [] if read else lone:
        read += (found := _tables(job, book, cells, several, taken))
        names = tuple(r.written.name for r in found)
        parts[place] = replace(parts[place], state="read", message="", tables=names)
    filled = [i for i, part in enumerate(parts) if part.tables]
    if several and len(filled) == 1:  # the others are empty: the tables are named after the file alone
        _rename(job, read)
        parts[filled[0]] = replace(parts[filled[0]], tables=tuple(r.written.name for r in read))
    return read, tuple(parts)


def _lone_words(cells: SheetCells) -> str:
    """The text of the only cell of a sheet, as a title page has; empty for other sheets and for a number."""
    if int(cells.grid.filled.sum()) != 1:
        return ""
    text = joined(cells.grid.records([cells.grid.height - 1], range(cells.grid.filled.shape[1]))[0], _TITLE_CHARS)
    return text if any(c.isalpha() for c in text) else ""


def _rename(job: ReadJob, read: list[_Read]) -> None:
    """Take the sheet's name out of the names of the tables."""
    for item in read:
        old = item.written.name
        new = job.table + old.removeprefix(f"{job.table}_{_ending(item.sheet.look.name)}")
        job.bench.execute(f"ALTER TABLE out.main.{quoted(old)} RENAME TO {quoted(new)}")
        item.written = replace(item.written, name=new)


def _wanted(job: ReadJob, book: OpenBook, notices: list[str]) -> frozenset[str]:
    """Names of the sheets to read."""
    sheets = [s for s in book.seen.sheets if s.kind == "sheet"]
    if job.options.parts is None:
        return frozenset(s.name for s in sheets if s.state == "visible")
    named = {p.casefold() for p in job.options.parts}
    found = frozenset(s.name for s in sheets if s.name.casefold() in named)
    unknown = [p for p in job.options.parts if p.casefold() not in {s.name.casefold() for s in sheets}]
    known = ", ".join(f"“{s.name}”" for s in sheets[:20])
    if unknown and not found:
        raise FileUnreadable(f"{job.name} has no sheet “{unknown[0]}”. Its sheets are {known}.")
    notices += [f"There is no sheet “{name}”; the sheets are {known}." for name in unknown]
    return found


def _tables(job: ReadJob, book: OpenBook, cells: SheetCells, several: bool, taken: set[str]) -> list[_Read]:
    """Read the tables of one sheet."""
    options = job.options.for_part(cells.look.name)
    first = min(options.skip_lines or 0, cells.grid.height)
    last = cells.grid.height - 1 - (options.skip_end or 0)
    left = [*range(first), *range(max(last + 1, first), cells.grid.height)]
    if last < first or not cells.grid.filled[first : last + 1].any():
        return []
    blocks = find_blocks(
        cells.grid, cells.look.tables, first_row=first, last_row=last, merged=cells.merged, beside=options.beside
    )
    base = f"{job.table}_{_ending(cells.look.name)}" if several else job.table
    names = [base] if len(blocks) == 1 else [_block_name(cells, block, base) for block in blocks]
    read = []
    for block, name in zip(blocks, names, strict=True):
        chosen = _free(name, taken)
        written, table = read_block(job, cells, block, chosen, options, date_1904=book.seen.date_1904)
        read.append(_Read(cells, table, written, options))
    if read and left:
        _tell_left(cells, read[0], left)
    if len(blocks) > 1:
        for item in read:
            table = item.table
            place = span(table.first_row, table.columns[0], table.last_row, table.columns[-1])
            item.notices.append(f"The sheet “{cells.look.name}” holds {len(blocks)} tables; this one is {place}.")
    return read


def _tell_left(cells: SheetCells, item: _Read, rows: list[int]) -> None:
    """Rows that a person said to leave out, with their text."""
    full = [r for r in rows if cells.grid.filled[r].any()]
    records = cells.grid.records(np.asarray(full[:LISTED], dtype=np.int64), range(cells.grid.filled.shape[1]))
    item.table.skipped_count += len(full)
    item.table.skipped[:0] = [SkippedLine(r.line, joined(r), "as told") for r in records]
    item.notices.append(
        f"{counted(len(full), 'row')} at the start or end of the "
        f"sheet {agreed(len(full), 'was', 'were')} left out, as told."
    )


def _block_name(cells: SheetCells, block: Block, base: str) -> str:
    """A name for one of several tables: what the workbook calls it, else its title."""
    if block.name:
        return f"{base}_{_ending(block.name)}"
    title = _title(cells.grid.records([block.first_row], range(block.first_column, block.last_column + 1))[0])
    return f"{base}_{_ending(title)}" if title else base


def _ending(text: str) -> str:
    """The second part of a table's name, which may begin with a digit."""
    return table_name(f"x {text}").removeprefix("x_")


def _title(record: Record) -> str:
    filled = [c.strip() for c in record.cells if c.strip()]
    text = filled[0] if len(filled) == 1 else ""
    return text if len(text) <= _TITLE_CHARS and (is_year(text) or any(c.isalpha() for c in text)) else ""


def _free(name: str, taken: set[str]) -> str:
    chosen = unique([*taken, name])[-1]
    taken.add(chosen)
    return chosen


def _left_notices(parts: tuple[Part, ...]) -> list[str]:
    """Sentences on the sheets that were not read."""
    notices = []
    hidden = [p.name for p in parts if p.state == "off" and p.hidden]
    if hidden:
        shown = ", ".join(f"“{n}”" for n in hidden[:10])
        notices.append(
            f"{counted(len(hidden), 'hidden sheet')} {agreed(len(hidden), 'was', 'were')} "
            f"not read: {shown}. Choose them to read them."
        )
    empty = [p.name for p in parts if p.state == "empty"]
    if empty:
        notices.append(
            f"{counted(len(empty), 'sheet')} {agreed(len(empty), 'is', 'are')} "
            f"empty: {', '.join(f'“{n}”' for n in empty[:10])}."
        )
    others = [p for p in parts if p.state == "off" and not p.hidden and "holds no table" in p.message]
    if others:
        notices.append(
            f"{counted(len(others), 'sheet')} {agreed(len(others), 'holds', 'hold')} "
            f"no table: {', '.join(f'“{p.name}”' for p in others[:10])}."
        )
    return notices + [p.message for p in parts if p.state == "unreadable"]


def _nothing(job: ReadJob, parts: tuple[Part, ...]) -> str:
    broken = [p.message for p in parts if p.state == "unreadable"]
    if broken:
        return f"{job.name}: {broken[0]}"
    hidden = [p.name for p in parts if p.state == "off" and p.hidden]
    if hidden:
        shown = ", ".join(f"“{n}”" for n in hidden[:10])
        return f"{job.name} holds no data in its visible sheets. Its hidden sheets are {shown}: name them to read them."
    return f"{job.name} holds no data: all of its sheets are empty. Save it with data, or choose another file."
