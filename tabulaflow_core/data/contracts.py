"""What a data source promises: the `DataConnector` protocol and what a query gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Protocol, Self, runtime_checkable

from tabulaflow_core.data.restricting.row_tests import Restriction
from tabulaflow_core.data.schema import SourceSchema

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

#: A sqlglot dialect name. The four that are run in the contract suite; `docs/databases.md` lists the others.
Dialect = Literal["sqlite", "duckdb", "postgres", "mysql"]


class FailureKind(StrEnum):
    """Why a query gave no rows; a closed set, matched exhaustively."""

    REFUSED = "refused"  # the guard would not run it
    INVALID = "invalid"  # the engine could not compile it: syntax, unknown name, wrong type
    TIMEOUT = "timeout"  # stopped in the engine at its time limit
    FAILED = "failed"  # it ran and broke: overflow, division by zero, out of memory


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows of one query.

    Attributes:
        table: The rows; column names may repeat, decimals, 64-bit integers and time zones are exact.
        sql: The statement as it ran.
        truncated: True when rows were left out.
        cut_by: Which cap left them out.
        seconds: Wall time in the engine and on the way.
        notices: What could not be given as the engine has it, a sentence each.
    """

    table: pa.Table
    sql: str
    truncated: bool = False
    cut_by: Literal["rows", "bytes"] | None = None
    seconds: float = 0.0
    notices: tuple[str, ...] = ()

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a DataFrame in which every value is what the database gave; see `data.frames`."""
        from tabulaflow_core.data.frames import dataframe_of

        return dataframe_of(self.table)


@dataclass(frozen=True, slots=True)
class QueryFailure:
    """A query's own fault: data that a model or a person can repair.

    Attributes:
        message: What went wrong, in words that name the offending part; holds no secret.
        hint: What would help, such as the nearest column names; empty when nothing is known.
        untaken: The restriction that the query cannot take; None when it was refused for another reason.
    """

    kind: FailureKind
    message: str
    sql: str
    hint: str = ""
    seconds: float = 0.0
    untaken: Restriction | None = None


QueryOutcome = QueryResult | QueryFailure


@runtime_checkable
class DataConnector(Protocol):
    """One source of data. Safe to use from many tasks of one event loop.

    A query's fault comes back as `QueryFailure`; a broken connection raises `SourceUnavailable`. Cancelling
    the task that awaits `run_query_async` stops the statement in the engine before the cancellation goes on.
    """

    @property
    def dialect(self) -> str:
        """The sqlglot name of its SQL."""

    @property
    def read_only(self) -> bool:
        """False when the library's own write methods may be used. Queries never write."""

    @property
    def schema(self) -> SourceSchema:
        """The tables as last read."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of this connection, such as that its role is a superuser."""

    async def refresh_schema_async(self, *, max_age: float = 0.0) -> SourceSchema:
        """Read the tables again unless they were read less than `max_age` seconds ago."""

    async def run_query_async(
        self,
        sql: str,
        *,
        limit: int | None = None,
        timeout: float | None = None,
        restrictions: Sequence[Restriction] = (),
    ) -> QueryOutcome:
        """Run one read-only query through the guard.

        Args:
            sql: One statement in the source's dialect.
            limit: Rows at most; None for the configured cap.
            timeout: Seconds at most; None for the configured cap.
            restrictions: Of the tables that it reads, only the rows that pass; all of them hold, or the query is
                refused and says which it cannot take. Values are bound, never written into the statement.

        Raises:
            SourceUnavailable: The connection is broken.
        """

    async def close_async(self) -> None:
        """Close every connection; a second call does nothing."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
