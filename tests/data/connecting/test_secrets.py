"""A password is planted, every way of failing is walked, and everything that could show it is searched."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tabulaflow_core.data import SQLConnector
from tabulaflow_core.data.urls import mask_url, parse_source_url
from tabulaflow_core.errors import SourceError
from tests.data.connecting import fakes
from tests.data.contract import boxes

PLANTED = "pl4nt3d p@ss/w:rd"
WRITTEN = quote(PLANTED, safe="")
SPELLINGS = (PLANTED, WRITTEN, "pl4nt3d")
SCHEMES = ("postgresql", "postgresql+psycopg", "mysql")


@pytest.fixture(autouse=True)
def everything_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)


@pytest.fixture
def postgres_login() -> Iterator[str]:
    with boxes.postgres_database() as url:
        role = f"s_{url.rpartition('/')[2]}"
        boxes.outside_postgres(url, f"CREATE ROLE {role} LOGIN PASSWORD '{PLANTED}'")
        boxes.outside_postgres(url, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
        try:
            yield f"{role}:{WRITTEN}@{url.partition('@')[2]}"
        finally:
            boxes.outside_postgres(url, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


@pytest.fixture
def mariadb_login() -> Iterator[str]:
    with boxes.mariadb_database() as url:
        name = url.rpartition("/")[2]
        user = f"s{name[-8:]}"
        boxes.outside_mariadb(url, f"CREATE USER {user}@'%' IDENTIFIED BY '{PLANTED}'")
        boxes.outside_mariadb(url, f"GRANT SELECT ON {name}.* TO {user}@'%'")
        try:
            yield f"{user}:{WRITTEN}@{url.partition('@')[2]}"
        finally:
            boxes.outside_mariadb(url, f"DROP USER {user}@'%'")


def _hidden(caplog: pytest.LogCaptureFixture, *texts: object) -> None:
    for text in (*texts, caplog.text):
        for spelling in SPELLINGS:
            assert spelling not in str(text)


async def _fails(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SourceError) as caught:
        async with await SQLConnector.from_url_async(url):
            pass
    error = caught.value
    shown = traceback.format_exception(type(error), error, error.__traceback__)
    _hidden(caplog, error, repr(error), error.detail, error.args, "".join(shown), error.__cause__)


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_connections_that_fail(scheme: str, caplog: pytest.LogCaptureFixture) -> None:
    echo = f"password authentication failed for {PLANTED}"
    talk = fakes.mysql_error(1045, echo) if scheme == "mysql" else fakes.postgres_error("28P01", echo)
    for one in (talk, fakes.SSH, fakes.hangs_up):
        async with fakes.server(one) as port:
            await _fails(f"{scheme}://u:{WRITTEN}@127.0.0.1:{port}/d", caplog)
    for place in ("127.0.0.1:1/d", "no-such.invalid/d", "127.0.0.1:x/d", "127.0.0.1:1/d?what=ever", "h#/d"):
        await _fails(f"{scheme}://u:{WRITTEN}@{place}", caplog)


@pytest.mark.parametrize(
    "url",
    [
        f"mssql+pymssql://u:{WRITTEN}@127.0.0.1:1/d",
        f"oracle://u:{WRITTEN}@127.0.0.1:1/?service_name=x",
        f"redshift://u:{WRITTEN}@127.0.0.1:1/d",
        f"clickhouse://u:{WRITTEN}@127.0.0.1:1/d",
        f"nothing://u:{WRITTEN}@127.0.0.1:1/d",
        f"bigquery://p/d?credentials_base64={WRITTEN}",
        f"postgresql://h/d?user=u&password={WRITTEN}&sslmode=what",
        f"jdbc:postgresql://h/d?user=u&password={WRITTEN}",
        f"postgresql://u:{PLANTED}@h/d",
    ],
)
@pytest.mark.filterwarnings("ignore")  # of drivers, about themselves
async def test_other_urls_that_fail(url: str, caplog: pytest.LogCaptureFixture) -> None:
    await _fails(url, caplog)


async def _works(url: str, caplog: pytest.LogCaptureFixture) -> None:
    async with await SQLConnector.from_url_async(url) as connector:
        outcomes = [
            await connector.run_query_async(sql)
            for sql in (
                "SELECT count(*) FROM customers",
                "SELECT nothing FROM customers",
                "SELECT * FROM",
                "DROP TABLE t",
            )
        ]
        outcomes.append(await connector.run_query_async(boxes.BURNER, timeout=0.2))
        adapter = connector._adapter
        engine = getattr(adapter, "_engine", None)
        _hidden(caplog, *map(repr, outcomes), repr(connector), repr(adapter), repr(engine), connector.notices)
        _hidden(caplog, connector.schema, repr(parse_source_url(url)), mask_url(url))


@pytest.mark.server
@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # of a dialect of Redshift, where it is installed
@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg"])
async def test_a_connection_to_postgresql(scheme: str, postgres_login: str, caplog: pytest.LogCaptureFixture) -> None:
    await _works(f"{scheme}://{postgres_login}", caplog)


@pytest.mark.server
async def test_a_connection_to_mariadb(mariadb_login: str, caplog: pytest.LogCaptureFixture) -> None:
    await _works(f"mysql://{mariadb_login}", caplog)


def test_masks_know_keys_among_the_parameters() -> None:
    url = f"bigquery://p/d?location=EU&credentials_base64={WRITTEN}&x=1"
    assert mask_url(url) == "bigquery://p/d?location=EU&credentials_base64=***&x=1"
    assert mask_url(f"jdbc:postgresql://h/d?password={WRITTEN}") == "jdbc:postgresql://h/d?password=***"
