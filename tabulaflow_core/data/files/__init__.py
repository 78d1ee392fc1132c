"""Files as sources: read once, truthfully, into storage that never changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabulaflow_core.data.files.connector import FilesConnector
    from tabulaflow_core.data.files.reader import read_file
    from tabulaflow_core.data.files.report import (
        ColumnReport,
        Decision,
        FileReading,
        Misfit,
        ReadingReport,
        ReadOptions,
        ReadTable,
        SkippedLine,
    )

_HOMES = {
    "ColumnReport": "report",
    "Decision": "report",
    "FileReading": "report",
    "FilesConnector": "connector",
    "Misfit": "report",
    "ReadOptions": "report",
    "ReadTable": "report",
    "ReadingReport": "report",
    "SkippedLine": "report",
    "read_file": "reader",
}

__all__ = [
    "ColumnReport",
    "Decision",
    "FileReading",
    "FilesConnector",
    "Misfit",
    "ReadOptions",
    "ReadTable",
    "ReadingReport",
    "SkippedLine",
    "read_file",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
