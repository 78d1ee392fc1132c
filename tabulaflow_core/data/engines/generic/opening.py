"""From a URL to a SQLAlchemy engine and the class of its connections."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tabulaflow_core.data.engines.generic.faults import connection_fault, title
from tabulaflow_core.data.engines.generic.profiles import PROFILES, Driver, Profile
from tabulaflow_core.data.engines.generic.proved import MySQLSession, PostgresSession, SQLiteSession
from tabulaflow_core.data.engines.generic.session import Session
from tabulaflow_core.data.engines.generic.written import SESSIONS
from tabulaflow_core.data.engines.mistakes import Mistake, unavailable
from tabulaflow_core.errors import MissingDriver, SourceUrlError

if TYPE_CHECKING:
    import sqlalchemy

    from tabulaflow_core.data.urls import SourceUrl

_PROVED: dict[str, type[Session]] = {
    "postgresql+psycopg": PostgresSession,
    "mysql+pymysql": MySQLSession,
    "sqlite+pysqlite": SQLiteSession,
}


def session_class(source: SourceUrl) -> type[Session]:
    """How connections of this driver behave; `Session` itself for one that is not known here."""
    return _PROVED.get(source.driver) or SESSIONS.get(source.driver) or Session


def engine_of(source: SourceUrl) -> sqlalchemy.Engine:
    """The engine, without a pool of its own: `Pool` lends connections, and knows which of them broke.

    Raises:
        MissingDriver: The driver is not installed.
        SourceUrlError: There is no such dialect, or it does not take the URL.
        SourceUnavailable: A library of the system or a cloud's keys are missing.
    """
    import sqlalchemy
    from sqlalchemy.pool import NullPool

    profile = PROFILES.get(source.engine)
    driver = next((d for d in profile.drivers if d.name == source.driver), None) if profile else None
    if profile and driver:
        _check_driver(profile, driver, source)
    options: dict[str, Any] = {"poolclass": NullPool, "hide_parameters": True}
    if source.driver == "sqlite+pysqlite":
        options["creator"] = lambda: _sqlite(source)
    else:
        options["connect_args"] = session_class(source).connect_arguments(source)
    try:
        engine = sqlalchemy.create_engine(_url(source), **options)
        if source.driver == "mysql+pymysql":
            sqlalchemy.event.listen(engine, "do_connect", _pymysql)
        return engine
    except sqlalchemy.exc.NoSuchModuleError:
        raise SourceUrlError(
            f"There is no SQLAlchemy dialect `{source.driver[:60]}` here. Install the package that brings it, or check "
            "the beginning of the URL."
        ) from None
    except ModuleNotFoundError as error:
        raise MissingDriver(
            f"The dialect `{source.driver[:60]}` needs a driver that is not installed. Run `pip install {error.name}`."
        ) from None
    except ImportError as error:
        raise unavailable(Mistake.LIBRARY, source, engine=title(source), detail=type(error).__name__) from None
    except sqlalchemy.exc.ArgumentError:
        raise SourceUrlError("The URL cannot be read by its driver. Look up its form in the driver's manual.") from None
    except Exception as error:  # dialects of third parties read keys here, and raise what they like
        if source.engine == "bigquery":
            raise unavailable(Mistake.CREDENTIALS, source, engine=title(source), detail=type(error).__name__) from None
        raise connection_fault(error, source) from None


def _check_driver(profile: Profile, driver: Driver, source: SourceUrl) -> None:
    if not driver.installed:
        command = f"'tabulaflow-core[{profile.extra}]'" if profile.extra else driver.package
        raise MissingDriver(
            f"{profile.title.partition(' by ')[0]} needs a driver that is not installed. Run `pip install {command}`."
        )
    try:
        import_module(driver.module)
    except ImportError as error:
        raise unavailable(Mistake.LIBRARY, source, engine=title(source), detail=type(error).__name__) from None


def _url(source: SourceUrl) -> sqlalchemy.URL:
    import sqlalchemy

    user = source.user or ("token" if source.engine == "databricks" else "")
    return sqlalchemy.URL.create(
        source.driver,
        username=user or None,
        password=source.password or None,
        host=source.host or None,
        port=source.port,
        database=source.database or None,
        query=_query(source),
    )


def _query(source: SourceUrl) -> dict[str, str]:
    """What of the URL's parameters goes to the dialect; those of PostgreSQL are given to its driver by name."""
    query = dict(source.options)
    match source.driver:
        case "postgresql+psycopg" | "mysql+pymysql" | "sqlite+pysqlite":
            return {}
        case "redshift+redshift_connector":
            return {}
        case "mssql+pymssql":
            return {name: value for name, value in query.items() if name in ("charset", "tds_version")}
        case "mssql+pyodbc":
            query.setdefault("driver", _odbc_driver())
            query.pop("charset", None)
            query.pop("tds_version", None)
    return query


def _odbc_driver() -> str:
    """The newest of Microsoft's drivers on this machine."""
    pyodbc: Any = import_module("pyodbc")
    found = sorted(name for name in pyodbc.drivers() if "SQL Server" in name)
    return found[-1] if found else "ODBC Driver 18 for SQL Server"


def _pymysql(_dialect: Any, _record: Any, positional: Any, named: Any) -> Any:
    from tabulaflow_core.data.engines.mysql_connection import Connection, prefer_encryption

    connection = Connection(*positional, **named, ssl_disabled=True, defer_connect=True)
    prefer_encryption(connection)
    connection.connect()
    connection._read_timeout = None  # it was for the server's greeting; statements have a limit of their own
    return connection


def _sqlite(source: SourceUrl) -> Any:
    from tabulaflow_core.data.engines.sqlite_lock import connect

    if source.path is None:
        raise SourceUrlError("The generic connector opens SQLite files only, no database in memory.")
    return connect(source.path, "mode=ro")
