"""JSON from a file bit by bit: values one after the other, with one of them in memory at a time."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Final

from tabulaflow_core.data.files.formats import ReadJob
from tabulaflow_core.data.files.formats.json_values import Decoder, Value, too_deep
from tabulaflow_core.data.files.report import LISTED, SkippedLine
from tabulaflow_core.errors import FileUnreadable

#: White space of JSON, a byte order mark, and the record separator of RFC 7464.
BLANK: Final = " \t\r\n\ufeff\x1e\x00"
_BLANKS: Final = re.compile(f"[{BLANK}]*")
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_CHUNK: Final = 1 << 20
#: What stands between values of which each has lines of its own, and between the elements of a list.
_LINES: Final = re.compile(r"[ \t\r]*,?[ \t\r]*\n[ \t\r\n]*")
_COMMA: Final = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")
#: Values that are handed on together, at least.
_TOGETHER: Final = 2_000
#: So often at most a quick way that failed is left alone.
_PATIENCE: Final = 1 << 10
#: A fault this near the end of what was read may be cured by reading on: the longest word is `-Infinity`.
_NEAR: Final = 12


if TYPE_CHECKING:
    from tabulaflow_core.data.files.formats.json_found import Take


class Broken(Exception):
    """What stands there is no JSON."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.why = why


@dataclass(slots=True)
class Skipped:
    """Lines that are no JSON."""

    count: int = 0
    lines: list[SkippedLine] = field(default_factory=list)


class _Patience:
    """Whether a quick way is worth a try: the more often it failed in a row, the longer it is left alone."""

    def __init__(self) -> None:
        self._alone = 0
        self._failed = 0

    def worth(self) -> bool:
        """Whether to try it now."""
        self._alone -= 1
        return self._alone < 0

    def tell(self, went: bool) -> None:
        """How the try went."""
        self._failed = 0 if went else min(2 * self._failed + 1, _PATIENCE)
        self._alone = self._failed


def _border(text: str, start: int) -> str:
    """What stands from the end of one element to the beginning of the next, at `start`; empty for plain values."""
    if text[start] not in "{[":
        return ""
    end = len(text[max(0, start - 1000) : start].rstrip(", \t\r\n")) + max(0, start - 1000)
    quote = text.find('"', text.find('"', start) + 1) if text[start] == "{" else start
    return text[end - 1 : max(quote, start) + 1]


class Feed:
    """Reads values, brackets and separators from a text stream."""

    def __init__(self, job: ReadJob, raw: BinaryIO, codec: str, decoder: Decoder) -> None:
        self._job = job
        self._raw = raw
        self._utf8 = codecs.lookup(codec).name in ("utf-8", "utf-8-sig", "ascii")
        self._text = codecs.getincrementaldecoder(codec)(errors="replace")
        self._ahead = memoryview(b"")  # read, but not decoded yet
        self._decoder = decoder
        self._buffer = ""
        self._at = 0
        self._line = 1
        self._counted = 0  # as far as this, line ends are in `_line`
        self._ended = False
        self._border = ""  # the end of an element and the beginning of the next
        self._at_once, self._in_row = _Patience(), _Patience()
        self.size = job.path.stat().st_size

    @property
    def line(self) -> int:
        """The number of the line that is read, from 1."""
        passed = self._buffer.count("\n", self._counted, self._at)
        self._line += passed or self._buffer.count("\r", self._counted, self._at)
        self._counted = self._at
        return self._line

    def peek(self) -> str:
        """The next character that is not blank, empty at the end."""
        while True:
            char = self._buffer[self._at : self._at + 1]
            if char > " " and char != "\ufeff":
                return char
            match = _BLANKS.match(self._buffer, self._at)
            assert match is not None
            self._at = match.end()
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return ""

    def take(self, chars: str) -> str:
        """The next character, which must be one of `chars`.

        Raises:
            Broken: It is another.
        """
        char = self.peek()
        if not char or char not in chars:
            raise Broken(self.line, f"{' or '.join(chars)} is missing" if char else "it ends too early")
        self._at += 1
        return char

    def value(self) -> Value:
        """The next value.

        Raises:
            Broken: It is no JSON.
            FileUnreadable: It is too long, or nested too deep.
        """
        self.peek()
        while True:
            try:
                value, end = self._decoder.decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                cut = error.pos >= len(self._buffer) - _NEAR or error.msg.startswith("Unterminated")
                if cut and self._more():
                    continue
                raise Broken(self.line, error.msg if not cut else "it ends too early") from None
            except RecursionError:
                raise too_deep(self._job.name, self._job.watch.bounds.nesting) from None
            # A number may go on in what is not read yet.
            if end < len(self._buffer) or not self._more():
                self._at = end
                return value

    def elements(self) -> list[Value]:
        """The next values that have a comma after them, as many as are read already; perhaps none."""
        if self._border and self._at_once.worth():
            self.peek()
            cut = self._buffer.rfind(self._border, self._at) + 1
            values = self._decoder.elements(self._buffer[self._at : cut]) if cut else None
            self._at_once.tell(values is not None)
            if values:
                found = _COMMA.match(self._buffer, cut)
                assert found is not None  # it is part of the border
                self._at = found.end()
                return values
        values, starts = self._run(_COMMA)
        if len(starts) > 1:
            self._border = _border(self._buffer, starts[1])
        return values

    def whole_lines(self) -> list[tuple[int, Value]]:
        """The next values that have a line end after them, with their lines; as many as are read, perhaps none."""
        self.peek()
        line, before = self.line, self._at
        cut = self._buffer.rfind("\n", before) if self._at_once.worth() else -1
        if cut > before:
            values = self._decoder.lines(self._buffer[before:cut])
            self._at_once.tell(values is not None)
            if values is not None:
                self._at = cut + 1
                return list(enumerate(values, line))
        values, starts = self._run(_LINES)
        found = []
        for start, value in zip(starts, values, strict=True):
            line += self._buffer.count("\n", before, start)
            before = start
            found.append((line, value))
        return found

    def _run(self, between: re.Pattern[str]) -> tuple[list[Value], list[int]]:
        if not self._in_row.worth():
            return [], []
        self.peek()
        values, starts, self._at = self._decoder.run(self._buffer, self._at, between)
        self._in_row.tell(bool(values))
        return values, starts

    def skip_line(self) -> str:
        """Leave out the rest of the line; its text."""
        found = ""
        while True:
            match = _LINE_END.search(self._buffer, self._at)
            end = match.end() if match else len(self._buffer)
            found = (found + self._buffer[self._at : end])[:500]
            self._at = end
            if match or not self._more():
                return found.strip()

    def _more(self) -> bool:
        """Read on; False at the end of the file."""
        if self._ended:
            return False
        waiting = len(self._buffer) - self._at
        most = self._job.watch.bounds.cell_bytes
        if waiting > most:
            raise FileUnreadable(
                f"{self._job.name} has a value of more than {most // 1024**2} MB on line {self.line}, the most that "
                "one may have. Export it in smaller records, or raise the bound (cell_bytes)."
            )
        self._job.watch.advance("reading", self.done, self.size)
        block = self._decoded(max(_CHUNK, waiting))
        assert self.line  # counted up to here
        self._buffer = self._buffer[self._at :] + block
        self._at = self._counted = 0
        self._ended = not block
        return bool(block)

    def _decoded(self, size: int) -> str:
        while True:
            data = bytes(self._ahead[:size]) if self._ahead else self._raw.read(size)
            self._ahead = self._ahead[size:]
            text = self._text.decode(data, final=not data)
            if text or not data:
                return text

    @property
    def done(self) -> int:
        """The bytes of the file that are read."""
        return min(self._raw.tell() - len(self._ahead), self.size)

    def block(self, size: int) -> bytes:
        """About so many of the next bytes, in UTF-8; none where the file has another encoding."""
        if not self._utf8:
            return b""
        assert self.line  # counted up to here
        waiting = self._buffer[self._at :].encode() + self._text.getstate()[0]
        self._text.reset()
        self._buffer, self._at, self._counted = "", 0, 0
        more = bytes(self._ahead[:size])
        self._ahead = self._ahead[size:]
        return b"".join((waiting, more, self._raw.read(max(0, size - len(waiting) - len(more)))))

    def give_back(self, data: bytes | memoryview, line: int) -> None:
        """Let `data`, which was taken as a block and begins on this line, be read again."""
        if data:
            self._ahead = memoryview(b"".join((data, self._ahead))) if self._ahead else memoryview(data)
        self._line, self._ended = line, self._ended and not data


