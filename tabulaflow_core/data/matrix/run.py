"""Tries every case on one stage and says what became of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import pyarrow as pa

from tabulaflow_core.data.contracts import FailureKind, QueryFailure
from tabulaflow_core.data.engines.base import Caps, EngineFault
from tabulaflow_core.data.guard import RefusalCode, Refused, check_statement
from tabulaflow_core.data.matrix.cases import Alone, Case, Verdict
from tabulaflow_core.data.matrix.stage import CANARY, NotKnownHere, Stage
from tabulaflow_core.errors import SourceError

#: Seconds that a statement may run which asks for endless work, and how long it may take to stop.
_BOUND_SECONDS: Final = 0.5
_STOP_SECONDS: Final = 5.0
#: How often the engine is asked directly before an answer counts as another: of equals at the top it may take any.
_ASKED: Final = 10
_CAPS: Final = Caps(rows=10_000, bytes=16 * 1024 * 1024, seconds=10.0)


class Outcome(StrEnum):
    """What became of a case."""

    REFUSED = "refused"
    """Hostile; the guard refused it."""
    STOPPED = "stopped"
    """Hostile; the guard let it pass, and the engine's lock or a limit stopped it or left it without effect."""
    EQUAL = "equal"
    """Harmless; answered as the engine answers directly."""
    NOT_HERE = "not here"
    """Harmless; this version of the engine does not take it, guard or no guard."""
    THROUGH = "through"
    """Hostile; it did what it was meant to do. Wrong."""
    LOCK_FAILED = "lock failed"
    """Hostile; the guard refused it, but handed to the engine directly it did what it was meant to do. Wrong."""
    DENIED = "denied"
    """Harmless; refused. Wrong."""
    DIFFERENT = "different"
    """Harmless; answered otherwise than the engine does. Wrong."""

    @property
    def wrong(self) -> bool:
        """Whether this must not happen."""
        return self in (Outcome.THROUGH, Outcome.LOCK_FAILED, Outcome.DENIED, Outcome.DIFFERENT)


@dataclass(frozen=True, slots=True)
class Result:
    """One case and what became of it.

    Attributes:
        around: Handed to the engine's lock past the guard, which stopped it.
        detail: The reason of a refusal, an error, or what was wrong.
    """

    case: Case
    outcome: Outcome
    around: bool = False
    detail: str = ""


async def run_matrix_async(
    stage: Stage, cases: Sequence[Case], *, tell: Callable[[int], None] = lambda done: None
) -> AsyncIterator[Result]:
    """The result of each case, one after the other.

    Args:
        stage: The engine with its tables.
        cases: Cases of the engine's dialect.
        tell: Called with the number of cases done.
    """
    before = await stage.look_async()
    for number, case in enumerate(cases, 1):
        if case.verdict is Verdict.HARMLESS:
            yield await _harmless_async(stage, case)
        else:
            result = await _hostile_async(stage, case, before)
            if result.outcome.wrong:
                before = await stage.look_async()
            yield result
        tell(number)


async def _harmless_async(stage: Stage, case: Case) -> Result:
    sql = stage.fill(case.sql)
    try:
        direct = await stage.direct_async(sql)
    except NotKnownHere as error:
        return Result(case, Outcome.NOT_HERE, detail=str(error))
    answer = await stage.connector.run_query_async(sql)
    if isinstance(answer, QueryFailure):
        refused = answer.kind is FailureKind.REFUSED
        return Result(case, Outcome.DENIED if refused else Outcome.DIFFERENT, detail=answer.message)
    ordered = "order by" in sql.casefold()
    for _ in range(_ASKED):
        if same(direct, answer.table, ordered=ordered):
            return Result(case, Outcome.EQUAL)
        direct = await stage.direct_async(sql)
    return Result(case, Outcome.DIFFERENT, detail=f"{_text(answer.table)[:200]} is not {_text(direct)[:200]}")


def same(one: pa.Table, other: pa.Table, *, ordered: bool = True) -> bool:
    """Equal in names, types and values; NaN equals NaN.

    Args:
        one: A result.
        other: Another.
        ordered: Whether the rows must come in the same order. A statement that
            asks for none is owed none: grouping by several threads gives the
            rows as they are done.
    """
    if one.schema.types != other.schema.types or one.column_names != other.column_names:
        return False
    if one.equals(other) or _text(one) == _text(other):
        return True
    return not ordered and _lines(one) == _lines(other)


def _lines(table: pa.Table) -> list[str]:
    """The rows as text, in an order of their own."""
    return sorted(_text(table.slice(row, 1)) for row in range(table.num_rows))


def _text(table: pa.Table) -> str:
    try:
        return repr([column.to_pylist() for column in table.columns])
    except (OverflowError, ValueError):  # a date that Python has none for
        return str(table.to_string(preview_cols=1_000))


async def _hostile_async(stage: Stage, case: Case, before: str) -> Result:
    sql = stage.fill(case.sql)
    verdict = check_statement(sql, dialect=case.dialect)
    if not isinstance(verdict, Refused):
        return await _allowed_async(stage, case, sql, before)
    if verdict.code is RefusalCode.FUNCTION:  # the connector looks at what a function of the user runs
        result = await _allowed_async(stage, case, sql, before)
        if result.outcome.wrong:
            return result
    if case.alone is not Alone.LOCK:
        return Result(case, Outcome.REFUSED, detail=verdict.reason)
    try:
        async with asyncio.timeout(_CAPS.seconds):
            fetched = await stage.adapter.fetch_async(sql, _CAPS)
        harm = await _harm_async(stage, fetched.table, before)
    except (EngineFault, SourceError, TimeoutError) as error:
        harm = await _harm_async(stage, str(error), before)
    if harm:
        return Result(case, Outcome.LOCK_FAILED, detail=harm)
    return Result(case, Outcome.REFUSED, around=True, detail=verdict.reason)


async def _allowed_async(stage: Stage, case: Case, sql: str, before: str) -> Result:
    """The guard sees nothing wrong: the other layers must hold."""
    started = time.monotonic()
    answer = await stage.connector.run_query_async(sql, limit=_CAPS.rows, timeout=_BOUND_SECONDS)
    seconds = time.monotonic() - started
    harm = await _harm_async(stage, answer.message if isinstance(answer, QueryFailure) else answer.table, before)
    if not harm and seconds > _BOUND_SECONDS + _STOP_SECONDS:
        harm = f"It ran for {seconds:.1f} seconds."
    if not harm and not isinstance(answer, QueryFailure) and answer.table.nbytes > _CAPS.bytes:
        harm = f"It answered {answer.table.nbytes:,} bytes."
    detail = harm or (answer.message if isinstance(answer, QueryFailure) else "nothing happened")
    return Result(case, Outcome.THROUGH if harm else Outcome.STOPPED, detail=detail)


async def _harm_async(stage: Stage, answer: pa.Table | str, before: str) -> str:
    """What a statement did; empty for nothing."""
    text = answer if isinstance(answer, str) else _text(answer)
    if CANARY in text:
        return "The answer shows what stands in a file."
    after = await stage.look_async()
    if after != before:
        pairs = zip(before.splitlines(), after.splitlines(), strict=False)
        return f"It changed something: {next((b for a, b in pairs if a != b), 'more lines')[:200]}"
    return ""
