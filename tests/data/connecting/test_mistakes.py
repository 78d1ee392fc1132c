"""The usual mistakes: each gives a sentence that says what to change, on the native and on the generic connector."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.engines.generic.adapter import GenericAdapter
from tabulaflow_core.data.engines.generic.faults import connection_fault
from tabulaflow_core.data.engines.mistakes import Mistake, unavailable
from tabulaflow_core.data.urls import SourceUrl, parse_source_url
from tabulaflow_core.errors import SourceError, SourceUnavailable, SourceUrlError
from tests.data.connecting import fakes
from tests.data.contract import boxes

PG = ["postgresql", "postgresql+psycopg"]


@pytest.fixture
def postgres_url() -> Iterator[str]:
    with boxes.postgres_database() as url:
        yield url


@pytest.fixture
def mariadb_url() -> Iterator[str]:
    with boxes.mariadb_database() as url:
        yield url


async def said(url: str) -> str:
    """The sentence for a URL that cannot be connected."""
    with pytest.raises(SourceError) as caught:
        async with await SQLConnector.from_url_async(url):
            pass
    sentence = caught.value.user_message
    assert "cret" not in sentence
    assert sentence.endswith(".")
    return sentence


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize("scheme", [*PG, "mysql"])
async def test_nobody_listens(scheme: str) -> None:
    port = _free_port()
    assert f"Nobody listens at 127.0.0.1:{port}" in await said(f"{scheme}://u:secret@127.0.0.1:{port}/d")


def test_no_way_to_the_host() -> None:
    """In a network of its own that has no way out: the operating system itself says so, and nothing is sent."""
    alone = ["unshare", "--net", "--map-root-user"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network namespace can be made here")
    schemes = [*PG, "mysql", "mysql+generic"]
    program = f"""
import asyncio
from dataclasses import replace
from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.engines.generic.adapter import GenericAdapter
from tabulaflow_core.data.urls import parse_source_url
from tabulaflow_core.errors import SourceError

async def said(scheme):
    url = scheme.removesuffix("+generic") + "://u:secret@192.0.2.1/d"
    try:
        if scheme.endswith("generic"):
            await GenericAdapter(replace(parse_source_url(url), driver="mysql+pymysql")).open_async()
        else:
            await SQLConnector.from_url_async(url)
    except SourceError as error:
        return error.user_message

for scheme in {schemes!r}:
    print(asyncio.run(said(scheme)))
