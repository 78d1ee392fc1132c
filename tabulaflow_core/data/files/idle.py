"""Choices of a person that a format has no use for: they are named, so that nobody waits for what they do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Final

from tabulaflow_core.data.files.report import ReadOptions

_SIGNS: Final = frozenset({"delimiter", "quote", "escape"})
_LINES: Final = _SIGNS | {"comment", "skip_lines", "skip_end", "keep_totals", "beside"}
_TYPED: Final = _LINES | {"encoding", "header", "header_rows", "decimal", "date_order", "types", "missing"}
_IDLE: Final = {
    "text": frozenset({"beside"}),
    "json": _LINES,
    **dict.fromkeys(("parquet", "feather", "arrow", "orc", "sqlite", "duckdb"), _TYPED),
    **dict.fromkeys(("xlsx", "xlsm", "xls", "xlsb", "ods"), _SIGNS | {"encoding"}),
}


def idle_choices(options: ReadOptions, formats: Iterable[str]) -> str:
    """A sentence on the choices that change nothing in any of `formats`; empty when there are none."""
    known = [_IDLE.get(name, frozenset()) for name in formats]
    if not known:
        return ""
    blank = ReadOptions()
    given = [f.name for f in fields(options) if getattr(options, f.name) != getattr(blank, f.name)]
    idle = [name for name in given if all(name in names for names in known)]
    if not idle:
        return ""
    words = ", ".join(name.replace("_", " ") for name in idle)
    kinds = " and ".join(dict.fromkeys(formats))
    return (
        f"{'This choice changes' if len(idle) == 1 else 'These choices change'} nothing in a file of {kinds}: {words}."
    )
