"""Where the tables of a sheet lie: one of them, or several apart by blank rows or columns, each with its own header.

A blank row or column by itself parts nothing: many tables have some. It does so where what follows begins with
cells that name columns, over values of another kind, and is no continuation of what stands before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tabulaflow_core.data.files.formats.workbook.beside import Beside, Side, judge
from tabulaflow_core.data.files.formats.workbook.grid import Grid, Mask
from tabulaflow_core.data.files.formats.workbook.heads import kinds_below, last_header_row, roles
from tabulaflow_core.data.files.formats.workbook.look import NamedTable, Range
from tabulaflow_core.data.files.layout import filled
from tabulaflow_core.data.files.tokens import Record

_TYPED: Final = ("number", "date", "boolean")
#: Rows of a piece that are looked at to find its header and the kinds of its columns.
_LOOKED: Final = 60
#: Rows of titles that may stand above the header of a piece.
_TITLES: Final = 4
#: More pieces than this are no tables but a form or a drawing; the sheet is then read as one.
_MOST_PIECES: Final = 200


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a sheet that holds one table, with the titles and notes around it; rows and columns from 0.

    Attributes:
        last_row: Inside, as is `last_column`.
        name: The name of the list object that it is, empty for none.
        header_row: Where a list object has its first header row.
        header_rows: How many rows the list object says name its columns.
        totals_rows: How many rows at its end the list object says are sums.
        alone: Whether it is the only one of its sheet.
        beside: Whether it was cut off from what stands beside it, or has parts that stand apart and were read as one.
    """

    first_row: int
    last_row: int
    first_column: int
    last_column: int
    name: str = ""
    header_row: int | None = None
    header_rows: int = 0
    totals_rows: int = 0
    alone: bool = False
    beside: Beside | None = None


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What is known of the sheet that is cut.

    Attributes:
        told: What a person said of parts side by side.
    """

    grid: Grid
    merged: Sequence[Range] = ()
    told: Beside | None = None


@dataclass(frozen=True, slots=True)
class _Head:
    """What the first rows of a piece say.

    Attributes:
        row: The header's place in the sheet; None when nothing names columns.
        names: Its cells by their columns.
        clash: How many of its cells name columns of values that are no text.
        titles: Rows above it in the piece.
        kinds: The kinds of the columns below it.
    """

    row: int | None
    names: dict[int, str]
    clash: int
    titles: int
    kinds: dict[int, str]


def find_blocks(
    grid: Grid,
    tables: Sequence[NamedTable],
    *,
    first_row: int = 0,
    last_row: int | None = None,
    merged: Sequence[Range] = (),
    beside: Beside | None = None,
) -> list[Block]:
    """The blocks of a sheet, from the top down and then from the left.

    Args:
        tables: List objects: their ranges are tables, because a person said so.
        first_row: Where to begin; `last_row`, inside, where to end.
        merged: Merged cells of the sheet.
        beside: What a person said of parts side by side; None to find it out.
    """
    sheet = _Sheet(grid, merged, beside)
    mask = grid.filled.copy()
    mask[:first_row] = False
    if last_row is not None:
        mask[last_row + 1 :] = False
    named = [b for t in tables if (b := _named(mask, t)) is not None]
    if len(named) < 2:
        pieces = _cut(sheet, mask, _whole(mask))
        return [replace(_with_table(piece, named), alone=len(pieces) == 1) for piece in pieces]
    for block in named:
        mask[block.first_row : block.last_row + 1, block.first_column : block.last_column + 1] = False
    rest = _cut(sheet, mask, _whole(mask)) if mask.any() else []
    others = [b for b in rest if (head := _head(grid, mask, b)).row is not None and head.clash]
    return sorted(named + others, key=lambda b: (b.first_row, b.first_column))


def _named(mask: Mask, table: NamedTable) -> Block | None:
    area = table.range
    block = Block(
        area.first_row, min(area.last_row, mask.shape[0] - 1), area.first_column,
        min(area.last_column, mask.shape[1] - 1), table.name, area.first_row, table.header_rows, table.totals_rows,
    )  # fmt: skip
    inside = mask[block.first_row : block.last_row + 1, block.first_column : block.last_column + 1]
    return block if inside.any() and inside.shape[0] > 1 else None


def _with_table(piece: Block, named: list[Block]) -> Block:
    """The piece, with what the one list object of the sheet says of its header when it lies in it."""
    for table in named:
        inside = piece.first_row <= table.first_row <= table.last_row <= piece.last_row
        if inside and table.first_column == piece.first_column and table.last_column == piece.last_column:
            below = piece.last_row - table.last_row
            totals = table.totals_rows if not below else 0
            return replace(
                piece, name=table.name, header_row=table.header_row, header_rows=table.header_rows, totals_rows=totals
            )
    return piece


def _whole(mask: Mask) -> Block:
    block = _trimmed(mask, Block(0, mask.shape[0] - 1, 0, mask.shape[1] - 1))
    assert block is not None  # an empty sheet never comes here
    return block


def _trimmed(mask: Mask, block: Block) -> Block | None:
    """The block without blank rows and columns around it; None when it is blank."""
    inside = mask[block.first_row : block.last_row + 1, block.first_column : block.last_column + 1]
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if not len(rows):
        return None
    return Block(
        block.first_row + int(rows[0]), block.first_row + int(rows[-1]),
        block.first_column + int(columns[0]), block.first_column + int(columns[-1]),
    )  # fmt: skip


def _cut(sheet: _Sheet, mask: Mask, block: Block, *, depth: int = 0) -> list[Block]:
    """Part a block by columns, then by rows, and its parts again; itself when there is nothing to part."""
    if depth > 3:
        return [block]
    beside = _beside(sheet, mask, block)
    if len(beside) > 1:
        return [
            replace(piece, beside="several" if part.beside is None else piece.beside or part.beside)
            for part in beside for piece in _cut(sheet, mask, part, depth=depth + 1)
        ]  # fmt: skip
    below = _below(sheet.grid, mask, block)
    if len(below) > 1:
        return [piece for part in below for piece in _cut(sheet, mask, part, depth=depth + 1)]
    return beside


def _runs(used: Mask) -> list[tuple[int, int]]:
    """Where neighbours are true: first and last of each run."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], used.astype(np.int8), [0]))))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _head(grid: Grid, mask: Mask, block: Block) -> _Head:
    """Find the row that names the columns of a piece, among its first rows."""
    inside = mask[block.first_row : block.last_row + 1, block.first_column : block.last_column + 1]
    rows = np.flatnonzero(inside.any(axis=1))[:_LOOKED] + block.first_row
    columns = range(block.first_column, block.last_column + 1)
    records = grid.records(rows, columns)
    index, _, _ = last_header_row(records, len(columns))
    if index is None:
        index = _words_row(records)
    below = records if index is None else records[index + 1 :]
    kinds = {block.first_column + i: k for i, k in enumerate(kinds_below(below, len(columns)))}
    if index is None:
        return _Head(None, {}, 0, 0, kinds)
    names = {block.first_column + i: c.strip() for i, c in enumerate(records[index].cells) if c.strip()}
    return _Head(int(rows[index]), names, roles(records[index], below).count("over"), index, kinds)


