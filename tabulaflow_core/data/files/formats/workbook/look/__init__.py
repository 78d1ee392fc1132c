"""A second look at a workbook: number formats, formulas without a value, merged and hidden cells, tables.

The values come through calamine, which tells none of this. The look streams over the file's parts in blocks, runs
no macro and follows no link.
"""

from __future__ import annotations

from pathlib import Path

from tabulaflow_core.data.files.formats.workbook.look.model import (
    NamedTable,
    Range,
    SheetKind,
    SheetLook,
    SheetState,
    Span,
    WorkbookKind,
    WorkbookLook,
)
from tabulaflow_core.data.files.watch import Watch

__all__ = [
    "NamedTable",
    "Range",
    "SheetKind",
    "SheetLook",
    "SheetState",
    "Span",
    "WorkbookKind",
    "WorkbookLook",
    "look",
]


def look(path: Path, kind: WorkbookKind, *, watch: Watch) -> WorkbookLook:
    """Look at a workbook.

    Args:
        kind: What the file's bytes say it is; `xlsx` stands for XLSM too.
        watch: Told how far the look is; its bounds hold for what the file unpacks to.

    Raises:
        FileUnreadable: It is encrypted, damaged, or unpacks to more than the bounds allow.
        FileReadingStopped: Somebody stopped it.
    """
    from tabulaflow_core.data.files.formats.workbook.look.xlsx import look_at_xlsx

    return look_at_xlsx(path, watch=watch)
