"""The cells of one sheet, held column by column in typed arrays: a million rows take a few bytes a cell."""

from __future__ import annotations

import array
import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tabulaflow_core.data.files.formats.workbook.shown import shown
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.watch import Watch

CellValue = bool | int | float | str | dt.date | dt.datetime | dt.time | dt.timedelta
#: What a cell holds by its own type; `moment` is a date or a date with a time.
CellKind = Literal["number", "text", "moment", "time", "duration", "flag"]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]

ARROW: Final[dict[CellKind, pa.DataType]] = {
    "number": pa.float64(),
    "text": pa.string(),
    "moment": pa.timestamp("us"),
    "time": pa.time64("us"),
    "duration": pa.duration("us"),
    "flag": pa.bool_(),
}
#: Fewer rows than the garbage collector counts new lists before it looks at them all.
_BATCH: Final = 500
#: Rows between two words on the progress.
_TOLD: Final = 20_000
#: Cells of nothing else are empty.
_BLANK: Final = " \t\r\n\u00a0\u202f\u200b\ufeff"


@dataclass(slots=True)
class CellColumn:
    """One column: for each kind that occurs an array as long as the sheet, null where the cell is of another."""

    length: int
    arrays: dict[CellKind, pa.Array] = field(default_factory=dict)

    def filled(self) -> Mask:
        """Where a cell holds anything."""
        mask = np.zeros(self.length, dtype=bool)
        for values in self.arrays.values():
            mask |= valid(values)
        return mask

    def take(self, rows: Rows) -> CellColumn:
        """The cells of these rows, without kinds that do not occur in them."""
        start, count = (int(rows[0]), len(rows)) if len(rows) else (0, 0)
        if count and int(rows[-1]) - start == count - 1 and bool((rows[1:] > rows[:-1]).all()):
            taken = {kind: values.slice(start, count) for kind, values in self.arrays.items()}
        else:
            taken = {kind: values.take(pa.array(rows)) for kind, values in self.arrays.items()}
        return CellColumn(len(rows), {k: v for k, v in taken.items() if v.null_count < len(rows)})

    def cells(self) -> list[CellValue | None]:
        """All values, empty cells as None."""
        result: list[CellValue | None] = [None] * self.length
        for kind, values in self.arrays.items():
            for index, value in enumerate(values.to_pylist()):
                if value is not None:
                    midnight = kind == "moment" and value.time() == dt.time()
                    result[index] = value.date() if midnight else value
        return result


@dataclass(slots=True)
class Grid:
    """A sheet from its first row and column on.

    Attributes:
        filled: Which cells hold anything: one row a row of the sheet, one column a column.
    """

    columns: list[CellColumn]
    filled: Mask

    @property
    def height(self) -> int:
        """Rows, blank ones above the first cell among them."""
        return int(self.filled.shape[0])

    def records(self, rows: Sequence[int] | Rows, columns: Sequence[int]) -> list[Record]:
        """Rows as text, each with its number as the program shows it."""
        wanted = np.asarray(rows, dtype=np.int64)
        cells = [["" if v is None else shown(v) for v in self.columns[c].take(wanted).cells()] for c in columns]
        return [Record(int(row) + 1, list(texts)) for row, texts in zip(wanted, zip(*cells, strict=True), strict=True)]


def valid(values: pa.Array) -> Mask:
    """Where an array is not null."""
    if not values.null_count:
        return np.ones(len(values), dtype=bool)
    return np.asarray(pc.is_valid(values).to_numpy(zero_copy_only=False), dtype=bool)


