"""Turns and their events. A running turn belongs to one runner, which must keep saying that it lives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import Row, Select, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from tabulaflow_core.agents.events import Event
from tabulaflow_core.errors import NotFound, TurnInProgress
from tabulaflow_core.principal import Principal
from tabulaflow_core.store import leases
from tabulaflow_core.store.answer_tables import turn_sources
from tabulaflow_core.store.conversations import save_history, tidy, title_of
from tabulaflow_core.store.database import Database, epoch_now
from tabulaflow_core.store.encoding import event_to_json, events_from_json
from tabulaflow_core.store.records import TurnRecord, TurnState, moment
from tabulaflow_core.store.tables import conversations, events, turns

_MISSING: Final = "This question is not here. It may have been deleted, or it belongs to somebody else."
#: Between the aliases of sources that were asked together; no alias holds it.
_TOGETHER: Final = " + "
#: Said when a second turn is asked for.
BUSY: Final = "This conversation is still answering. Wait for the answer, or stop it first."


class Turns:
    """The turns of each principal's conversations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def start_async(
        self, principal: Principal, conversation_id: str, *, question: str, model: str, runner: str
    ) -> TurnRecord:
        """Begin a turn; of two processes that try at once, one wins.

        Raises:
            NotFound: This principal has no such conversation.
            TurnInProgress: A turn of it runs, here or in another process.
        """
        turn_id = f"t_{uuid4().hex}"
        try:
            async with self._database.write() as connection:
                await leases.end_stale(connection, principal, conversation_id)
                await _touch(connection, principal, conversation_id, question)
                number = select(func.coalesce(func.max(turns.c.number), 0) + 1).where(
                    turns.c.conversation_id == conversation_id
                )
                await connection.execute(
                    insert(turns).values(
                        id=turn_id,
                        owner=principal.id,
                        conversation_id=conversation_id,
                        number=number.scalar_subquery(),
                        question=tidy(question),
                        model=model,
                        state="running",
                        started_at=epoch_now(),
                        runner=runner,
                        heartbeat_at=epoch_now(),
                        cancel_requested=False,
                    )
                )
                return await _one(connection, principal, turn_id)
        except IntegrityError as error:
            raise TurnInProgress(BUSY) from error

    async def append_async(
        self, principal: Principal, turn_id: str, *, runner: str, first: int, new: Sequence[Event] = ()
    ) -> bool:
        """Commit events from sequence number `first` on; without any it is a heartbeat. True when Stop was asked for.

        Raises:
            NotFound: The turn does not belong to this runner any more: it was ended or deleted meanwhile.
        """
        async with self._database.write() as connection:
            stop = await leases.renew(connection, principal, turn_id, runner=runner)
            await _insert_events(connection, principal, turn_id, first, new)
            return stop

    async def finish_async(
        self,
        principal: Principal,
        turn_id: str,
        *,
        runner: str,
        first: int,
        new: Sequence[Event],
        state: TurnState,
        history: str | None,
    ) -> int:
        """End a turn: its last events, its state and the model's history in one transaction.

        Args:
            history: The history as JSON; None leaves the stored one, so that it lacks this turn.

        Returns:
            The conversation's version now.

        Raises:
            NotFound: The turn does not belong to this runner any more.
        """
        async with self._database.write() as connection:
            await leases.renew(connection, principal, turn_id, runner=runner)
            await _insert_events(connection, principal, turn_id, first, new)
            turn = await _one(connection, principal, turn_id)
            await connection.execute(
                update(turns)
                .where(turns.c.id == turn_id, turns.c.owner == principal.id)
                .values(state=state, finished_at=epoch_now())
            )
            await _save_sources(connection, principal, turn_id)
            return await save_history(
                connection, principal, turn.conversation_id, body=history, through_turn=turn.number
            )

    async def request_cancel_async(self, principal: Principal, turn_id: str) -> None:
        """Ask whichever process runs the turn to stop it; one that has ended stays as it is.

        Raises:
            NotFound: This principal has no such turn.
        """
        async with self._database.write() as connection:
            asked = await connection.execute(
                update(turns).where(turns.c.id == turn_id, turns.c.owner == principal.id).values(cancel_requested=True)
            )
            if asked.rowcount == 0:
                raise NotFound(_MISSING)

    async def rests_on_async(self, principal: Principal, alias: str) -> bool:
        """Whether any answer was read from the source `alias`, or might be: a turn runs."""
        kept = select(turn_sources.c.sources).where(turn_sources.c.owner == principal.id).distinct()
        running = select(turns.c.id).where(turns.c.owner == principal.id, turns.c.state == "running").limit(1)
        async with self._database.read() as connection:
            if (await connection.execute(running)).first() is not None:
                return True
            return any(alias in row.sources.split(_TOGETHER) for row in await connection.execute(kept))

    async def get_async(self, principal: Principal, turn_id: str) -> TurnRecord:
        """One turn.

        Raises:
            NotFound: This principal has no such turn.
        """
        async with self._database.read() as connection:
            return await _one(connection, principal, turn_id)

    async def list_async(self, principal: Principal, conversation_id: str) -> tuple[TurnRecord, ...]:
        """The turns of a conversation in order; a turn whose process died is ended first."""
        await self.end_stale_async(principal, conversation_id)
        query = _query(principal).where(turns.c.conversation_id == conversation_id).order_by(turns.c.number)
        async with self._database.read() as connection:
            return tuple(_record(row) for row in await connection.execute(query))

    async def running_async(self, principal: Principal, conversation_id: str) -> TurnRecord | None:
        """The turn that runs, in whichever process; one whose process died is ended first."""
        listed = await self.list_async(principal, conversation_id)
        return next((turn for turn in listed if turn.state == "running"), None)

    async def events_async(self, principal: Principal, turn_id: str) -> list[Event]:
        """The committed events of a turn; none for another's turn."""
        return (await self.events_from_async(principal, turn_id, first=0))[0]

    async def events_from_async(self, principal: Principal, turn_id: str, *, first: int) -> tuple[list[Event], int]:
        """The committed events of a turn from sequence number `first` on, and the number to go on from."""
        query = (
            select(events.c.seq, events.c.body)
            .where(events.c.turn_id == turn_id, events.c.owner == principal.id, events.c.seq >= first)
            .order_by(events.c.seq)
        )
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        return events_from_json(row.body for row in rows), rows[-1].seq + 1 if rows else first

    async def conversation_events_async(self, principal: Principal, conversation_id: str) -> dict[str, list[Event]]:
        """The committed events of all turns of a conversation, by turn."""
        query = (
            select(events.c.turn_id, events.c.body)
            .join(turns, turns.c.id == events.c.turn_id)
            .where(turns.c.conversation_id == conversation_id, turns.c.owner == principal.id)
            .where(events.c.owner == principal.id)
            .order_by(events.c.turn_id, events.c.seq)
        )
        bodies: dict[str, list[str]] = {}
        async with self._database.read() as connection:
            for row in await connection.execute(query):
                bodies.setdefault(row.turn_id, []).append(row.body)
        return {turn_id: events_from_json(each) for turn_id, each in bodies.items()}

    async def end_stale_async(self, principal: Principal, conversation_id: str) -> None:
        """End the conversation's running turn as interrupted when its process has died."""
        async with self._database.read() as connection:
            if not await leases.has_stale(connection, principal, conversation_id):
                return
        async with self._database.write() as connection:
            await leases.end_stale(connection, principal, conversation_id)