def _words_row(records: list[Record]) -> int | None:
    """The first row of a piece of text whose cells may be names: it is as full as the row below it."""
    for index, record in enumerate(records[:_TITLES]):
        if filled(record) < 2:
            continue
        below = records[index + 1 : index + 2]
        if not below or "data" in roles(record, records[index + 1 :]):
            return None
        if filled(below[0]) <= filled(record):
            return index
    return None


def _beside(sheet: _Sheet, mask: Mask, block: Block) -> list[Block]:
    """Tables side by side, apart by blank columns.

    Two are told from one table with a blank column by their rows: they begin or end elsewhere, they have the same
    names, or they stand further apart than a spacer is wide. The parts say when there was something to decide.
    """
    inside = mask[block.first_row : block.last_row + 1, block.first_column : block.last_column + 1]
    runs = _runs(np.asarray(inside.any(axis=0)))
    if not 1 < len(runs) <= _MOST_PIECES:
        return [block]
    parts = [
        part for first, last in runs
        if (part := _trimmed(mask, Block(
            block.first_row, block.last_row, block.first_column + first, block.first_column + last
        ))) is not None
    ]  # fmt: skip
    groups: list[Block] = [parts[0]]
    for part in parts[1:]:
        found = _apart(sheet, mask, groups[-1], part)
        if found is not None and (sheet.told or found) == "several":
            groups.append(part)
        else:
            groups[-1] = replace(_union([groups[-1], part]), beside=groups[-1].beside or (found and "one"))
    return groups


