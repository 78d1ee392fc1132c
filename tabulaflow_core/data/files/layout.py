"""Where the table lies in the file: lines above it, its header, notes and totals below it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from tabulaflow_core.data.files import headers
from tabulaflow_core.data.files.below import rows_below
from tabulaflow_core.data.files.footers import footer_length, total_label
from tabulaflow_core.data.files.naming import clean_header
from tabulaflow_core.data.files.records import column_kinds, filled, is_blank, joined, some_of
from tabulaflow_core.data.files.report import Certainty, SkippedLine
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.values import looks_like

#: Settings above a table at most.
_PAIRS = 60
_CODE = re.compile(r"[0-9]|[^\W\d_]")

__all__ = [
    "Layout",
    "column_kinds",
    "comment_mark",
    "filled",
    "find_layout",
    "footer_length",
    "is_blank",
    "joined",
    "total_label",
]


@dataclass(slots=True)
class Layout:
    """The parts of a file.

    Attributes:
        width: Columns of the table.
        header: Cells that name the columns, those of several header rows joined; empty when there are none.
        header_lines: The lines of the header rows.
        first: Index of the first record of data among the sampled records.
        comment: Beginning of lines that are comments, empty when there are none.
        notes: What rows below the header say of each column: its unit, or what it means.
        shifted: The header lacks the name of the first column, and was moved to the right.
        skipped: Records above the table, and between its header and its rows.
        notices: Sentences on how the header was put together.
    """

    width: int
    header: list[str] = field(default_factory=list)
    header_lines: list[int] = field(default_factory=list)
    first: int = 0
    comment: str = ""
    notes: list[str] = field(default_factory=list)
    shifted: bool = False
    skipped: list[SkippedLine] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    certainty: Certainty = "certain"
    reason: str = ""


def comment_mark(lines: list[tuple[int, str]], delimiter: str) -> str:
    """How comment lines begin; empty when there are none. A header such as `#id,name` is no comment."""
    texts = [t.strip() for _, t in lines if t.strip()]
    if not texts:
        return ""
    for mark in ("#", "//", "%", "--", "!"):
        marked = [t for t in texts if t.startswith(mark)]
        rest = [t for t in texts if not t.startswith(mark)]
        if not marked or not rest:
            continue
        typical = Counter(t.count(delimiter) if delimiter else 0 for t in rest).most_common(1)[0][0]
        leading = next(i for i, t in enumerate([*texts, ""]) if not t.startswith(mark))
        if leading == 1 and delimiter and texts[0].count(delimiter) == typical > 0:
            continue  # a header whose first name begins so
        if mark != "#" and (leading < 2 or any(set(t) <= set("-+| ") for t in marked[:leading])):
            continue
        if leading or (typical and all(t.count(delimiter) < typical for t in marked) and len(marked) < len(rest)):
            return mark
    return ""


def find_layout(
    records: list[Record],
    width: int,
    *,
    header: bool | None = None,
    header_rows: int | None = None,
    from_first: bool = False,
) -> Layout:
    """Lay out the sampled records (blank ones and comments already removed).

    Args:
        width: The most common number of cells.
        header: As told by a person, or None to decide.
        header_rows: How many records name the columns, as told by a person; it outranks `header`.
        from_first: The table begins with the first record, as told by a person.
    """
    layout = Layout(width)
    top = 0 if from_first else _top(records, width)
    groups = 0
    if header is None and header_rows is None:
        above = top and records[top].line - records[top - 1].line == 1
        groups = next(
            (g for g in (top - 1, top) if (g < top) <= bool(above) and headers.group_row(records, g, width)), -1
        )
        top, groups = (groups, 1) if groups >= 0 else (top, 0)
    for record in records[:top]:
        layout.skipped.append(SkippedLine(record.line, joined(record), "above the table"))
    if top >= len(records):
        return layout
    if header_rows is None and header is not None:
        header_rows = int(header)
    layout.width = _data_width(records[top:], width)
    if header_rows is None:
        found, layout.certainty, layout.reason = (
            (True, "likely", "it names groups of columns") if groups else _has_header(records[top:], layout.width)
        )
        rows = 0 if not found else 2 if groups or _second_header(records[top:], layout.width) else 1
    else:
        rows, layout.certainty, layout.reason = min(header_rows, len(records) - top), "told", "as told"
    layout.first = top + rows
    if rows:
        _name(layout, records[top : top + rows], told=header_rows is not None)
        body = records[top + rows :]
        if header_rows is None:
            _below_the_header(layout, body)
            _shift(layout, body)
    return layout


def _name(layout: Layout, rows: list[Record], *, told: bool) -> None:
    """Names from one or several header rows."""
    layout.header_lines = [r.line for r in rows]
    layout.header = rows[0].cells
    if len(rows) == 1:
        return
    layout.header, how = headers.joined_names([r.cells for r in rows], layout.width, told=told)
    layout.notices.append(f"The header has {len(rows)} lines; {how}: “{joined(rows[-1], 80)}”.")


def _below_the_header(layout: Layout, body: list[Record]) -> None:
    """Take out rows of units, of field formats and of labels that stand between the header and the rows."""
    found = rows_below(layout.header, body, lambda rows: column_kinds(rows, layout.width))
    for record, why in zip(body, found.why, strict=False):
        layout.skipped.append(SkippedLine(record.line, joined(record), why))
    layout.first += len(found.why)
    layout.notices += found.notices
    layout.notes = found.notes()


def _shift(layout: Layout, body: list[Record]) -> None:
    """Move a header that lacks exactly the name of the first column, as programs write row names."""
    names = len(layout.header)
    rows = body[:400]
    if len(rows) < 2 or names < 1 or any(len(r.cells) != names + 1 for r in rows) or not all(layout.header):
        return
    if sum(bool(r.cells[-1].strip()) for r in rows) * 2 < len(rows):
        return  # the rows end with a delimiter
    firsts = [r.cells[0].strip() for r in rows]
    if len(set(firsts)) < len(firsts) or not all(firsts):
        return
    numbers = [int(f) for f in firsts if f.isascii() and f.isdigit()]
    if numbers and (len(numbers) < len(firsts) or any(b - a != 1 for a, b in pairwise(numbers))):
        return
    layout.width = names + 1
    layout.header = ["", *layout.header]
    layout.shifted = True
    layout.notices.append("The header has one name less than there are columns: the first column holds row names.")


def _top(records: list[Record], width: int) -> int:
    """Index of the first record that belongs to the table: the first that is as full as its rows are."""
    if width == 1:
        return 0
    if pairs := _pairs_above(records):
        return pairs
    full = Counter(filled(r) for r in records if len(r.cells) >= width - 1 and filled(r) > 1)
    if not full:
        return 0
    typical = max(full, key=lambda n: (full[n], n))
    need = max(2, -(-typical * 35 // 100))  # a header may leave the cells of a group blank; a title fills few
    for index, record in enumerate(records[:200]):
        if index == 0 and _tells_of_the_file(records, width):
            continue
        unnamed = len(record.cells) == width and not record.cells[0].strip() and filled(record) == width - 1
        if (filled(record) < need and not unnamed) or len(record.cells) < min(width, 2):
            continue
        following = [
            r for r in records[index + 1 : index + 6] if len(r.cells) == len(record.cells) or filled(r) >= need
        ]
        if following or index == len(records) - 1:
            return _below_a_gap(records, index, width)
    return 0


def _pairs_above(records: list[Record]) -> int:
    """How many records of one or two cells stand above a table of three columns or more; 0 when it has no header.

    Devices write them: the name of a setting, and its value.
    """
    count = next((i for i, record in enumerate(records[: _PAIRS + 1]) if len(record.cells) > 2), 0)
    rest = records[count : count + 400]
    if not 2 <= count <= _PAIRS or len(rest) < 3:
        return 0
    width = len(rest[0].cells)
    if sum(len(record.cells) == width for record in rest) < len(rest) * 0.9:
        return 0
    found, sure, _ = _has_header(rest, width)
    return count if found and sure == "certain" else 0


def _tells_of_the_file(records: list[Record], width: int) -> bool:
    """True for a first line with values in it that alone has another width, above a line of names."""
    first, rest = records[0], records[1:100]
    if len(rest) < 2 or len(first.cells) == width or any(len(r.cells) != width for r in rest):
        return False
    if all(looks_like(c) in ("text", "empty") for c in first.cells):
        return False
    if any(looks_like(c) not in ("text", "empty") for c in rest[0].cells):
        return False
    found, sure, _ = _has_header(rest, width)
    return found and sure != "guess"


def _below_a_gap(records: list[Record], top: int, width: int) -> int:
    """The record after `top` when blank lines part them and it names columns, which a title with a comma does not."""
    for index in range(top, min(top + 5, len(records) - 3)):
        head, after = records[index], records[index + 1]
        if after.line - head.line < 2 or any("\n" in c for c in head.cells):
            continue
        found, sure, _ = _has_header(records[index + 1 :], width)
        kinds = column_kinds(records[index + 2 : index + 100], width)
        alike = any(k != "text" and looks_like(c) == k for c, k in zip(head.cells, kinds, strict=False))
        sparse = filled(head) <= filled(after) * 0.6
        if (
            found
            and (sure == "certain" or (sparse and sure == "likely"))
            and not alike
            and filled(head) <= filled(after)
        ):
            return index + 1
    return top


def _data_width(records: list[Record], width: int) -> int:
    """The table's width: its header's or its rows', when enough rows are longer and hold something there."""
    head = len(records[0].cells)
    while head > width and not clean_header(records[0].cells[head - 1]):
        head -= 1
    body = records[1:] or records
    reach = Counter(max((i + 1 for i, c in enumerate(r.cells) if c.strip()), default=0) for r in body)
    long_rows = sum(n for w, n in reach.items() if w > max(width, head))
    result = max(width, head)
    if 1 < head < result and len(records[0].cells) == head and reach and max(reach) <= head:
        result = head  # the rows end with a delimiter, the header does not
    if len(body) >= 10 and long_rows > len(body) * 0.1:
        result = max(reach)
    return result


