"""A second look at a workbook: number formats, formulas without a value, merged and hidden cells, tables.

The values come through calamine, which tells none of this. The look streams over the file's parts in blocks, runs
no macro and follows no link.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path
from typing import Protocol
from xml.parsers.expat import ExpatError

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
from tabulaflow_core.data.files.formats.workbook.look.ole import is_encrypted, is_ole
from tabulaflow_core.data.files.formats.workbook.look.package import DAMAGED, ENCRYPTED
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileUnreadable, TabulaflowError

#: What reading a damaged zip, its XML or its records raises.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ExpatError,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    LookupError,
    OverflowError,
)

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
    try:
        if kind != "xls" and is_ole(path):
            raise FileUnreadable(ENCRYPTED if is_encrypted(path, watch=watch) else DAMAGED)
        return _looker(kind)(path, watch=watch)
    except TabulaflowError:
        raise
    except _BROKEN as error:
        raise FileUnreadable(DAMAGED, detail=f"{type(error).__name__}: {error}") from error


class _Looker(Protocol):
    def __call__(self, path: Path, *, watch: Watch) -> WorkbookLook: ...


def _looker(kind: WorkbookKind) -> _Looker:
    if kind == "ods":
        from tabulaflow_core.data.files.formats.workbook.look.ods import look_at_ods

        return look_at_ods
    if kind == "xls":
        from tabulaflow_core.data.files.formats.workbook.look.xls import look_at_xls

        return look_at_xls
    if kind == "xlsb":
        from tabulaflow_core.data.files.formats.workbook.look.xlsb import look_at_xlsb

        return look_at_xlsb
    from tabulaflow_core.data.files.formats.workbook.look.xlsx import look_at_xlsx

    return look_at_xlsx
