"""Immutable storage: every reading is a new DuckDB file that nobody writes again.

A file is written under a temporary name and put in place by one rename, so that a second process sees it
whole or not at all, and it is only ever attached read-only, so that any number of processes may query it.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tabulaflow_core.data.files.convert import literal

if TYPE_CHECKING:
    import duckdb

    from tabulaflow_core.data.files.infer import Shape

#: Memory of one reading; more goes to a temporary folder beside the storage.
_MEMORY = "2GB"


class TypedRows(Protocol):
    """Rows that were checked and written in their types while the file was read; `stage` shows their text.

    Each of them was compared with the text that its value gives again, so that nothing else is to be found out.
    """

    def shapes(self, source: str) -> list[Shape] | None:
        """The shapes of the column's typed values; None when they must be looked up in `stage`."""

    def fit(self, source: str, expression: str) -> bool:
        """Whether the expression gives a value for each text of the typed rows."""

    def write(self, target: str, columns: Sequence[tuple[str, str, str]]) -> bool:
        """Make the table of them and of the rows of `texts`; False when it must be made from `stage`.

        Args:
            columns: Name, engine type and expression of each.
        """


class Workbench:
    """A private DuckDB in memory with the new file attached as `out`.

    Attributes:
        connection: Where readers stage text and write `out.main.<table>`.
        folder: A temporary folder of this reading.
        typed: Rows that have their types already.
        texts: The rows of `stage` that are only text so far: all of them when none is typed.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
        self.connection = connection
        self.folder = folder
        self.typed: TypedRows | None = None
        self.texts = "stage"

    def unknown(self, source: str, expression: str | None = None) -> str:
        """The table of the rows whose shapes, or whose fit to an expression, are still to be found out."""
        if self.typed is None:
            return self.texts
        known = self.typed.shapes(source) is not None if expression is None else self.typed.fit(source, expression)
        return self.texts if known else "stage"

    def with_known(self, shapes: list[Shape], source: str) -> list[Shape]:
        """The shapes of `unknown(source)` and those of the typed rows, the most frequent first."""
        more = self.typed.shapes(source) if self.typed else None
        if not more:
            return shapes
        from tabulaflow_core.data.files.infer import Shape

        by_text = {s.text: s for s in shapes}
        for shape in more:
            same = by_text.get(shape.text, Shape(shape.text, 0))
            by_text[shape.text] = Shape(shape.text, same.count + shape.count, same.zeros + shape.zeros)
        return sorted(by_text.values(), key=lambda s: (-s.count, s.text.encode()))

    def write_typed(self, target: str, columns: Sequence[tuple[str, str, str]]) -> bool:
        """Write the table from the typed rows, when there are any and they have the right types."""
        return self.typed is not None and self.typed.write(target, columns)

    def execute(self, sql: str) -> None:
        """Run a statement that has no result."""
        self.connection.execute(sql).fetchall()

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a query."""
        rows: list[tuple[object, ...]] = self.connection.execute(sql).fetchall()
        return rows

    def one(self, sql: str) -> tuple[object, ...]:
        """The first row of a query."""
        return self.rows(sql)[0]


@contextmanager
def new_database(storage: Path, name: str) -> Iterator[tuple[Workbench, Path]]:
    """A workbench and the path at which the file will stand when the block ends well.

    Nothing is left behind when it ends with an exception.
    """
    import duckdb

    storage.mkdir(parents=True, exist_ok=True)
    token = uuid.uuid4().hex
    final = storage / f"{name[:60]}-{token}.duckdb"
    folder = storage / f".{token}"
    folder.mkdir(mode=0o700)
    partial = folder / "table.duckdb"
    config = {
        "memory_limit": _MEMORY,
        "temp_directory": str(folder / "spill"),
        "threads": 2,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        connection = duckdb.connect(":memory:", config=config)
        try:
            connection.execute("SET TimeZone = 'UTC'").fetchall()
            connection.execute(f"ATTACH {literal(str(partial))} AS out").fetchall()
            yield Workbench(connection, folder), final
            connection.execute("CHECKPOINT out").fetchall()
            connection.execute("DETACH out").fetchall()
        finally:
            connection.close()
        _sync(partial)
        partial.chmod(0o400)
        os.replace(partial, final)
        _sync(storage)
    finally:
        _remove(folder)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(folder: Path) -> None:
    import shutil

    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
