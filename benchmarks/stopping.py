"""How fast Stop ends a statement in the engine: `python -m benchmarks.stopping [ENGINE …] [--times N]`.

Each way of being busy is stopped again and again, at moments spread over its time. Told are the milliseconds until the
caller has its task back and until nothing runs in the server any more, asked there on a connection of our own. SQLite
and DuckDB run within: when the caller has its task back, their thread has ended. Beside each stands its floor: the same
statement run by the driver alone and stopped by the driver's own cancel on a connection that was open before. Ours is
met within 50 ms, or within what the server itself needs and half of that.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.databases import database_async, outside_async
from benchmarks.stopping_floor import floors
from tabulaflow_core.config import Limits
from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.engines.generic.adapter import GenericAdapter
from tabulaflow_core.data.urls import parse_source_url
from tabulaflow_core.errors import SourceUnavailable

#: Generic connectors run synchronous drivers of engines that also have a connector of their own.
DRIVERS: Final = {
    "generic-sqlite": ("sqlite", "sqlite+pysqlite"),
    "generic-postgres": ("postgres", "postgresql+psycopg"),
    "generic-mariadb": ("mariadb", "mysql+pymysql"),
}
ENGINES: Final = ("sqlite", "duckdb", "postgres", "mariadb", *DRIVERS)
AIM_MS: Final = 50.0
#: Of the floor, where the server itself needs longer than the aim.
FLOOR_SHARE: Final = 1.5
_LONGEST: Final = 5.0
_DIGITS: Final = "WITH RECURSIVE d(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM d WHERE n < 1000) "
_COUNTING: Final = (
    f"{_DIGITS}SELECT count(*) FROM d a CROSS JOIN d b CROSS JOIN d c CROSS JOIN d e WHERE a.n + b.n * c.n - e.n <> 7"
)
_STREAMING: Final = f"{_DIGITS}SELECT a.n AS x, b.n AS y, c.n AS z FROM d a CROSS JOIN d b CROSS JOIN d c"
#: Some seconds on each engine, most of them sorting.
_SORTING: Final = {
    "sqlite": f"{_DIGITS}SELECT a.n AS x FROM d a CROSS JOIN d b CROSS JOIN d c WHERE c.n < 6 "
    "ORDER BY (a.n * 7919 + b.n * 104729 + c.n * 1299709) % 1000003",
    "duckdb": "SELECT i FROM range(8000000) AS t(i) ORDER BY hash(i)",
    "postgres": "SELECT g FROM generate_series(1, 5000000) AS g ORDER BY md5(g::text)",
    "mariadb": "SELECT a.seq AS x FROM seq_1_to_5000000 a ORDER BY md5(a.seq)",
}
_BUSY: Final = {
    "postgres": "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND application_name = 'tabulaflow' AND state = 'active'",
    "mariadb": "SELECT count(*) FROM information_schema.processlist WHERE db = database() AND command = 'Query' "
    "AND id <> connection_id()",
}
_CONNECTED: Final = {
    "postgres": "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND application_name = 'tabulaflow'",
    "mariadb": "SELECT count(*) FROM information_schema.processlist WHERE db = database() AND id <> connection_id()",
}


@dataclass(frozen=True, slots=True)
class Stopped:
    """Milliseconds from Stop; `server` is None where the engine runs within."""

    caller: float
    server: float | None


async def open_async(engine: str, url: str, *, limits: Limits | None = None, read_only: bool = True) -> SQLConnector:
    """The engine's own connector, or the generic one."""
    if engine not in DRIVERS:
        return await SQLConnector.from_url_async(url, limits=limits, read_only=read_only)
    connector = SQLConnector(
        GenericAdapter(replace(parse_source_url(url), driver=DRIVERS[engine][1])), limits=limits, read_only=read_only
    )
    try:
        await connector._adapter.open_async()
        await connector.refresh_schema_async()
    except BaseException:
        await connector.close_async()
        raise
    return connector


def native(engine: str) -> str:
    """The engine whose SQL it is."""
    return DRIVERS[engine][0] if engine in DRIVERS else engine


