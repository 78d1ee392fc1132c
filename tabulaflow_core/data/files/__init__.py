"""Files as sources: read once, truthfully, into storage that never changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.lazy import lazy_names

if TYPE_CHECKING:
    from tabulaflow_core.data.files.connector import FilesConnector
    from tabulaflow_core.data.files.reader import read_file
    from tabulaflow_core.data.files.report import (
        ColumnReport,
        Decision,
        FileReading,
        Misfit,
        Part,
        ReadingReport,
        ReadOptions,
        ReadTable,
        SkippedLine,
    )
    from tabulaflow_core.data.files.watch import ReadBounds, ReadProgress, Watch

_HOMES = {
    "ReadBounds": ".watch",
    "ReadProgress": ".watch",
    "Watch": ".watch",
    "ColumnReport": ".report",
    "Decision": ".report",
    "FileReading": ".report",
    "FilesConnector": ".connector",
    "Misfit": ".report",
    "Part": ".report",
    "ReadOptions": ".report",
    "ReadTable": ".report",
    "ReadingReport": ".report",
    "SkippedLine": ".report",
    "read_file": ".reader",
}

__all__ = [
    "ColumnReport",
    "Decision",
    "FileReading",
    "FilesConnector",
    "Misfit",
    "Part",
    "ReadBounds",
    "ReadOptions",
    "ReadProgress",
    "ReadTable",
    "ReadingReport",
    "SkippedLine",
    "Watch",
    "read_file",
]


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
