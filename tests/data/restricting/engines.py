"""One table with any texts in it, in each engine that binds values."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

from tabulaflow_core.data import SQLConnector
from tests.data.contract import boxes

ENGINES = ("sqlite", "duckdb", "postgres", "mysql")
_TYPES = {
    "sqlite": ("INTEGER", "TEXT", "DATE", "TIMESTAMP", "DECIMAL(12,2)", "REAL"),
    "duckdb": ("BIGINT", "VARCHAR", "DATE", "TIMESTAMP", "DECIMAL(12,2)", "DOUBLE"),
    "postgres": ("BIGINT", "TEXT", "DATE", "TIMESTAMP", "NUMERIC(12,2)", "DOUBLE PRECISION"),
    "mysql": ("BIGINT", "TEXT", "DATE", "DATETIME", "DECIMAL(12,2)", "DOUBLE"),
}
#: n, word, day, moment, price, ratio
Row = tuple[int, str | None, str | None, str | None, str | None, float | None]


def create_sql(dialect: str, name: str = "things") -> str:
    """The statement that makes the table."""
    n, word, day, moment, price, ratio = _TYPES[dialect]
    return (
        f"CREATE TABLE {name} (n {n} PRIMARY KEY, word {word}, day {day}, moment {moment}, price {price}, "
        f"ratio {ratio})"
    )


@contextmanager
def database(dialect: str, folder: Path, rows: Sequence[Row]) -> Iterator[str]:
    """The URL of a database with `things`; skips where no server answers."""
    marks = {"postgres": "$1, $2, $3, $4, $5, $6", "mysql": "%s, %s, %s, %s, %s, %s"}.get(dialect, "?, ?, ?, ?, ?, ?")
    fill = f"INSERT INTO things VALUES ({marks})"
    if dialect == "sqlite":
        with closing(sqlite3.connect(folder / "t.sqlite")) as connection:
            connection.execute(create_sql(dialect))
            connection.executemany(fill, rows)
            connection.commit()
        yield f"sqlite:///{folder / 't.sqlite'}"
    elif dialect == "duckdb":
        import duckdb

        with duckdb.connect(folder / "t.duckdb") as made:
            made.execute(create_sql(dialect))
            made.executemany(fill, rows)
        yield f"duckdb:///{folder / 't.duckdb'}"
    elif dialect == "postgres":
        with boxes.postgres_database() as url:
            asyncio.run(_fill_postgres(url, fill, rows))
            yield url
    else:
        import pymysql

        with boxes.mariadb_database() as url:
            name = url.rpartition("/")[2]
            with pymysql.connect(host="127.0.0.1", user="root", database=name, charset="utf8mb4") as there:
                with there.cursor() as cursor:
                    cursor.execute(create_sql(dialect))
                    cursor.executemany(fill, rows)
                there.commit()
            yield url


async def _fill_postgres(url: str, fill: str, rows: Sequence[Row]) -> None:
    import datetime as dt
    from decimal import Decimal

    import asyncpg

    connection = await asyncpg.connect(url)
    try:
        await connection.execute(create_sql("postgres"))
        await connection.executemany(
            fill,
            [
                (
                    n,
                    word,
                    dt.date.fromisoformat(day) if day else None,
                    dt.datetime.fromisoformat(moment) if moment else None,
                    Decimal(price) if price else None,
                    ratio,
                )
                for n, word, day, moment, price, ratio in rows
            ],
        )
    finally:
        await connection.close()


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[SQLConnector]:
    """A connector that may only read."""
    async with await SQLConnector.from_url_async(url) as connector:
        yield connector
