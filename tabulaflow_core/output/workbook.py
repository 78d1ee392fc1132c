"""Results to take away: an Excel workbook with real types, and text that stays text."""

from __future__ import annotations

import io
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from tabulaflow_core.counting import counted
from tabulaflow_core.output.cells import column_values, float_name, json_value

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

#: "Excel specifications and limits": rows of a sheet, characters of a cell, significant digits of a number.
MAX_ROWS: Final = 1_048_576
_CELL_CHARS: Final = 32_767
_DIGITS: Final = 15
_CUT: Final = "{texts} longer than 32,767 characters, which is all that a cell holds. The CSV file has everything."
#: Days before are counted otherwise: Excel takes 1900 for a leap year.
_FIRST_DAY: Final = date(1900, 3, 1)
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
_BATCH: Final = 10_000
_WIDEST: Final = 60

_Kind = str  # "integer", "decimal", "float", "boolean", "date", "datetime", "time", "duration" or "text"


def xlsx_bytes(table: pa.Table, *, about: Sequence[tuple[str, str]] = (), sheet: str = "Result") -> bytes:
    """The table as an XLSX workbook: numbers, dates and true or false are what they are, text is never a formula.

    What Excel cannot hold exactly is written as text, a whole column at a time: more than 15 digits, times with a
    zone, fractions below a millisecond, days before March 1900. Names of columns may repeat. A text that is longer
    than a cell is cut, and the second sheet says how many were.

    Args:
        about: Lines of a second sheet, such as the query and its source, as heading and text.
        sheet: The name of the first sheet.

    Raises:
        ValueError: The table has more rows than a sheet.
    """
    import xlsxwriter

    if table.num_rows >= MAX_ROWS:
        raise ValueError(f"a sheet holds {MAX_ROWS - 1:,} rows below its header, not {table.num_rows:,}")
    buffer = io.BytesIO()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tabulaflow-"))
        options = {
            "constant_memory": True,
            "tmpdir": folder,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
            "nan_inf_to_errors": False,
        }
        book = stack.enter_context(xlsxwriter.Workbook(buffer, options))
        cut = _write_table(book, book.add_worksheet(sheet), table)
        lines = [*about, *([("Cut", _CUT.format(texts=counted(cut, "text")))] if cut else [])]
        if lines:
            _write_about(book, book.add_worksheet("About"), lines)
    return buffer.getvalue()


def _write_table(book: Workbook, page: Worksheet, table: pa.Table) -> int:
    """Write the rows; returns how many texts were longer than a cell."""
    text, inert = book.add_format(), book.add_format({"quote_prefix": True})
    head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
    kinds = [_kind(column) for column in table.columns]
    writers = []
    longer = Counter[str]()
    for position, (name, column, kind) in enumerate(zip(table.column_names, table.columns, kinds, strict=True)):
        code = _format(kind, column.type)
        page.set_column(position, position, _width(name, column, kind))
        shape = book.add_format({"num_format": code}) if code else text
        writers.append(_writer(page, kind, shape, text, inert, longer))
    for position, name in enumerate(table.column_names):
        page.write_string(0, position, name[:_CELL_CHARS], head)
    page.freeze_panes(1, 0)
    if table.num_columns:
        page.autofilter(0, 0, table.num_rows, table.num_columns - 1)
    row = 1
    for batch in _batches(table, kinds):
        for cells in zip(*batch, strict=True):
            for position, cell in enumerate(cells):
                if cell is not None:
                    writers[position](row, position, cell)
            row += 1
    return longer.total()


def _batches(table: pa.Table, kinds: Sequence[_Kind]) -> Iterator[list[list[object]]]:
    for start in range(0, table.num_rows, _BATCH):
        part = table.slice(start, _BATCH)
        yield [
            [_as_text(v) for v in column_values(column)] if kind == "text" else column_values(column)
            for column, kind in zip(part.columns, kinds, strict=True)
        ]


