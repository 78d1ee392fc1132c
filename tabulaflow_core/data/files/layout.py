"""Where the table lies in the file: lines above it, its header, notes and totals below it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from tabulaflow_core.data.files.naming import clean_header
from tabulaflow_core.data.files.report import Certainty, SkippedLine
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.values import looks_like

#: First words of a row of totals, in the languages of European and East Asian reports.
_TOTALS = (
    "total", "totals", "grand total", "sum", "sum total", "summe", "gesamt", "gesamtsumme", "insgesamt", "totaal",
    "totale", "total general", "total général", "suma", "razem", "ogółem", "celkem", "summa", "totalt", "i alt",
    "yhteensä", "итого", "всего", "σύνολο", "toplam", "合计", "合計", "总计", "總計", "합계", "المجموع",
)  # fmt: skip


@dataclass(slots=True)
class Layout:
    """The parts of a file.

    Attributes:
        width: Columns of the table.
        header: Cells that name the columns, empty when there are none.
        first: Index of the first record of data among the sampled records.
        comment: Beginning of lines that are comments, empty when there are none.
        labels: Cells of a second header line.
    """

    width: int
    header: list[str] = field(default_factory=list)
    header_lines: list[int] = field(default_factory=list)
    first: int = 0
    comment: str = ""
    labels: list[str] = field(default_factory=list)
    skipped: list[SkippedLine] = field(default_factory=list)
    certainty: Certainty = "certain"
    reason: str = ""


def joined(record: Record, limit: int = 300) -> str:
    """The record on one line, for a person."""
    text = " | ".join(c.strip() for c in record.cells).strip(" |")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def filled(record: Record) -> int:
    """Cells that hold anything."""
    return sum(bool(clean_header(c)) for c in record.cells)


def is_blank(record: Record) -> bool:
    """True when no cell holds anything."""
    return not any(c and not c.isspace() for c in record.cells)


def comment_mark(lines: list[tuple[int, str]], delimiter: str) -> str:
    """`#` when the file begins with comment lines; a header such as `#id,name` is none."""
    texts = [t.strip("\r\n") for _, t in lines if t.strip()]
    if not texts or not texts[0].lstrip().startswith("#"):
        return ""
    rest = [t for t in texts if not t.lstrip().startswith("#")]
    typical = Counter(t.count(delimiter) if delimiter else 0 for t in rest).most_common(1)
    marked = texts[: next((i for i, t in enumerate(texts) if not t.lstrip().startswith("#")), len(texts))]
    if not typical or (len(marked) == 1 and delimiter and texts[0].count(delimiter) == typical[0][0] > 0):
        return ""
    return "#"


def find_layout(records: list[Record], width: int, *, header: bool | None = None) -> Layout:
    """Lay out the sampled records (blank ones and comments already removed).

    Args:
        width: The most common number of cells.
        header: As told by a person, or None to decide.
    """
    layout = Layout(width)
    top = _top(records, width)
    for record in records[:top]:
        layout.skipped.append(SkippedLine(record.line, joined(record), "above the table"))
    if top >= len(records):
        return layout
    layout.width = _data_width(records[top:], width)
    layout.first = top
    found, layout.certainty, layout.reason = _has_header(records[top:], layout.width)
    if header is not None:
        found, layout.certainty, layout.reason = header, "told", "as told"
    if found:
        layout.header = records[top].cells
        layout.header_lines = [records[top].line]
        layout.first = top + 1
        if header is None and _second_header(records[top:], layout.width):
            layout.labels = records[top + 1].cells
            layout.header_lines.append(records[top + 1].line)
            layout.first = top + 2
    return layout


def _top(records: list[Record], width: int) -> int:
    """Index of the first record that belongs to the table: the first that is as full as its rows are."""
    if width == 1:
        return 0
    full = Counter(filled(r) for r in records if len(r.cells) >= width - 1 and filled(r) > 1)
    if not full:
        return 0
    typical = max(full, key=lambda n: (full[n], n))
    need = max(2, -(-typical * 35 // 100))  # a header may leave the cells of a group blank; a title fills few
    for index, record in enumerate(records[:200]):
        if filled(record) < need or len(record.cells) < min(width, 2):
            continue
        following = [
            r for r in records[index + 1 : index + 6] if len(r.cells) == len(record.cells) or filled(r) >= need
        ]
        if following or index == len(records) - 1:
            return index
    return 0


def _data_width(records: list[Record], width: int) -> int:
    """The table's width: its header's or its rows', when enough rows are longer and hold something there."""
    head = len(records[0].cells)
    while head > width and not clean_header(records[0].cells[head - 1]):
        head -= 1
    body = records[1:] or records
    reach = Counter(max((i + 1 for i, c in enumerate(r.cells) if c.strip()), default=0) for r in body)
    long_rows = sum(n for w, n in reach.items() if w > max(width, head))
    result = max(width, head)
    if len(body) >= 10 and long_rows > len(body) * 0.1:
        result = max(reach)
    return result


