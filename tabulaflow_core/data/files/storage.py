"""Immutable storage: every reading is a new DuckDB file that nobody writes again.

A file is written under a temporary name and put in place by one rename, so that a second process sees it
whole or not at all, and it is only ever attached read-only, so that any number of processes may query it.
"""

from __future__ import annotations

import errno
import os
import re
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from tabulaflow_core.data.executor import run_beside
from tabulaflow_core.data.files.convert import literal
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable

if TYPE_CHECKING:
    import duckdb

    from tabulaflow_core.data.files.infer import Shape

T = TypeVar("T")

#: Seconds between two words on how far a statement is.
_TICK_SECONDS: Final = 0.1
#: Threads of one reading.
_THREADS: Final = 2
#: Columns from which on a table is wide.
_WIDE: Final = 100
#: Memory below which DuckDB does not work.
_LEAST_MEMORY: Final = 64 * 1024**2
#: Seconds after which the leftovers of a process that was killed are removed.
_STALE_SECONDS: Final = 3600
_LEFTOVER: Final = re.compile(r"\.[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class WrittenColumn:
    """A column of the table to write: its source in `stage`, its name, its type, and the SQL that makes it."""

    source: str
    name: str
    engine_type: str
    expression: str


class TypedRows(Protocol):
    """Rows that were checked and written in their types while the file was read; `stage` shows their text.

    Each of them was compared with the text that its value gives again, so that nothing else is to be found out.
    """

    def shapes(self, source: str) -> list[Shape] | None:
        """The shapes of the column's typed values; None when they must be looked up in `stage`."""

    def fit(self, source: str, expression: str) -> bool:
        """Whether the expression gives a value for each text of the typed rows."""

    def write(self, target: str, columns: Sequence[WrittenColumn]) -> bool:
        """Make the table of them and of the rows of `texts`; False when it must be made from `stage`."""

    def drop(self) -> None:
        """Let go of them and of the view `stage`."""


class Workbench:
    """A private DuckDB in memory with the new file attached as `out`.

    Attributes:
        connection: Where readers stage text and write `out.main.<table>`.
        folder: A temporary folder of this reading.
        watch: Hears how far the reading is.
        stage: What goes on, for `watch`.
        typed: Rows that have their types already.
        texts: The rows of `stage` that are only text so far: all of them when none is typed.
        emptied: By column of `stage`, the cells that were emptied because a person says that they hold no value.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: Path, watch: Watch | None = None) -> None:
        self.connection = connection
        self.folder = folder
        self.watch = watch or Watch()
        self.stage = "reading"
        self.typed: TypedRows | None = None
        self.texts = "stage"
        self.emptied: dict[str, dict[str, int]] = {}

    def renew(self) -> None:
        """Forget what was known of the rows of a `stage` that is to be made anew."""
        self.typed, self.texts, self.emptied = None, "stage", {}

    def execute(self, sql: str) -> None:
        """Run a statement that has no result."""
        self.rows(sql)

    def widen(self, width: int) -> None:
        """Prepare for statements on a table of so many columns.

        Looking for expressions that columns have in common costs the square of their number: minutes for thousands.
        """
        wanted = "common_subexpressions" if width > _WIDE else ""
        self.execute(f"SET disabled_optimizers = {literal(wanted)}")

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """All rows of a query.

        Raises:
            FileReadingStopped: `watch.stop` was called before or while it ran.
        """
        return self.wait(self.start(sql))

    def one(self, sql: str) -> tuple[object, ...]:
        """The first row of a query."""
        return self.rows(sql)[0]

    def start(self, sql: str) -> Future[list[tuple[object, ...]]]:
        """Begin a query beside this thread; `wait` for it before the next one."""
        return run_beside(lambda: self.connection.execute(sql).fetchall())

    def wait(self, running: Future[T], done: int = 0, total: int = 0) -> T:
        """Wait for what `start` began and say meanwhile that the reading goes on."""
        while not running.done():
            wait([running], timeout=_TICK_SECONDS)
            try:
                self.watch.advance(self.stage, done, total)
            except FileReadingStopped:
                self.end(running)
                raise
        return running.result()

    def end(self, running: Future[T]) -> None:
        """Interrupt what `start` began until it has ended; an interrupt before a statement begins is lost."""
        while not running.done():
            self.connection.interrupt()
            wait([running], timeout=0.01)

    def unknown(self, source: str, expression: str | None = None) -> str:
        """The table of the rows whose shapes, or whose fit to an expression, are still to be found out."""
        if self.typed is None:
            return self.texts
        known = self.typed.shapes(source) is not None if expression is None else self.typed.fit(source, expression)
        return self.texts if known else "stage"

    def unknown_texts(self, width: int) -> str:
        """SQL of the cells of `stage` by which text is told; columns that are known to be none are left empty."""
        known = [bool(self.typed and self.typed.shapes(f"c{i}") is not None) for i in range(width)]
        return ", ".join(f"NULL AS c{i}" if typed else f"c{i}" for i, typed in enumerate(known))

    def with_known(self, shapes: list[Shape], source: str) -> list[Shape]:
        """The shapes of `unknown(source)` and those of the typed rows, the most frequent first."""
        more = self.typed.shapes(source) if self.typed else None
        if not more:
            return shapes
        from tabulaflow_core.data.files.infer import Shape

        by_text = {s.text: s for s in shapes}
        for shape in more:
            same = by_text.get(shape.text, Shape(shape.text, 0))
            by_text[shape.text] = Shape(
                shape.text, same.count + shape.count, same.zeros + shape.zeros, same.foreign + shape.foreign
            )
        return sorted(by_text.values(), key=lambda s: (-s.count, s.text.encode()))

    def write_typed(self, target: str, columns: Sequence[WrittenColumn]) -> bool:
        """Write the table from the typed rows, when there are any and they have the right types."""
        return self.typed is not None and self.typed.write(target, columns)


@contextmanager
def new_database(storage: Path, name: str, watch: Watch | None = None) -> Iterator[tuple[Workbench, Path]]:
    """A workbench and the path at which the file will stand when the block ends well.

    Nothing is left behind when it ends with an exception.

    Args:
        watch: Can stop its statements, and bounds its memory.

    Raises:
        FileReadingStopped: A statement was stopped.
        FileUnreadable: The memory or the disk does not suffice.
    """
    import duckdb

    watch = watch or Watch()
    token = uuid.uuid4().hex
    final = storage / f"{name[:60]}-{token}.duckdb"
    folder = storage / f".{token}"
    partial = folder / "table.duckdb"
    config = {
        "memory_limit": f"{max(watch.bounds.memory_bytes, _LEAST_MEMORY) // 1024**2}MiB",
        "temp_directory": str(folder / "spill"),
        "threads": _THREADS,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        storage.mkdir(parents=True, exist_ok=True)
        sweep(storage)
        folder.mkdir(mode=0o700)
        connection = duckdb.connect(":memory:", config=config)
        forget = watch.on_stop(connection.interrupt)
        try:
            connection.execute("SET TimeZone = 'UTC'").fetchall()
            connection.execute(f"ATTACH {literal(str(partial))} AS out").fetchall()
            bench = Workbench(connection, folder, watch)
            yield bench, final
            bench.stage = "writing"
            bench.execute("CHECKPOINT out")
            connection.execute("DETACH out").fetchall()
        finally:
            forget()
            connection.close()
        _sync(partial)
        partial.chmod(0o400)
        os.replace(partial, final)
        _sync(storage)
    except (duckdb.Error, OSError) as error:
        if watch.stopped:
            raise FileReadingStopped from error
        raise _told(error, storage) from error
    finally:
        _remove(folder)


def _told(error: Exception, storage: Path) -> Exception:
    """What lack of memory, room or rights is for a person; other faults as they are."""
    import duckdb

    text = str(error).casefold()
    code = getattr(error, "errno", None)
    full = code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or any(
        words in text for words in ("no space left", "file too large", "disk quota", "could not write file")
    )
    starved = isinstance(error, duckdb.OutOfMemoryException) or "memoryerror" in text  # Arrow's own, on its way in
    if starved and "max_temp_directory_size" not in text:
        return FileUnreadable(
            "The file needs more memory than a reading may take. Raise the memory bound, or split the file into parts.",
            detail=str(error),
        )
    if full or isinstance(error, duckdb.OutOfMemoryException):
        return FileUnreadable(
            f"There is no room left on the disk of {storage} to read this file. Free some, or choose another folder.",
            detail=str(error),
        )
    if isinstance(error, PermissionError) and error.filename and Path(error.filename).is_relative_to(storage):
        return FileUnreadable(
            f"The folder {storage}, which is to hold the tables, cannot be written. Choose another folder, or change "
            "its rights.",
            detail=str(error),
        )
    return error


def sweep(storage: Path) -> None:
    """Remove what readings left in `storage` whose process was killed: untouched for an hour, and by nobody held."""
    with os.scandir(storage) as entries:
        found = [Path(e.path) for e in entries if _LEFTOVER.fullmatch(e.name) and e.is_dir(follow_symlinks=False)]
    for folder in found:
        with suppress(OSError):  # another process sweeps too
            newest = max(p.stat().st_mtime for p in (folder, *folder.rglob("*")))
            if time.time() - newest > _STALE_SECONDS:
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
