"""The generic connector on engines that also have a connector of their own: the same rows, by synchronous drivers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tabulaflow_core.config import Limits
from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.contracts import DataConnector
from tabulaflow_core.data.engines.generic.adapter import GenericAdapter
from tabulaflow_core.data.urls import SourceUrl, parse_source_url
from tests.data.contract import boxes
from tests.data.contract.boxes import Box

DRIVERS = {"postgres": "postgresql+psycopg", "mysql": "mysql+pymysql", "sqlite": "sqlite+pysqlite"}


def generic_source(url: str) -> SourceUrl:
    """The URL, for the generic connector whatever its scheme says."""
    source = parse_source_url(url)
    return replace(source, driver=DRIVERS[source.dialect])


async def open_generic(url: str, *, limits: Limits | None = None, read_only: bool = True) -> SQLConnector:
    """As `SQLConnector.from_url_async` opens a URL that it gives to the generic connector."""
    adapter = GenericAdapter(generic_source(url))
    connector = SQLConnector(adapter, limits=limits, read_only=read_only)
    try:
        await adapter.open_async()
        await connector.refresh_schema_async()
    except BaseException:
        await adapter.close_async()
        raise
    return connector


async def _generic(box: Box, url: str) -> Box:
    await box.connector.close_async()

    async def reopen(limits: Limits) -> DataConnector:
        return await open_generic(url, limits=limits)

    connector = await open_generic(url)
    return replace(box, connector=connector, reopen=reopen, raw=boxes.raw_of(connector))


async def generic_postgres_box(url: str) -> Box:
    """psycopg."""
    pytest.importorskip("psycopg")
    return await _generic(await boxes.postgres_box(url), url)


async def generic_mariadb_box(url: str) -> Box:
    """PyMySQL."""
    return await _generic(await boxes.mariadb_box(url), url)


async def generic_sqlite_box(folder: Path) -> Box:
    """The standard library's driver."""
    box = await boxes.sqlite_box(folder)
    return await _generic(box, f"sqlite:///{folder / 'box.db'}")