def _has_header(records: list[Record], width: int) -> tuple[bool, Certainty, str]:
    head = [clean_header(c) for c in records[0].cells]
    body = records[1:400]
    if not body:
        plain = all(looks_like(c) == "text" for c in head if c)
        return plain, "guess", "there is only one row"
    for_header = against = 0
    for index, cell in enumerate(head[:width]):
        kinds = Counter(looks_like(r.cells[index]) for r in body if index < len(r.cells) and r.cells[index].strip())
        kinds.pop("empty", None)
        if not kinds or not cell:
            continue
        kind, count = kinds.most_common(1)[0]
        own = looks_like(cell)
        if count < sum(kinds.values()) * 0.7 or kind == "text":
            continue
        if own == kind:
            against += 1
        elif own in ("text", "number", "date"):
            for_header += 1
    if against and _rising_years(head):
        return True, "likely", "its numbers are rising years"
    if for_header > against:
        return True, "certain" if not against else "likely", "its cells are unlike the values below them"
    if against:
        return False, "likely", "its cells are like the values below them"
    below = {(i, clean_header(c)) for r in body for i, c in enumerate(r.cells)}
    repeated = sum((i, c) in below for i, c in enumerate(head) if c)
    if repeated and len({c for c in head if c}) > 0:
        return False, "guess", "one of its cells appears again below it"
    numeric = sum(looks_like(c) in ("number", "date") for c in head)
    if numeric > len(head) / 2:
        return False, "guess", "most of its cells are numbers"
    return True, "guess" if width == 1 else "likely", "all columns are text, and its cells do not appear again"


def _rising_years(head: list[str]) -> bool:
    years = [int(c) for c in head if c.isascii() and c.isdigit() and len(c) == 4 and 1800 <= int(c) <= 2200]
    return len(years) >= 3 and all(b > a for a, b in pairwise(years))


def _second_header(records: list[Record], width: int) -> bool:
    """True when the second line goes on naming: it fills the blanks of the first and is text over numbers."""
    if len(records) < 4:
        return False
    head, second = records[0].cells, records[1].cells
    blanks = [i for i in range(min(width, len(second))) if i >= len(head) or not clean_header(head[i])]
    if not blanks or sum(bool(second[i].strip()) for i in blanks) < len(blanks) * 0.8:
        return False
    if any(looks_like(c) in ("number", "date") for c in second):
        return False
    first_blank = (
        not second[0].strip() and sum(bool(r.cells[0].strip()) for r in records[2:50]) > len(records[2:50]) * 0.9
    )
    over_numbers = any(
        looks_like(second[i]) == "text"
        and all(looks_like(r.cells[i]) in ("number", "date", "empty") for r in records[2:100] if i < len(r.cells))
        for i in blanks
    )
    return first_blank or (over_numbers and len(blanks) > 1)


def column_kinds(records: list[Record], width: int) -> list[str]:
    """The kind of nearly all values of each column, `text` when they differ."""
    result: list[str] = []
    for index in range(width):
        kinds = Counter(looks_like(r.cells[index]) for r in records if index < len(r.cells))
        kinds.pop("empty", None)
        total = sum(kinds.values())
        kind, count = kinds.most_common(1)[0] if kinds else ("text", 0)
        result.append(kind if total and count >= total * 0.8 else "text")
    return result


def footer_length(body: list[Record], tail: list[Record], width: int) -> int:
    """How many of the last records are notes below the table rather than rows of it.

    A note is a record with one filled cell at the left of a table of three columns or more, or one that has
    text in two columns or more of numbers and dates and nothing else: a row with a remark in place of one
    number is a row.
    """
    count = 0
    for index in range(len(tail) - 1, 0, -1):
        rows = [r for r in body if r.line < tail[index].line]
        if len(rows) < 2 or not _is_note(tail[index], rows, width):
            break
        count += 1
    return count


def _is_note(record: Record, rows: list[Record], width: int) -> bool:
    typical = sorted(filled(r) for r in rows)[len(rows) // 2]
    if width >= 3 and typical >= 3 and filled(record) == 1 and clean_header(record.cells[0]):
        sparse = sum(filled(r) == 1 for r in rows)
        return sparse <= len(rows) * 0.05 and looks_like(record.cells[0]) != "number"
    if width >= 2 and len(record.cells) == 1 and all(len(r.cells) > 1 for r in rows[-20:]):
        return looks_like(record.cells[0]) == "text"
    kinds = column_kinds(rows, width)
    clash = 0
    for index, kind in enumerate(kinds):
        if index >= len(record.cells) or not record.cells[index].strip():
            continue
        if kind == "text" or looks_like(record.cells[index]) != "text":
            return False
        clash += 1
    return clash > 1


def total_label(record: Record) -> str:
    """The cell that calls this row a total, empty when none does."""
    first = next((clean_header(c) for c in record.cells if clean_header(c)), "")
    return first if first.casefold().rstrip(" :.") in _TOTALS else ""
