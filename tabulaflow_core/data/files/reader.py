"""Reading one file: bytes in, an immutable table and a report out."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tabulaflow_core.data.files.containers import Budget, read_content
from tabulaflow_core.data.files.containers.streams import stem
from tabulaflow_core.data.files.formats import ReadJob
from tabulaflow_core.data.files.idle import idle_choices
from tabulaflow_core.data.files.naming import table_name
from tabulaflow_core.data.files.report import FileReading, ReadingReport, ReadOptions, ReadTable
from tabulaflow_core.data.files.source import check_file
from tabulaflow_core.data.files.storage import new_database
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.data.reserved import is_catalog_name, reserved_reason
from tabulaflow_core.errors import FileUnreadable

__all__ = ["read_file", "stem"]


def read_file(
    path: Path,
    *,
    storage: Path,
    name: str | None = None,
    options: ReadOptions | None = None,
    watch: Watch | None = None,
) -> FileReading:
    """Read a file into a new immutable database in `storage`.

    This is CPU work of up to a minute for hundreds of megabytes: from a coroutine, run it in an executor.

    Args:
        path: The file.
        storage: A folder for databases; it is made when it is missing. Two processes may use one at once.
        name: The name of the table; None for one made from the file's name.
        options: Choices that replace the reader's own.
        watch: Hears how far the reading is, can stop it, and bounds it.

    Raises:
        FileReadingStopped: `watch.stop` was called; nothing is left behind.
        FileUnreadable: The file holds no table, with what to do; or `name` is one of the engines' own.
    """
    path = Path(path)
    if name and is_catalog_name(name):  # no query on it would be allowed
        raise FileUnreadable(reserved_reason(name))
    chosen = name or table_name(stem(path.name))
    watch = watch or Watch()
    check_file(path)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="tabulaflow-") as folder,
            new_database(storage, table_name(chosen), watch) as (bench, final),
        ):
            job = ReadJob(path, path.name, chosen, bench, options or ReadOptions(), watch)
            written, report = read_content(job, Path(folder), Budget(path.name, watch))
    except MemoryError as error:
        raise FileUnreadable(f"{path.name} is too large to be read with the memory that is there.") from error
    tables = tuple(ReadTable(t.name, t.columns, t.types, t.row_count, final, t.name, t.report, t.part) for t in written)
    formats = tuple(dict.fromkeys(t.report.format if t.report else report.format for t in tables))
    unused = _unused(job.options, report, formats)
    return FileReading(path.name, tables, replace(report, notices=(*report.notices, *unused)))


def _unused(options: ReadOptions, report: ReadingReport, formats: tuple[str, ...]) -> Iterator[str]:
    """Sentences on choices for parts that the file does not have, and on those that its format has no use for."""
    if idle := idle_choices(options, formats):
        yield idle
    names = [p.name for p in report.parts]
    for name in [*(options.parts or ()), *options.by_part]:
        if not any(known == name or known.startswith(f"{name}/") for known in names):
            yield f"The file has no part “{name}”" + (f"; its parts are {', '.join(names[:10])}." if names else ".")
