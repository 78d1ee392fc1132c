"""What the stages on servers have in common: a database of its own on a server, made and dropped again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tabulaflow_core.data.engines.base import EngineAdapter
from tabulaflow_core.data.sql import SQLConnector
from tabulaflow_core.data.urls import SourceUrl

PREFIX: Final = "tabulaflow_matrix_"
CANNOT_MAKE: Final = (
    "The matrix needs a database of its own, and this user may not make one. Use a user with the right to create a "
    "database, on a server for trials."
)


def in_database(url: str, name: str) -> str:
    """The URL with another database at its end."""
    parts = urlsplit(url)
    return parts._replace(path=f"/{name}").geturl()


class ServerStage:
    """What both have in common."""

    dialect = ""

    def __init__(
        self,
        folder: Path,
        name: str,
        source: SourceUrl,
        connector: SQLConnector,
        adapter: EngineAdapter,
        engine: str,
        drop: Callable[[], Awaitable[None]],
    ) -> None:
        self._folder = folder
        self._name = name
        self._source = source
        self.connector = connector
        self.adapter = adapter
        self.engine = engine
        self._drop = drop

    def fill(self, sql: str) -> str:
        """Puts the folder's path and the database's name in."""
        return sql.replace("{folder}", str(self._folder)).replace("{database}", self._name)

    async def close_async(self) -> None:
        """Close and drop the database."""
        try:
            await self.connector.close_async()
            await self.adapter.close_async()
        finally:
            await self._drop()
