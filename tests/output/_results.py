"""Results made from columns, for the tests of this folder."""

from __future__ import annotations

import pyarrow as pa

from tabulaflow_core.output import StoredResult


def result(columns: dict[str, object] | pa.Table, **fields: object) -> StoredResult:
    """A stored result of these columns."""
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    return StoredResult(source="shop", dialect="sqlite", sql="SELECT 1", table=table, **fields)  # type: ignore[arg-type]
