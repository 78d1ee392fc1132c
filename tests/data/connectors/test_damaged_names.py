"""A SQLite file with a name in its schema that is no text gets a sentence, wherever the name is met."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tabulaflow_core.data import SQLConnector
from tabulaflow_core.errors import SourceUnavailable


def damaged(path: Path) -> str:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (amount INTEGER, b TEXT)")
        connection.execute("INSERT INTO t VALUES (1, 'x')")
        connection.commit()
        path.write_bytes(connection.serialize().replace(b"(amount", b"(\xffmount"))
    return f"sqlite+aiosqlite:///{path}"


async def _open_and_read(url: str) -> None:
    connector = await SQLConnector.from_url_async(url)
    try:
        await connector.run_query_async("SELECT * FROM t", limit=10)
    finally:
        await connector.close_async()


async def test_it_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="damaged: a name in its schema"):
        await _open_and_read(damaged(tmp_path / "a.db"))
