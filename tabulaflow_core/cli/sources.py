"""The sources of a command: `ALIAS=PATH_OR_URL`, read and opened."""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.exits import UsageError
from tabulaflow_core.data.reserved import reserved_reason

if TYPE_CHECKING:
    from tabulaflow_core.config import Settings
    from tabulaflow_core.data import DataConnectorRegistry
    from tabulaflow_core.data.files import FileReading

_SPEC: Final = re.compile(r"(?P<alias>[^\W\d][\w-]{0,62})=(?P<place>.+)", re.DOTALL)
_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_DATABASE_SUFFIXES: Final = (".sqlite", ".sqlite3", ".db", ".db3", ".duckdb", ".ddb")
#: The one source that several files form, so that one query can join them.
FILES_ALIAS: Final = "files"


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """One source as given.

    Attributes:
        place: A database URL, or the absolute path of a file.
    """

    alias: str
    place: str

    @property
    def is_database(self) -> bool:
        """It is opened by URL; anything else is read as a file."""
        return bool(_URL.match(self.place)) or Path(self.place).suffix.lower() in _DATABASE_SUFFIXES

    @property
    def url(self) -> str:
        """The database URL of a database file, or the URL as given."""
        if _URL.match(self.place):
            return self.place
        kind = "duckdb" if _is_duckdb(Path(self.place)) else "sqlite"
        return f"{kind}:///{quote(self.place)}"

    @property
    def has_password(self) -> bool:
        """The URL holds a secret that must not be written down."""
        return bool(_URL.match(self.place)) and bool(urlsplit(self.place).password)


def add_source_option(parser: argparse.ArgumentParser) -> None:
    """Add `-s ALIAS=PATH_OR_URL`."""
    parser.add_argument(
        "-s",
        "--source",
        action="append",
        default=[],
        metavar="ALIAS=PATH_OR_URL",
        help="a database URL, a .sqlite, .db or .duckdb file, or a file to read such as CSV; repeatable. "
        "One file is the table ALIAS, and when it holds several their names begin so; several files are joinable "
        "tables of the source `files`, each called by its alias.",
    )
    parser.add_argument(
        "--function",
        action="append",
        default=[],
        metavar="NAME",
        help="a function of your own that queries on the databases may call; repeatable",
    )


def parse_sources(texts: Sequence[str]) -> tuple[SourceSpec, ...]:
    """Read the `-s` options.

    Raises:
        UsageError: One is malformed, names no file, or an alias comes twice.
    """
    specs: list[SourceSpec] = []
    for text in texts:
        match = _SPEC.fullmatch(text.strip())
        if match is None:
            raise UsageError(
                f"{_masked(text)!r} is not ALIAS=PATH_OR_URL, such as shop=shop.sqlite; an alias begins with a letter."
            )
        alias, place = match["alias"], match["place"]
        if not _URL.match(place):
            path = Path(place).expanduser()
            if not is_there(path):
                raise UsageError(f"there is no file {place!r} for the source {alias!r}")
            place = str(path.resolve())
        specs.append(SourceSpec(alias, place))
    check_aliases(specs)
    return tuple(specs)


def check_aliases(specs: Sequence[SourceSpec]) -> None:
    """See that the sources can stand side by side.

    Raises:
        UsageError: Two have one name, one has a name of the engines' own, or a database has that of the files given
            together.
    """
    seen: set[str] = set()
    for spec in specs:
        if spec.alias.casefold() in seen:  # engines do not tell letters of names by case, so neither do aliases
            raise UsageError(f"two sources are called {spec.alias!r}")
        if reason := reserved_reason(spec.alias):
            raise UsageError(reason)
        seen.add(spec.alias.casefold())
    files = [spec for spec in specs if not spec.is_database]
    if len(files) > 1 and any(spec.alias == FILES_ALIAS for spec in specs if spec.is_database):
        raise UsageError(
            f"the alias {FILES_ALIAS!r} is kept for the files given together; choose another for the database"
        )


def is_there(path: Path) -> bool:
    """Whether `path` may be a file: what is hidden by a folder's rights may be, and opening it says so."""
    try:
        return path.is_file()
    except PermissionError:
        return True
    except OSError:  # such as a name that is too long
        return False


def _masked(text: str) -> str:
    from tabulaflow_core.data.urls import mask_url

    return mask_url(text)[:120]


def _is_duckdb(path: Path) -> bool:
    """What the file says of itself counts for more than its name."""
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:
        head = b""
    if head.startswith(b"SQLite format 3"):
        return False
    return head[8:12] == b"DUCK" or path.suffix.lower() in (".duckdb", ".ddb")


@dataclass
class Prepared:
    """Sources whose files are read; databases are opened later, on the event loop.

    Attributes:
        readings: The file's alias and what was read.
    """

    specs: tuple[SourceSpec, ...]
    settings: Settings
    folder: Path
    readings: list[tuple[str, FileReading]] = field(default_factory=list)

    @property
    def files_alias(self) -> str | None:
        """The alias of the source that the files form."""
        if not self.readings:
            return None
        return self.readings[0][0] if len(self.readings) == 1 else FILES_ALIAS


@contextmanager
def prepare(specs: Sequence[SourceSpec], settings: Settings, console: Console) -> Iterator[Prepared]:
    """Read the files into a temporary folder. Blocks, so that Ctrl-C stops a long reading at once.

    Raises:
        FileUnreadable: A file holds no table.
    """
    with tempfile.TemporaryDirectory(prefix="tabulaflow-", ignore_cleanup_errors=True) as folder:
        prepared = Prepared(tuple(specs), settings, Path(folder))
        for spec in specs:
            if spec.is_database:
                continue
            from tabulaflow_core.data.files import read_file

            console.status(f"Reading {Path(spec.place).name} …")
            reading = read_file(Path(spec.place), storage=prepared.folder, name=spec.alias)
            console.clear_status()
            for notice in reading.report.notices:
                console.note(f"{reading.file}: {notice}", style="yellow")
            prepared.readings.append((spec.alias, reading))
        yield prepared


@asynccontextmanager
async def open_sources(
    prepared: Prepared, console: Console, *, functions: Sequence[str] = (), hidden_columns: Sequence[str] = ()
) -> AsyncIterator[DataConnectorRegistry]:
    """Open every source.

    Args:
        functions: User-defined functions that queries on databases may call.
        hidden_columns: Patterns of columns that a model must not see.

    Raises:
        SourceError: One cannot be opened; the message says which and why.
    """
    from tabulaflow_core.data import DataConnectorRegistry, SQLConnector
    from tabulaflow_core.errors import SourceError

    limits = prepared.settings.limits
    async with DataConnectorRegistry() as registry:
        for spec in prepared.specs:
            if not spec.is_database:
                continue
            console.status(f"Opening {spec.alias} …")
            try:
                connector = await SQLConnector.from_url_async(spec.url, limits=limits, functions=functions)
            except SourceError as error:
                if len(prepared.specs) > 1:
                    error.user_message = f"{spec.alias}: {error.user_message}"
                raise
            registry.register(spec.alias, connector, hidden_columns=hidden_columns)
            console.clear_status()
            for notice in connector.notices:
                console.note(f"{spec.alias}: {notice}", style="yellow")
        if prepared.files_alias is not None:
            from tabulaflow_core.data.files import FilesConnector

            readings = [reading for _, reading in prepared.readings]
            files = await FilesConnector.open_async(readings, limits=limits)
            registry.register(prepared.files_alias, files, hidden_columns=hidden_columns)
        yield registry