class Watch:
    """Asks the server what runs there, on a connection and in a thread of its own."""

    def __init__(self, engine: str, url: str) -> None:
        self._engine = engine
        self._source = parse_source_url(url)
        self._ask = self._postgres() if engine == "postgres" else self._mariadb()

    def _postgres(self) -> Callable[[str], int]:
        import psycopg

        s = self._source
        connection = psycopg.connect(
            host=s.host, port=s.port, user=s.user, password=s.password, dbname=s.database, autocommit=True
        )
        self.close = connection.close
        return lambda sql: int(connection.execute(sql).fetchone()[0])  # type: ignore[index]

    def _mariadb(self) -> Callable[[str], int]:
        import pymysql

        s = self._source
        connection = pymysql.connect(
            host=s.host, port=s.port, user=s.user, password=s.password, database=s.database, autocommit=True
        )
        self.close = connection.close

        def ask(sql: str) -> int:
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return int(cursor.fetchone()[0])  # type: ignore[index]

        return ask

    def seconds_until_quiet(self, *, connected: bool = False) -> float:
        """Until nothing runs, or with `connected` nobody of ours is connected; infinity when that does not come."""
        sql = (_CONNECTED if connected else _BUSY)[self._engine]
        begun = time.perf_counter()
        while (spent := time.perf_counter() - begun) < _LONGEST:
            if self._ask(sql) == 0:
                return time.perf_counter() - begun
            time.sleep(0.001)
        return spent * float("inf")

    def wait_until_busy(self) -> None:
        """Until something runs there."""
        begun = time.perf_counter()
        while time.perf_counter() - begun < _LONGEST and self._ask(_BUSY[self._engine]) == 0:
            time.sleep(0.002)


async def stopped_async(task: asyncio.Task[object], watch: Watch | None, *, connected: bool = False) -> Stopped:
    """Cancel `task` and look."""
    begun = time.perf_counter()
    task.cancel()
    looking = asyncio.create_task(asyncio.to_thread(watch.seconds_until_quiet, connected=connected)) if watch else None
    await asyncio.wait([task])
    caller = time.perf_counter() - begun
    if not task.cancelled():
        raise RuntimeError(f"it ended before it was stopped: {task.exception() or task.result()}")
    server = await looking if looking else None
    return Stopped(caller * 1000, None if server is None else server * 1000)


async def _statements_async(
    source: SQLConnector, watch: Watch | None, sql: str, times: int, spread: tuple[float, float]
) -> list[Stopped]:
    found = []
    for n in range(times):
        task: asyncio.Task[object] = asyncio.create_task(source.run_query_async(sql, timeout=60))
        await asyncio.sleep(spread[0] + (spread[1] - spread[0]) * n / max(1, times - 1))
        found.append(await stopped_async(task, watch))
    return found


@asynccontextmanager
async def _locked_async(engine: str, url: str) -> AsyncIterator[None]:
    """Somebody else has the table `locked`."""
    if engine == "postgres":
        import asyncpg

        other = await asyncpg.connect(url)
        try:
            await other.execute("BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")
            yield
        finally:
            await other.close()
        return
    if engine == "sqlite":
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as file:
            file.execute("BEGIN EXCLUSIVE")
            yield
        return
    import pymysql

    s = parse_source_url(url)
    with closing(
        pymysql.connect(host=s.host, port=s.port, user=s.user, password=s.password, database=s.database)
    ) as held:
        with held.cursor() as cursor:
            cursor.execute("LOCK TABLES locked WRITE")
        yield