class _Builder:
    """Collects one column chunk by chunk."""

    def __init__(self) -> None:
        self._parts: dict[CellKind, list[pa.Array]] = {}
        self._lengths: dict[CellKind, int] = {}

    def add(self, begin: int, values: tuple[CellValue, ...]) -> None:
        """Take the cells of some rows, the first of which is `begin`."""
        types = set(map(type, values))
        if types == {float}:
            numbers = array.array("d", cast("tuple[float, ...]", values))
            self._put("number", begin, pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(numbers)]))
        elif types == {str}:
            self._texts(begin, values)
        elif types <= {float, int, str} and values.count("") == sum(type(v) is str for v in values):
            chunk = pa.array([None if v == "" else v for v in values], pa.float64())
            self._put("number", begin, chunk)
        else:
            self._mixed(begin, values, types)

    def _mixed(self, begin: int, values: tuple[CellValue, ...], types: set[type]) -> None:
        if str in types:
            self._texts(begin, [v if type(v) is str else None for v in values])
        if types & {float, int}:
            self._plain("number", begin, [v if type(v) in (float, int) else None for v in values])
        if types == {dt.date}:
            self._put("moment", begin, pa.array(values, pa.date32()).cast(ARROW["moment"]))
        elif types == {dt.datetime}:
            self._plain("moment", begin, values)
        elif types & {dt.date, dt.datetime}:
            days = pa.array([v if type(v) is dt.date else None for v in values], pa.date32()).cast(ARROW["moment"])
            times = pa.array([v if type(v) is dt.datetime else None for v in values], ARROW["moment"])
            self._put("moment", begin, pc.coalesce(days, times))
        for kind, own in (("time", dt.time), ("duration", dt.timedelta), ("flag", bool)):
            if own in types:
                self._plain(kind, begin, [v if type(v) is own else None for v in values])  # type: ignore[arg-type]

    def _plain(self, kind: CellKind, begin: int, values: Sequence[CellValue | None]) -> None:
        self._put(kind, begin, pa.array(values, ARROW[kind]))

    def _texts(self, begin: int, values: Sequence[CellValue | None]) -> None:
        self._put("text", begin, pa.array(values, pa.string()))

    def _put(self, kind: CellKind, begin: int, chunk: pa.Array) -> None:
        parts = self._parts.setdefault(kind, [])
        have = self._lengths.get(kind, 0)
        if begin > have:
            parts.append(pa.nulls(begin - have, ARROW[kind]))
        if len(chunk):
            parts.append(chunk)
        self._lengths[kind] = begin + len(chunk)

    def finish(self, length: int) -> CellColumn:
        """The column; the builder holds nothing afterwards."""
        arrays: dict[CellKind, pa.Array] = {}
        for kind in list(self._parts):
            self._put(kind, length, pa.nulls(0, ARROW[kind]))
            arrays[kind] = pa.concat_arrays(self._parts.pop(kind))
        if "text" in arrays:
            arrays["text"] = _without_blanks(arrays["text"])
            if arrays["text"].null_count == length:
                del arrays["text"]
        return CellColumn(length, arrays)


def _without_blanks(texts: pa.Array) -> pa.Array:
    blank = pc.equal(pc.utf8_trim(texts, _BLANK), "")
    return pc.if_else(blank, pa.scalar(None, pa.string()), texts) if pc.any(blank).as_py() else texts


def build_grid(rows: Iterable[Sequence[CellValue]], *, width: int, height: int, watch: Watch, before: int = 0) -> Grid:
    """Turn rows of plain values into a grid.

    Args:
        width: Cells of each row.
        height: Rows that are awaited, for the progress.
        before: Empty columns to put before the first.

    Raises:
        FileReadingStopped: Somebody stopped the reading.
    """
    builders = [_Builder() for _ in range(width)]
    done = 0
    source = iter(rows)
    while batch := list(islice(source, _BATCH)):
        if done % _TOLD < _BATCH:
            watch.advance("reading", done, height)
        for builder, values in zip(builders, zip(*batch, strict=True), strict=True):
            builder.add(done, values)
        done += len(batch)
    columns = [*(CellColumn(done) for _ in range(before)), *(builder.finish(done) for builder in builders)]
    filled = np.zeros((done, before + width), dtype=bool)
    for index, column in enumerate(columns):
        filled[:, index] = column.filled()
    return Grid(columns, filled)
