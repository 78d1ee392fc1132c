"""Conversations and what the model remembers of them."""

from __future__ import annotations

from typing import Any, Final
from uuid import uuid4

from sqlalchemy import ColumnElement, Row, Select, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from tabulaflow_core.errors import NotFound
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.database import Database, epoch_now
from tabulaflow_core.store.records import ConversationInfo, History, moment
from tabulaflow_core.store.tables import conversations, messages, turns

_TITLE_CHARACTERS: Final = 80
_SEARCH_WORDS: Final = 8
_MISSING: Final = "This conversation is not here. It may have been deleted, or it belongs to somebody else."


def tidy(text: str) -> str:
    """`text` as every database takes it: without NUL and without half of a surrogate pair."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def title_of(question: str) -> str:
    """A title made of a question: its first words on one line, at most 80 characters."""
    line = " ".join(tidy(question).split())
    if len(line) <= _TITLE_CHARACTERS:
        return line
    return line[: _TITLE_CHARACTERS - 1].rsplit(" ", 1)[0].rstrip(" ,;:.") + "…"


class Conversations:
    """The conversations of each principal."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_async(self, principal: Principal, *, title: str = "") -> ConversationInfo:
        """Begin a conversation."""
        conversation_id = f"c_{uuid4().hex}"
        async with self._database.write() as connection:
            await connection.execute(
                insert(conversations).values(
                    id=conversation_id,
                    owner=principal.id,
                    title=title_of(title),
                    created_at=epoch_now(),
                    updated_at=epoch_now(),
                    version=0,
                )
            )
            return _info(await _one(connection, principal, conversation_id))

    async def list_async(
        self, principal: Principal, *, limit: int = 50, search: str = ""
    ) -> tuple[ConversationInfo, ...]:
        """Those with at least one turn, the newest first.

        Args:
            search: Words, all of which stand in the title or in the questions, in any case.
        """
        query = _query(principal).order_by(conversations.c.updated_at.desc(), conversations.c.id)
        counted = query.where(select(turns.c.id).where(turns.c.conversation_id == conversations.c.id).exists())
        for word in tidy(search).split()[:_SEARCH_WORDS]:
            counted = counted.where(_mentions(principal, word))
        async with self._database.read() as connection:
            return tuple(_info(row) for row in await connection.execute(counted.limit(limit)))

    async def get_async(self, principal: Principal, conversation_id: str) -> ConversationInfo:
        """One conversation.

        Raises:
            NotFound: This principal has no such conversation.
        """
        async with self._database.read() as connection:
            return _info(await _one(connection, principal, conversation_id))

    async def rename_async(self, principal: Principal, conversation_id: str, title: str) -> ConversationInfo:
        """Give it another title; an empty one is ignored.

        Raises:
            NotFound: This principal has no such conversation.
        """
        async with self._database.write() as connection:
            if name := title_of(title):
                await connection.execute(
                    update(conversations)
                    .where(conversations.c.id == conversation_id, conversations.c.owner == principal.id)
                    .values(title=name)
                )
            return _info(await _one(connection, principal, conversation_id))

    async def delete_async(self, principal: Principal, conversation_id: str) -> None:
        """Delete it with its turns; what it used stays in the ledger.

        Raises:
            NotFound: This principal has no such conversation.
        """
        async with self._database.write() as connection:
            gone = await connection.execute(
                delete(conversations).where(
                    conversations.c.id == conversation_id, conversations.c.owner == principal.id
                )
            )
            if gone.rowcount == 0:
                raise NotFound(_MISSING)

    async def history_async(self, principal: Principal, conversation_id: str) -> History:
        """What the model remembers, with the conversation's version.

        Raises:
            NotFound: This principal has no such conversation.
        """
        async with self._database.read() as connection:
            info = _info(await _one(connection, principal, conversation_id))
            row = (
                await connection.execute(
                    select(messages.c.body, messages.c.through_turn).where(
                        messages.c.conversation_id == conversation_id, messages.c.owner == principal.id
                    )
                )
            ).one_or_none()
        body, through = ("", 0) if row is None else (row.body, row.through_turn)
        return History(body=body, through_turn=through, version=info.version)


async def save_history(
    connection: AsyncConnection, principal: Principal, conversation_id: str, *, body: str | None, through_turn: int
) -> int:
    """Within a transaction: keep `body` (None: leave the old one) and step the version, which comes back."""
    mine = (messages.c.conversation_id == conversation_id, messages.c.owner == principal.id)
    if body is not None:
        values = {"body": tidy(body), "through_turn": through_turn}
        changed = await connection.execute(update(messages).where(*mine).values(**values))
        if changed.rowcount == 0:
            await connection.execute(
                insert(messages).values(conversation_id=conversation_id, owner=principal.id, **values)
            )
    version: int = (
        await connection.execute(
            update(conversations)
            .where(conversations.c.id == conversation_id, conversations.c.owner == principal.id)
            .values(version=conversations.c.version + 1, updated_at=epoch_now())
            .returning(conversations.c.version)
        )
    ).scalar_one()
    return version


def _mentions(principal: Principal, word: str) -> ColumnElement[bool]:
    """Whether the title or a question holds `word`."""
    # SQLite folds the case of ASCII letters only; these are the cases in which other words are mostly written.
    cases = {word, word.lower(), word.upper(), word.capitalize()}

    def holds(column: ColumnElement[str]) -> ColumnElement[bool]:
        return or_(*(column.icontains(case, autoescape=True) for case in sorted(cases)))

    asked = select(turns.c.id).where(turns.c.conversation_id == conversations.c.id, turns.c.owner == principal.id)
    return or_(holds(conversations.c.title), asked.where(holds(turns.c.question)).exists())


def _query(principal: Principal) -> Select[Any]:
    count = (
        select(func.count())
        .select_from(turns)
        .where(turns.c.conversation_id == conversations.c.id, turns.c.owner == principal.id)
        .scalar_subquery()
    )
    return select(conversations, count.label("turn_count")).where(conversations.c.owner == principal.id)


async def _one(connection: AsyncConnection, principal: Principal, conversation_id: str) -> Row[Any]:
    query = _query(principal).where(conversations.c.id == conversation_id)
    row: Row[Any] | None = (await connection.execute(query)).one_or_none()
    if row is None:
        raise NotFound(_MISSING)
    return row


def _info(row: Row[Any]) -> ConversationInfo:
    return ConversationInfo(
        id=row.id,
        title=row.title,
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        turn_count=row.turn_count,
        version=row.version,
    )
