"""Files as one source: a table a file, all of which can be joined."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from tabulaflow_core.config import Limits
from tabulaflow_core.data.engines.duckdb import DuckDBConnector
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.files.doubts import Doubt, doubts, touched
from tabulaflow_core.data.files.known import Known
from tabulaflow_core.data.files.naming import table_name, unique
from tabulaflow_core.data.files.reader import read_file, stem
from tabulaflow_core.data.files.report import FileReading, ReadOptions
from tabulaflow_core.data.files.stored import StoredFiles
from tabulaflow_core.data.files.told import told


class FilesConnector(DuckDBConnector):
    """A `DataConnector` over files that were read into storage. Made by `from_files_async` or `open_async`."""

    _readings: tuple[FileReading, ...] = ()
    _doubts: Mapping[str, tuple[Doubt, ...]] = {}

    @property
    def readings(self) -> tuple[FileReading, ...]:
        """How each file was read; empty when only stored databases were opened."""
        return self._readings

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of how the files were read."""
        return super().notices + tuple(f"{r.file}: {notice}" for r in self._readings for notice in told(r))

    def assumptions(self, sql: str) -> tuple[str, ...]:
        """What was guessed when the tables of `sql` were read, as far as it depends on that; see `Assuming`."""
        if not self._doubts:
            return ()
        from tabulaflow_core.data.guard import Allowed, check_statement

        verdict = check_statement(sql, dialect=self.dialect, functions=self._functions)
        if not isinstance(verdict, Allowed):
            return ()
        named = {re.split(r"\W*\.\W*", table)[-1].strip('"').casefold() for table in verdict.tables}
        assumed = [touched(found, sql) for table, found in self._doubts.items() if table in named]
        return tuple(dict.fromkeys(sentence for sentences in assumed for sentence in sentences))

    @classmethod
    async def from_files_async(
        cls,
        files: Mapping[str, Path] | Sequence[Path],
        *,
        storage: Path | None = None,
        options: Mapping[str, ReadOptions] | None = None,
        limits: Limits | None = None,
    ) -> Self:
        """Read files and open them.

        Args:
            files: Files by the name of their table, or files whose tables are named after them.
            storage: Where the tables are kept; None for a private folder that is removed at close.
            options: Choices for a file, by the name of its table.
            limits: Bounds of a query.

        Raises:
            FileUnreadable: A file holds no table.
        """
        named = _named(files)
        folder = None if storage is not None else Path(tempfile.mkdtemp(prefix="tabulaflow-"))
        place = storage or folder
        assert place is not None

        def read(name: str, path: Path) -> Callable[[], FileReading]:
            return lambda: read_file(path, storage=place, name=name, options=(options or {}).get(name))

        try:
            readings = [await run_blocking_async(read(name, path)) for name, path in named.items()]
            connector = await cls.open_async(readings, limits=limits)
        except BaseException:
            if folder is not None:
                await asyncio.shield(run_blocking_async(lambda: shutil.rmtree(folder, ignore_errors=True)))
            raise
        connector._folder = folder
        return connector

    @classmethod
    async def open_async(  # type: ignore[override]
        cls,
        readings: Sequence[FileReading] | Mapping[str, Path],
        *,
        limits: Limits | None = None,
        known: Known | None = None,
    ) -> Self:
        """Open files that were read before.

        Args:
            readings: Readings, or stored databases by the name that their table shall have.
            limits: Bounds of a query.
            known: What earlier openings saw in the tables; it learns what this one sees in others.

        Raises:
            SourceUnavailable: A stored database is missing or damaged.
        """
        names: dict[str, tuple[str, str]] = {}
        guessed: dict[str, tuple[Doubt, ...]] = {}
        if isinstance(readings, Mapping):
            databases = _numbered(readings.values())
            stored = await run_blocking_async(lambda: {alias: _tables(p) for alias, p in databases.items()})
            for key, alias in zip(readings, databases, strict=True):
                tables = stored[alias]
                if len(tables) == 1:
                    names[key] = (alias, tables[0])
            readings = ()
        else:
            paths = dict.fromkeys(t.database.absolute() for r in readings for t in r.tables)
            aliases = {path: f"file_{i}" for i, path in enumerate(paths, 1)}
            databases = {alias: path for path, alias in aliases.items()}
            tables_read = [t for r in readings for t in r.tables]
            for name, table in zip(unique(t.name for t in tables_read), tables_read, strict=True):
                names[name] = (aliases[table.database.absolute()], table.table)
            reports = [table.report or reading.report for reading in readings for table in reading.tables]
            doubted = {name: doubts(name, report) for name, report in zip(names, reports, strict=True)}
            guessed = {name.casefold(): found for name, found in doubted.items() if found}
        connector = cls(StoredFiles(databases, tables=names, known=known or Known()), limits=limits)
        connector._readings = tuple(readings)
        connector._doubts = guessed
        await connector._start_async()
        return connector


def _numbered(paths: Iterable[Path]) -> dict[str, Path]:
    return {f"file_{i}": Path(path).absolute() for i, path in enumerate(paths, 1)}


def _tables(path: Path) -> list[str]:
    from tabulaflow_core.data.engines.duckdb_lock import open_locked, run

    instance = open_locked({"stored": path})
    try:
        rows = run(instance, "SELECT table_name FROM duckdb_tables() WHERE database_name = 'stored' ORDER BY table_oid")
    finally:
        instance.close()
    return [str(name) for (name,) in rows]


def _named(files: Mapping[str, Path] | Sequence[Path]) -> dict[str, Path]:
    if isinstance(files, Mapping):
        return {name: Path(path) for name, path in files.items()}
    paths = [Path(path) for path in files]
    names = unique(table_name(stem(path.name)) for path in paths)
    return dict(zip(names, paths, strict=True))