def _apart(sheet: _Sheet, mask: Mask, left: Block, right: Block) -> Beside | None:
    """What two parts are; None when there is nothing to decide, and they are one table."""
    if right.first_column == right.last_column or left.first_column == left.last_column:
        return None
    one, two = _head(sheet.grid, mask, left), _head(sheet.grid, mask, right)
    if one.row is None or two.row is None:
        return None
    if _differ(mask, left, right, one, two):
        return "several"
    if one.row != two.row:
        return None
    sides = [
        Side(one.row, block.last_row, block.first_column, block.last_column, len(head.names), head.clash)
        for block, head in ((_trimmed(mask, left) or left, one), (right, two))
    ]
    blank = sum(not mask[one.row : left.last_row + 1, c].any() for c in range(left.first_column, left.last_column + 1))
    sides[0] = replace(sides[0], named=sides[0].named + blank)  # spacers in what was put together already
    return judge(sheet.grid, mask, sides[0], sides[1], sheet.merged)


def _differ(mask: Mask, left: Block, right: Block, one: _Head, two: _Head) -> bool:
    """True when what names the two parts says that they are two tables."""
    if one.row is None or one.row != two.row:
        return bool(two.clash or two.titles) and bool(one.clash or one.titles)
    same = [n.casefold() for n in one.names.values()] == [n.casefold() for n in two.names.values()]
    if same:
        return left.first_row == one.row or one.titles == two.titles
    if one.titles and two.titles and _keyed(one, left) and _keyed(two, right):
        return True
    ends = abs(left.last_row - right.last_row)
    shorter = left if left.last_row < right.last_row else right
    return ends > 1 and bool(one.clash and two.clash) and _dense(mask, shorter, one.row + 1)


def _keyed(head: _Head, block: Block) -> bool:
    """True when the first column names what the numbers beside it belong to."""
    return head.kinds.get(block.first_column) == "text" and block.first_column in head.names and head.clash > 0


def _dense(mask: Mask, block: Block, first_row: int) -> bool:
    """True when at least half of the cells from a row on are filled: its end is an end, not a thin column."""
    inside = mask[first_row : block.last_row + 1, block.first_column : block.last_column + 1]
    return inside.shape[0] > 0 and float(inside.mean()) >= 0.5


def _union(blocks: Sequence[Block]) -> Block:
    return Block(
        min(b.first_row for b in blocks), max(b.last_row for b in blocks),
        min(b.first_column for b in blocks), max(b.last_column for b in blocks),
    )  # fmt: skip


def _below(grid: Grid, mask: Mask, block: Block) -> list[Block]:
    """Tables one below the other, apart by blank rows."""
    inside = mask[block.first_row : block.last_row + 1, block.first_column : block.last_column + 1]
    runs = _runs(np.asarray(inside.any(axis=1)))
    if not 1 < len(runs) <= _MOST_PIECES:
        return [block]
    bands = [
        part for first, last in runs
        if (part := _trimmed(mask, Block(
            block.first_row + first, block.first_row + last, block.first_column, block.last_column
        ))) is not None
    ]  # fmt: skip
    groups: list[list[Block]] = []
    current: _Head | None = None
    waiting: list[Block] = []  # titles that may belong to the table below them
    for band in bands:
        head = _head(grid, mask, band)
        if current is None:
            waiting.append(band)
            if _is_table(band, head):
                groups.append(waiting)
                current, waiting = head, []
        elif _is_table(band, head) and _begins(current, head, titled=bool(waiting) or head.titles > 0):
            groups.append([*waiting, band])
            current, waiting = head, []
        elif _is_title(mask, band):
            waiting.append(band)
        else:
            groups[-1] += [*waiting, band]
            waiting = []
    if not groups:
        return [block]
    groups[-1] += waiting
    return [_union(group) for group in groups]


def _is_table(band: Block, head: _Head) -> bool:
    return head.row is not None and band.last_row > head.row and len(head.names) > 1 and head.clash > 0


def _is_title(mask: Mask, band: Block) -> bool:
    inside = mask[band.first_row : band.last_row + 1, band.first_column : band.last_column + 1]
    return band.last_row - band.first_row < _TITLES and int(inside.sum(axis=1).max()) <= 2


def _begins(current: _Head, head: _Head, *, titled: bool) -> bool:
    """True when a piece below a table is another one and not more rows of it."""
    if {c: n.casefold() for c, n in head.names.items()} == {c: n.casefold() for c, n in current.names.items()}:
        return titled  # the same names without a title: the header is only repeated
    over = sum(current.kinds.get(c) in _TYPED for c in head.names)
    return over > 0 or set(head.names) != set(current.names) or titled
