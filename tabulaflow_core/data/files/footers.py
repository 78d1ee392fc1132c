"""What stands below a table or among its rows without being one: notes, totals, rulers, the header once more."""

from __future__ import annotations

import re

from tabulaflow_core.data.files.naming import clean_header
from tabulaflow_core.data.files.records import column_kinds, filled, some_of
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.values import looks_like
from tabulaflow_core.data.files.words import TOTALS

#: How a note under a table begins, or all of it.
_NOTE = re.compile(
    r"(?:sources?|notes?|footnotes?|remarks?|legend|disclaimer|updated|last updated|data as of|as of|generated|"
    r"exported|created|printed|downloaded|retrieved|prepared by|compiled|copyright|erstellt|gedruckt|"
    r"abgerufen|exportiert|généré|imprimé|exporté|generado|impreso|wygenerowano|wydrukowano|utworzono|"
    r"quellen?|anmerkung(?:en)?|hinweis(?:e)?|stand|fußnoten?|bron|fuentes?|notas?|fonte|remarques?|"
    r"źródło|uwagi)\b[^,;|]*[: ].*|©.*|\(c\) .*|\*{1,3} ?\w.*|[¹²³†‡].*|\[?[0-9a-z][\])] \w.*"
    r"|\(?[0-9,]+ rows?(?: selected| affected)?\.?\)?|-+ ?(?:end|ende|eof|fin)\b.*|end of (?:file|report|data).*"
    r"|(?:page|seite|strona|página) [0-9]+.*",
    re.IGNORECASE,
)
#: A balance is no booking: it stands below the bookings, in the column of their days.
_BALANCE = re.compile(
    r"(?:opening |closing |ending |starting |final |current |new |old )?balance\b.*|(?:end|anfangs|schluss)?saldo\b.*"
    r"|kontostand\b.*|(?:nouveau |ancien )?solde\b.*",
    re.IGNORECASE,
)
_RULER = re.compile(r"([-=_*~])\1{2,}")
_TOTAL_OF = re.compile(
    r"(?:(?:sub|grand )?totals?|summe|gesamt|sum of|suma|somme|totale?)(?: ?[:–-])? .+|.+ (?:total|gesamt)"
)


def footer_length(body: list[Record], tail: list[Record], width: int) -> int:
    """How many of the last records are notes below the table rather than rows of it.

    A note is a record with one filled cell at the left of a table of three columns or more, one that begins as
    notes do, or one that has text in columns of numbers and dates and nothing else: a row with a remark in place
    of one number is a row, and so is one as full as the others, unless it begins as notes and totals do.
    """
    count = _notes_in_a_row(body, tail, width)
    for index in range(len(tail) - 1 - count, 0, -1):
        rows = [r for r in body if r.line < tail[index].line]
        if len(rows) < 2 or not _is_note(tail[index], rows, width):
            break
        count += 1
    return count


def _notes_in_a_row(body: list[Record], tail: list[Record], width: int) -> int:
    """How many of the last records are lines of text alone, below a blank line or begun as notes begin.

    One by one the later of them look usual, for there are more such lines above them.
    """
    count = 0
    while count < len(tail) - 1 and _alone(tail[-count - 1]):
        count += 1
    if not count or width < 2:
        return 0
    first, above = tail[-count], tail[-count - 1]
    rows = [r for r in body if r.line < first.line]
    if len(rows) < 2 or sum(filled(r) > 1 for r in rows) < len(rows) * 0.9:
        return 0
    breaks = sum(cell.count("\n") for cell in above.cells)
    apart = first.line - above.line - breaks > 1
    text = clean_header(first.cells[0])
    return count if apart or _NOTE.fullmatch(text) or _RULER.fullmatch(text) else 0


def _alone(record: Record) -> bool:
    """True for text in the first cell and nothing beside it."""
    if filled(record) != 1:
        return False
    text = clean_header(record.cells[0])
    return bool(text) and (looks_like(text) == "text" or _RULER.fullmatch(text) is not None)


def _is_note(record: Record, rows: list[Record], width: int) -> bool:
    typical = sorted(filled(r) for r in some_of(rows, width))[len(some_of(rows, width)) // 2]
    first = clean_header(record.cells[0]) if record.cells else ""
    alone = filled(record) == 1 and bool(first)
    if width >= 3 and typical >= 3 and filled(record) == 1 and total_label(record):
        return True  # a total that gives no sum
    if width >= 2 and alone and typical > 1 and _NOTE.fullmatch(first):
        return True
    if width >= 3 and typical >= 3 and alone:
        sparse = sum(filled(r) == 1 for r in rows)
        apart = len(record.cells) == 1 or len(first) > 40 or record.line - rows[-1].line > 1 + len(rows[-1].cells)
        return sparse <= len(rows) * 0.05 and looks_like(first) != "number" and apart
    if width >= 2 and len(record.cells) == 1 and all(len(r.cells) > 1 for r in rows[-20:]):
        return looks_like(first) == "text"
    kinds = column_kinds(rows, width)
    if filled(record) >= max(typical, 2) and not (_NOTE.fullmatch(first) or _BALANCE.fullmatch(first)):
        return bool(total_label(record)) and _clash(record, kinds) > 1
    if kinds and kinds[0] == "date" and _BALANCE.fullmatch(first):
        return True
    clash = _clash(record, kinds)
    return clash > 1 or (clash == 1 and alone and typical > 1 and len(rows) > 4)


def _clash(record: Record, kinds: list[str]) -> int:
    """How many cells are words in columns of numbers and dates; 0 when any cell fits its column."""
    clash = 0
    for cell, kind in zip(record.cells, kinds, strict=False):
        if not cell.strip():
            continue
        if kind == "text" or looks_like(cell) != "text":
            return 0
        clash += 1
    return clash


def total_label(record: Record) -> str:
    """The cell that calls a row a total, empty when none does."""
    first = next(filter(None, map(clean_header, record.cells)), "")
    text = first.casefold().rstrip(" :.*")
    return first if text in TOTALS or (len(text) < 60 and _TOTAL_OF.fullmatch(text)) else ""
