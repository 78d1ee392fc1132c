"""A connector that is not closed under a running turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from tabulaflow_core.data.assumptions import assumptions_of
from tabulaflow_core.data.closing import Closing
from tabulaflow_core.data.contracts import DataConnector, QueryOutcome
from tabulaflow_core.data.restricting import Restriction
from tabulaflow_core.data.schema import SourceSchema


class Lingering(Closing):
    """A `DataConnector` whose closing is left to `retire`.

    A turn holds the connectors that it found at its beginning; when a file is added meanwhile, the registry lets
    the old connector go, and the turn goes on with it.
    """

    def __init__(self, inner: DataConnector, retire: Callable[[DataConnector], Awaitable[None]]) -> None:
        self._inner = inner
        self._retire: Callable[[DataConnector], Awaitable[None]] | None = retire

    @property
    def dialect(self) -> str:
        """The sqlglot name of its SQL."""
        return self._inner.dialect

    @property
    def read_only(self) -> bool:
        """False when the library's own write methods may be used."""
        return self._inner.read_only

    @property
    def schema(self) -> SourceSchema:
        """The tables as last read."""
        return self._inner.schema

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of this connection."""
        return self._inner.notices

    def assumptions(self, sql: str) -> tuple[str, ...]:
        """What the result of `sql` rests on."""
        return assumptions_of(self._inner, sql)

    async def refresh_schema_async(self, *, max_age: float = 0.0) -> SourceSchema:
        """Read the tables again unless they were read less than `max_age` seconds ago."""
        return await self._inner.refresh_schema_async(max_age=max_age)

    async def run_query_async(
        self,
        sql: str,
        *,
        limit: int | None = None,
        timeout: float | None = None,
        restrictions: Sequence[Restriction] = (),
    ) -> QueryOutcome:
        """Run one read-only query through the guard."""
        return await self._inner.run_query_async(sql, limit=limit, timeout=timeout, restrictions=restrictions)

    async def close_async(self) -> None:
        """Let it go; it is closed once no turn needs it."""
        retire, self._retire = self._retire, None
        if retire is not None:
            await retire(self._inner)
