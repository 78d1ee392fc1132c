"""Where a command writes: answers to standard output, everything else to standard error, JSON lines for programs."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Sequence
from typing import Final, TextIO

#: Control characters of data or of a model could move the cursor, recolour or retitle a terminal.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_STYLES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_MAX_CELL: Final = 48
_GAP: Final = "  "


def printable(text: str) -> str:
    """`text` without control characters, line breaks and tabs kept."""
    return _CONTROL.sub("", text)


def width(text: str) -> int:
    """Columns that `text` takes on a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class OutputClosed(Exception):
    """Standard output takes nothing more; the message says why, and is empty when its reader has seen enough."""


class Console:
    """The two streams of a process.

    Args:
        as_json: One JSON object a line on standard output; people's words are left out there.

    Attributes:
        ended: The last line was written.
    """

    def __init__(self, *, as_json: bool = False, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.as_json = as_json
        self._out = out or sys.stdout or _nowhere()
        self._err = err or sys.stderr or _nowhere()
        self._status = False
        self.ended = False

    @property
    def streams(self) -> bool:
        """Text may appear bit by bit: a person watches."""
        return not self.as_json and self._out.isatty()

    def json(self, value: object) -> None:
        """One line of JSON, written at once."""
        self.raw_json(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))

    def end(self, value: object) -> None:
        """The line that ends the output."""
        self.ended = True
        self.json(value)

    def raw_json(self, line: str) -> None:
        """One line that is JSON already."""
        try:
            line.encode(self._out.encoding or "utf-8")
        except UnicodeEncodeError:  # of an old code page, or half a surrogate pair: escaped, so that nothing is lost
            line = json.dumps(json.loads(line), separators=(",", ":"))
        self._write(self._out, line + "\n")

    def out(self, text: str = "", *, style: str = "", end: str = "\n") -> None:
        """Text for standard output."""
        self.clear_status()
        self._write(self._out, self._styled(printable(text), style, self._out) + end)

    def note(self, text: str, *, style: str = "dim") -> None:
        """A line for standard error."""
        self.clear_status()
        self._write(self._err, self._styled(printable(text), style, self._err) + "\n")

    def error(self, text: str) -> None:
        """What went wrong, on standard error."""
        self.note(text, style="red")

    def status(self, text: str) -> None:
        """A line that the next one replaces; only where a person watches."""
        if self._err.isatty():
            line = printable(text)[: shutil.get_terminal_size().columns - 1]
            self._write(self._err, f"\r\x1b[K{self._styled(line, 'dim', self._err)}")
            self._status = True

    def clear_status(self) -> None:
        """Take the status line away."""
        if self._status:
            self._write(self._err, "\r\x1b[K")
            self._status = False

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]], *, indent: str = "") -> None:
        """Aligned columns; numbers to the right, long cells cut."""
        numeric = [
            all(isinstance(row[i], _Number) or row[i] in (None, "") for row in rows) for i in range(len(columns))
        ]
        heads = [_cut(name) for name in columns]
        cells = [[_cut("" if cell is None else str(cell)) for cell in row] for row in rows]
        widths = [max(map(width, column)) for column in zip(heads, *cells, strict=True)]
        self.out(indent + _line(heads, widths, numeric), style="bold")
        self.out(indent + _GAP.join("─" * w for w in widths), style="dim")
        for row in cells:
            self.out(indent + _line(row, widths, numeric))

    def give_up(self, why: str) -> None:
        """Write no more to standard output, also not what Python would still flush at its end."""
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())
        except (OSError, ValueError):  # no real file behind it
            self._out = _nowhere()
        if why:
            self.error(why)

    def _styled(self, text: str, style: str, stream: TextIO) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if style and text and stream.isatty() else text

    def _write(self, stream: TextIO, text: str) -> None:
        try:
            try:
                stream.write(text)
            except UnicodeEncodeError:  # a terminal of an old code page
                encoding = stream.encoding or "ascii"
                stream.write(text.encode(encoding, "replace").decode(encoding))
            stream.flush()
        except OSError as error:
            if stream is self._err:  # nobody can be told
                self._err = _nowhere()
                return
            why = f"The output cannot be written: {error.strerror or error}. Make room, or write it elsewhere."
            raise OutputClosed("" if isinstance(error, BrokenPipeError) else why) from error


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


class Number(str):
    """A cell that is set to the right."""

    __slots__ = ()


_Number = (int, float, Number)


def _cut(text: str) -> str:
    text = " ".join(printable(text).split())
    if width(text) <= _MAX_CELL:
        return text
    kept = ""
    for char in text:
        if width(kept) + width(char) >= _MAX_CELL:
            break
        kept += char
    return kept + "…"


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = []
    for cell, wide, right in zip(cells, widths, numeric, strict=True):
        pad = " " * (wide - width(cell))
        padded.append(pad + cell if right else cell + pad)
    return _GAP.join(padded).rstrip()
