"""Saved questions: each with the query that answers it and the rows that it gave last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import Row, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from tabulaflow_core.errors import NotFound
from tabulaflow_core.output.dashboards import QueryTile
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.conversations import tidy
from tabulaflow_core.store.database import Database, epoch_now
from tabulaflow_core.store.question_tables import saved_questions
from tabulaflow_core.store.records import moment

_MISSING: Final = "This question is not saved. It may have been removed in another window; reload the page."


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A saved question.

    Attributes:
        content: Its query, and how the rows are drawn.
        result_id: The last good rows; empty before the first.
        read_at: When these were read.
        fault: Why the query gave none when it was last tried; empty when it did.
    """

    id: str
    question: str
    content: QueryTile
    result_id: str
    read_at: datetime | None
    fault: str
    created_at: datetime


class Questions:
    """The saved questions of each principal."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_async(
        self, principal: Principal, question: str, *, content: QueryTile, result_id: str = ""
    ) -> QuestionRecord:
        """Save one; where the same question is saved with the same query, that one comes back.

        Args:
            result_id: The rows of the answer that it came from.
        """
        asked, kept = tidy(question), tidy(content.model_dump_json())
        async with self._database.write() as connection:
            own = saved_questions.c.owner == principal.id
            for row in await connection.execute(
                select(saved_questions).where(own, saved_questions.c.question == asked)
            ):
                there = _record(row)
                if (there.content.source, there.content.sql) == (content.source, content.sql):
                    return there
            question_id = f"s_{uuid4().hex}"
            await connection.execute(
                insert(saved_questions).values(
                    id=question_id,
                    owner=principal.id,
                    question=asked,
                    content=kept,
                    result_id=result_id,
                    read_at=epoch_now() if result_id else None,
                    fault="",
                    created_at=epoch_now(),
                )
            )
            return await _one(connection, principal, question_id)

    async def list_async(self, principal: Principal) -> tuple[QuestionRecord, ...]:
        """All of the principal's, the last saved first."""
        query = (
            select(saved_questions)
            .where(saved_questions.c.owner == principal.id)
            .order_by(saved_questions.c.created_at.desc(), saved_questions.c.id)
        )
        async with self._database.read() as connection:
            return tuple(_record(row) for row in await connection.execute(query))

    async def count_async(self, principal: Principal) -> int:
        """How many the principal has."""
        query = select(func.count()).select_from(saved_questions).where(saved_questions.c.owner == principal.id)
        async with self._database.read() as connection:
            return int((await connection.execute(query)).scalar_one())

    async def get_async(self, principal: Principal, question_id: str) -> QuestionRecord:
        """One.

        Raises:
            NotFound: This principal has no such question.
        """
        async with self._database.read() as connection:
            return await _one(connection, principal, question_id)

    async def change_async(self, principal: Principal, question_id: str, *, content: QueryTile) -> QuestionRecord:
        """Give it another query.

        Raises:
            NotFound: This principal has no such question.
        """
        return await self._set(principal, question_id, content=tidy(content.model_dump_json()))

    async def answered_async(self, principal: Principal, question_id: str, *, result_id: str) -> str:
        """Its query gave these rows. The id of those that it had before comes back, empty for none.

        Raises:
            NotFound: This principal has no such question.
        """
        before = await self.get_async(principal, question_id)
        await self._set(principal, question_id, result_id=result_id, read_at=epoch_now(), fault="")
        return before.result_id

    async def failed_async(self, principal: Principal, question_id: str, *, fault: str) -> None:
        """Its query gave none, and why; the rows from before stay.

        Raises:
            NotFound: This principal has no such question.
        """
        await self._set(principal, question_id, fault=tidy(fault))

    async def remove_async(self, principal: Principal, question_id: str) -> str:
        """Forget it; the id of its rows comes back, empty for none.

        Raises:
            NotFound: This principal has no such question.
        """
        async with self._database.write() as connection:
            there = await _one(connection, principal, question_id)
            await connection.execute(delete(saved_questions).where(saved_questions.c.id == question_id))
            return there.result_id

    async def _set(self, principal: Principal, question_id: str, **values: Any) -> QuestionRecord:
        async with self._database.write() as connection:
            await _one(connection, principal, question_id)
            own = (saved_questions.c.id == question_id, saved_questions.c.owner == principal.id)
            await connection.execute(update(saved_questions).where(*own).values(**values))
            return await _one(connection, principal, question_id)


async def _one(connection: AsyncConnection, principal: Principal, question_id: str) -> QuestionRecord:
    own = (saved_questions.c.id == question_id, saved_questions.c.owner == principal.id)
    row = (await connection.execute(select(saved_questions).where(*own))).one_or_none()
    if row is None:
        raise NotFound(_MISSING)
    return _record(row)


def _record(row: Row[Any]) -> QuestionRecord:
    return QuestionRecord(
        id=row.id,
        question=row.question,
        content=QueryTile.model_validate_json(row.content),
        result_id=row.result_id,
        read_at=moment(row.read_at) if row.read_at is not None else None,
        fault=row.fault,
        created_at=moment(row.created_at),
    )
