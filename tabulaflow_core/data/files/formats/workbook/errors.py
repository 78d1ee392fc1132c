"""Cells of XLSX that hold an error such as `#DIV/0!`: calamine gives them as empty ones."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.parsers.expat import ExpatError

from tabulaflow_core.data.files.formats.workbook.look.opc import list_sheets, relations, workbook_part
from tabulaflow_core.data.files.formats.workbook.look.package import Package
from tabulaflow_core.data.files.watch import Watch

#: How many cells are listed by their place; the count stays true beyond it.
LISTED_ERRORS: Final = 200
_CELL: Final = re.compile(rb"<(?:[\w.-]+:)?c\s[^>]*>")
_PLACE: Final = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]{1,3})([0-9]{1,7})["']""")
_ERROR: Final = re.compile(rb"""\st\s*=\s*["']e["']""")
_VALUE: Final = re.compile(rb"(?:<(?!/?(?:[\w.-]+:)?[cv][\s>/])[^>]*>|[^<]){0,40}?<(?:[\w.-]+:)?v>([^<]{1,20})<")


@dataclass(slots=True)
class ErrorCells:
    """The cells of one sheet that hold errors.

    Attributes:
        places: Row and column from 0, and the word, of the first 200.
        count: All of them.
        words: How often each word stands there.
    """

    places: list[tuple[int, int, str]] = field(default_factory=list)
    count: int = 0
    words: Counter[str] = field(default_factory=Counter)


def error_cells(path: Path, sheet: str, watch: Watch) -> ErrorCells:
    """Find the cells with errors of one sheet of an XLSX workbook.

    Raises:
        FileUnreadable: The part unpacks to more than the bounds allow.
        FileReadingStopped: Somebody stopped it.
    """
    found = ErrorCells()
    try:
        with Package(path, watch=watch) as package:
            main = workbook_part(package, bounds=watch.bounds, usual="xl/workbook.xml")
            listed, _ = list_sheets(package, main, bounds=watch.bounds)
            references = relations(package, main, bounds=watch.bounds)
            target = next((references[i.relation].target for i in listed if i.name == sheet), "")
            for piece in _whole_cells(package.blocks(target)):
                if _ERROR.search(piece):
                    _find(piece, found)
    except (
        KeyError,
        zipfile.BadZipFile,
        ExpatError,
    ):  # the values were read all the same; only the errors stay unknown
        return found
    return found


def _whole_cells(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks, cut before the last cell that begins in them."""
    rest = b""
    for block in blocks:
        data = rest + block
        cut = max(data.rfind(b"<c "), data.rfind(b":c "))
        cut = data.rfind(b"<", 0, cut + 1)
        if cut > 0:
            yield data[:cut]
            rest = data[cut:]
        else:
            rest = data
    yield rest


def _find(piece: bytes, found: ErrorCells) -> None:
    for match in _CELL.finditer(piece):
        if not _ERROR.search(match[0]):
            continue
        found.count += 1
        value = _VALUE.match(piece, match.end())
        word = value[1].decode("utf-8", "replace").strip() if value else "error"
        found.words[word] += 1
        place = _PLACE.search(match[0])
        if place is not None and len(found.places) < LISTED_ERRORS:
            column = 0
            for letter in place[1].upper():
                column = column * 26 + letter - 64
            found.places.append((int(place[2]) - 1, column - 1, word))
