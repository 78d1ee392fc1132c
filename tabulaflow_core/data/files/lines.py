"""Numbered lines of a text file, with their line ends, whatever those are."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

LineEnd = Literal["\n", "\r\n", "\r"]

#: Text that is looked at before the delimiter is chosen.
SAMPLE_CHARS = 1 << 20
_BLOCK_CHARS = 1 << 20


def detect_line_end(path: Path, codec: str) -> LineEnd:
    """The line end that most lines of the first megabyte have; a lone CR counts only when no LF does."""
    with path.open(encoding=codec, errors="replace", newline="") as file:
        text = file.read(SAMPLE_CHARS)
    pairs = text.count("\r\n")
    feeds = text.count("\n") - pairs
    returns = text.count("\r") - pairs
    if returns > (pairs + feeds) * 2:
        return "\r"
    return "\r\n" if pairs >= feeds and pairs else "\n"


class Lines:
    """The lines of an open file, one by one or in blocks, numbered from 1."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._block: list[str] = []
        self._at = 0
        self._number = 0
        self._ahead: list[str] | None = None

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return self

    def __next__(self) -> tuple[int, str]:
        if self._at >= len(self._block) and not self._fill():
            raise StopIteration
        line = self._block[self._at]
        self._at += 1
        self._number += 1
        return self._number, line

    def block(self) -> tuple[int, list[str]]:
        """The number of the first of the next lines, and a block of them; an empty one at the end."""
        if self._at >= len(self._block) and not self._fill():
            return self._number + 1, []
        lines = self._block[self._at :]
        first = self._number + 1
        self._at = len(self._block)
        self._number += len(lines)
        return first, lines

    @property
    def more(self) -> bool:
        """True when there are lines after the block that was taken last."""
        if self._at < len(self._block):
            return True
        if self._ahead is None:
            self._ahead = self._read()
        return bool(self._ahead)

    def _fill(self) -> bool:
        self._block = self._read() if self._ahead is None else self._ahead
        self._at, self._ahead = 0, None
        return bool(self._block)

    def _read(self) -> list[str]:
        lines = self._text.readlines(_BLOCK_CHARS)
        if any("\x00" in line for line in lines):
            lines = [line.replace("\x00", "") for line in lines]
        return lines


@contextmanager
def open_lines(path: Path, codec: str, end: LineEnd) -> Iterator[Lines]:
    """The lines of a file. Bytes that the codec does not know become U+FFFD."""
    with path.open("rb") as raw:
        text = io.TextIOWrapper(raw, encoding=codec, errors="replace", newline="\r" if end == "\r" else "\n")
        try:
            yield Lines(text)
        finally:
            text.detach()
