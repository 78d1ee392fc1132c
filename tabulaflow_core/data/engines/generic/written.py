"""Sessions of the engines whose servers are not at hand: by the manuals of their drivers, see `docs/databases.md`."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from tabulaflow_core.data.contracts import FailureKind
from tabulaflow_core.data.engines.base import Caps, EngineFault, Fetched
from tabulaflow_core.data.engines.generic.session import CONNECT_SECONDS, GRACE_SECONDS, Session

if TYPE_CHECKING:
    from tabulaflow_core.data.urls import SourceUrl


class PyodbcSession(Session):
    """SQL Server by ODBC: learn.microsoft.com/sql/connect/odbc and the wiki of pyodbc."""

    can_stop: ClassVar[bool] = True

    @classmethod
    def connect_arguments(cls, source: SourceUrl) -> dict[str, object]:
        """Read-only intent goes to a read-only copy where there is one."""
        return {"timeout": CONNECT_SECONDS, "ApplicationIntent": "ReadOnly"}

    def begin(self, seconds: float) -> None:
        """The driver stops a statement at its time limit; the transaction began by itself."""
        self.driver_connection.timeout = int(seconds + GRACE_SECONDS) + 1
        self.run("SET XACT_ABORT ON", "SET LOCK_TIMEOUT 10000")

    def cancel(self) -> None:
        """SQLCancel, which may come from another thread."""
        if self.cursor is not None:
            self.cursor.cancel()


class PymssqlSession(Session):
    """SQL Server by FreeTDS, which cannot stop a statement from another thread."""

    @classmethod
    def connect_arguments(cls, source: SourceUrl) -> dict[str, object]:
        """Read-only intent goes to a read-only copy where there is one."""
        return {"login_timeout": CONNECT_SECONDS, "read_only": True, "autocommit": False}

    def lock_statements(self, seconds: float) -> Sequence[str]:
        """What breaks rolls back, and a lock of somebody else is not waited for without end."""
        return ("SET XACT_ABORT ON", "SET LOCK_TIMEOUT 10000")


class OracleSession(Session):
    """python-oracledb in its thin mode: python-oracledb.readthedocs.io."""

    can_stop: ClassVar[bool] = True

    @classmethod
    def connect_arguments(cls, source: SourceUrl) -> dict[str, object]:
        """One try."""
        return {"tcp_connect_timeout": float(CONNECT_SECONDS), "retry_count": 0}

    def begin(self, seconds: float) -> None:
        """Both locks: that of the transaction does not stop DDL, that of the session is known since 23ai."""
        self.driver_connection.call_timeout = int((seconds + GRACE_SECONDS) * 1000)
        with suppress(self.engine.dialect.loaded_dbapi.DatabaseError):  # ORA-02248 before 23ai: there is no such lock
            self.run("ALTER SESSION SET READ_ONLY = TRUE")
        self.run("SET TRANSACTION READ ONLY")

    def cancel(self) -> None:
        """A break, sent beside the statement."""
        self.driver_connection.cancel()


class SnowflakeSession(Session):
    """snowflake-connector-python: docs.snowflake.com."""

    can_stop: ClassVar[bool] = True

    @classmethod
    def connect_arguments(cls, source: SourceUrl) -> dict[str, object]:
        """Nothing of this machine's own settings, no file of results."""
        return {
            "login_timeout": CONNECT_SECONDS,
            "client_session_keep_alive": False,
            "autocommit": False,
            "session_parameters": {"CLIENT_TELEMETRY_ENABLED": False},
        }

    def lock_statements(self, seconds: float) -> Sequence[str]:
        """The time limit; one statement a request is the service's default and is set again."""
        limit = int(seconds + GRACE_SECONDS) + 1
        return (f"ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {limit}, MULTI_STATEMENT_COUNT = 1", "BEGIN")

    def cancel(self) -> None:
        """Everything of this session, which runs one statement."""
        self.aside(f"SELECT SYSTEM$CANCEL_ALL_QUERIES({int(self.driver_connection.session_id)})")


class BigQuerySession(Session):
    """google-cloud-bigquery: a statement must be a SELECT to a dry run before it runs."""

    can_stop: ClassVar[bool] = True
    first_statement: ClassVar[str] = "SELECT 1"

    def begin(self, seconds: float) -> None:
        """The jobs' own time limit."""
        self._milliseconds = int((seconds + GRACE_SECONDS) * 1000)

    def execute(self, cursor: Any, sql: str) -> None:
        """The driver undoes `%%` even where there are no parameters."""
        bigquery: Any = import_module("google.cloud.bigquery")
        client = self.driver_connection._client
        plan = client.query(sql, job_config=bigquery.QueryJobConfig(dry_run=True, use_query_cache=False))
        if plan.statement_type != "SELECT":
            raise EngineFault(FailureKind.REFUSED, f"BigQuery calls it a {plan.statement_type} statement")
        config = bigquery.QueryJobConfig()
        config.job_timeout_ms = self._milliseconds
        cursor.execute(sql.replace("%", "%%"), job_config=config)

    def cancel(self) -> None:
        """The job, once the driver tells it."""
        job = getattr(self.cursor, "query_job", None)
        if job is not None:
            job.cancel()