"""
    told = subprocess.run(
        [*alone, sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    lines = told.stdout.splitlines()
    assert len(lines) == len(schemes), told
    for line in lines:
        assert line.startswith("There is no way to 192.0.2.1:"), line
        assert line.endswith("Check the network, the VPN and the firewall.")
        assert "secret" not in line


@pytest.mark.parametrize("scheme", [*PG, "mysql"])
async def test_no_such_host(scheme: str) -> None:
    assert "There is no host 'no-such-host.invalid'" in await said(f"{scheme}://u:secret@no-such-host.invalid/d")


@pytest.mark.parametrize(
    ("code", "message", "words"),
    [
        ("28P01", 'password authentication failed for user "u"', "refused the user 'u' or the password"),
        ("28000", 'role "u" does not exist', "refused the user 'u'"),
        (
            "28000",
            'no pg_hba.conf entry for host "127.0.0.1", user "u", database "d", no encryption',
            "allow the address",
        ),
        ("28000", 'pg_hba.conf rejects connection for host "127.0.0.1"', "allow the address"),
        ("3D000", 'database "d" does not exist', "has no database 'd'"),
        ("42501", 'permission denied for database "d"', "does not let the user 'u' into the database 'd'"),
        ("53300", "sorry, too many clients already", "no free connection"),
        ("57P03", "the database system is starting up", "starting up"),
        ("08P01", "transaction blocks not allowed in statement pooling mode", "Set `pool_mode = transaction`"),
        ("42601", "invalid command-line argument for server process: endpoint=x", "Leave that part of the URL out"),
        ("57P01", "terminating connection due to administrator command", "starting up"),
    ],
)
@pytest.mark.parametrize("scheme", PG)
async def test_what_postgresql_refuses(scheme: str, code: str, message: str, words: str) -> None:
    async with fakes.server(fakes.postgres_error(code, message)) as port:
        assert words in await said(f"{scheme}://u:secret@127.0.0.1:{port}/d")


@pytest.mark.parametrize("scheme", PG)
async def test_encryption_that_is_needed_or_missing(scheme: str) -> None:
    message = 'no pg_hba.conf entry for host "127.0.0.1", user "u", database "d", no encryption'
    async with fakes.server(fakes.postgres_error("28000", message)) as port:
        url = f"{scheme}://u:secret@127.0.0.1:{port}/d"
        assert "Add `?sslmode=require`" in await said(f"{url}?sslmode=disable")
        assert "Take `?sslmode=disable`" in await said(f"{url}?sslmode=require")


@pytest.mark.parametrize("mode", ["prefer", "require"])
@pytest.mark.parametrize("talk", [fakes.HTTP, fakes.SSH], ids=["http", "ssh"])
@pytest.mark.parametrize("scheme", PG)
async def test_something_else_at_the_port_of_postgresql(scheme: str, talk: fakes.Talk, mode: str) -> None:
    async with fakes.server(talk) as port:
        sentence = await said(f"{scheme}://u:secret@127.0.0.1:{port}/d?sslmode={mode}")
        assert "not PostgreSQL" in sentence
        assert "is a web server, " in sentence or "is an SSH server, " in sentence
        assert "5432" in sentence


@pytest.mark.parametrize("scheme", [*PG, "mysql"])
async def test_a_server_that_hangs_up(scheme: str) -> None:
    async with fakes.server(fakes.hangs_up) as port:
        sentence = await said(f"{scheme}://u:secret@127.0.0.1:{port}/d")
        assert "broke" in sentence or "is not" in sentence
        assert "port" in sentence


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (1130, "allow the address"),
        (1129, "allow the address"),
        (1040, "no free connection"),
        (1226, "no free connection"),
        (1045, "refused the user 'u' or the password"),
        (1049, "has no database 'd'"),
        (1044, "does not let the user 'u' into the database 'd'"),
        (3159, "Add `?ssl-mode=REQUIRED`"),
        (1053, "starting up"),
    ],
)
async def test_what_mysql_refuses(code: int, words: str) -> None:
    async with fakes.server(fakes.mysql_error(code, "no")) as port:
        assert words in await said(f"mysql://u:secret@127.0.0.1:{port}/d")


async def test_something_else_at_the_port_of_mysql() -> None:
    async with fakes.server(fakes.SSH) as port:
        assert "is an SSH server, not MariaDB or MySQL" in await said(f"mysql://u:secret@127.0.0.1:{port}/d")
    async with fakes.server(fakes.HTTP) as port:  # it waits to be spoken to, as the driver does
        sentence = await said(f"mysql://u:secret@127.0.0.1:{port}/d?connect_timeout=1")
        assert "is a web server, not MariaDB or MySQL. Check the port; the usual one is 3306" in sentence


OTHERS = [
    (fakes.redis, "is Redis, not"),
    (fakes.silent, "Something takes connections at 127.0.0.1:"),
    (fakes.banner(b"220 mail ESMTP\r\n"), "is not"),
]


@pytest.mark.parametrize(("talk", "words"), OTHERS, ids=["redis", "silent", "mail"])
@pytest.mark.parametrize(
    ("scheme", "port"), [("postgresql", 5432), ("postgresql+psycopg", 5432), ("mysql", 3306), ("mysql+generic", 3306)]
)
async def test_a_port_of_something_that_waits(scheme: str, port: int, talk: fakes.Talk, words: str) -> None:
    async with fakes.server(talk) as there:
        url = f"{scheme.removesuffix('+generic')}://u:secret@127.0.0.1:{there}/d?connect_timeout=1"
        sentence = await (said_generic(url) if scheme.endswith("generic") else said(url))
        assert words in sentence
        assert f"Check the port; the usual one is {port}." in sentence


async def said_generic(url: str) -> str:
    """The same of the generic connector, by a driver that a native one opens otherwise."""
    source = replace(parse_source_url(url), driver="mysql+pymysql")
    with pytest.raises(SourceError) as caught:
        await GenericAdapter(source).open_async()
    return caught.value.user_message


@pytest.mark.server
@pytest.mark.parametrize("scheme", PG)
async def test_the_port_of_mariadb_for_postgresql(scheme: str, mariadb_url: str) -> None:
    place = mariadb_url.partition("@")[2]
    sentence = await said(f"{scheme}://u:secret@{place}?connect_timeout=1")
    assert "is MariaDB or MySQL, not PostgreSQL. Choose MariaDB or MySQL as the engine if you mean it." in sentence
    assert "the usual one is 5432" in sentence


@pytest.mark.server
@pytest.mark.parametrize("generic", [False, True])
async def test_the_port_of_postgresql_for_mariadb(generic: bool, postgres_url: str) -> None:
    url = f"mysql://u:secret@{postgres_url.partition('@')[2]}?connect_timeout=1"
    sentence = await (said_generic(url) if generic else said(url))
    assert "is PostgreSQL, not MariaDB " in sentence
    assert "Choose PostgreSQL as the engine if you mean it. Check the port; the usual" in sentence
    assert "the usual one is 3306" in sentence


@pytest.mark.server
async def test_mysql_without_encryption(mariadb_url: str) -> None:
    url = mariadb_url
    if boxes.outside_mariadb(url, "SELECT @@have_ssl")[0][0] != "DISABLED":
        pytest.skip("this server encrypts")
    assert "Take `?ssl-mode=DISABLED`" in await said(f"{url}?ssl-mode=REQUIRED")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgres//u:secret@h/d", "not a database URL"),
        ("postgre://u:secret@h/d", "write `postgresql://`"),
        ("postgreqsl://u:secret@h/d", "write `postgresql://`"),
        ("mysq://u:secret@h/d", "write `mysql://`"),
        ("snoflake://u:secret@h/d", "write `snowflake://`"),
        ("sqlserver://u:secret@h/d", "write `mssql://`"),
        ("https://u:secret@h/d", "A web address is no database"),
        ("jdbc:postgresql://h/d?user=u&password=secret", "Leave `jdbc:` away"),
        ("postgresql://u:sec/ret@h/d", "`/` as `%2F`"),
        ("postgresql://u:sec#ret@h/d", "`#` as `%23`"),
        ("postgresql://u:sec?ret@h/d", "`%3F`"),
        ("postgresql://h:5432x/d", "host or port cannot be read"),
        ("postgresql://u:secret@h/d?options=-csearch_path%3Dx", "`options` takes only"),
        ("postgresql://u:secret@h/d?sslrootcert=/etc/passwd", "`sslrootcert` has a value that is not allowed"),
        ("mysql://u:secret@h/d?ssl-ca=/etc/passwd", "not allowed: `ssl-ca`"),
        ("mssql+pyodbc://u:secret@h/d?driver=/tmp/x.so", "`driver` has a value that is not allowed"),
        ("mssql+pyodbc://u:secret@h/d?driver=x%3BTrusted_Connection%3Dyes", "`driver` has a value"),
        ("mssql+other://u:secret@h/d", "no driver `other`"),
        ("oracle://u:secret@h/d?config_dir=/etc", "not allowed: `config_dir`"),
        ("snowflake://account/db", "needs the password"),
        ("nothing+x://u:secret@h/d", "There is no connector for `nothing://`"),
    ],
)
async def test_urls(url: str, words: str) -> None:
    assert words in await said(url)


async def test_a_password_that_was_not_written_by_its_codes_is_mentioned() -> None:
    talk = fakes.postgres_error("28P01", "password authentication failed")
    async with fakes.server(talk) as port:
        for scheme in PG:
            plain = await said(f"{scheme}://u:se@cret@127.0.0.1:{port}/d")
            assert "read up to the last `@`" in plain
            coded = await said(f"{scheme}://u:se%40cret@127.0.0.1:{port}/d")
            assert "read up to" not in coded


async def test_files_that_are_no_database(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n" * 200)
    for scheme in ("sqlite", "duckdb"):
        assert "is a folder" in await said(f"{scheme}:///{tmp_path}")
        assert "add it as a file" in await said(f"{scheme}:///{tmp_path}/a.csv")
        assert "Check the path" in await said(f"{scheme}:///{tmp_path}/missing.db")


@pytest.fixture
def written_elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A DuckDB file that another process has open for writing."""
    path = tmp_path / "a.duckdb"
    code = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); c.execute('CREATE TABLE t AS SELECT 1 AS a');"
        "print('open', flush=True); sys.stdin.readline()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == "open\n"
        yield path
        other.stdin.write("\n")
        other.stdin.flush()


