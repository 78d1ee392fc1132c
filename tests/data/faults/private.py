"""Servers of a test's own, in a folder of their own on a free port: only those are stopped and started again."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

import pytest

from tests.data.contract.boxes import outside_mariadb

asyncpg = pytest.importorskip("asyncpg")

_START_SECONDS = 30.0


class PrivateServer(ABC):
    """A server that a test may end, start again, and whose passwords it may change.

    Attributes:
        url: Of its administrator, who needs no password.
    """

    user: ClassVar[str]
    binaries: ClassVar[tuple[str, ...]]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    @abstractmethod
    def url(self) -> str: ...

    @abstractmethod
    def make(self) -> None:
        """Make an empty database."""

    @abstractmethod
    def command(self) -> list[str]:
        """What runs it in the foreground."""

    @abstractmethod
    def run(self, *statements: str) -> list[list[object]]:
        """As its administrator; the rows of the last statement."""

    @abstractmethod
    def end_oldest(self) -> None:
        """End the connection whose statement has run for the longest time."""

    def start(self) -> None:
        """Until it answers."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(self.as_owner(self.command()), stdout=log, stderr=log)
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            with suppress(Exception):  # whatever the driver raises while nobody answers yet
                if self.run("SELECT 1") == [[1]]:
                    return
            time.sleep(0.05)
        raise RuntimeError(f"the server did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def stop(self) -> None:
        """As an administrator does who does not wait for the clients."""
        if self._process is not None:
            self._process.send_signal(self.end_signal)
            self._process.wait(30)
            self._process = None

    #: PostgreSQL's fast way of stopping is SIGINT; MariaDB takes SIGTERM.
    end_signal: ClassVar[int]

    def as_owner(self, command: list[str]) -> list[str]:
        """Servers refuse to run as root."""
        if os.geteuid() != 0:
            return command
        return ["setpriv", "--reuid", self.user, "--regid", self.user, "--clear-groups", *command]

    def call(self, *command: str) -> None:
        """Run a program of the server to its end."""
        subprocess.run(self.as_owner(list(command)), check=True, capture_output=True, timeout=60)


class PrivatePostgres(PrivateServer):
    """PostgreSQL; local roles need no password unless `pg_hba` is changed."""

    user = "postgres"
    binaries = ("initdb", "postgres")
    end_signal = 2

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def make(self) -> None:
        options = ("-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C")
        self.call(_binary("initdb"), "-D", str(self.folder / "data"), *options)
        # The administrator as ever, everybody else by password.
        (self.folder / "data" / "pg_hba.conf").write_text(
            "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        )

    def command(self) -> list[str]:
        settings = ("-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "listen_addresses=127.0.0.1")
        data = str(self.folder / "data")
        return [_binary("postgres"), "-D", data, "-p", str(self.port), "-k", str(self.folder), *settings]

    def run(self, *statements: str) -> list[list[object]]:
        with ThreadPoolExecutor(1) as thread:  # a loop of its own, whoever asks
            return thread.submit(lambda: asyncio.run(self._run_async(statements))).result()

    async def _run_async(self, statements: Iterable[str]) -> list[list[object]]:
        connection = await asyncpg.connect(self.url, timeout=5)
        try:
            rows = []
            for statement in statements:
                rows = [list(row) for row in await connection.fetch(statement)]
            return rows
        finally:
            await connection.close()

    def end_oldest(self) -> None:
        self.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'active' "
            "AND application_name = 'tabulaflow' ORDER BY query_start LIMIT 1"
        )


class PrivateMariaDB(PrivateServer):
    """MariaDB with a root that needs no password."""

    user = "mysql"
    binaries = ("mariadb-install-db", "mariadbd")
    end_signal = 15

    @property
    def url(self) -> str:
        return f"mariadb://root@127.0.0.1:{self.port}/mysql"

    def make(self) -> None:
        options = ("--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=4M")
        self.call(_binary("mariadb-install-db"), "--no-defaults", f"--datadir={self.folder / 'data'}", *options)

    def command(self) -> list[str]:
        small = ("--innodb-log-file-size=4M", "--innodb-buffer-pool-size=16M", "--innodb-flush-log-at-trx-commit=0")
        where = (
            f"--datadir={self.folder / 'data'}",
            f"--socket={self.folder / 's'}",
            f"--pid-file={self.folder / 'p'}",
        )
        return [_binary("mariadbd"), "--no-defaults", *where, f"--port={self.port}", "--bind-address=127.0.0.1", *small]

    def run(self, *statements: str) -> list[list[object]]:
        return outside_mariadb(self.url, *statements)

    def end_oldest(self) -> None:
        ((number,),) = self.run(
            "SELECT id FROM information_schema.processlist WHERE command = 'Query' AND id <> connection_id() "
            "ORDER BY time_ms DESC LIMIT 1"
        )
        self.run(f"KILL {number}")


@contextmanager
def private_server(kind: type[PrivateServer]) -> Iterator[PrivateServer]:
    """A running server; skips where its programs are not installed."""
    if missing := [name for name in kind.binaries if not _binary(name)]:
        pytest.skip(f"not installed here: {', '.join(missing)}")
    folder = Path(tempfile.mkdtemp(prefix="tf-private-"))
    if os.geteuid() == 0:
        shutil.chown(folder, kind.user)
    server = kind(folder)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _binary(name: str) -> str:
    """Its path; Debian keeps PostgreSQL's programs of each version in a folder of their own."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", *map(str, places)])) or ""


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
