"""The tables of a web page, which many programs export under the name of an Excel workbook."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.encoding import detect_encoding
from tabulaflow_core.data.files.formats.workbook.laid import LaidBook, LaidSheet, Room
from tabulaflow_core.data.files.formats.workbook.look import NamedTable, Range, SheetLook, WorkbookLook
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileUnreadable

#: Bytes that are read at a time; the parser goes over a tag without an end again with each.
_BLOCK: Final = 1 << 16
#: As browsers bound them.
_MOST_ACROSS, _MOST_DOWN = 1000, 65_534
#: More rows of names than this are no header.
_MOST_HEADER_ROWS: Final = 4
_MOST_MERGED: Final = 200_000
_MOST_TABLES: Final = 1000
_NAME_CHARS: Final = 60
_CHARSET: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_SPACES: Final = re.compile(r"[ \t\r\n\f\v]+")
_LINES: Final = re.compile(r"[ \u00a0]*\n[ \u00a0\n]*")
#: What ends a line within a cell, and what is not shown at all.
_BREAKS: Final = frozenset({"br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4"})
_UNSEEN: Final = frozenset({"script", "style", "template", "head", "title", "select", "textarea", "svg"})


@dataclass(slots=True)
class _Table:
    """A table that is being read.

    Attributes:
        open: Rows below that a cell still reaches into, by column.
        header_rows: Rows that name the columns: those of its head, or the first ones of nothing but `th`.
        inner: Whether it holds another table.
    """

    laid: LaidSheet = field(default_factory=LaidSheet)
    merged: list[Range] = field(default_factory=list)
    open: dict[int, int] = field(default_factory=dict)
    caption: str = ""
    row: int = -1
    column: int = 0
    in_head: bool = False
    names_only: bool = True
    header_rows: int = 0
    inner: bool = False
    text: list[str] | None = None
    size: int = 0
    spans: tuple[int, int] = (1, 1)
    in_caption: bool = False


class _Page(HTMLParser):
    """Collects the tables of a page, inner ones by themselves."""

    def __init__(self, room: Room, watch: Watch, name: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[_Table] = []
        self._open: list[_Table] = []
        self._room, self._watch, self._name = room, watch, name
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """An element begins."""
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag == "table":
            if self._open:
                self._open[-1].inner = True
            self._open.append(_Table())
            if len(self.tables) + len(self._open) > _MOST_TABLES:
                raise FileUnreadable(
                    f"{self._name} holds more than {_MOST_TABLES:,} tables. Save the one that you need as CSV."
                )
        elif self._open:
            self._within(self._open[-1], tag, dict(attrs))

    def _within(self, table: _Table, tag: str, attributes: dict[str, str | None]) -> None:
        if tag == "tr":
            self._end_row(table)
            table.row += 1
            table.column, table.names_only = 0, True
        elif tag in ("td", "th"):
            self._end_cell(table)
            table.row = max(table.row, 0)
            table.names_only &= tag == "th"
            table.text, table.size = [], 0
            across, down = _span(attributes.get("colspan")), _span(attributes.get("rowspan"))
            table.spans = min(across, _MOST_ACROSS), min(down, _MOST_DOWN)
        elif tag == "thead":
            table.in_head = True
        elif tag in ("tbody", "tfoot"):
            self._end_row(table)
            table.in_head = False
        elif tag == "caption":
            table.in_caption, table.text = True, []
        elif tag in _BREAKS and table.text:
            table.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """An element ends."""
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        if not self._open:
            return
        table = self._open[-1]
        if tag == "table":
            self._end_row(table)
            self._open.pop()
            self.tables.append(table)
        elif tag == "tr" or tag == "thead":
            self._end_row(table)
            table.in_head &= tag != "thead"
        elif tag in ("td", "th"):
            self._end_cell(table)
        elif tag == "caption" and table.in_caption:
            table.caption, table.text, table.in_caption = _shown(table.text), None, False
        elif tag in _BREAKS and table.text:
            table.text.append("\n")

    def handle_data(self, data: str) -> None:
        """Text."""
        table = self._open[-1] if self._open else None
        if table is None or table.text is None or self._unseen:
            return
        table.size += len(data)
        if table.size > self._watch.bounds.cell_bytes:
            raise FileUnreadable(f"{self._name} holds one cell that is larger than the allowed amount.")
        table.text.append(data)

    def _end_cell(self, table: _Table) -> None:
        if table.text is None or table.in_caption:
            return
        while table.open.get(table.column, 0) > table.row:
            table.column += 1
        (across, down), column = table.spans, table.column
        self._room.column(column + across - 1)
        text, table.text = _shown(table.text), None
        if text:
            self._room.take()
            table.laid.put(table.row, column, text)
        if down > 1:
            for covered in range(column, column + across):
                table.open[covered] = table.row + down
        if (across > 1 or down > 1) and text and len(table.merged) < _MOST_MERGED:
            table.merged.append(Range(table.row, column, table.row + down - 1, column + across - 1))
        table.column = column + across

    def _end_row(self, table: _Table) -> None:
        self._end_cell(table)
        names = table.in_head or table.names_only
        if table.row >= 0 and table.column and names and table.header_rows == table.row:
            table.header_rows += 1

    def finish(self) -> list[_Table]:
        """All tables, those without an end among them."""
        self.close()
        while self._open:
            self._end_row(self._open[-1])
            self.tables.append(self._open.pop())
        return self.tables


def _span(text: str | None) -> int:
    """How many rows or columns a cell reaches over, at least one."""
    digits = (text or "").strip()
    return max(1, int(digits)) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 1


def _shown(pieces: list[str] | None) -> str:
    """Text as a browser shows it: blanks are one, and lines are those of the elements."""
    parts = "".join(p if p == "\n" else _SPACES.sub(" ", p) for p in pieces or [])
    return _LINES.sub("\n", parts).strip(" \n\u00a0")


def read_page(path: Path, name: str, encoding: str | None, watch: Watch) -> LaidBook:
    """The tables of a web page as a workbook with a sheet for each.

    Args:
        encoding: A codec that a person chose; None for the page's own.

    Raises:
        FileUnreadable: It has no table with cells, or more than the bounds allow.
        FileReadingStopped: Somebody stopped the reading.
    """
    page = _Page(Room(name, watch), watch, name)
    decoder = codecs.getincrementaldecoder(encoding or _codec(path))(errors="replace")
    total, done = path.stat().st_size, 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            page.feed(decoder.decode(block))
            done += len(block)
            watch.advance("reading", done, total)
            if len(page.rawdata) > watch.bounds.cell_bytes:
                raise FileUnreadable(f"{name} holds one tag or value that is larger than the allowed amount.")
    tables = page.finish()
    found = [t for t in tables if t.laid.filled > 1 and (t.laid.width > 1 or len(t.laid.rows) > 1)]
    found = [t for t in found if not (t.inner and t.laid.width == 1)]
    if not found:
        raise FileUnreadable(
            f"{name} is a web page without a table that holds data. Export the data as CSV or as an Excel workbook."
        )
    book = LaidBook(WorkbookLook(()), watch, {})
    looks: list[SheetLook] = []
    for number, table in enumerate(found, 1):
        title = table.caption[:_NAME_CHARS] or f"table {number}"
        title = title if title not in book.sheets else f"{title} ({number})"
        book.sheets[title] = table.laid
        looks.append(_look(title, table))
    left = len(tables) - len(found)
    notices = (
        (
            f"{counted(left, 'table')} of the page {agreed(left, 'holds', 'hold')} "
            f"no data and {agreed(left, 'was', 'were')} left out.",
        )
        if left
        else ()
    )
    book.seen = WorkbookLook(tuple(looks), notices=notices)
    return book


def _look(title: str, table: _Table) -> SheetLook:
    laid = table.laid
    area = Range(min(laid.rows), 0, max(laid.rows), laid.width - 1)
    known = 0 < table.header_rows <= _MOST_HEADER_ROWS and table.header_rows <= max(laid.rows)
    named = (NamedTable("", area, table.header_rows),) if known else ()
    return SheetLook(
        title, merged=tuple(table.merged), tables=named, extent=area, filled_cells=laid.filled
    )  # fmt: skip


def _codec(path: Path) -> str:
    """The page's encoding: by its mark, by its own word, by its bytes."""
    with path.open("rb") as file:
        head = file.read(4096)
    if not head.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        told = _CHARSET.search(head)
        if told is not None:
            try:
                named = codecs.lookup(told[1].decode("ascii")).name
            except LookupError:
                named = ""
            if named and not named.startswith("utf-16"):  # its word was found byte by byte
                return "cp1252" if named in ("iso8859-1", "ascii") else named
    return detect_encoding(path).codec
