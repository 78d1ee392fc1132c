"""Which of the last rows of a block are notes below the table, and which is a row of totals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tabulaflow_core.data.files.formats.workbook.heads import kinds_below
from tabulaflow_core.data.files.layout import filled, footer_length, total_label
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.values import looks_like

#: How notes begin, in the languages of European reports.
_NOTE: Final = re.compile(
    r"\s*(?:\*|†|‡|§|¹|²|³|\(?[0-9a-z]\)\s|note|source|quelle|anmerkung|hinweis|stand:|remarque|nota|fuente|fonte|bron|"
    r"źródło|zdroj|注|出典|来源)",
    re.IGNORECASE,
)
_LONG: Final = 60


def note_rows(head: Sequence[Record], tail: Sequence[Record], width: int) -> int:
    """How many of the last rows are notes.

    Args:
        head: The first rows of data.
        tail: The last ones, which may be the same.
    """
    if len(tail) < 2 or width < 2:
        return 0
    count = footer_length(list(head), list(tail), width)
    return max(count, _sparse_notes(head, tail, width))


def _sparse_notes(head: Sequence[Record], tail: Sequence[Record], width: int) -> int:
    """Rows at the end with words only, in few cells, one of which shows that they are no data."""
    fills = sorted(filled(r) for r in head)
    typical = fills[len(fills) // 2]
    if typical < 2:
        return 0
    kinds = kinds_below(head, width)
    start = len(tail)
    while start > 1 and _is_sparse(tail[start - 1], typical):
        start -= 1
    run = list(tail[start:])
    sure = next((i for i, r in enumerate(run) if _is_surely_note(r, tail[start + i - 1], kinds)), None)
    if sure is None:
        return 0
    before = [r for r in head if r.line < run[0].line]
    if all(filled(r) > 1 for r in before):  # no row of the table is as sparse: what precedes the note belongs to it
        while sure > 0 and filled(run[sure - 1]) == 1:
            sure -= 1
    return len(run) - sure


def _is_sparse(record: Record, typical: int) -> bool:
    if filled(record) > max(1, typical // 2) or total_label(record):
        return False
    return all(looks_like(c) in ("text", "empty") for c in record.cells)


def _is_surely_note(record: Record, before: Record, kinds: Sequence[str]) -> bool:
    if record.line > before.line + 1:
        return True
    for cell, kind in zip(record.cells, kinds, strict=True):
        if looks_like(cell) == "text" and (kind != "text" or len(cell) > _LONG or _NOTE.match(cell)):
            return True
    return False


def total_row(tail: Sequence[Record], width: int) -> bool:
    """True when the last row calls itself a total."""
    return len(tail) > 1 and width > 1 and bool(total_label(tail[-1]))