@contextmanager
def open_feed(job: ReadJob, codec: str, decoder: Decoder) -> Iterator[Feed]:
    """A feed at the beginning of the file."""
    with job.path.open("rb") as raw:
        yield Feed(job, raw, codec, decoder)


def sequence(feed: Feed, skipped: Skipped, take: Take) -> Iterator[list[tuple[int, Value]]]:
    """Values behind each other with their lines, some at a time, with or without commas and line ends between them.

    Where one is broken, the rest of its line is left out.
    """
    found: list[tuple[int, Value]] = []
    while feed.peek():
        found += feed.whole_lines()
        if feed.peek():
            line = feed.line
            try:
                found.append((line, feed.value()))
                if feed.peek() == ",":
                    feed.take(",")
            except Broken as error:
                skipped.count += 1
                text = feed.skip_line()
                if len(skipped.lines) < LISTED:
                    skipped.lines.append(SkippedLine(error.line, text, f"no JSON: {error.why}"))
        if len(found) >= _TOGETHER:
            yield found
            found = []
            if feed.peek():
                take(feed, None)
    if found:
        yield found


def elements(feed: Feed, take: Take) -> Iterator[list[tuple[int, Value]]]:
    """The elements of a list with their numbers, some at a time.

    Raises:
        Broken: It is no JSON.
    """
    feed.take("[")
    found: list[tuple[int, Value]] = []
    number = 1
    if feed.peek() == "]":
        feed.take("]")
        return
    while True:
        values = feed.elements()
        values.append(feed.value())
        found += enumerate(values, number)
        number += len(values)
        ended = feed.take(",]") == "]"
        if ended or len(found) >= _TOGETHER:
            yield found
            found = []
        if ended:
            return
        if not found and feed.peek() == "{":
            number += take(feed, number - 1)


def walk(feed: Feed, *, levels: int, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[Value]]]:
    """The elements of every list that is reached through objects alone, and other values, by their paths.

    A list gives its elements some at a time, with `""` at the end of their path; one without elements gives nothing.

    Raises:
        Broken: It is no JSON.
    """
    opened = feed.peek()
    if opened == "[":
        feed.take("[")
        if feed.peek() == "]":
            feed.take("]")
            return
        inner = (*path, "")
        while True:
            if values := feed.elements():
                yield inner, values
            yield inner, [feed.value()]
            if feed.take(",]") == "]":
                return
    if opened != "{" or len(path) >= levels:
        yield path, [feed.value()]
        return
    feed.take("{")
    if feed.peek() == "}":
        feed.take("}")
        return
    while True:
        if feed.peek() != '"':
            raise Broken(feed.line, "a key is missing")
        key = feed.value()
        feed.take(":")
        yield from walk(feed, levels=levels, path=(*path, str(key)))
        if feed.take(",}") == "}":
            return
