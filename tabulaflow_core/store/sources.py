"""What each principal asks about: uploaded files and connected databases."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from pydantic import JsonValue
from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from tabulaflow_core.errors import NotFound, SourceError
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.conversations import tidy
from tabulaflow_core.store.database import Database, epoch_now
from tabulaflow_core.store.records import DatabaseRecord, FileRecord, FileStatus, WaitingRecord, moment
from tabulaflow_core.store.tables import databases, files, waiting_files

_NO_FILE: Final = "This file is not here. It may have been removed."
_NOT_WAITING: Final = "No file of this name waits for an answer. It may have been answered elsewhere."
_NO_DATABASE: Final = "This source is not here. It may have been removed."


class Sources:
    """The files and databases of each principal."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put_file_async(
        self,
        principal: Principal,
        name: str,
        *,
        sha256: str,
        size: int,
        status: FileStatus,
        message: str = "",
        details: Mapping[str, JsonValue] | None = None,
        expected: str | None = None,
        answered: Sequence[str] = (),
    ) -> FileRecord | None:
        """Keep what is known of a file, in the place of one of the same name, in one step or not at all.

        Args:
            expected: The id of the record that is replaced, empty when there must be none; None for whatever is there.
            answered: Ids of waiting files that end with this.

        Returns:
            The new record; None, and nothing changed, when another process was quicker.
        """
        mine = (files.c.owner == principal.id, files.c.name == tidy(name))
        try:
            async with self._database.write() as connection:
                if expected != "":
                    this = mine if expected is None else (*mine, files.c.id == expected)
                    gone = await connection.execute(delete(files).where(*this))
                    if expected is not None and gone.rowcount == 0:
                        return None
                await _drop_waiting(connection, principal, answered)
                await connection.execute(
                    insert(files).values(
                        id=f"f_{uuid4().hex}",
                        owner=principal.id,
                        name=tidy(name),
                        sha256=sha256,
                        size=size,
                        status=status,
                        message=tidy(message),
                        details=json.dumps(details or {}),
                        created_at=epoch_now(),
                    )
                )
                return _file((await connection.execute(select(files).where(*mine))).one())
        except (NotFound, IntegrityError):  # answered, or there is one of this name
            return None

    async def put_waiting_async(
        self,
        principal: Principal,
        name: str,
        *,
        sha256: str,
        size: int,
        details: Mapping[str, JsonValue],
    ) -> WaitingRecord:
        """Keep an upload until its question is answered; one of the same name is replaced."""
        mine = (waiting_files.c.owner == principal.id, waiting_files.c.name == tidy(name))
        async with self._database.write() as connection:
            await connection.execute(delete(waiting_files).where(*mine))
            await connection.execute(
                insert(waiting_files).values(
                    id=f"w_{uuid4().hex}",
                    owner=principal.id,
                    name=tidy(name),
                    sha256=sha256,
                    size=size,
                    details=json.dumps(details),
                    created_at=epoch_now(),
                )
            )
            return _waiting((await connection.execute(select(waiting_files).where(*mine))).one())

    async def waiting_async(self, principal: Principal) -> tuple[WaitingRecord, ...]:
        """All uploads that wait for an answer, the oldest first."""
        query = select(waiting_files).where(waiting_files.c.owner == principal.id)
        ordered = query.order_by(waiting_files.c.created_at, waiting_files.c.name)
        async with self._database.read() as connection:
            return tuple(_waiting(row) for row in await connection.execute(ordered))

    async def remove_waiting_async(self, principal: Principal, ids: Sequence[str]) -> None:
        """Forget uploads that wait.

        Raises:
            NotFound: One of them is not there any more; none is forgotten then.
        """
        async with self._database.write() as connection:
            await _drop_waiting(connection, principal, ids)

    async def files_async(self, principal: Principal) -> tuple[FileRecord, ...]:
        """All files, the oldest first."""
        query = select(files).where(files.c.owner == principal.id).order_by(files.c.created_at, files.c.name)
        async with self._database.read() as connection:
            return tuple(_file(row) for row in await connection.execute(query))

    async def remove_file_async(self, principal: Principal, name: str) -> FileRecord:
        """Forget a file; what was known of it comes back.

        Raises:
            NotFound: This principal has no file of this name.
        """
        mine = (files.c.owner == principal.id, files.c.name == tidy(name))
        async with self._database.write() as connection:
            row = (await connection.execute(select(files).where(*mine))).one_or_none()
            if row is None:
                raise NotFound(_NO_FILE)
            await connection.execute(delete(files).where(*mine))
            return _file(row)

    async def add_database_async(
        self,
        principal: Principal,
        alias: str,
        *,
        dialect: str,
        url_masked: str,
        url_secret: str,
        upload: Mapping[str, JsonValue] | None = None,
    ) -> DatabaseRecord:
        """Keep a database under `alias`.

        Args:
            url_secret: The URL as `Secrets.encrypt` gave it.
            upload: What is known of an uploaded file.

        Raises:
            SourceError: The alias is taken.
        """
        database_id = f"d_{uuid4().hex}"
        try:
            async with self._database.write() as connection:
                await connection.execute(
                    insert(databases).values(
                        id=database_id,
                        owner=principal.id,
                        alias=alias,
                        dialect=dialect,
                        url_masked=url_masked,
                        url_secret=url_secret,
                        upload=json.dumps(upload) if upload else "",
                        created_at=epoch_now(),
                    )
                )
                return _database((await connection.execute(_by_id(principal, database_id))).one())
        except IntegrityError as error:
            raise SourceError(
                f"There is a source called {alias!r} already. Choose another name, or remove that one first."
            ) from error

    async def databases_async(self, principal: Principal) -> tuple[DatabaseRecord, ...]:
        """All databases, the oldest first."""
        query = select(databases).where(databases.c.owner == principal.id)
        ordered = query.order_by(databases.c.created_at, databases.c.alias)
        async with self._database.read() as connection:
            return tuple(_database(row) for row in await connection.execute(ordered))

    async def database_async(self, principal: Principal, database_id: str) -> DatabaseRecord:
        """One database.

        Raises:
            NotFound: This principal has no such database.
        """
        async with self._database.read() as connection:
            row = (await connection.execute(_by_id(principal, database_id))).one_or_none()
        if row is None:
            raise NotFound(_NO_DATABASE)
        return _database(row)

    async def change_secret_async(self, principal: Principal, database_id: str, *, url_secret: str) -> None:
        """Replace the encrypted URL, for a rotated key.

        Raises:
            NotFound: This principal has no such database.
        """
        async with self._database.write() as connection:
            changed = await connection.execute(
                update(databases)
                .where(databases.c.id == database_id, databases.c.owner == principal.id)
                .values(url_secret=url_secret)
            )
            if changed.rowcount == 0:
                raise NotFound(_NO_DATABASE)

    async def change_database_async(
        self, principal: Principal, database_id: str, *, dialect: str, url_masked: str, url_secret: str
    ) -> DatabaseRecord:
        """Give a database another address; its id changes, its name does not.

        Args:
            url_secret: The URL as `Secrets.encrypt` gave it.

        Raises:
            NotFound: This principal has no such database.
        """
        new_id = f"d_{uuid4().hex}"
        async with self._database.write() as connection:
            changed = await connection.execute(
                update(databases)
                .where(databases.c.id == database_id, databases.c.owner == principal.id)
                .values(id=new_id, dialect=dialect, url_masked=url_masked, url_secret=url_secret)
            )
            if changed.rowcount == 0:
                raise NotFound(_NO_DATABASE)
            return _database((await connection.execute(_by_id(principal, new_id))).one())

    async def change_upload_async(
        self, principal: Principal, database_id: str, *, upload: Mapping[str, JsonValue], answered: Sequence[str] = ()
    ) -> bool:
        """Put another uploaded file in the place of a database's; its id changes, its name does not.

        Returns:
            Whether it was changed: False when another process was quicker.
        """
        try:
            async with self._database.write() as connection:
                changed = await connection.execute(
                    update(databases)
                    .where(databases.c.id == database_id, databases.c.owner == principal.id)
                    .values(id=f"d_{uuid4().hex}", upload=json.dumps(upload))
                )
                if changed.rowcount == 0:
                    return False
                await _drop_waiting(connection, principal, answered)
        except NotFound:
            return False
        return True

    async def remove_database_async(self, principal: Principal, database_id: str) -> DatabaseRecord:
        """Forget a database; what was known of it comes back.

        Raises:
            NotFound: This principal has no such database.
        """
        async with self._database.write() as connection:
            row = (await connection.execute(_by_id(principal, database_id))).one_or_none()
            if row is None:
                raise NotFound(_NO_DATABASE)
            await connection.execute(
                delete(databases).where(databases.c.id == database_id, databases.c.owner == principal.id)
            )
            return _database(row)


