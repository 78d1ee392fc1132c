"""Which engines the generic connector knows, by which driver, and what their URLs may say.

Plain data, read by the URL parser and compared with `docs/databases.md` by a test; importing it loads no driver.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final, Literal

Checked = Literal["run", "stand-in", "written"]


@dataclass(frozen=True, slots=True)
class Driver:
    """One SQLAlchemy driver.

    Attributes:
        name: SQLAlchemy's, such as `mssql+pymssql`.
        module: What must be importable.
        package: What `pip` installs when there is no extra of this project for it.
    """

    name: str
    module: str
    package: str

    @property
    def installed(self) -> bool:
        """Whether its module can be found; nothing is imported but the packages around it."""
        try:
            return find_spec(self.module) is not None
        except (ImportError, ValueError):  # a package around it is missing, or was taken out of `sys.modules`
            return False


@dataclass(frozen=True, slots=True)
class Profile:
    """One engine.

    Attributes:
        key: Its name here; also the scheme of its URLs.
        title: Its name for people.
        dialect: sqlglot's name, by which the guard reads its statements.
        drivers: The first is taken when the URL names none.
        extra: The extra of this project that installs the driver; empty for none.
        port: Where its server listens by default; None when the URL needs none.
        parameters: What may stand after the `?`; nothing that names a file or runs a statement.
        checked: `run` against a real server or file, `stand-in` against one that speaks its protocol, or `written` from
            the manuals only.
        lock: What keeps it read-only in the engine, for the docs.
        stop: How a statement is stopped there, for the docs.
        needs_host: False where the account or project stands for the host.
        schemes: Further schemes of URLs.
    """

    key: str
    title: str
    dialect: str
    drivers: tuple[Driver, ...]
    extra: str
    port: int | None
    parameters: frozenset[str]
    checked: Checked
    lock: str
    stop: str
    needs_host: bool = True
    schemes: tuple[str, ...] = ()

    def driver(self, suffix: str) -> Driver | None:
        """The driver of `key+suffix`, or the first one without a suffix; None when there is no such driver."""
        if not suffix:
            return next((driver for driver in self.drivers if driver.installed), self.drivers[0])
        return next((driver for driver in self.drivers if driver.name.rpartition("+")[2] == suffix), None)


_PG_PARAMETERS: Final = frozenset({"sslmode", "ssl", "application_name", "connect_timeout"})

PROFILES: Final[dict[str, Profile]] = {
    profile.key: profile
    for profile in (
        Profile(
            key="postgresql",
            title="PostgreSQL by psycopg",
            dialect="postgres",
            drivers=(Driver("postgresql+psycopg", "psycopg", "psycopg[binary]"),),
            extra="psycopg",
            port=5432,
            parameters=_PG_PARAMETERS,
            checked="run",
            lock="READ ONLY transaction, rolled back; one statement by the extended protocol",
            stop="cancel request",
        ),
        Profile(
            key="mysql",
            title="MariaDB and MySQL by the generic connector",
            dialect="mysql",
            drivers=(Driver("mysql+pymysql", "pymysql", "pymysql"),),
            extra="mysql",
            port=3306,
            parameters=frozenset(),
            checked="run",
            lock="read-only session, rolled-back transaction, multi-statements off",
            stop="KILL QUERY on a second connection; with rows on the way the socket is cut, and KILL CONNECTION",
        ),
        Profile(
            key="sqlite",
            title="SQLite by the generic connector",
            dialect="sqlite",
            drivers=(Driver("sqlite+pysqlite", "sqlite3", "-"),),
            extra="",
            port=None,
            parameters=frozenset(),
            checked="run",
            lock="`mode=ro` and an authorizer",
            stop="interrupt",
            needs_host=False,
        ),
        Profile(
            key="mssql",
            title="SQL Server",
            dialect="tsql",
            drivers=(
                Driver("mssql+pymssql", "pymssql", "pymssql"),
                Driver("mssql+pyodbc", "pyodbc", "pyodbc"),
            ),
            extra="mssql",
            port=1433,
            parameters=frozenset({"driver", "Encrypt", "TrustServerCertificate", "charset", "tds_version"}),
            checked="written",
            lock="rolled-back transaction; `ApplicationIntent=ReadOnly`, which goes to a read-only copy where one is",
            stop="`cursor.cancel()` of pyodbc; pymssql has none",
        ),
        Profile(
            key="oracle",
            title="Oracle",
            dialect="oracle",
            drivers=(Driver("oracle+oracledb", "oracledb", "oracledb"),),
            extra="oracle",
            port=1521,
            parameters=frozenset({"service_name"}),
            checked="written",
            lock="`SET TRANSACTION READ ONLY`, and `READ_ONLY = TRUE` for the session where the server knows it",
            stop="`connection.cancel()`",
        ),
        Profile(
            key="snowflake",
            title="Snowflake",
            dialect="snowflake",
            drivers=(Driver("snowflake", "snowflake.sqlalchemy", "snowflake-sqlalchemy"),),
            extra="snowflake",
            port=None,
            parameters=frozenset({"warehouse", "role"}),
            checked="written",
            lock="rolled-back transaction; one statement a request",
            stop="`SYSTEM$CANCEL_ALL_QUERIES` for its session, on a second connection",
            needs_host=False,
        ),
        Profile(
            key="bigquery",
            title="BigQuery",
            dialect="bigquery",
            drivers=(Driver("bigquery", "sqlalchemy_bigquery", "sqlalchemy-bigquery"),),
            extra="bigquery",
            port=None,
            parameters=frozenset({"credentials_base64", "location", "maximum_bytes_billed"}),
            checked="written",
            lock="a dry run must call the statement a SELECT",
            stop="the job is cancelled once it is known; its own time limit ends it in any case",
            needs_host=False,
        ),
        Profile(
            key="databricks",
            title="Databricks",
            dialect="databricks",
            drivers=(Driver("databricks", "databricks.sqlalchemy", "databricks-sqlalchemy"),),
            extra="databricks",
            port=443,
            parameters=frozenset({"http_path", "catalog", "schema"}),
            checked="written",
            lock="none of the engine's own: give it a role that may only read",
            stop="`cursor.cancel()`",
        ),
        Profile(
            key="trino",
            title="Trino",
            dialect="trino",
            drivers=(Driver("trino", "trino.sqlalchemy", "trino[sqlalchemy]"),),
            extra="trino",
            port=8080,
            parameters=frozenset({"source"}),
            checked="stand-in",
            lock="one statement a request; no lock of the engine's own: give it a role that may only read",
            stop="`cursor.cancel()`",
        ),
        Profile(
            key="clickhouse",
            title="ClickHouse",
            dialect="clickhouse",
            drivers=(Driver("clickhousedb+connect", "clickhouse_connect", "clickhouse-connect"),),
            extra="clickhouse",
            port=8123,
            parameters=frozenset({"secure"}),
            checked="stand-in",
            lock="setting `readonly=1` with each request",
            stop="`KILL QUERY` by its id, on a second connection",
            schemes=("clickhousedb",),
        ),
        Profile(
            key="redshift",
            title="Redshift",
            dialect="redshift",
            # Not psycopg2: it sends a statement by the simple protocol, which takes `COMMIT; DROP TABLE t` as two.
            drivers=(Driver("redshift+redshift_connector", "redshift_connector", "redshift_connector"),),
            extra="redshift",
            port=5439,
            parameters=frozenset({"sslmode"}),
            checked="stand-in",
            lock="READ ONLY transaction, rolled back; one statement by the extended protocol",
            stop="`pg_cancel_backend` of its process, on a second connection",
        ),
    )
}

#: Schemes of URLs -> the key of `PROFILES`.
SCHEMES: Final[dict[str, str]] = {
    scheme: profile.key for profile in PROFILES.values() for scheme in (profile.key, *profile.schemes)
}
