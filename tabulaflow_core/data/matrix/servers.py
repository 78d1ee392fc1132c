"""What the stages on servers have in common: a database of its own on a server, made and dropped again."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, Final, Self
from urllib.parse import urlsplit

from tabulaflow_core.data.engines.base import EngineAdapter
from tabulaflow_core.data.matrix.cases import table_statements
from tabulaflow_core.data.matrix.stage import lay_out
from tabulaflow_core.data.sql import SQLConnector
from tabulaflow_core.data.urls import SourceUrl, parse_source_url
from tabulaflow_core.errors import SourceUnavailable

PREFIX: Final = "tabulaflow_matrix_"
CANNOT_MAKE: Final = (
    "The matrix needs a database of its own, and this user may not make one. Use a user with the right to create a "
    "database, on a server for trials."
)


def in_database(url: str, name: str) -> str:
    """The URL with another database at its end."""
    parts = urlsplit(url)
    return parts._replace(path=f"/{name}").geturl()


class ServerStage(ABC):
    """What both have in common: the database is made, filled, connected to, and dropped at the end.

    Attributes:
        create: The statement that makes the database; `{name}` stands for its name.
        drop: The statement that drops it.
        version: A query whose first value is the version of the server.
    """

    dialect: ClassVar[str] = ""
    create: ClassVar[str]
    drop: ClassVar[str]
    version: ClassVar[str]

    def __init__(
        self, folder: Path, name: str, url: str, connector: SQLConnector, adapter: EngineAdapter, engine: str
    ) -> None:
        self._folder = folder
        self._name = name
        self._server = parse_source_url(url)
        self._source = parse_source_url(in_database(url, name))
        self.connector = connector
        self.adapter = adapter
        self.engine = engine

    @classmethod
    async def open_async(cls, folder: Path, url: str) -> Self:
        """Make the database and connect.

        Raises:
            SourceUnavailable: The server does not answer, or the user may not make a database.
        """
        name = PREFIX + secrets.token_hex(4)
        server, source = parse_source_url(url), parse_source_url(in_database(url, name))
        lay_out(folder)
        try:
            await cls._ask_async(server, cls.create.format(name=name))
        except cls._refusals():
            raise SourceUnavailable(CANNOT_MAKE) from None
        try:
            await cls._ask_async(source, *table_statements(cls.dialect))
            engine = cls._engine(await cls._ask_async(source, cls.version))
            connector = await SQLConnector.from_url_async(in_database(url, name))
            adapter = cls._adapter(source)
            await adapter.open_async()
        except BaseException:
            await cls._ask_async(server, cls.drop.format(name=name))
            raise
        return cls(folder, name, url, connector, adapter, engine)

    @classmethod
    @abstractmethod
    async def _ask_async(cls, source: SourceUrl, *statements: str) -> str:
        """Runs these on a plain connection; the first value of the last one's answer, empty where it has none."""

    @classmethod
    @abstractmethod
    def _refusals(cls) -> tuple[type[Exception], ...]:
        """What the driver raises when a user may not make a database."""

    @classmethod
    @abstractmethod
    def _adapter(cls, source: SourceUrl) -> EngineAdapter:
        """The engine under its lock, not yet open."""

    @classmethod
    @abstractmethod
    def _engine(cls, version: str) -> str:
        """The name and version for people."""

    def fill(self, sql: str) -> str:
        """Puts the folder's path and the database's name in."""
        return sql.replace("{folder}", str(self._folder)).replace("{database}", self._name)

    async def close_async(self) -> None:
        """Close and drop the database."""
        try:
            await self.connector.close_async()
            await self.adapter.close_async()
        finally:
            await self._ask_async(self._server, self.drop.format(name=self._name))
