"""What an engine adapter promises to `SQLConnector`: raw execution under the engine's own lock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeVar, runtime_checkable

from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.schema import SourceSchema

if TYPE_CHECKING:
    import pyarrow as pa

    from tabulaflow_core.data.guard.bodies import StoredFunction

IfExists = Literal["fail", "replace", "append"]


@dataclass(frozen=True, slots=True)
class Caps:
    """Bounds of one statement.

    Attributes:
        rows: Rows returned at most.
        bytes: Arrow bytes returned at most.
        seconds: Wall time at most.
    """

    rows: int
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Fetched:
    """Rows as they came; `cut_by` names the cap that left some out, `notices` say what could not be given as it is."""

    table: pa.Table
    cut_by: Literal["rows", "bytes"] | None = None
    notices: tuple[str, ...] = ()


class EngineFault(Exception):
    """The statement's own fault, in the engine's words without wrapper, URL or secret."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


#: Statements of one source that run at once; the others wait within their own time limit.
STATEMENTS: Final = 5
#: Share of a statement's time limit that it may wait for a lock: then the server says what the time went to.
LOCK_SHARE: Final = 0.9


#: Values that a driver written in Python is asked for before it is looked whether somebody wants to stop: milliseconds.
STEP_VALUES: Final = 2_000

Row = TypeVar("Row")


def fetch_by_steps(
    fetchmany: Callable[[int], Sequence[Row]], count: int, columns: int, stopped: Callable[[], bool]
) -> Sequence[Row]:
    """Up to `count` rows of a blocking driver; none when it was `stopped` meanwhile, for nobody wants them.

    A driver that makes 20,000 rows at once keeps Python to itself so long that the thread which stops the statement
    in the server hardly comes to work.
    """
    at_once = max(1, STEP_VALUES // max(columns, 1))
    rows: list[Row] = []
    while len(rows) < count:
        if stopped():
            return ()
        step = fetchmany(min(at_once, count - len(rows)))
        if not step:
            break
        rows.extend(step)
    return rows


def waited_for_lock() -> EngineFault:
    """The fault of a statement that waited for another program's lock until its time was up."""
    return EngineFault(
        FailureKind.TIMEOUT,
        "The query waited for a lock until its time limit: another program is changing a table that it reads. "
        "Try again when that has ended.",
    )


class EngineAdapter(Protocol):
    """One engine behind a `SQLConnector`. Safe to use from many tasks of one event loop."""

    @property
    def dialect(self) -> str:
        """The sqlglot name of its SQL."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of the connection."""

    @property
    def unreadable(self) -> Mapping[str, str]:
        """Relations that may not be queried, `name` or `schema.name` in lower case, each with its reason."""

    @property
    def left_running(self) -> str:
        """A sentence on statements that a time-out leaves running; empty where they are stopped."""

    async def open_async(self) -> None:
        """Connect once, so that a wrong address is known at once.

        Raises:
            SourceUnavailable: With a sentence that tells the causes apart.
        """

    @property
    def binds(self) -> bool:
        """Whether `fetch_async` takes values."""

    async def fetch_async(self, sql: str, caps: Caps, values: Sequence[str] = ()) -> Fetched:
        """Run `sql` under the engine's lock; cancelling the task stops it in the engine.

        The guard has seen `sql` before, but the lock must hold without it.

        Args:
            values: For the marks in `sql`, `$1` in PostgreSQL and DuckDB and `?` in the others; bound as text by the
                engine, never written into the statement.

        Raises:
            EngineFault: The statement's fault.
            SourceUnavailable: The connection's fault.
        """

    async def read_schema_async(self) -> SourceSchema:
        """Tables and views, bounded in time whatever their number."""

    async def write_async(self, table: str, rows: pa.Table, *, if_exists: IfExists) -> None:
        """Create or fill `table`, all or nothing.

        Raises:
            EngineFault: The engine refused the rows.
        """

    async def close_async(self) -> None:
        """Close every connection; a second call does nothing."""


@runtime_checkable
class StoresFunctions(Protocol):
    """An engine that tells what a function of the user runs."""

    async def stored_functions_async(self, sql: str) -> tuple[StoredFunction, ...]:
        """Those that `sql` calls, and those that these call.

        Raises:
            EngineFault: The catalogue may not be read.
            SourceUnavailable: The connection's fault.
        """
