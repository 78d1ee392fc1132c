"""Results to take away: CSV with every value exact."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Final

import pyarrow as pa

from tabulaflow_core.output.cells import column_values, float_name, json_column

#: Excel takes a CSV file for UTF-8 only when it begins with this.
BOM: Final = b"\xef\xbb\xbf"


def csv_bytes(table: pa.Table, *, bom: bool = False) -> bytes:
    """The table as RFC 4180 CSV in UTF-8, values exact: no rounding, no grouping, dates ISO, nothing for null.

    Args:
        bom: Begin with a byte order mark, which Excel needs. Text that a spreadsheet would run as a formula then gets
            an apostrophe before it; numbers stay numbers.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(map(_inert, table.column_names) if bom else table.column_names)
    columns = [_texts(table.column(i)) for i in range(table.num_columns)]
    if bom:
        texts = [not _is_exact_number(kind) for kind in table.schema.types]
        columns = [list(map(_inert, cells)) if text else cells for cells, text in zip(columns, texts, strict=True)]
    writer.writerows(zip(*columns, strict=True))
    return (BOM if bom else b"") + buffer.getvalue().encode("utf-8", "surrogatepass")


def _is_exact_number(kind: pa.DataType) -> bool:
    """Numbers of which some are text here, such as wide decimals, and none is a formula; floats are no text."""
    return bool(pa.types.is_integer(kind) or pa.types.is_decimal(kind))


def _inert(cell: object) -> object:
    # The characters are those that OWASP lists under "CSV Injection".
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _texts(column: pa.ChunkedArray) -> list[object]:
    kind = column.type
    if pa.types.is_floating(kind):
        return [_float(cell) for cell in column_values(column)]
    cells = json_column(column)
    if pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_date(kind):
        return list(cells)  # the writer puts nothing for None
    return [_text(cell) for cell in cells]


def _text(cell: object) -> object:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, (list, dict)):
        return json.dumps(cell, ensure_ascii=False, separators=(",", ":"))
    return cell


def _float(cell: object) -> object:
    return float_name(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell
