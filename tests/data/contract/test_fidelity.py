"""One table of values: what the page's table, the CSV file and the model see is the same, native and generic alike."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from python_calamine import CalamineWorkbook

from tabulaflow_core.data import QueryResult, SQLConnector
from tabulaflow_core.data.engines.base import Caps
from tabulaflow_core.output.cells import cell_text, column_values
from tabulaflow_core.output.export import csv_bytes
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.tables import preview_text
from tabulaflow_core.output.workbook import xlsx_bytes
from tests.data.contract import boxes
from tests.data.contract.generic_boxes import open_generic

#: Expression, what the table shows, what stands in the file where that differs.
POSTGRES = [
    ("12345678901234567890.1234567890::numeric(38,10)", "12345678901234567890.1234567890", None),
    ("1e-20::numeric", "0.00000000000000000001", None),
    ("9223372036854775807::bigint", "9223372036854775807", None),
    ("9223372036854775808::numeric", "9223372036854775808", None),
    ("timestamptz '2024-03-31 03:30:00+02'", "2024-03-31 01:30:00+00:00", "2024-03-31T01:30:00+00:00"),
    ("timestamptz '2024-07-01 00:00:00-07:30'", "2024-07-01 07:30:00+00:00", "2024-07-01T07:30:00+00:00"),
    ("timestamp '2024-02-29 23:59:59.123456'", "2024-02-29 23:59:59.123456", "2024-02-29T23:59:59.123456"),
    ("date '2024-02-29'", "2024-02-29", None),
    ("time '01:02:03.5'", "01:02:03.500", None),
    ("interval '1 year 2 mons 3 days 04:05:06'", "1 years 2 mons 3 days 04:05:06", None),
    ("interval '25:00:00.5'", "25:00:00.5", None),
    ("interval '-3 days 02:00:00'", "-70:00:00", None),
    ("array['a', 'b,c', null]", '["a","b,c",null]', None),
    ("array[['a'], ['b']]", '[["a"], ["b"]]', None),
    ('\'{"a": 1.10, "b": [1]}\'::jsonb', '{"a": 1.10, "b": [1]}', None),
    ("'a1b2c3d4-0000-0000-0000-000000000001'::uuid", "a1b2c3d4-0000-0000-0000-000000000001", None),
    ("'\\x00ff'::bytea", "0x00ff", None),
    ("(SELECT m FROM moods)", "open", None),
    ("''::text", "", None),
    ("null::text", "NULL", ""),
    ("0.1::float8", "0.1", None),
    ("'infinity'::timestamptz", "infinity", None),
    ("date '0044-03-15 BC'", "0044-03-15 BC", None),
    ("int4range(1, 5)", "[1,5)", None),
    ("row(1, 'a')", "(1,a)", None),
    ("point '(1.5,2)'", "(1.5,2)", None),
    ("box '(0,0,1,1.5)'", "(1,1.5),(0,0)", None),
    (
        "12345678901234567890123456789012345678901234567890.5::numeric",
        "12345678901234567890123456789012345678901234567890.5",
        None,
    ),
    ("true", "true", None),
]
MARIADB = [
    ("CAST(12345678901234567890.1234567890 AS DECIMAL(38,10))", "12345678901234567890.1234567890", None),
    ("CAST(18446744073709551615 AS UNSIGNED)", "18446744073709551615", None),
    ("CAST(-9223372036854775808 AS SIGNED)", "-9223372036854775808", None),
    ("CAST('2024-02-29 23:59:59.123456' AS DATETIME(6))", "2024-02-29 23:59:59.123456", "2024-02-29T23:59:59.123456"),
    ("CAST('25:00:00.5' AS TIME(6))", "25:00:00.5", None),
    ("CAST('-25:00:00.5' AS TIME(6))", "-25:00:00.5", None),
    ("CAST('2024-02-29' AS DATE)", "2024-02-29", None),
    ("''", "", None),
    ("NULL", "NULL", ""),
    ("X'00FF'", "0x00ff", None),
    ("JSON_OBJECT('a', 1.10)", '{"a": 1.10}', None),
    ("'é東🙂'", "é東🙂", None),
    ("1 / 3", "0.3333", None),
    ("123456789012345678901234567890123456789012345678.5", "123456789012345678901234567890123456789012345678.5", None),
]
DUCKDB = [
    ("340282366920938463463374607431768211455::UHUGEINT", "340282366920938463463374607431768211455", None),
    ("170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727", None),
    ("(-170141183460469231731687303715884105728)::HUGEINT", "-170141183460469231731687303715884105728", None),
    ("18446744073709551615::UBIGINT", "18446744073709551615", None),
    ("12345678901234567890123456789012345.123::DECIMAL(38,3)", "12345678901234567890123456789012345.123", None),
    ("TIMETZ '01:02:03+02'", "01:02:03+02", None),
    ("'10100000001'::BIT", "10100000001", None),
    ("'infinity'::TIMESTAMP", "infinity", None),
    ("'-infinity'::DATE", "-infinity", None),
    ("'infinity'::TIMESTAMPTZ", "infinity", None),
    ("DATE '2024-02-29'", "2024-02-29", None),
    ("TIMESTAMPTZ '2024-03-31 03:30:00+02'", "2024-03-31 01:30:00+00:00", "2024-03-31T01:30:00+00:00"),
    ("INTERVAL '1 year 2 days 03:00:00'", "1 year 2 days 03:00:00", None),
    ("['a', NULL, 'b,c']", '["a",null,"b,c"]', None),
    ("{'a': 1, 'b': 'x'}", '{"a":1,"b":"x"}', None),
    ("UUID 'a1b2c3d4-0000-0000-0000-000000000001'", "a1b2c3d4-0000-0000-0000-000000000001", None),
    ("'\\x00\\xFF'::BLOB", "0x00ff", None),
    ("'open'::ENUM('open', 'shut')", "open", None),
    ("''", "", None),
    ("NULL", "NULL", ""),
]
SQLITE = [
    ("9223372036854775807", "9223372036854775807", None),
    ("9007199254740993", "9007199254740993", None),
    ("0.1", "0.1", None),
    ("''", "", None),
    ("NULL", "NULL", ""),
    ("X'00FF'", "0x00ff", None),
    ("json('{\"a\": 1.10}')", '{"a":1.10}', None),
]


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with boxes.postgres_database() as url:
        boxes.outside_postgres(
            url, "CREATE TYPE mood AS ENUM ('open', 'shut')", "CREATE TABLE moods AS SELECT 'open'::mood AS m"
        )
        yield url


@pytest.fixture(scope="module")
def mariadb_url() -> Iterator[str]:
    with boxes.mariadb_database() as url:
        yield url


@pytest.fixture
def url(request: pytest.FixtureRequest, engine: str, tmp_path: Path) -> str:
    if engine == "sqlite":
        boxes._run_sqlite(tmp_path / "a.db", "CREATE TABLE t (a)")
        return f"sqlite:///{tmp_path}/a.db"
    return str(request.getfixturevalue(f"{engine}_url"))


@pytest.fixture(params=["native", "generic"])
async def connector(request: pytest.FixtureRequest, engine: str, url: str) -> AsyncIterator[SQLConnector]:
    if request.param == "generic" and engine == "postgres":
        pytest.importorskip("psycopg")
    opened = await (open_generic(url) if request.param == "generic" else SQLConnector.from_url_async(url))
    yield opened
    await opened.close_async()


async def _shown(connector: SQLConnector, expressions: list[str]) -> tuple[list[str], list[str]]:
    """Texts of the table, and cells of the file."""
    # Behind the guard: a cast to an enumeration is refused there, and a column of one is not.
    sql = "SELECT " + ", ".join(f"{expression} AS v" for expression in expressions)
    table = (await connector._adapter.fetch_async(sql, Caps(rows=10, bytes=10**7, seconds=20))).table
    texts = [cell_text(column_values(column)[0]) for column in table.columns]
    _check_the_others(table, texts)
    return texts, list(csv.reader(io.StringIO(csv_bytes(table).decode())))[1]


def _check_the_others(table: pa.Table, texts: list[str]) -> None:
    """The workbook and the model's preview have the same values."""
    stored = StoredResult(source="s", dialect="x", sql="SELECT 1", table=table)
    told = preview_text(stored)
    sheet = CalamineWorkbook.from_filelike(io.BytesIO(xlsx_bytes(table))).get_sheet_by_index(0).to_python()
    for text, cell in zip(texts, sheet[1] if len(sheet) > 1 else [""] * len(texts), strict=False):
        assert text in told
        match cell:
            case bool():
                assert text == str(cell).lower()
            case float() | int():
                assert Decimal(text) == Decimal(str(cell))
            case dt.timedelta():
                hours, rest = divmod(cell, dt.timedelta(hours=1))
                assert text.startswith(f"{hours:02}:{rest // dt.timedelta(minutes=1):02}:")
            case dt.time():
                assert dt.time.fromisoformat(text) == cell
            case _:
                assert str(cell) == ("" if text == "NULL" else text)


def _expected(cases: list[tuple[str, str, str | None]]) -> tuple[list[str], list[str]]:
    return [text for _, text, _ in cases], [text if file is None else file for _, text, file in cases]


@pytest.mark.server
@pytest.mark.parametrize("engine", ["postgres"])
async def test_postgresql(connector: SQLConnector) -> None:
    texts, cells = await _shown(connector, [expression for expression, _, _ in POSTGRES])
    assert (texts, cells) == _expected(POSTGRES)


@pytest.mark.server
@pytest.mark.parametrize("engine", ["mariadb"])
async def test_mariadb(connector: SQLConnector) -> None:
    texts, cells = await _shown(connector, [expression for expression, _, _ in MARIADB])
    assert (texts, cells) == _expected(MARIADB)


@pytest.mark.parametrize("engine", ["sqlite"])
async def test_sqlite(connector: SQLConnector) -> None:
    texts, cells = await _shown(connector, [expression for expression, _, _ in SQLITE])
    assert (texts, cells) == _expected(SQLITE)


async def test_duckdb() -> None:
    async with await SQLConnector.from_url_async("duckdb:///:memory:", read_only=False) as source:
        texts, cells = await _shown(source, [expression for expression, _, _ in DUCKDB])
    assert (texts, cells) == _expected(DUCKDB)


@pytest.mark.server
@pytest.mark.parametrize("engine", ["postgres", "mariadb"])
async def test_names(connector: SQLConnector) -> None:
    quote = "`" if connector.dialect == "mysql" else '"'
    names = ["RiskItems", "unit price", "select", "größe", "名前", "a%s:b", "riskitems2"]
    sql = "SELECT " + ", ".join(f"{n} AS {quote}{name}{quote}" for n, name in enumerate(names)) + ", 7, 7"
    result = await connector.run_query_async(sql)
    assert isinstance(result, QueryResult), result
    assert result.table.column_names[: len(names)] == names
    assert [column[0].as_py() for column in result.table.columns] == [*range(len(names)), 7, 7]