@contextmanager
def _silent_server() -> Iterator[int]:
    """The port of somebody who accepts and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept: list[socket.socket] = []

        def accept() -> None:
            try:
                while True:
                    kept.append(server.accept()[0])
            except OSError:
                return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        for one in kept:
            one.close()


async def _connecting_async(engine: str, url: str, watch: Watch | None, times: int) -> list[Stopped]:
    found = []
    for n in range(times):
        task: asyncio.Task[object] = asyncio.create_task(_opened_async(engine, url))
        await asyncio.sleep(0.03 * n / times)
        if task.done():  # it was quicker
            continue
        try:
            found.append(await stopped_async(task, watch, connected=True))
        except RuntimeError:
            continue
    return found


async def _opened_async(engine: str, url: str) -> None:
    await (await open_async(engine, url)).close_async()


async def _silent_async(engine: str, url: str, times: int) -> list[Stopped]:
    found = []
    port = parse_source_url(url).port
    with _silent_server() as silent:
        for n in range(times):
            task: asyncio.Task[object] = asyncio.create_task(
                _opened_async(engine, url.replace(f":{port}/", f":{silent}/"))
            )
            await asyncio.sleep(0.05 + 0.01 * n)
            found.append(await stopped_async(task, None))
    return found


async def measure_async(engine: str, times: int, chosen: set[str]) -> bool:
    """All ways of being busy on one engine."""
    met = True
    base = native(engine)
    with tempfile.TemporaryDirectory(prefix="tabulaflow-") as name:
        async with database_async(base, Path(name)) as url:
            await outside_async(base, url, ["CREATE TABLE locked (a INTEGER)", "INSERT INTO locked VALUES (1)"])
            watch = Watch(base, url) if base in _BUSY else None
            limits = Limits(query_seconds=60, result_rows=500_000_000, result_bytes=10**9)
            try:
                source = await open_async(engine, url, limits=limits)
                for what, sql, spread in (
                    ("running", _COUNTING, (0.05, 0.5)),
                    ("streaming", _STREAMING, (0.05, 1.0)),
                    ("sorting", _SORTING[base], (0.1, 0.6 if base == "duckdb" else 3.0)),
                ):
                    if what in chosen:
                        found = await _statements_async(source, watch, sql, times, spread)
                        floor = await asyncio.to_thread(_floors, base, url, sql, times, spread, watch)
                        met &= _tell(engine, what, found, floor)
                if base != "duckdb" and "lock" in chosen:  # DuckDB: nobody can write to a file that is open for reading
                    sql, spread = "SELECT a FROM locked", (0.1, 0.6)
                    async with _locked_async(base, url):
                        found = await _statements_async(source, watch, sql, times, spread)
                        # SQLite's driver cannot be stopped while it waits for a lock.
                        held = base != "sqlite"
                        floor = await asyncio.to_thread(_floors, base, url, sql, times, spread, watch) if held else []
                    met &= _tell(engine, "waiting for a lock", found, floor)
                await source.close_async()
                if "connecting" in chosen:
                    met &= _tell(engine, "connecting", await _connecting_async(engine, url, watch, times))
                    if watch:
                        met &= _tell(
                            engine, "connecting to one that is silent", await _silent_async(engine, url, times)
                        )
            finally:
                if watch:
                    watch.close()
    return met


def _floors(
    engine: str, url: str, sql: str, times: int, spread: tuple[float, float], watch: Watch | None
) -> list[Stopped]:
    return [Stopped(caller, server) for caller, server in floors(engine, url, sql, times, spread, watch)]


def _tell(engine: str, what: str, found: list[Stopped], floor: list[Stopped] | None = None) -> bool:
    """One line for ours and one for the floor, with the load of the machine while it ran."""
    if not found:
        print(f"{engine:<17} {what:<33} was quicker than Stop each time")
        return True
    aim = max(AIM_MS, FLOOR_SHARE * _most(floor)) if floor else AIM_MS
    within = _most(found) <= aim
    print(f"{engine:<17} {what:<33} {_figures(found)}{'' if within else '   MISSED'}", flush=True)
    if floor:
        print(f"{'':<17} {'  its floor':<33} {_figures(floor)}   load {os.getloadavg()[0]:.1f}", flush=True)
    return within


def _most(found: list[Stopped]) -> float:
    return max(max(one.caller, one.server or 0.0) for one in found)


def _figures(found: list[Stopped]) -> str:
    caller = [one.caller for one in found]
    server = [one.server for one in found if one.server is not None]
    text = f"caller {median(caller):6.1f} ms, at most {max(caller):6.1f} ms"
    if server:
        text += f"   server {median(server):6.1f} ms, at most {max(server):6.1f} ms"
    return f"{text}   {len(found)} times"


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help=f"of {', '.join(ENGINES)}; all without one")
    parser.add_argument("--times", type=int, default=20, help="stops of each kind")
    ways = ("running", "streaming", "sorting", "lock", "connecting")
    parser.add_argument("--only", nargs="+", choices=ways, default=ways)
    args = parser.parse_args()
    if unknown := set(args.engines) - set(ENGINES):
        parser.error(f"no such engine: {', '.join(sorted(unknown))}")
    met = True
    for engine in args.engines or ENGINES:
        try:
            met &= asyncio.run(measure_async(engine, args.times, set(args.only)))
        except (OSError, SourceUnavailable) as error:
            print(f"{engine}: left out ({error})")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