async def _drop_waiting(connection: AsyncConnection, principal: Principal, ids: Sequence[str]) -> None:
    """Delete waiting files.

    Raises:
        NotFound: One of them is not there; the transaction must then be undone.
    """
    if not ids:
        return
    mine = (waiting_files.c.owner == principal.id, waiting_files.c.id.in_(list(ids)))
    if (await connection.execute(delete(waiting_files).where(*mine))).rowcount != len(set(ids)):
        raise NotFound(_NOT_WAITING)


def _by_id(principal: Principal, database_id: str) -> Any:
    return select(databases).where(databases.c.id == database_id, databases.c.owner == principal.id)


def _file(row: Row[Any]) -> FileRecord:
    return FileRecord(
        id=row.id,
        name=row.name,
        sha256=row.sha256,
        size=row.size,
        status=row.status,
        message=row.message,
        details=json.loads(row.details),
        created_at=moment(row.created_at),
    )


def _waiting(row: Row[Any]) -> WaitingRecord:
    return WaitingRecord(
        id=row.id,
        name=row.name,
        sha256=row.sha256,
        size=row.size,
        details=json.loads(row.details),
        created_at=moment(row.created_at),
    )


def _database(row: Row[Any]) -> DatabaseRecord:
    return DatabaseRecord(
        id=row.id,
        alias=row.alias,
        dialect=row.dialect,
        url_masked=row.url_masked,
        url_secret=row.url_secret,
        created_at=moment(row.created_at),
        upload=json.loads(row.upload) if row.upload else {},
    )
