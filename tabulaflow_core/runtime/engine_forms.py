"""The engines that a person connects by a form: their fields, and a URL made of them and taken apart again."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

from tabulaflow_core.data.engines.generic.profiles import PROFILES
from tabulaflow_core.data.url_secrets import MASK, cut_secrets, put_back
from tabulaflow_core.data.urls import parse_source_url

__all__ = [
    "FORMS",
    "LOCKS",
    "MASK",
    "SECRETS",
    "EngineForm",
    "cut_secrets",
    "encoded_key",
    "fields_of",
    "missing_fields",
    "put_back",
    "suggested_name",
    "url_of",
]

_LABELS: Final = {
    "host": "Host",
    "port": "Port",
    "database": "Database",
    "user": "User",
    "password": "Password",
    "ssl": "Encryption",
    "path": "Path of the file",
    "schema": "Schema",
    "warehouse": "Warehouse",
    "role": "Role",
    "http_path": "HTTP path",
    "catalog": "Catalog",
    "service_name": "Service name",
    "credentials_base64": "Key of a service account (JSON)",
}
#: What may be left empty; everything else that a form has is needed.
_OPTIONAL: Final = frozenset(
    {"password", "ssl", "schema", "warehouse", "role", "catalog", "port", "database", "user", "credentials_base64"}
)
SECRETS: Final = frozenset({"password", "credentials_base64"})


@dataclass(frozen=True, slots=True)
class EngineForm:
    """One engine.

    Attributes:
        key: The scheme of its URLs.
        fields: In the order in which they are drawn.
        labels: Where the engine has a word of its own.
        encryption: What can be chosen -> what stands in the URL.
        driver: The module of a native connector's driver and what `pip` installs.
    """

    key: str
    title: str
    fields: tuple[str, ...]
    port: int | None = None
    labels: Mapping[str, str] | None = None
    encryption: Mapping[str, tuple[str, str]] | None = None
    driver: tuple[str, str] | None = None

    def label(self, field: str) -> str:
        """The label of a field."""
        return (self.labels or {}).get(field) or _LABELS[field]

    @property
    def missing_driver(self) -> str:
        """The command that installs what is missing; empty when the engine can be used."""
        if self.driver is not None:
            module, package = self.driver
            return "" if find_spec(module) is not None else f"pip install {package}"
        profile = PROFILES.get(self.key)
        if profile is None or any(driver.installed for driver in profile.drivers):
            return ""
        return f"pip install 'tabulaflow-core[{profile.extra}]'"

    @property
    def remark(self) -> str:
        """What a person should know of how far the engine was tried; empty for those that were run."""
        profile = PROFILES.get(self.key)
        if self.driver is not None or self.fields == ("path",) or profile is None:
            return ""
        return {
            "run": "",
            "stand-in": "Tried with a stand-in that speaks its protocol, not yet with a real server.",
            "written": "Written by the manual of its driver, not yet tried with a real server.",
        }[profile.checked]


_SERVER: Final = ("host", "port", "database", "user", "password", "ssl")
_PG_SSL: Final = {
    "If the server offers it": ("", ""),
    "Required": ("sslmode", "require"),
    "Required, certificate checked": ("sslmode", "verify-full"),
    "None": ("sslmode", "disable"),
}

FORMS: Final[dict[str, EngineForm]] = {
    form.key: form
    for form in (
        EngineForm("postgresql", "PostgreSQL", _SERVER, 5432, None, _PG_SSL, ("asyncpg", "asyncpg")),
        EngineForm(
            "mysql",
            "MySQL or MariaDB",
            _SERVER,
            3306,
            None,
            {
                "If the server offers it": ("", ""),
                "Required": ("ssl-mode", "REQUIRED"),
                "Required, certificate checked": ("ssl-mode", "VERIFY_IDENTITY"),
                "None": ("ssl-mode", "DISABLED"),
            },
            ("pymysql", "pymysql"),
        ),
        EngineForm("sqlite", "SQLite file", ("path",)),
        EngineForm("duckdb", "DuckDB file", ("path",), driver=("duckdb", "duckdb")),
        EngineForm(
            "mssql",
            "SQL Server",
            _SERVER,
            1433,
            None,
            {"As the driver decides": ("", ""), "Required": ("Encrypt", "yes"), "None": ("Encrypt", "no")},
        ),
        EngineForm("oracle", "Oracle", ("host", "port", "service_name", "user", "password"), 1521),
        EngineForm(
            "snowflake",
            "Snowflake",
            ("host", "database", "schema", "warehouse", "role", "user", "password"),
            None,
            {"host": "Account"},
        ),
        EngineForm(
            "bigquery",
            "BigQuery",
            ("host", "database", "credentials_base64"),
            None,
            {"host": "Project", "database": "Dataset"},
        ),
        EngineForm(
            "databricks",
            "Databricks",
            ("host", "http_path", "catalog", "schema", "password"),
            443,
            {"password": "Token"},
        ),
        EngineForm("trino", "Trino", ("host", "port", "catalog", "schema", "user", "password"), 8080),
        EngineForm(
            "clickhouse",
            "ClickHouse",
            _SERVER,
            8123,
            None,
            {"As the server decides": ("", ""), "Required": ("secure", "true"), "None": ("secure", "false")},
        ),
        EngineForm(
            "redshift",
            "Redshift",
            _SERVER,
            5439,
            None,
            {"As the driver decides": ("", ""), "Required": ("sslmode", "require"), "None": ("sslmode", "disable")},
        ),
    )
}
#: Engines without a read-only session of their own, where parser and role are all there is.
_WEAK: Final = frozenset({"mssql", "snowflake", "bigquery", "databricks", "trino"})
_TRIED: Final = {"run": "yes", "stand-in": "with a stand-in", "written": "not yet"}
#: For people: each engine, what locks it, whether it was tried with a real one.
LOCKS: Final[tuple[tuple[str, str, str], ...]] = (
    ("SQLite", "opened read-only; every step is asked for permission", "yes"),
    ("DuckDB", "attached read-only; no files, no network", "yes"),
    ("PostgreSQL", "read-only transaction", "yes"),
    ("MySQL, MariaDB", "read-only session, one statement at a time", "yes"),
    *(
        (
            profile.title,
            "none that holds against everything: use a role that may only read"
            if profile.key in _WEAK
            else "read-only transaction or setting",
            _TRIED[profile.checked],
        )
        for profile in PROFILES.values()
        if profile.key not in ("postgresql", "mysql", "sqlite")
    ),
)
#: These stand in the path of the URL, not behind the `?`.
_IN_PATH: Final = frozenset({"snowflake", "trino"})


def missing_fields(form: EngineForm, values: Mapping[str, str]) -> list[str]:
    """Fields that must not be empty and are."""
    return [field for field in form.fields if field not in _OPTIONAL and not values.get(field, "").strip()]


def url_of(form: EngineForm, values: Mapping[str, str], extra: Mapping[str, str], *, shown: bool) -> str:
    """The URL of what the fields say; empty while they are empty.

    Args:
        extra: Options that the form has no field for.
        shown: A URL to look at, with `***` where a secret stands.
    """
    given = {field: values.get(field, "").strip() for field in form.fields}
    given["password"] = values.get("password", "")
    if form.fields == ("path",):
        return f"{form.key}:///{quote(given['path'])}" if given["path"] else ""
    if not given.get("host"):
        return ""
    user = given.get("user", "") or ("token" if form.key == "databricks" else "")
    secret = (MASK if shown else quote(given["password"], safe="")) if given["password"] else ""
    login = quote(user, safe="") + (f":{secret}" if secret else "")
    address = f"[{given['host']}]" if given["host"].count(":") > 1 else given["host"]
    if given.get("port"):
        address += f":{given['port']}"
    options = dict(extra)
    if form.key in _IN_PATH:
        first = given.get("catalog" if form.key == "trino" else "database", "")
        path = "/".join(quote(part, safe="") for part in (first, given.get("schema", "")) if part)
    else:
        path = quote(given.get("database", ""), safe="")
        options |= {k: given[k] for k in ("catalog", "schema", "http_path") if given.get(k)}
    options |= {k: given[k] for k in ("warehouse", "role", "service_name") if given.get(k)}
    if key := given.get("credentials_base64"):
        options["credentials_base64"] = MASK if shown else encoded_key(key)
    if form.encryption and values.get("ssl") in form.encryption:
        name, value = form.encryption[values["ssl"]]
        options |= {name: value} if name else {}
    query = urlencode(options, quote_via=quote, safe="*/")
    return f"{form.key}://{login + '@' if login else ''}{address}/{path}{'?' + query if query else ''}"


def encoded_key(text: str) -> str:
    """A key of a service account as the URL takes it: JSON is encoded, what is encoded already stays."""
    return base64.b64encode(text.encode()).decode() if text.lstrip().startswith("{") else "".join(text.split())


def fields_of(url: str, *, roots: Sequence[Path] | None) -> tuple[str, dict[str, str], dict[str, str]]:
    """The engine, the fields and the further options of a URL.

    Args:
        roots: Folders that may hold database files.

    Raises:
        SourceUrlError: It is malformed or not allowed, or of an engine without a form.
    """
    source = parse_source_url(url, allowed_roots=roots)
    form = FORMS[source.engine]
    if form.fields == ("path",):
        return form.key, {"path": str(source.path or "")}, {}
    options = dict(source.options)
    values = {"host": source.host, "port": str(source.port or ""), "user": source.user, "password": source.password}
    if form.key in _IN_PATH:
        first, _, second = source.database.partition("/")
        values |= {"catalog" if form.key == "trino" else "database": first, "schema": second}
    else:
        values["database"] = source.database
    for name in ("catalog", "schema", "http_path", "warehouse", "role", "service_name", "credentials_base64"):
        if name in form.fields and name in options:
            values[name] = options.pop(name)
    for choice, (name, value) in (form.encryption or {}).items():
        if name and options.get(name, "").casefold() == value.casefold():
            values["ssl"] = choice
            del options[name]
    return form.key, {k: v for k, v in values.items() if k in form.fields}, options


def suggested_name(form: EngineForm, values: Mapping[str, str]) -> str:
    """A name for the source: that of its database or file, else of its host."""
    if form.fields == ("path",):
        text = Path(values.get("path", "")).stem
    else:
        names = (values.get(f, "") for f in ("database", "catalog", "service_name", "host"))
        text = next((name for name in names if name), "").partition(".")[0]
    name = re.sub(r"[^\w]+", "_", text).strip("_").lower()[:40]
    return name if not name or not name[0].isdigit() else f"db_{name}"[:40]
