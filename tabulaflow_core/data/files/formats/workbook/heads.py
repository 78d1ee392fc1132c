"""Which rows of a block name its columns: below titles, in one row or in several, with merged cells over groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tabulaflow_core.data.files import headers
from tabulaflow_core.data.files.below import Below, rows_below
from tabulaflow_core.data.files.formats.workbook.look import Range
from tabulaflow_core.data.files.layout import filled, find_layout
from tabulaflow_core.data.files.naming import clean_header
from tabulaflow_core.data.files.report import Certainty, ReadOptions
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.values import looks_like

#: `over` names a column of values of another kind; `data` is of the kind that its column has.
Role = Literal["", "name", "over", "data"]
#: Rows below a header that are looked at to tell the kinds of its columns.
_BODY: Final = 200
#: How far down a header is looked for.
_DEEPEST: Final = 25
_MOST_HEADER_ROWS: Final = 4
#: A group's name longer than this is a caption: it is not put before names that are plain without it.
_LONG_GROUP: Final = 24


@dataclass(slots=True)
class Head:
    """The first rows of a block.

    Attributes:
        titles: How many of the records stand above the header.
        rows: Indices of the records that name the columns, empty for none.
        names: What they say of each column, empty where they say nothing.
        groups: Names of groups that were left out of the names, by column.
        below: Rows of units, field formats and labels between the names and the values.
    """

    titles: int
    rows: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    groups: dict[int, str] = field(default_factory=dict)
    certainty: Certainty = "certain"
    reason: str = ""
    below: Below = field(default_factory=Below)

    @property
    def body(self) -> int:
        """Index of the first record of data."""
        return self.rows[-1] + 1 + len(self.below.why) if self.rows else self.titles


def roles(record: Record, body: Sequence[Record]) -> list[Role]:
    """What each cell of a row is to the rows below it."""
    rows = list(body[:_BODY])
    kinds = kinds_below(rows, len(record.cells))
    found: list[Role] = []
    for index, (cell, kind) in enumerate(zip(record.cells, kinds, strict=True)):
        own = looks_like(cell)
        if own == "empty":
            found.append("" if not cell.strip() else "name")
        elif own == "text":
            found.append("name" if kind == "text" else "over")
        elif (own == "date" and kind == "number") or (kind == "number" and _is_year_over_others(cell, index, rows)):
            found.append("over")
        else:
            found.append("data" if kind == own or kind == "text" else "name")
    return found


def kinds_below(records: Sequence[Record], width: int) -> list[str]:
    """The kind of two thirds of the values of each column, `text` when there is none: notes may stand among them."""
    result: list[str] = []
    for index in range(width):
        kinds = Counter(looks_like(r.cells[index]) for r in records)
        kinds.pop("empty", None)
        kind, count = kinds.most_common(1)[0] if kinds else ("text", 0)
        result.append(kind if count * 3 >= kinds.total() * 2 else "text")
    return result


def _is_year_over_others(cell: str, index: int, rows: Sequence[Record]) -> bool:
    if not is_year(cell):
        return False
    below = [r.cells[index] for r in rows if r.cells[index].strip()]
    return sum(is_year(c) for c in below) < len(below) * 0.5


def is_year(cell: str) -> bool:
    """True for a year of this or the neighbouring centuries."""
    text = cell.strip()
    return len(text) == 4 and text.isascii() and text.isdigit() and 1800 <= int(text) <= 2200


def find_head(records: list[Record], width: int, merged: Sequence[Range], options: ReadOptions) -> Head:
    """Find the header of a block.

    Args:
        records: Its first rows without blank ones; each has `width` cells.
        merged: Merged cells, by the rows of the sheet (a record's line less 1) and the columns of the block.
        options: What a person said of the header counts more than what is found.
    """
    told = options.header_rows
    if told is None and options.header is False:
        told = 0
    last, certainty, reason = last_header_row(records, width)
    if last is None:
        above = _lone_rows(records, width)
        layout = find_layout(records[above:], width, header=True if options.header else None)
        titles = above + sum(s.why == "above the table" for s in layout.skipped)
        certainty, reason = layout.certainty, layout.reason
        lone = len(records) == 1 and filled(records[0]) == 1 and options.header is None
        if not layout.header or lone:
            head = Head(
                titles, certainty="guess" if lone else certainty, reason="there is one cell" if lone else reason
            )
        else:
            last = titles + len(layout.header_lines) - 1
            rows = list(range(titles, last + 1))
            head = Head(
                titles, rows if len(rows) > 1 else _upward(records, last, width, merged), [], {}, certainty, reason
            )
    else:
        head = Head(0, _upward(records, last, width, merged), [], {}, certainty, reason)
    if told is not None:
        head = _as_told(head, told, records)
    elif options.header:
        head.certainty, head.reason = "told", "as told"
    if head.rows:
        if head.certainty != "told":
            _units_off(head, records, width)
        head.titles = head.rows[0]
        head.names, head.groups = _names(records, head.rows, width, merged)
    if head.rows and head.certainty != "told":
        after = records[head.rows[-1] + 1 :]
        head.below = rows_below(head.names, after, lambda some: kinds_below(some[:_BODY], width), first="Row")
    return head


def _units_off(head: Head, records: list[Record], width: int) -> None:
    """Take a row of units from those that name the columns."""
    last = head.rows[-1]
    below = records[last + 1 :]
    above = records[head.rows[-2]].cells if len(head.rows) > 1 else []
    if not above or len(below) < 2 or headers.names_blanks(above, records[last].cells):
        return
    if headers.units(records[last].cells, kinds_below(below[:_BODY], width)):
        head.rows.pop()


def _lone_rows(records: list[Record], width: int) -> int:
    """How many rows with one filled cell stand above fuller ones: titles.

    The first row may also be a header of two columns that does not name the first of them.
    """
    if width < 2:
        return 0
    count = 0
    for index, record in enumerate(records[:-1]):
        if filled(record) != 1 or (not index and width == 2 and not clean_header(record.cells[0])):
            break
        count += 1
    return count if filled(records[count]) > 1 else 0


def _as_told(head: Head, rows: int, records: list[Record]) -> Head:
    """The header with as many rows as a person said."""
    result = Head(head.titles, certainty="told", reason="as told")
    if not rows:
        result.titles = head.rows[0] if head.rows else head.titles
        return result
    if not head.rows:
        result.rows = list(range(head.titles, min(head.titles + rows, len(records))))
        return result
    first, last = head.rows[0], head.rows[-1]
    have = len(head.rows)
    while have < rows and first > 0 and filled(records[first - 1]) > 1:
        first, have = first - 1, have + 1
    if have < rows:
        last = min(first + rows, len(records)) - 1
    elif have > rows:
        first = last - rows + 1
    result.rows = list(range(first, last + 1))
    return result


def last_header_row(records: list[Record], width: int) -> tuple[int | None, Certainty, str]:
    """The lowest of the first rows whose cells are names over values of another kind; None when there is none."""
    fills = sorted(filled(r) for r in records[:_BODY])
    typical = fills[len(fills) // 2]
    need = 1 if width == 1 else max(2, -(-typical * 35 // 100))
    found: int | None = None
    doubt = False
    for index, record in enumerate(records[:_DEEPEST]):
        cells = roles(record, records[index + 1 :])
        over, data = cells.count("over"), cells.count("data")
        if over > data and filled(record) >= need:
            if found is None or _goes_on(records[found], record):
                found, doubt = index, data > 0
        elif data:
            break
        if data:
            break
    if found is None:
        return None, "guess", ""
    return found, "likely" if doubt else "certain", "its cells are unlike the values below them"


def _goes_on(upper: Record, lower: Record) -> bool:
    """True when a lower row of names is the header and not a row of data with words in place of numbers."""
    fuller = filled(lower) > filled(upper)
    fills = any(not clean_header(a) and clean_header(b) for a, b in zip(upper.cells, lower.cells, strict=True))
    units = not clean_header(lower.cells[0]) or looks_like(lower.cells[0]) == "empty"
    return fuller or fills or units


def _upward(records: list[Record], last: int, width: int, merged: Sequence[Range]) -> list[int]:
    """The rows above the last header row that name the columns with it."""
    rows = [last]
    while rows[0] > 0 and len(rows) < _MOST_HEADER_ROWS:
        upper = rows[0] - 1
        if records[upper].line != records[rows[0]].line - 1:
            break
        if not _names_with(records, upper, rows, width, merged):
            break
        rows.insert(0, upper)
    return rows


def _names_with(records: list[Record], upper: int, rows: list[int], width: int, merged: Sequence[Range]) -> bool:
    row = records[upper]
    if any(looks_like(c) == "number" and not is_year(c) for c in row.cells):
        return False
    if _joined_down(records, upper, rows[0], merged):
        return True
    names, _ = _names(records, rows, width, merged)
    across = _across(row, merged)
    if across and all(b - a + 1 < width for a, b in across):
        covered = {c for a, b in across for c in range(a, b + 1)}
        others = [i for i, c in enumerate(row.cells) if clean_header(c) and i not in covered]
        if (len(across) > 1 or all(not names[i] for i in others)) and any(names[c] for c in covered):
            return True
    if filled(row) < 2:
        return False
    below = records[rows[-1] + 1 : rows[-1] + 1 + _BODY]
    blanks = [i for i, n in enumerate(names) if not n and any(clean_header(r.cells[i]) for r in below)]
    if blanks and sum(bool(clean_header(row.cells[i])) for i in blanks) >= len(blanks) * 0.5:
        return True
    plain = [n.casefold() for n in names if n]
    if len(set(plain)) < len(plain):
        joined, _ = _names(records, [upper, *rows], width, merged)
        again = [n.casefold() for n in joined if n]
        return len(again) - len(set(again)) < len(plain) - len(set(plain))
    lower = records[rows[0]]
    full = filled(row) >= filled(lower) * 0.9 and (upper == 0 or filled(records[upper - 1]) <= 1)
    return full and roles(row, below).count("over") > 0


def _joined_down(records: list[Record], upper: int, lower: int, merged: Sequence[Range]) -> bool:
    one, two = records[upper].line - 1, records[lower].line - 1
    return any(m.first_row <= one and m.last_row >= two and m.first_row == one for m in merged)


def _across(row: Record, merged: Sequence[Range]) -> list[tuple[int, int]]:
    """First and last column of cells of a row that are merged over several columns and hold something."""
    return [
        (m.first_column, m.last_column)
        for m in merged
        if m.first_row == row.line - 1
        and m.last_column > m.first_column >= 0
        and clean_header(row.cells[m.first_column])
    ]


def _names(
    records: list[Record], rows: list[int], width: int, merged: Sequence[Range]
) -> tuple[list[str], dict[int, str]]:
    """The name of each column from the header's rows, and groups that were left out."""
    levels = [[clean_header(c) for c in records[r].cells] for r in rows]
    lowest = levels[-1]
    for index in range(len(levels) - 1):
        levels[index] = _spread(records[rows[index]], levels[index], levels[index + 1], merged)
    parts = [list(dict.fromkeys(level[c] for level in levels if level[c])) for c in range(width)]
    if len(levels) == 1:
        return lowest, {}
    counts: dict[str, int] = {}
    for name in lowest:
        counts[name.casefold()] = counts.get(name.casefold(), 0) + 1
    captions = any(
        len(level[c]) > _LONG_GROUP and level[c] in (level[c - 1 : c] + level[c + 1 : c + 2])
        for level in levels[:-1]
        for c in range(width)
        if level[c] and lowest[c]
    )
    names: list[str] = []
    groups: dict[int, str] = {}
    for column, own in enumerate(parts):
        plain = lowest[column]
        if captions and plain and len(own) > 1 and counts[plain.casefold()] == 1:
            names.append(plain)
            groups[column] = " / ".join(own[:-1])
        else:
            names.append(" / ".join(own))
    return names, groups


def _spread(record: Record, upper: list[str], lower: list[str], merged: Sequence[Range]) -> list[str]:
    """A row of groups with each name over all columns of its group."""
    result = list(upper)
    across = _across(record, merged)
    for first, last in across:
        for column in range(first, min(last, len(result) - 1) + 1):
            result[column] = upper[first]
    if across:
        return result
    label = ""
    for column, name in enumerate(upper):
        if name:
            label = name if lower[column] else ""
        elif lower[column]:
            result[column] = label
        else:
            label = ""
    return result
