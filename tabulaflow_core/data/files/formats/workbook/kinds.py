"""The type of each column: at once where all cells are of one kind, by the rules of text where they are not."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.columns import Column
from tabulaflow_core.data.files.convert import TRIMMED
from tabulaflow_core.data.files.formats.workbook.grid import CellColumn, CellKind, valid
from tabulaflow_core.data.files.formats.workbook.look.formats import NumberFormat, describe, write_code
from tabulaflow_core.data.files.formats.workbook.shown import number_text, shown
from tabulaflow_core.data.files.infer import Shape, examine
from tabulaflow_core.data.files.report import ColumnChoice, ColumnType
from tabulaflow_core.data.files.values import MISSING, shape_of

Floats = NDArray[np.float64]
#: Spreadsheets count days from here; the day that they add for 29 February 1900 is within.
_EPOCH: Final = dt.datetime(1899, 12, 30)
_EPOCH_1904: Final = dt.datetime(1904, 1, 1)
#: Spreadsheets keep 15 digits; whole numbers from here on may have lost the others before they came.
_EXACT: Final = 1e15
#: A code has at least this many digits; `00` only lines up the numbers of months.
_CODE_DIGITS: Final = 3
_LAST_TIME: Final = dt.datetime(1900, 3, 1)
_BEFORE_NO_DAY: Final = dt.date(1900, 2, 28)
_NO_DAY: Final = (
    "There is a 28 February 1900 among the dates. Excel counts a 29 February 1900 too, which never was: "
    "a cell that shows it was read as the 28th."
)


@dataclass(slots=True)
class Typed:
    """One column on its way to the table.

    Attributes:
        values: What is staged: its values in their type, or text that is still to be judged.
        column: Its type; None while it is judged as text.
        forced: The type that its text must have, because the workbook says so.
        from_numbers: Numbers among the text that were no text in the workbook.
        text_cells: Cells that the workbook holds as text.
        notices: Sentences for a person.
    """

    values: pa.Array
    column: Column | None = None
    forced: ColumnType | None = None
    from_numbers: int = 0
    text_cells: int = 0
    notes: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def type_cells(
    cells: CellColumn, *, name: str, header: str, code: str, told: ColumnChoice | None, missing: frozenset[str],
    date_1904: bool,
) -> Typed:  # fmt: skip
    """Type one column, or make it text for the rules of text.

    Args:
        code: The number format of nearly all of its cells.
        told: The type that a person chose.
        missing: Words that a person said mean no value, in small letters.
    """
    found = describe(code)
    kinds = set(cells.arrays)
    column = Column("", name, header)
    if kinds == {"moment", "time"} and _before_time(cells.arrays["moment"]):
        cells, kinds = _as_times(cells), {"time"}
    if date_1904 and kinds == {"moment", "time"}:
        cells, kinds = _from_first_day(cells), {"moment"}
    asis = cells
    if missing and len(kinds) == 1 and kinds != {"text"}:
        cells, column.missing = _without(cells, missing)
    if kinds == {"number"} and told != "text" and (told or not _is_code(found)):
        if told in ("date", "datetime"):
            return _serials(cells.arrays["number"], column, told, date_1904)
        if told in (None, "integer", "number"):
            return _numbers(cells.arrays["number"], column, found, told)
    if kinds == {"moment"} and told in (None, "date", "datetime"):
        return _moments(cells.arrays["moment"], column, told)
    if (len(kinds) == 1 and told is None) or (kinds == {"flag"} and told == "boolean"):
        if "flag" in kinds:
            return _plain(cells.arrays["flag"], column, "boolean", "BOOLEAN")
        if "time" in kinds:
            return _plain(cells.arrays["time"], column, "other", "TIME")
        if "duration" in kinds:
            return _plain(cells.arrays["duration"], column, "other", "INTERVAL")
    return _texts(asis, code, found)  # in text, the words are looked for when all of it is text


def _plain(values: pa.Array, column: Column, kind: ColumnType, engine_type: str) -> Typed:
    column.kind, column.engine_type = kind, engine_type
    return Typed(values, column)


def _is_code(found: NumberFormat) -> bool:
    return found.kind == "code" and found.digits >= _CODE_DIGITS


def _numbers(values: pa.Array, column: Column, found: NumberFormat, told: ColumnChoice | None) -> Typed:
    numbers = values.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    there = valid(values) & np.isfinite(numbers)
    numbers = np.where(there, without_noise(np.where(there, numbers, 0.0)), 0.0)
    whole = bool((numbers == np.floor(numbers)).all()) and bool((np.abs(numbers) < 9.2e18).all())
    decimals = found.kind in ("percent", "scientific", "fraction") or (
        found.kind in ("number", "currency") and found.decimals > 0
    )
    result = Typed(values, column)
    if told == "integer" and not whole:
        result.notices.append(
            f"Column “{column.name}” cannot be read as integer: some of its numbers have decimals. "
            "It was read as number."
        )
    if whole and told != "number" and (told == "integer" or not decimals):
        column.kind, column.engine_type = "integer", "BIGINT"
        result.values = pa.array(numbers.astype(np.int64), mask=~there)
        if np.abs(numbers).max(initial=0) >= _EXACT:
            result.notices.append(
                f"Some numbers of “{column.name}” have more than 15 digits, of which spreadsheets keep only 15; "
                "if they are ids, export them as text."
            )
    else:
        column.kind, column.engine_type = "number", "DOUBLE"
        result.values = pa.array(numbers, mask=~there)
    if found.kind == "percent":
        column.unit = "%"
        result.notes.append("a share: the workbook shows it in per cent, and 0.52 means 52 %")
    if found.currency:
        column.unit = found.currency
        result.notes.append("values are money" if found.currency == "¤" else f"values carry {found.currency}")
    if found.scale:
        words = ("thousands", "millions", "billions")
        result.notes.append(f"the workbook shows it in {words[min(found.scale, 3) - 1]}, the values here are whole")
    return result


def without_noise(numbers: Floats) -> Floats:
    """The numbers without the noise of binary sums: 0.30000000000000004 is 0.3, and 1/3 stays as it is.

    A number is noisy when it has more than 15 digits and its first 15 end in two zeros or more.
    """
    size = np.abs(numbers)
    odd = np.flatnonzero((size >= 1e-7) & (size < 1e15) & (numbers != np.floor(numbers)))
    plain = np.rint(numbers[odd] * 1e6) / 1e6 == numbers[odd]  # the nearest double to a few decimals, as most are
    odd = odd[~plain | (size[odd] >= 1e9)]
    if not len(odd):
        return numbers
    values = numbers[odd]
    places = 14 - np.floor(np.log10(size[odd])).astype(np.int64)
    power = 10.0 ** np.clip(places, 0, 22)  # exact: every power of ten up to 22 is a double
    digits = np.rint(values * power)
    cleaned = digits / power
    noisy = (digits % 100 == 0) & (cleaned != values)
    if not noisy.any():
        return numbers
    result = numbers.copy()
    result[odd[noisy]] = cleaned[noisy]
    return result


def _serials(values: pa.Array, column: Column, told: ColumnType, date_1904: bool) -> Typed:
    """Numbers that a person says are dates."""
    epoch = _EPOCH_1904 if date_1904 else _EPOCH
    days = values.to_numpy(zero_copy_only=False).astype(np.float64)
    there = valid(values) & (days > -600_000) & (days < 2_958_466)
    micros = np.rint(np.where(there, days, 0.0) * 86_400_000).astype(np.int64) * 1_000
    start = int((epoch - dt.datetime(1970, 1, 1)).total_seconds()) * 1_000_000
    moments = pa.array(micros + start, pa.int64(), mask=~there).cast(pa.timestamp("us"))
    result = _moments(moments, column, told)
    result.notes.append("the workbook holds the day as a number")
    lost = int((valid(values) & ~there).sum())
    if lost:
        result.notices.append(
            f"{counted(lost, 'value')} of “{column.name}” {agreed(lost, 'is', 'are')} "
            f"no day that a spreadsheet knows and {agreed(lost, 'is', 'are')} empty."
        )
    return result


def _moments(values: pa.Array, column: Column, told: ColumnChoice | None) -> Typed:
    days = values.cast(pa.date32(), safe=False)
    notices = [_NO_DAY] if pc.any(pc.equal(days, pa.scalar(_BEFORE_NO_DAY))).as_py() else []
    timed = not pc.all(pc.equal(values, days.cast(pa.timestamp("us")))).as_py() and values.null_count < len(values)
    column.certainty = "told" if told else "certain"
    if told == "date" or (told is None and not timed):
        column.kind, column.engine_type = "date", "DATE"
        return Typed(days, column, notes=["times of day were left out"] if timed else [], notices=notices)
    column.kind, column.engine_type = "datetime", "TIMESTAMP"
    return Typed(values, column, notices=notices)


def _before_time(moments: pa.Array) -> bool:
    """True when these moments are times of day that went past midnight: days of the year 1900."""
    return bool(pc.all(pc.less(moments, pa.scalar(_LAST_TIME, pa.timestamp("us")))).as_py())


def _as_times(cells: CellColumn) -> CellColumn:
    times = cells.arrays["moment"].cast(pa.time64("us"), safe=False)
    return CellColumn(cells.length, {"time": pc.coalesce(cells.arrays["time"], times)})


def _from_first_day(cells: CellColumn) -> CellColumn:
    """Times that are moments of the day with the number 0, which is a day of its own where days count from 1904."""
    first = int((_EPOCH_1904 - dt.datetime(1970, 1, 1)).total_seconds()) * 1_000_000
    moments = pc.add(cells.arrays["time"].cast(pa.int64()), first).cast(pa.timestamp("us"))
    return CellColumn(cells.length, {"moment": pc.coalesce(cells.arrays["moment"], moments)})


def _without(cells: CellColumn, missing: frozenset[str]) -> tuple[CellColumn, dict[str, int]]:
    """The only kind of cells without those that a person's words name as they are shown; how many of each."""
    ((kind, values),) = cells.arrays.items()
    different = pc.unique(values.drop_null())
    texts = [shown(v) for v in CellColumn(len(different), {kind: different}).cells() if v is not None]
    hits = [at for at, text in enumerate(texts) if text.casefold() in missing]
    if not hits:
        return cells, {}
    gone = different.take(pa.array(hits, pa.int64()))
    named = {texts[at]: int(pc.sum(pc.equal(values, different[at])).as_py()) for at in hits}
    kept = pc.if_else(pc.is_in(values, gone), pa.scalar(None, values.type), values)
    return CellColumn(cells.length, {kind: kept}), named


