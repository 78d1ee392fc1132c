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
#: A line this long is cut: a file without line ends must not fill the memory.
_LONGEST_LINE = 16 << 20


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


@contextmanager
def open_lines(path: Path, codec: str, end: LineEnd) -> Iterator[Iterator[tuple[int, str]]]:
    """Lines numbered from 1. Bytes that the codec does not know become U+FFFD."""
    with path.open("rb") as raw:
        text = io.TextIOWrapper(raw, encoding=codec, errors="replace", newline="\r" if end == "\r" else "\n")
        yield _numbered(text)
        text.detach()


def _numbered(text: io.TextIOWrapper) -> Iterator[tuple[int, str]]:
    number = 0
    while line := text.readline(_LONGEST_LINE):
        number += 1
        yield number, line.replace("\x00", "") if "\x00" in line else line