def _has_header(records: list[Record], width: int) -> tuple[bool, Certainty, str]:
    head = [clean_header(c) for c in records[0].cells]
    body = some_of(records[1:400], width)
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
        if (
            kind == "text"
            and own == "text"
            and _coded_alike(cell, [r.cells[index] for r in body if index < len(r.cells)])
        ):
            against += 1
        if count < sum(kinds.values()) * 0.7 or kind == "text":
            continue
        if own == kind:
            against += 1
        elif own in ("text", "number", "date"):
            for_header += 1
    if for_header > against and not (against and _rising_years(head)):
        return True, "certain" if not against else "likely", "its cells are unlike the values below them"
    if _rising_years(head) and not _years_below(head, body):
        return True, "likely", "its numbers are years in a row"
    if for_header > against:
        return True, "likely", "its cells are unlike the values below them"
    if against:
        return False, "likely", "its cells are like the values below them"
    if any([clean_header(c) for c in r.cells] == head for r in body[1:]):
        return True, "likely", "the same line stands again further down"
    below = {(i, clean_header(c)) for r in body for i, c in enumerate(r.cells)}
    repeated = sum((i, c) in below for i, c in enumerate(head) if c)
    if repeated and len({c for c in head if c}) > 0:
        return False, "guess", "one of its cells appears again below it"
    numeric = sum(looks_like(c) in ("number", "date") for c in head)
    if numeric > len(head) / 2:
        return False, "guess", "most of its cells are numbers"
    return True, "guess" if width == 1 else "likely", "all columns are text, and its cells do not appear again"


