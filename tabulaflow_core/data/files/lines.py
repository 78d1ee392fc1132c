"""Numbered lines of a text file, with their line ends, whatever those are."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

import numpy as np

from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileUnreadable

LineEnd = Literal["\n", "\r\n", "\r", "mixed"]

#: Text that is looked at before the delimiter is chosen.
SAMPLE_CHARS = 1 << 20
_BLOCK: Final = 1 << 20
#: Notes and totals are looked for among the last records, so these must not be cut off into a block of their own.
_LAST: Final = 1 << 16
#: Bytes that are compared at once, so that they stay near the processor.
_COUNTED: Final = 1 << 18
#: A quoted cell: line breaks in it end no line. No word goes on before or behind the quotes.
_QUOTED: Final = re.compile(r"""(?<!\w)(?:"(?:[^"\\]|""|\\.){0,5000}"|'(?:[^'\\]|''|\\.){0,5000}')(?!\w)""", re.DOTALL)
#: Codecs with a state or wide units: their lines cannot be cut before decoding.
_STATEFUL: Final = ("utf-16", "utf-32", "utf-7", "iso2022", "hz")


def detect_line_end(path: Path, codec: str) -> LineEnd:
    """The line end of the first megabyte's lines, without the line breaks in quoted cells; `mixed` for CR and LF."""
    with path.open(encoding=codec, errors="replace", newline="") as file:
        text = file.read(SAMPLE_CHARS)
    if "\r" in text and "\n" in text:
        bare = _QUOTED.sub("", text)
        text = bare if "\r" in bare or "\n" in bare else text
        if _is_mixed(text):
            return "mixed"
    pairs = text.count("\r\n")
    feeds = text.count("\n") - pairs
    returns = text.count("\r") - pairs
    if returns > (pairs + feeds) * 2:
        return "\r"
    return "\r\n" if pairs >= feeds and pairs else "\n"


def _is_mixed(text: str) -> bool:
    """True when CR ends some lines and LF others: what stands around the rarer one has as many cells as other lines.

    A CR that a program left within a cell parts a line in pieces of which none is whole.
    """
    lines = io.StringIO(text, newline="").readlines()
    if len(text) == SAMPLE_CHARS:
        lines.pop()  # it may be cut
    returns = [line.endswith("\r") for line in lines]
    rare = sum(returns) <= len(lines) / 2
    if all(r != rare for r in returns):
        return False
    around = [r == rare or (at > 0 and returns[at - 1] == rare) for at, r in enumerate(returns)]
    full = [line for line in lines if line.strip("\r\n")]
    marks = [d for d in ",;\t|" if any(d in line for line in full)]
    if not marks:
        return True
    mark = max(marks, key=lambda d: sum(d in line for line in full))
    typical = Counter(line.count(mark) for line in full).most_common(1)[0][0]
    touched = [line.count(mark) == typical for line, near in zip(lines, around, strict=True) if near]
    return typical > 0 and sum(touched) >= len(touched) * 0.8


def count_byte(buffer: bytearray, byte: bytes, size: int) -> int:
    """How often a byte stands among the first `size`; for frequent bytes quicker than `bytearray.count`."""
    with memoryview(buffer)[:size] as view:
        cells = np.frombuffer(view, np.uint8)
        pieces = (cells[at : at + _COUNTED] for at in range(0, size, _COUNTED))
        found = sum(int(np.count_nonzero(piece == ord(byte))) for piece in pieces)
        del cells, pieces  # else the view cannot be let go
    return found