async def test_a_duckdb_file_that_another_program_writes(written_elsewhere: Path) -> None:
    assert "open for writing in another program. Close it there" in await said(f"duckdb:///{written_elsewhere}")


async def test_an_empty_database_is_told(tmp_path: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(tmp_path / "empty.db")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    async with await SQLConnector.from_url_async(f"sqlite:///{tmp_path}/empty.db") as connector:
        assert any("no table in it that this user may read" in notice for notice in connector.notices)


@pytest.mark.server
@pytest.mark.parametrize("scheme", PG)
async def test_postgresql_itself(scheme: str, postgres_url: str) -> None:
    url = postgres_url
    name = url.rpartition("/")[2]
    where = url.partition("@")[2].partition("/")[0]
    role = f"r_{name}"
    boxes.outside_postgres(url, f"CREATE ROLE {role} LOGIN CONNECTION LIMIT 0")
    boxes.outside_postgres(url, f"CREATE ROLE {role}_n NOLOGIN", f"CREATE ROLE {role}_c LOGIN")
    boxes.outside_postgres(url, f"REVOKE CONNECT ON DATABASE {name} FROM PUBLIC")
    try:
        base = f"{scheme}://{role}"
        assert "has no database 'not_there'" in await said(f"{base}_c@{where}/not_there")
        assert f"refused the user '{role}_n'" in await said(f"{base}_n@{where}/{name}")
        assert "does not let the user" in await said(f"{base}_c@{where}/{name}")
        boxes.outside_postgres(url, f"GRANT CONNECT ON DATABASE {name} TO {role}, {role}_c")
        assert "no free connection" in await said(f"{base}@{where}/{name}")
        async with await SQLConnector.from_url_async(f"{base}_c@{where}/{name}") as connector:
            assert any("no table in it that this user may read" in notice for notice in connector.notices)
    finally:
        boxes.outside_postgres(url, f"DROP OWNED BY {role}, {role}_c")
        boxes.outside_postgres(url, f"DROP ROLE {role}", f"DROP ROLE {role}_n", f"DROP ROLE {role}_c")


@pytest.mark.server
@pytest.mark.parametrize("scheme", PG)
async def test_a_server_that_takes_no_writes(scheme: str, postgres_url: str) -> None:
    import pandas as pd

    url = postgres_url
    boxes.outside_postgres(url, f"ALTER DATABASE {url.rpartition('/')[2]} SET default_transaction_read_only = on")
    url = url.replace("postgresql://", f"{scheme}://", 1)
    async with await SQLConnector.from_url_async(url, read_only=False) as connector:
        with pytest.raises(SourceError, match="Connect to the primary server"):
            await connector.write_dataframe_async(pd.DataFrame({"a": [1]}), "t")


@pytest.mark.server
async def test_mariadb_itself(mariadb_url: str) -> None:
    url = mariadb_url
    name = url.rpartition("/")[2]
    where = url.partition("@")[2].partition("/")[0]
    user = f"u{name[-8:]}"
    boxes.outside_mariadb(url, f"CREATE USER {user}@'%' IDENTIFIED BY 'right'")
    try:
        assert f"refused the user '{user}'" in await said(f"mysql://{user}:wrongsecret@{where}/{name}")
        assert "does not let the user" in await said(f"mysql://{user}:right@{where}/{name}")
    finally:
        boxes.outside_mariadb(url, f"DROP USER {user}@'%'")


def test_a_time_out_and_a_broken_certificate_have_their_words() -> None:
    import ssl

    from tabulaflow_core.data.engines.mistakes import Mistake, mistake_of_socket

    assert mistake_of_socket(TimeoutError()) is Mistake.SILENT
    assert mistake_of_socket(OSError(113, "no route")) is Mistake.UNREACHABLE
    assert mistake_of_socket(ssl.SSLCertVerificationError()) is Mistake.CERTIFICATE
    assert issubclass(SourceUnavailable, ConnectionError)
    assert issubclass(SourceUrlError, ValueError)


def test_a_file_has_no_address_and_no_port() -> None:
    source = SourceUrl(dialect="sqlite", database="/srv/a.sqlite", engine="sqlite")
    locked = connection_fault(sqlite3.OperationalError("database is locked"), source).user_message
    assert locked == "Another program has locked the SQLite database. Ask again when it has ended its work."
    broken = connection_fault(sqlite3.DatabaseError("disk I/O error"), source).user_message
    assert "could not be read" in broken
    assert " at  " not in broken
    assert "port" not in broken


def test_mariadb_does_not_say_that_encryption_was_missing() -> None:
    plain, usual = (
        unavailable(Mistake.PASSWORD, parse_source_url(f"mysql://a:b@h/d{rest}"), engine="MariaDB").user_message
        for rest in ("?ssl-mode=DISABLED", "")
    )
    assert plain.endswith("If the server takes encrypted connections only, write `?ssl-mode=REQUIRED`.")
    assert "encrypted" not in usual
