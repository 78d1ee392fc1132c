"""What the servers themselves need to stop: the plain driver's own cancel, sent on a connection that is open already.

The statement runs in a thread of its own, by the driver alone. What this takes is no part of TabulaFlow's work.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from tabulaflow_core.data.urls import parse_source_url

#: Rows asked for at a time, as the connectors do once they know how wide rows are.
_ROWS: Final = 20_000
_LONGEST: Final = 10.0


class Looks(Protocol):
    """Asks a server until nothing of ours runs there."""

    def seconds_until_quiet(self) -> float:
        """How long that took."""


@dataclass(frozen=True, slots=True)
class Plain:
    """One statement by a driver alone: what runs it and reads until told not to, and what stops it in the server."""

    run: Callable[[threading.Event], None]
    cancel: Callable[[], object]


@contextmanager
def plain(engine: str, url: str, sql: str) -> Iterator[Plain]:
    """The driver's connection for `sql` and, where there is a server, a second one that is open too."""
    source = parse_source_url(url)
    if engine in ("sqlite", "duckdb"):
        path = source.path
        assert path is not None
        file = _file(engine, path)
        try:
            yield Plain(lambda stopped: _read(file.execute(sql), stopped), file.interrupt)
        finally:
            file.close()
        return
    address = {"host": source.host, "port": source.port, "user": source.user, "password": source.password}
    if engine == "postgres":
        import psycopg

        named: dict[str, Any] = {**address, "dbname": source.database}
        with (
            psycopg.connect(**named, application_name="tabulaflow") as one,
            psycopg.connect(**named, autocommit=True, application_name="floor") as other,
        ):
            number = one.info.backend_pid
            cursor = one.cursor("floor")
            yield Plain(
                lambda stopped: _read(cursor.execute(sql), stopped),
                lambda: other.execute("SELECT pg_cancel_backend(%s)", (number,)),
            )
            one.close()
        return
    import pymysql
    from pymysql.cursors import SSCursor

    mine = pymysql.connect(**address, database=source.database, autocommit=True)
    killer = pymysql.connect(**address, database=source.database, autocommit=True)
    try:
        yield Plain(
            lambda stopped: _streamed(mine.cursor(SSCursor), sql, stopped),
            lambda: killer.query(f"KILL QUERY {mine.thread_id()}"),
        )
    finally:
        killer.close()
        with suppress(pymysql.err.Error):  # it is cut already
            mine.close()


def _file(engine: str, path: Path) -> Any:
    if engine == "sqlite":
        import sqlite3

        return sqlite3.connect(path, check_same_thread=False)
    import duckdb

    return duckdb.connect(str(path), read_only=True)


def _read(cursor: Any, stopped: threading.Event) -> None:
    while not stopped.is_set() and cursor.fetchmany(_ROWS):
        pass


def _streamed(cursor: Any, sql: str, stopped: threading.Event) -> None:
    cursor.execute(sql)
    _read(cursor, stopped)
    cursor.close()  # the driver reads what is on the way


def floors(
    engine: str, url: str, sql: str, times: int, spread: tuple[float, float], watch: Looks | None
) -> Iterator[tuple[float, float | None]]:
    """Milliseconds until the driver's thread has ended, and until the server is quiet; as often as ours is stopped.

    Args:
        engine: One with a connector of its own.
        url: The database, nothing else of ours running in it.
        sql: The statement.
        times: How often.
        spread: Seconds after which the first and the last are stopped.
        watch: Asks the server; None where the engine runs within.
    """
    for n in range(times):
        with plain(engine, url, sql) as statement:
            stopped = threading.Event()
            thread = threading.Thread(target=_run, args=(statement, stopped), daemon=True)
            thread.start()
            time.sleep(spread[0] + (spread[1] - spread[0]) * n / max(1, times - 1))
            if not thread.is_alive():
                raise RuntimeError("it ended before it was stopped")
            begun = time.perf_counter()
            stopped.set()
            statement.cancel()
            quiet = None
            if watch is not None:
                watch.seconds_until_quiet()
                quiet = (time.perf_counter() - begun) * 1000
            thread.join(_LONGEST)
            yield (time.perf_counter() - begun) * 1000, quiet


def _run(statement: Plain, stopped: threading.Event) -> None:
    with suppress(Exception):  # that it was stopped, in each driver's own words
        statement.run(stopped)
