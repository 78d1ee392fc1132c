"""How much of a table the preview says that it shows."""

from __future__ import annotations

import pytest

from pages.ui.preview import extent
from tabulaflow_core.data.schema import ColumnSchema, TableSchema


@pytest.mark.parametrize(
    ("count", "estimated", "rows", "columns", "said"),
    [
        (0, False, 0, 2, "0 rows, 2 columns"),
        (1, False, 1, 1, "1 row, 1 column"),
        (100, False, 100, 2, "100 rows, 2 columns"),
        (575, False, 100, 4, "The first 100 of 575 rows, 4 columns."),
        (90_000, True, 100, 4, "The first 100 of about 90,000 rows, 4 columns."),
        (None, False, 100, 4, "The first 100 rows, 4 columns. How many rows there are was not counted."),
        (None, False, 7, 4, "7 rows, 4 columns"),
        (3, True, 12, 4, "12 rows, 4 columns"),  # an estimate from before the last rows came
        (3, True, 100, 4, "The first 100 rows, 4 columns."),
        (575, False, 100, 1_000, "The first 100 of 575 rows, the first 200 of 1,000 columns."),
        (3, False, 3, 1_000, "3 rows, the first 200 of 1,000 columns."),
    ],
)
def test_extent(count: int | None, estimated: bool, rows: int, columns: int, said: str) -> None:
    table = TableSchema("t", (ColumnSchema("a", "INTEGER"),), row_count=count, estimated=estimated)
    assert extent(table, rows=rows, columns=columns) == said
