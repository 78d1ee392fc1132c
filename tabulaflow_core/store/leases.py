"""Who runs a turn: a lease that its process renews, and that anybody ends when it was not renewed in time.

All functions work within a transaction of the caller's.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from tabulaflow_core.agents.events import TurnInterrupted
from tabulaflow_core.errors import NotFound
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.conversations import save_history
from tabulaflow_core.store.database import epoch_now
from tabulaflow_core.store.encoding import event_to_json, events_from_json
from tabulaflow_core.store.partial import partial_result
from tabulaflow_core.store.tables import events, turns

#: Ten missed heartbeats: a process that is merely busy is not taken for a dead one.
STALE_SECONDS: Final = 10.0
SERVER_STOPPED: Final = "The server stopped while this was being answered."


async def renew(connection: AsyncConnection, principal: Principal, turn_id: str, *, runner: str) -> bool:
    """The runner still lives. True when somebody asked to stop the turn.

    Raises:
        NotFound: The turn is not this runner's any more, or has ended.
    """
    row = (
        await connection.execute(
            update(turns)
            .where(turns.c.id == turn_id, turns.c.owner == principal.id)
            .where(turns.c.runner == runner, turns.c.state == "running")
            .values(heartbeat_at=epoch_now())
            .returning(turns.c.cancel_requested)
        )
    ).one_or_none()
    if row is None:
        raise NotFound("This turn has been ended by another process, or was deleted.")
    return bool(row.cancel_requested)


async def has_stale(connection: AsyncConnection, principal: Principal, conversation_id: str) -> bool:
    """True when the conversation's running turn was abandoned by its process."""
    found = await connection.execute(
        select(turns.c.id).where(
            turns.c.conversation_id == conversation_id,
            turns.c.owner == principal.id,
            turns.c.state == "running",
            turns.c.heartbeat_at < epoch_now() - STALE_SECONDS,
        )
    )
    return found.first() is not None


async def end_stale(connection: AsyncConnection, principal: Principal, conversation_id: str) -> None:
    """End the conversation's running turn as interrupted when its process has died; what it committed stays."""
    ended = (
        await connection.execute(
            update(turns)
            .where(turns.c.conversation_id == conversation_id, turns.c.owner == principal.id)
            .where(turns.c.state == "running", turns.c.heartbeat_at < epoch_now() - STALE_SECONDS)
            .values(state="interrupted", finished_at=turns.c.heartbeat_at)
            .returning(turns.c.id, turns.c.number, turns.c.heartbeat_at - turns.c.started_at)
        )
    ).all()
    for turn_id, number, seconds in ended:
        mine = (events.c.turn_id == turn_id, events.c.owner == principal.id)
        kept = (await connection.execute(select(events.c.body).where(*mine).order_by(events.c.seq))).scalars().all()
        last = (await connection.execute(select(func.coalesce(func.max(events.c.seq), -1)).where(*mine))).scalar_one()
        result = partial_result(events_from_json(kept), seconds=seconds)
        await connection.execute(
            insert(events).values(
                turn_id=turn_id,
                seq=last + 1,
                owner=principal.id,
                body=event_to_json(TurnInterrupted(result=result, reason=SERVER_STOPPED)),
            )
        )
        await save_history(connection, principal, conversation_id, body=None, through_turn=number)
