"""Results by id: where rows go once, so that tables, charts, exports and follow-ups refer to the same ones."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, Protocol
from uuid import uuid4

from tabulaflow_core.errors import NotFound
from tabulaflow_core.principal import Principal

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The rows of one query with where they came from.

    Attributes:
        id: Opaque, unguessable.
        source: Alias of the source.
        sql: The statement as it ran.
        table: The rows, exact.
        truncated: Rows were left out by the cap named in `cut_by`.
        notes: What was changed on the way to the query, in words for a person.
    """

    source: str
    dialect: str
    sql: str
    table: pa.Table
    truncated: bool = False
    cut_by: Literal["rows", "bytes"] | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    id: str = field(default_factory=lambda: f"r_{uuid4().hex[:16]}")


class ResultStore(Protocol):
    """Port: where results go."""

    async def put_async(self, principal: Principal, result: StoredResult) -> None:
        """Keep `result` for `principal`."""

    async def get_async(self, principal: Principal, result_id: str) -> StoredResult:
        """The result.

        Raises:
            NotFound: This principal has no such result, whoever else may have it.
        """


class MemoryResultStore:
    """Results in this process, bounded in bytes: the oldest go first.

    Args:
        max_bytes: Arrow bytes kept at most, over all principals.
    """

    def __init__(self, *, max_bytes: int = 512 * 1024 * 1024) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._results: OrderedDict[tuple[str, str], StoredResult] = OrderedDict()

    async def put_async(self, principal: Principal, result: StoredResult) -> None:
        """Keep `result`; evict the oldest beyond the bound, never the new one."""
        self._results[principal.id, result.id] = result
        self._bytes += result.table.nbytes
        while self._bytes > self._max_bytes and len(self._results) > 1:
            _, old = self._results.popitem(last=False)
            self._bytes -= old.table.nbytes

    async def get_async(self, principal: Principal, result_id: str) -> StoredResult:
        """The result, or `NotFound`."""
        try:
            return self._results[principal.id, result_id]
        except KeyError:
            raise NotFound("This result is no longer here. Ask the question again to get it back.") from None
