"""One reader a file format, chosen by what the file holds and then by its suffix."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tabulaflow_core.data.files.formats.names import believed_suffix
from tabulaflow_core.data.files.report import ColumnType, ReadingReport, ReadOptions
from tabulaflow_core.data.files.storage import Workbench
from tabulaflow_core.data.files.watch import Watch


@dataclass(frozen=True, slots=True)
class ReadJob:
    """One file to read.

    Attributes:
        path: Its bytes, already unpacked.
        name: What a person calls it.
        table: The name of its table, or the beginning of the names when it holds several.
        bench: Where to write `out.main.<table>`.
        watch: Where to say how far the reading is, and what it may take.
        part: The name of the part of a larger file that this is; `options` are then already those of the part.
    """

    path: Path
    name: str
    table: str
    bench: Workbench
    options: ReadOptions
    watch: Watch = field(default_factory=Watch)
    part: str = ""


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table that a reader wrote to `out.main`.

    Attributes:
        report: How it was read, when the file holds several tables.
        part: The part of the file that it comes from.
    """

    name: str
    columns: tuple[str, ...]
    types: tuple[ColumnType, ...]
    row_count: int
    report: ReadingReport | None = None
    part: str = ""


class FormatReader(Protocol):
    """Reads one format."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """True when the first bytes and the suffix (lower case, with its dot) are of this format."""

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Write the file's tables.

        Raises:
            FileUnreadable: With a sentence that says what to do.
        """


def reader_for(path: Path, name: str) -> FormatReader:
    """The first reader that accepts the file; text when none does. What it holds counts more than its name."""
    from tabulaflow_core.data.files.formats.arrow import ArrowReader
    from tabulaflow_core.data.files.formats.database import DatabaseReader
    from tabulaflow_core.data.files.formats.json import JsonReader
    from tabulaflow_core.data.files.formats.later import LaterReader
    from tabulaflow_core.data.files.formats.parquet import ParquetReader
    from tabulaflow_core.data.files.formats.text import TextReader
    from tabulaflow_core.data.files.formats.workbook.markup import MarkupReader
    from tabulaflow_core.data.files.formats.workbook.reader import WorkbookReader

    with path.open("rb") as file:
        head = file.read(4096)
    suffix = believed_suffix(head, Path(name).suffix.lower())
    readers: tuple[FormatReader, ...] = (
        ParquetReader(), ArrowReader(), DatabaseReader(), MarkupReader(), WorkbookReader(), LaterReader(), JsonReader(),
    )  # fmt: skip
    return next((r for r in readers if r.accepts(head, suffix)), TextReader())
