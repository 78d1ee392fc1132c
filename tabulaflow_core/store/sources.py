"""What each principal asks about: uploaded files and connected databases."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from uuid import uuid4

from pydantic import JsonValue
from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from tabulaflow_core.errors import NotFound, SourceError
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.conversations import tidy
from tabulaflow_core.store.database import Database, epoch_now
from tabulaflow_core.store.records import DatabaseRecord, FileRecord, FileStatus, moment
from tabulaflow_core.store.tables import databases, files

_NO_FILE: Final = "This file is not here. It may have been removed."
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
    ) -> FileRecord:
        """Keep what is known of an uploaded file; one of the same name is replaced."""
        mine = (files.c.owner == principal.id, files.c.name == tidy(name))
        async with self._database.write() as connection:
            await connection.execute(delete(files).where(*mine))
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
        self, principal: Principal, alias: str, *, dialect: str, url_masked: str, url_secret: str
    ) -> DatabaseRecord:
        """Keep a database under `alias`.

        Args:
            url_secret: The URL as `Secrets.encrypt` gave it.

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

    async def remove_database_async(self, principal: Principal, database_id: str) -> None:
        """Forget a database.

        Raises:
            NotFound: This principal has no such database.
        """
        async with self._database.write() as connection:
            gone = await connection.execute(
                delete(databases).where(databases.c.id == database_id, databases.c.owner == principal.id)
            )
            if gone.rowcount == 0:
                raise NotFound(_NO_DATABASE)


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


def _database(row: Row[Any]) -> DatabaseRecord:
    return DatabaseRecord(
        id=row.id,
        alias=row.alias,
        dialect=row.dialect,
        url_masked=row.url_masked,
        url_secret=row.url_secret,
        created_at=moment(row.created_at),
    )