class Lines:
    """The lines of an open file, one by one or in blocks, numbered from 1.

    Attributes:
        damaged: Among the lines so far are characters that the encoding does not know.

    Args:
        watch: Hears how far the reading is; a line longer than its `bounds.cell_bytes` is refused.

    Raises:
        FileReadingStopped: While lines are read, when `watch.stop` was called.
        FileUnreadable: A line is too long, or the file is cut off or written to while it is read.
    """

    def __init__(self, file: io.BufferedReader, codec: str, end: LineEnd, watch: Watch) -> None:
        self._file = file
        self._codec = codecs.lookup(codec).name
        self._decoder = codecs.getincrementaldecoder(codec)("replace")
        self._mark = "\r" if end == "\r" else "\n"
        self._mixed = end == "mixed"
        stateful = self._codec.startswith(_STATEFUL)
        self._wide = self._mixed or self._mark == "\r" or stateful or "a\n".encode(self._codec)[-1:] != b"\n"
        self._watch = watch
        self.size = os.fstat(file.fileno()).st_size
        self._raw = b""  # read and not yet cut
        self._text = ""  # the same for wide codecs
        self._ended = False
        self._block: list[str] = []
        self._at = 0
        self._number = 0
        self._ahead: list[str] | None = None
        self._ahead_start = 0
        self.damaged = False

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
            self._ahead_start = self.done
            self._ahead = self._read()
        return bool(self._ahead)

    @property
    def done(self) -> int:
        """Bytes that were taken from the file."""
        return self._file.tell() - len(self._raw)

    def whole(self, buffer: bytearray, size: int, *, spare: int) -> tuple[int, int, int, int] | None:
        """Put up to `size` bytes of whole lines as they are into the buffer.

        They count as taken; `give_back` undoes it.

        Returns:
            The number of the first line, its place in the file, the size, and the number of lines. None when lines
            that were looked at wait to be taken, when the codec does not let lines be cut before decoding, or when
            there are not many more than `spare` bytes, which are left.
        """
        if self._wide or self._at < len(self._block):
            return None
        start = self.done if self._ahead is None else self._ahead_start
        size = min(size, self.size - start - spare)
        if size < _BLOCK:
            return None
        self._ahead, self._ended = None, False
        self._advance()
        if len(buffer) < size:
            buffer.extend(bytes(size - len(buffer)))
        self._file.seek(start)
        with memoryview(buffer) as view:
            filled = self._file.readinto(view[:size])
        cut = buffer.rfind(b"\n", 0, filled) + 1
        self._file.seek(start + cut)
        self._raw = b""
        if not cut:
            return None
        first = self._number + 1
        count = count_byte(buffer, b"\n", cut)
        self._number += count
        return first, start, cut, count

    def give_back(self, first: int, start: int) -> None:
        """Go back to the line `first`, at `start` in the file."""
        self._number = first - 1
        self._raw = b""
        self._file.seek(start)

    def _fill(self) -> bool:
        self._block = self._read() if self._ahead is None else self._ahead
        self._at, self._ahead = 0, None
        return bool(self._block)

    def _read(self) -> list[str]:
        """The next lines, about a megabyte of them; the last ones are not left alone."""
        self._advance()
        text = self._cut_text() if self._wide else self._cut_bytes()
        self.damaged = self.damaged or "\ufffd" in text
        if "\x00" in text:
            text = text.replace("\x00", "")
        if self._ended:
            text = text.removesuffix("\x1a")  # the mark of DOS for the end of a text
        if self._mixed:
            return io.StringIO(text, newline="").readlines()
        if self._mark == "\n":
            return io.StringIO(text, newline="\n").readlines()
        lines = [line + "\r" for line in text.split("\r")]
        lines[-1] = lines[-1][:-1]
        return lines if lines[-1] else lines[:-1]

    def _advance(self) -> None:
        self._watch.advance("reading", self.done, self.size)

    def _cut_bytes(self) -> str:
        """Whole lines of bytes, decoded."""
        parts, length = [self._raw], len(self._raw)
        while not self._ended:
            piece = self._piece()
            if not piece:
                break
            parts.append(piece)
            length += len(piece)
            if b"\n" in piece and self.size - self._file.tell() > _LAST:
                break
            self._refuse_long(length if b"\n" not in piece else 0)
        raw = b"".join(parts)
        cut = len(raw) if self._ended else raw.rfind(b"\n") + 1
        self._raw = raw[cut:]
        return self._decoder.decode(raw[:cut], final=self._ended)

    def _cut_text(self) -> str:
        """Whole lines of text, where bytes do not show the lines."""
        parts, length = [self._text], len(self._text)
        while not self._ended:
            text = self._decoder.decode(self._piece(), final=self._ended)
            parts.append(text)
            length += len(text)
            ended = self._mark in text or (self._mixed and "\r" in text[:-1])
            if ended and self.size - self._file.tell() > _LAST:
                break
            self._refuse_long(0 if ended else length)
        whole = "".join(parts)
        cut = len(whole) if self._ended else whole.rfind(self._mark) + 1
        if self._mixed and not self._ended:
            cut = max(cut, whole.rfind("\r", 0, len(whole) - 1) + 1)
            cut += whole.startswith("\n", cut)  # of a pair
        self._text = whole[cut:]
        return whole[:cut]

    def _refuse_long(self, length: int) -> None:
        most = self._watch.bounds.cell_bytes
        if length > most:
            raise FileUnreadable(
                f"A line is longer than {most:,} bytes, more than a row of a table holds. "
                "The file is damaged or has other line ends than text has; export it again."
            )

    def _piece(self) -> bytes:
        """The next bytes; none at the end of the file, which must lie where it lay at the beginning."""
        piece = self._file.read(_BLOCK)
        self._ended = not piece
        if self._file.tell() > self.size or (self._ended and self._file.tell() != self.size):
            raise FileUnreadable(
                "The file was changed while it was read. Read it again when no program writes to it any more."
            )
        return piece


@contextmanager
def open_lines(path: Path, codec: str, end: LineEnd, watch: Watch | None = None) -> Iterator[Lines]:
    """The lines of a file. Bytes that the codec does not know become U+FFFD."""
    with path.open("rb") as raw:
        yield Lines(raw, codec, end, watch or Watch())
