"""What a person adds to an answer: a verdict with its reason, and what was chosen by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue
from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from tabulaflow_core.errors import NotFound
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.answer_tables import choices, feedback
from tabulaflow_core.store.conversations import tidy
from tabulaflow_core.store.database import Database, epoch_now
from tabulaflow_core.store.records import FeedbackRecord, Verdict
from tabulaflow_core.store.tables import turns

_MISSING: Final = "This answer is not here. It may have been deleted, or it belongs to somebody else."
#: Characters of a reason that are kept.
REASON_CHARACTERS: Final = 2_000


class Answers:
    """Verdicts and choices of each principal, by turn."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def judge_async(
        self, principal: Principal, turn_id: str, *, verdict: Verdict | None, reason: str = ""
    ) -> None:
        """Keep what the person thinks of an answer, in place of what was thought before; None takes it back.

        Raises:
            NotFound: This principal has no such turn.
        """
        mine = (feedback.c.turn_id == turn_id, feedback.c.owner == principal.id)
        async with self._database.write() as connection:
            await _check_turn(connection, principal, turn_id)
            await connection.execute(delete(feedback).where(*mine))
            if verdict is not None:
                await connection.execute(
                    insert(feedback).values(
                        turn_id=turn_id,
                        owner=principal.id,
                        verdict=verdict,
                        reason=tidy(reason).strip()[:REASON_CHARACTERS],
                        updated_at=epoch_now(),
                    )
                )

    async def choose_async(
        self, principal: Principal, turn_id: str, place: str, *, choice: Mapping[str, JsonValue] | None
    ) -> None:
        """Keep what was chosen at `place` of an answer, in place of an earlier choice; None takes it back.

        Raises:
            NotFound: This principal has no such turn.
        """
        mine = (choices.c.turn_id == turn_id, choices.c.place == place, choices.c.owner == principal.id)
        async with self._database.write() as connection:
            await _check_turn(connection, principal, turn_id)
            if choice is None:
                await connection.execute(delete(choices).where(*mine))
                return
            values = {"body": json.dumps(choice), "updated_at": epoch_now()}
            changed = await connection.execute(update(choices).where(*mine).values(**values))
            if changed.rowcount == 0:
                await connection.execute(
                    insert(choices).values(turn_id=turn_id, place=place, owner=principal.id, **values)
                )

    async def chosen_async(self, principal: Principal, turn_id: str, place: str) -> dict[str, JsonValue] | None:
        """What was chosen at `place` of an answer; None where nothing was, and for another's answer."""
        query = select(choices.c.body).where(
            choices.c.turn_id == turn_id, choices.c.place == place, choices.c.owner == principal.id
        )
        async with self._database.read() as connection:
            body = (await connection.execute(query)).scalar_one_or_none()
        return None if body is None else dict(json.loads(body))

    async def of_conversation_async(
        self, principal: Principal, conversation_id: str
    ) -> tuple[dict[str, FeedbackRecord], dict[str, dict[str, dict[str, JsonValue]]]]:
        """The verdicts of a conversation by turn, and its choices by turn and place; both empty for another's."""
        mine = (turns.c.conversation_id == conversation_id, turns.c.owner == principal.id)
        judged = (
            select(feedback.c.turn_id, feedback.c.verdict, feedback.c.reason)
            .join(turns, turns.c.id == feedback.c.turn_id)
            .where(*mine, feedback.c.owner == principal.id)
        )
        chosen = (
            select(choices.c.turn_id, choices.c.place, choices.c.body)
            .join(turns, turns.c.id == choices.c.turn_id)
            .where(*mine, choices.c.owner == principal.id)
        )
        kept: dict[str, dict[str, dict[str, JsonValue]]] = {}
        async with self._database.read() as connection:
            verdicts = {
                row.turn_id: FeedbackRecord(row.verdict, row.reason) for row in await connection.execute(judged)
            }
            for row in await connection.execute(chosen):
                kept.setdefault(row.turn_id, {})[row.place] = json.loads(row.body)
        return verdicts, kept


async def _check_turn(connection: AsyncConnection, principal: Principal, turn_id: str) -> None:
    query = select(turns.c.id).where(turns.c.id == turn_id, turns.c.owner == principal.id)
    if (await connection.execute(query)).one_or_none() is None:
        raise NotFound(_MISSING)
