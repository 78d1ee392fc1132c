"""The ledger: a row for each model call, kept also when its conversation is deleted."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import Row, and_, insert, select, update

from tabulaflow_core.errors import NotFound
from tabulaflow_core.models.usage import Usage
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.answer_tables import feedback, turn_sources
from tabulaflow_core.store.database import Database, epoch_now
from tabulaflow_core.store.records import FeedbackRecord, UsageRow, moment
from tabulaflow_core.store.tables import conversations, model_calls, turns

#: Providers whose calls cost nothing, also when the end of a call was never seen.
_FREE: Final = frozenset({"local", "scripted"})


class UsageLedger:
    """What each principal's model calls used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def reserve_async(
        self, principal: Principal, *, conversation_id: str, turn_id: str, model: str, input_tokens: int
    ) -> str:
        """Write down a call before it is made; its id comes back.

        Args:
            input_tokens: As estimated; stays when the call's end is never seen.
        """
        call_id = f"m_{uuid4().hex}"
        free = model.partition(":")[0] in _FREE
        async with self._database.write() as connection:
            await connection.execute(
                insert(model_calls).values(
                    id=call_id,
                    owner=principal.id,
                    conversation_id=conversation_id,
                    turn_id=turn_id,
                    model=model,
                    settled=False,
                    api_requests=1,
                    input_tokens=input_tokens,
                    cached_input_tokens=0,
                    output_tokens=0,
                    reasoning_tokens=0,
                    api_cost_usd=0.0 if free else None,
                    price_source="local" if free else "unknown",
                    seconds=0.0,
                    created_at=epoch_now(),
                )
            )
        return call_id

    async def settle_async(self, principal: Principal, call_id: str, usage: Usage) -> None:
        """Write down what a reserved call used.

        Raises:
            NotFound: This principal has no such call.
        """
        async with self._database.write() as connection:
            settled = await connection.execute(
                update(model_calls)
                .where(model_calls.c.id == call_id, model_calls.c.owner == principal.id)
                .values(
                    settled=True,
                    api_requests=usage.api_requests,
                    input_tokens=usage.input_tokens,
                    cached_input_tokens=usage.cached_input_tokens,
                    output_tokens=usage.output_tokens,
                    reasoning_tokens=usage.reasoning_tokens,
                    api_cost_usd=usage.api_cost_usd,
                    price_source=usage.price_source,
                    seconds=usage.seconds,
                    **({"model": usage.model} if usage.model else {}),
                )
            )
            if settled.rowcount == 0:
                raise NotFound("This model call is not in the ledger.")

    async def rows_async(
        self, principal: Principal, *, since: datetime | None = None, until: datetime | None = None
    ) -> tuple[UsageRow, ...]:
        """One row a turn, the newest first.

        Args:
            since: Calls made at or after this aware time.
            until: Calls made before this aware time.
        """
        query = (
            select(
                model_calls,
                turns.c.question,
                conversations.c.title,
                turn_sources.c.sources,
                feedback.c.verdict,
                feedback.c.reason,
            )
            .outerjoin(turns, and_(turns.c.id == model_calls.c.turn_id, turns.c.owner == principal.id))
            .outerjoin(
                conversations,
                and_(conversations.c.id == model_calls.c.conversation_id, conversations.c.owner == principal.id),
            )
            .outerjoin(
                turn_sources,
                and_(turn_sources.c.turn_id == model_calls.c.turn_id, turn_sources.c.owner == principal.id),
            )
            .outerjoin(feedback, and_(feedback.c.turn_id == model_calls.c.turn_id, feedback.c.owner == principal.id))
            .where(model_calls.c.owner == principal.id)
            .order_by(model_calls.c.turn_id, model_calls.c.created_at)
        )
        if since is not None:
            query = query.where(model_calls.c.created_at >= since.timestamp())
        if until is not None:
            query = query.where(model_calls.c.created_at < until.timestamp())
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        summed = [_sum(calls) for _, calls in groupby(rows, key=lambda row: row.turn_id)]
        return tuple(sorted(summed, key=lambda row: row.started_at, reverse=True))


def _sum(calls: Iterable[Row[Any]]) -> UsageRow:
    first, *rest = calls
    total = _usage(first)
    for call in rest:
        total += _usage(call)
    return UsageRow(
        turn_id=first.turn_id,
        conversation_id=first.conversation_id,
        conversation_title=first.title or "",
        question=first.question or "",
        started_at=moment(first.created_at),
        usage=total,
        sources=first.sources or "",
        feedback=FeedbackRecord(first.verdict, first.reason) if first.verdict else None,
    )


def _usage(row: Row[Any]) -> Usage:
    return Usage(
        model=row.model,
        api_requests=row.api_requests,
        input_tokens=row.input_tokens,
        cached_input_tokens=row.cached_input_tokens,
        output_tokens=row.output_tokens,
        reasoning_tokens=row.reasoning_tokens,
        api_cost_usd=row.api_cost_usd,
        price_source=row.price_source,
        seconds=row.seconds,
    )
