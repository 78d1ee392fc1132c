"""Results as tables on a terminal."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tabulaflow_core.cli.console import Console, Number
from tabulaflow_core.counting import counted

if TYPE_CHECKING:
    import pyarrow as pa


def print_table(console: Console, table: pa.Table, *, rows: int, indent: str = "") -> None:
    """The first `rows` rows with their columns, and how many were left out."""
    from tabulaflow_core.output.cells import column_values
    from tabulaflow_core.output.columns import describe_columns

    if not table.num_columns:
        return
    shown = table.slice(0, rows)
    grouped = [column.role == "measure" for column in describe_columns(table)]
    columns = []
    for index in range(table.num_columns):
        columns.append([_cell(value, grouped=grouped[index]) for value in column_values(shown.column(index))])
    console.table(table.column_names, list(zip(*columns, strict=True)), indent=indent)
    if table.num_rows > rows:
        console.note(f"{indent}… {counted(table.num_rows - rows, 'more row')} (--rows N shows more)")


def _cell(value: object, *, grouped: bool) -> str | None:
    from tabulaflow_core.output.cells import cell_text

    if value is None:
        return None
    text = cell_text(value, grouped=grouped, max_chars=200)
    is_number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    return Number(text) if is_number else text
