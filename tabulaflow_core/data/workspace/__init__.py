"""Sources together: what a query needs of several sources is copied into a DuckDB of its own and joined there.

The design in short. A query names tables of two or more sources: `shop.orders` by alias, or `orders` where only one
source has it. Of each table the columns used, and the rows that pass the query's own simple conditions, are asked of
its source as a query in the source's dialect, through the source's guard, lock and caps. The rows go into a DuckDB in
memory that lives for this query, with a schema for each source, closed to files and network before the query runs,
and the query passes the guard for DuckDB too. A table that does not fit is refused and not cut, because sums over a cut
table would be wrong. The answer says what was copied.
"""

from tabulaflow_core.data.workspace.connector import TOGETHER, AcrossConnector, AcrossResult
from tabulaflow_core.data.workspace.copying import Copied, CopyLimits
from tabulaflow_core.data.workspace.naming import Reading, Unresolved, resolve

__all__ = [
    "TOGETHER",
    "AcrossConnector",
    "AcrossResult",
    "Copied",
    "CopyLimits",
    "Reading",
    "Unresolved",
    "resolve",
]