async def _touch(connection: AsyncConnection, principal: Principal, conversation_id: str, question: str) -> None:
    title = title_of(question)
    mine = (conversations.c.id == conversation_id, conversations.c.owner == principal.id)
    there = await connection.execute(update(conversations).where(*mine).values(updated_at=epoch_now()))
    if there.rowcount == 0:
        raise NotFound("This conversation is not here. It may have been deleted, or it belongs to somebody else.")
    await connection.execute(update(conversations).where(*mine, conversations.c.title == "").values(title=title))


async def _insert_events(
    connection: AsyncConnection, principal: Principal, turn_id: str, first: int, new: Sequence[Event]
) -> None:
    if new:
        await connection.execute(
            insert(events),
            [
                {"turn_id": turn_id, "seq": first + i, "owner": principal.id, "body": event_to_json(event)}
                for i, event in enumerate(new)
            ],
        )


async def _save_sources(connection: AsyncConnection, principal: Principal, turn_id: str) -> None:
    """Note which sources the answer was read from, for the count of usage by source."""
    query = select(events.c.body).where(events.c.turn_id == turn_id, events.c.owner == principal.id)
    bodies = (row.body for row in await connection.execute(query.order_by(events.c.seq)))
    shown = (
        event.spec for event in events_from_json(b for b in bodies if '"artifact"' in b) if event.kind == "artifact"
    )
    aliases = [alias for spec in shown if spec.kind == "table" for alias in spec.source.split(_TOGETHER)]
    if aliases:
        sources = tidy(_TOGETHER.join(dict.fromkeys(aliases)))
        await connection.execute(delete(turn_sources).where(turn_sources.c.turn_id == turn_id))
        await connection.execute(insert(turn_sources).values(turn_id=turn_id, owner=principal.id, sources=sources))


def _query(principal: Principal) -> Select[Any]:
    until = func.coalesce(turns.c.finished_at, epoch_now())
    return select(turns, (until - turns.c.started_at).label("seconds")).where(turns.c.owner == principal.id)


async def _one(connection: AsyncConnection, principal: Principal, turn_id: str) -> TurnRecord:
    row = (await connection.execute(_query(principal).where(turns.c.id == turn_id))).one_or_none()
    if row is None:
        raise NotFound(_MISSING)
    return _record(row)


def _record(row: Row[Any]) -> TurnRecord:
    return TurnRecord(
        id=row.id,
        conversation_id=row.conversation_id,
        number=row.number,
        question=row.question,
        model=row.model,
        state=row.state,
        started_at=moment(row.started_at),
        seconds=max(0.0, round(row.seconds, 3)),
        runner=row.runner,
        cancel_requested=row.cancel_requested,
    )