def _years_below(head: list[str], body: list[Record]) -> bool:
    """True when the values below a year are years too."""
    index = next(i for i, c in enumerate(head) if c.isdigit() and len(c) == 4)
    cells = [r.cells[index].strip() for r in body if index < len(r.cells) and r.cells[index].strip()]
    return all(len(c) == 4 and c.isdigit() and 1800 <= int(c) <= 2200 for c in cells)


def _coded_alike(cell: str, values: list[str]) -> bool:
    """True when the cell is a code of digits and letters like most of the values below it, such as `418-Y11`."""
    if not any(c.isdigit() for c in cell) or not any(c.isalpha() or c in "-/." for c in cell):
        return False
    code = _CODE.sub(_class, cell.strip())
    return sum(_CODE.sub(_class, v.strip()) == code for v in values) >= len(values) * 0.5


def _class(match: re.Match[str]) -> str:
    return "9" if match.group().isdigit() else "a"


def _rising_years(head: list[str]) -> bool:
    years = [int(c) for c in head if c.isascii() and c.isdigit() and len(c) == 4 and 1800 <= int(c) <= 2200]
    if len(years) == 2 and not head[0].isdigit():
        return abs(years[1] - years[0]) == 1
    return len(years) >= 3 and (all(b > a for a, b in pairwise(years)) or all(b < a for a, b in pairwise(years)))


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