def _texts(cells: CellColumn, code: str, found: NumberFormat) -> Typed:
    """The column as text, each cell as the program shows it."""
    own = cells.arrays.get("text")
    trimmed = pc.utf8_trim(own, TRIMMED) if own is not None else pa.nulls(cells.length, pa.string())
    result = Typed(trimmed, text_cells=cells.length - trimmed.null_count)
    others: dict[CellKind, pa.Array] = {k: v for k, v in cells.arrays.items() if k != "text"}
    if not others:
        return result
    texts: list[str | None] = [None] * cells.length
    for index, value in enumerate(CellColumn(cells.length, dict(others)).cells()):
        if value is not None:
            texts[index] = shown(value)
    if "number" in others and _is_code(found):
        result.forced = "text"
        result.notes.append(f"codes that the workbook shows as {code.split(';')[0]}")
    if "number" in others:
        result.from_numbers = cells.length - others["number"].null_count
        _show_numbers(texts, others["number"], code, found, trimmed)
    result.values = pc.coalesce(trimmed, pa.array(texts, pa.string()))
    return result


def _show_numbers(texts: list[str | None], numbers: pa.Array, code: str, found: NumberFormat, words: pa.Array) -> None:
    """Write numbers among text as the text writes its own: codes with their zeros, shares in per cent, its marks."""
    shapes = _shapes(words)
    finding = examine(shapes, missing=MISSING) if shapes else None
    comma = finding is not None and finding.commas > 0 and not finding.points
    percent = found.kind == "percent" and any("%" in s.text for s in shapes)
    for index, value in enumerate(numbers.to_pylist()):
        if value is None:
            continue
        if _is_code(found) and value == int(value):
            texts[index] = write_code(int(value), code)
            continue
        text = f"{number_text(round(value * 100, 12))}%" if percent else number_text(value)
        texts[index] = text.replace(".", ",") if comma else text


def _shapes(words: pa.Array) -> list[Shape]:
    counted = pc.value_counts(words.drop_null()) if words.null_count < len(words) else []
    found: dict[str, int] = {}
    for item in counted:
        shape = shape_of(item["values"].as_py())[:64]
        found[shape] = found.get(shape, 0) + item["counts"].as_py()
    return [Shape(text, count) for text, count in found.items()]