class DatabricksSession(Session):
    """databricks-sql-connector: docs.databricks.com."""

    can_stop: ClassVar[bool] = True
    first_statement: ClassVar[str] = "SELECT 1"

    @classmethod
    def connect_arguments(cls, source: SourceUrl) -> dict[str, object]:
        """Few tries, no report to the maker; `_…` are the driver's own names for its bounds."""
        return {
            "_retry_stop_after_attempts_count": 2,
            "_retry_stop_after_attempts_duration": CONNECT_SECONDS,
            "_retry_delay_max": 1.0,
            "enable_telemetry": False,
        }

    def lock_statements(self, seconds: float) -> Sequence[str]:
        """The time limit."""
        return (f"SET STATEMENT_TIMEOUT = {int(seconds + GRACE_SECONDS) + 1}",)

    def cancel(self) -> None:
        """May come from another thread."""
        if self.cursor is not None:
            self.cursor.cancel()

    def reset(self) -> None:
        """There are no transactions to roll back."""


class TrinoSession(Session):
    """The trino client: trino.io/docs."""

    can_stop: ClassVar[bool] = True
    first_statement: ClassVar[str] = "SELECT 1"

    @classmethod
    def connect_arguments(cls, source: SourceUrl) -> dict[str, object]:
        """Few tries, each bounded."""
        return {"request_timeout": float(CONNECT_SECONDS), "max_attempts": 2}

    def begin(self, seconds: float) -> None:
        """The time limit is a property of the session."""
        limit = f"{int(seconds + GRACE_SECONDS) + 1}s"
        self.driver_connection._client_session.properties["query_max_execution_time"] = limit

    def cancel(self) -> None:
        """By its number, once it has one."""
        if self.cursor is not None and getattr(self.cursor, "_query", None) is not None:
            self.cursor.cancel()

    def reset(self) -> None:
        """There are no transactions to roll back."""


class ClickHouseSession(Session):
    """clickhouse-connect: each request says `readonly=1`."""

    can_stop: ClassVar[bool] = True

    @classmethod
    def connect_arguments(cls, source: SourceUrl) -> dict[str, object]:
        """A session in the server would have to be unlocked before a second statement; it is not needed."""
        return {"connect_timeout": CONNECT_SECONDS, "autogenerate_session_id": False, "query_retries": 0}

    def begin(self, seconds: float) -> None:
        """Read-only and its limits stand with the request; so does the number by which it is killed."""
        self._number = uuid.uuid4().hex
        client = self.driver_connection.client
        client.set_client_setting("query_id", self._number)
        client.set_client_setting("max_execution_time", int(seconds + GRACE_SECONDS) + 1)
        client.set_client_setting("readonly", 1)

    def fetch(self, sql: str, caps: Caps) -> Fetched:
        """The driver keeps all rows in memory, so the server leaves out those beyond the caps."""
        client = self.driver_connection.client
        client.set_client_setting("max_result_rows", caps.rows + 1)
        client.set_client_setting("max_result_bytes", caps.bytes)
        client.set_client_setting("result_overflow_mode", "break")
        return super().fetch(sql, caps)

    def execute(self, cursor: Any, sql: str) -> None:
        """As it stands: a `%` is no placeholder."""
        cursor.execute(sql, pyformat_encoded=False)

    def cancel(self) -> None:
        """On a second connection, which is not read-only."""
        self.aside(f"KILL QUERY WHERE query_id = '{self._number}' ASYNC")

    def reset(self) -> None:
        """There are no transactions to roll back."""


class RedshiftSession(Session):
    """redshift_connector: docs.aws.amazon.com/redshift. PostgreSQL takes the same statements."""

    can_stop: ClassVar[bool] = True

    @classmethod
    def connect_arguments(cls, source: SourceUrl) -> dict[str, object]:
        """Encrypted unless the URL says otherwise. The driver has one time-out for all, so it is that of statements."""
        arguments: dict[str, object] = {"timeout": None}
        if source.options.get("sslmode", "").lower() in ("disable", "false", "0"):
            arguments["ssl"] = False
        return arguments

    def opened(self) -> None:
        """Its process, by which it is cancelled."""
        self._number = int(self.rows("SELECT pg_backend_pid()")[0][0])
        self.connection.rollback()
        self.driver_connection.rollback()

    def begin(self, seconds: float) -> None:
        """The driver begins the transaction at the first statement, and this is it."""
        self.run("SET TRANSACTION READ ONLY", f"SET statement_timeout TO {int((seconds + GRACE_SECONDS) * 1000)}")

    def open_cursor(self, sql: str) -> Any:
        """Question marks, which never stand in a statement that passed the guard, in place of `%s`."""
        cursor = self.driver_connection.cursor()
        if hasattr(cursor, "paramstyle"):
            cursor.paramstyle = "qmark"
        return cursor

    def cancel(self) -> None:
        """Cancel the process's statement."""
        self.aside(f"SELECT pg_cancel_backend({self._number})")


#: The session of a driver; of one that is not here, `Session` itself.
SESSIONS: dict[str, type[Session]] = {
    "mssql+pyodbc": PyodbcSession,
    "mssql+pymssql": PymssqlSession,
    "oracle+oracledb": OracleSession,
    "snowflake": SnowflakeSession,
    "bigquery": BigQuerySession,
    "databricks": DatabricksSession,
    "trino": TrinoSession,
    "clickhousedb+connect": ClickHouseSession,
    "redshift+redshift_connector": RedshiftSession,
}
