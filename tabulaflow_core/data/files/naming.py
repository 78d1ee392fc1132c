"""Names of tables and columns: readable, unique without case, and as near to the file's own as can be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tabulaflow_core.data.reserved import is_catalog_name

_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_SPACES = re.compile(r"[\s\u00a0\u2007\u202f\u200b\ufeff]+")


def clean_header(cell: str) -> str:
    """The header cell without no-break and zero-width spaces, control characters, line breaks and outer blanks."""
    if cell.isascii() and cell.isprintable() and "  " not in cell:
        return cell.strip()  # nothing else is in it
    return _SPACES.sub(" ", _CONTROLS.sub("", cell)).strip()


def unique(names: Iterable[str]) -> list[str]:
    """The names with `_2`, `_3` … after repeated ones; SQL names are equal without case."""
    names = list(names)
    taken = {n.casefold() for n in names}
    seen: set[str] = set()
    result = []
    for name in names:
        chosen, count = name, 2
        while chosen.casefold() in seen or (chosen != name and chosen.casefold() in taken):
            chosen = f"{name}_{count}"
            count += 1
        seen.add(chosen.casefold())
        result.append(chosen)
    return result


def column_names(header: Sequence[str], width: int) -> list[str]:
    """Names for `width` columns: the cleaned header, `column_N` where it is blank."""
    cells = [clean_header(c) for c in header[:width]] + [""] * (width - len(header))
    return unique(cell or f"column_{i}" for i, cell in enumerate(cells, 1))


def table_name(text: str) -> str:
    """A name that needs no quoting in most engines: lower case, letters of every script kept.

    >>> table_name("Sales Report (2026)")
    'sales_report_2026'
    """
    name = re.sub(r"[^\w]+", "_", text.strip().lower()).strip("_")
    return f"t_{name}" if name[:1].isdigit() or is_catalog_name(name) else name or "table_1"