def _writer(
    page: Worksheet, kind: _Kind, shape: Format, text: Format, inert: Format, longer: Counter[str]
) -> Callable[[int, int, object], None]:
    def write_text(row: int, position: int, cell: object) -> None:
        value = str(cell)
        if len(value) > _CELL_CHARS:
            longer["texts"] += 1
        # Without the prefix, a person who edits the cell would turn the text into a formula.
        page.write_string(row, position, value[:_CELL_CHARS], inert if value.startswith(_FORMULA_STARTS) else text)

    def write_number(row: int, position: int, cell: object) -> None:
        if isinstance(cell, float) and (cell != cell or cell in (float("inf"), float("-inf"))):
            write_text(row, position, float_name(cell))
        else:
            page.write_number(row, position, cell, shape)

    def write_boolean(row: int, position: int, cell: object) -> None:
        page.write_boolean(row, position, bool(cell))

    def write_moment(row: int, position: int, cell: object) -> None:
        page.write_datetime(row, position, cell, shape)

    if kind in ("integer", "decimal", "float"):
        return write_number
    if kind == "boolean":
        return write_boolean
    return write_text if kind == "text" else write_moment


def _kind(column: pa.ChunkedArray) -> _Kind:
    """How a column is written; `text` when Excel could not hold all of its values exactly."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        return "integer" if _within(column, 10**_DIGITS) else "text"
    if pa.types.is_decimal(kind):
        return "decimal" if _within(column, Decimal(10) ** (_DIGITS - max(kind.scale, 0))) else "text"
    if pa.types.is_floating(kind):
        return "float"
    if pa.types.is_date(kind):
        return "date" if _moments_fit(column) else "text"
    if pa.types.is_timestamp(kind):
        return "datetime" if kind.tz is None and _moments_fit(column) and _milliseconds(column) else "text"
    if pa.types.is_time(kind):
        return "time" if _milliseconds(column) else "text"
    if pa.types.is_duration(kind):
        return "duration" if _milliseconds(column) and _positive(column) else "text"
    return "text"


def _within(column: pa.ChunkedArray, bound: int | Decimal) -> bool:
    return all(value is None or abs(value) < bound for value in pc.min_max(column).as_py().values())


def _moments_fit(column: pa.ChunkedArray) -> bool:
    # As numbers: Python has no day for an infinity of DuckDB's, nor for a year after 9999.
    days = column.cast(pa.date32(), safe=False).cast(pa.int32())
    first, last = pc.min(days).as_py(), pc.max(days).as_py()
    least, most = ((day - date(1970, 1, 1)).days for day in (_FIRST_DAY, date(9999, 12, 31)))
    return first is None or last is None or (first >= least and last <= most)


def _milliseconds(column: pa.ChunkedArray) -> bool:
    kind = column.type
    if kind.unit in ("s", "ms"):
        return True
    ticks = 1_000 if kind.unit == "us" else 1_000_000
    numbers = column.cast(pa.int64())
    return bool(pc.all(pc.equal(pc.multiply(pc.divide(numbers, ticks), ticks), numbers)).as_py() in (True, None))


def _positive(column: pa.ChunkedArray) -> bool:
    smallest = pc.min(column.cast(pa.int64())).as_py()
    return smallest is None or smallest >= 0


def _format(kind: _Kind, arrow: pa.DataType) -> str:
    match kind:
        case "integer":
            return "0"
        case "decimal":
            return "0." + "0" * arrow.scale if arrow.scale > 0 else "0"
        case "date":
            return "yyyy-mm-dd"
        case "datetime":
            return "yyyy-mm-dd hh:mm:ss"
        case "time":
            return "hh:mm:ss"
        case "duration":
            return "[h]:mm:ss"
        case _:
            return ""


def _width(name: str, column: pa.ChunkedArray, kind: _Kind) -> float:
    """Characters that the first rows need, within reason."""
    if kind == "datetime":
        return 20
    cells = [_as_text(value) for value in column_values(column.slice(0, 200))]
    longest = max((len(cell) for cell in cells if cell is not None), default=0)
    return float(min(max(longest, min(len(name), 30), 8) + 2, _WIDEST))


def _as_text(value: object) -> str | None:
    """A cell as exact text, as a CSV file would have it."""
    if value is None:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, (datetime, date, time)):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    plain = json_value(value)
    if isinstance(plain, (list, dict)):
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return str(plain)


def _write_about(book: Workbook, page: Worksheet, about: Sequence[tuple[str, str]]) -> None:
    bold = book.add_format({"bold": True, "valign": "top"})
    wrapped = book.add_format({"text_wrap": True, "valign": "top", "quote_prefix": True})
    page.set_column(0, 0, 16)
    page.set_column(1, 1, 100)
    for row, (heading, text) in enumerate(about):
        page.write_string(row, 0, heading, bold)
        page.write_string(row, 1, text[:_CELL_CHARS], wrapped)
