"""Text into records, so that one bad quote spoils one line and not the rest of the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

#: A quoted cell may run over this many lines before its opening quote is taken for a plain character.
_LONGEST_CELL_LINES = 500


@dataclass(frozen=True, slots=True)
class Dialect:
    """How cells are set apart. `delimiter` is empty for one column a line; `quote` and `escape` may be empty."""

    delimiter: str
    quote: str = '"'
    escape: str = ""


@dataclass(slots=True)
class Record:
    """One record: the number of its first line in the file, its cells, and its text on one line."""

    line: int
    cells: list[str]
    flaw: str = ""


@dataclass(slots=True)
class Tokenizer:
    """Splits lines into records.

    Attributes:
        width: The expected number of cells, 0 while unknown; decides between two readings of a bad quote.
        flaws: Records whose quotes do not close, counted.
    """

    dialect: Dialect
    width: int = 0
    flaws: int = 0
    _pushed: list[tuple[int, str]] = field(default_factory=list)

    @property
    def waiting(self) -> bool:
        """True when lines that were looked at have not been cut yet; the next `records` begins with them."""
        return bool(self._pushed)

    def records(self, lines: Iterable[tuple[int, str]], following: Iterable[tuple[int, str]] = ()) -> Iterator[Record]:
        """Records of numbered lines that still carry their line ends.

        Args:
            following: Where to go on when the last record of `lines` has no end there.
        """
        delimiter, quote = self.dialect.delimiter, self.dialect.quote
        source = iter(lines)
        beyond = chain(source, following)
        while True:
            item = self._pushed.pop() if self._pushed else next(source, None)
            if item is None:
                return
            number, raw = item
            text = raw.rstrip("\r\n")
            if not quote or quote not in text:
                yield Record(number, text.split(delimiter) if delimiter else [text])
                continue
            cells, state = self._parse(text)
            if state == "open":
                yield self._long_record(number, raw, beyond)
            elif state == "bad":
                yield self._repair(number, text)
            else:
                yield Record(number, cells)

    def _long_record(self, number: int, raw: str, source: Iterator[tuple[int, str]]) -> Record:
        taken: list[tuple[int, str]] = []
        text = raw
        while len(taken) < _LONGEST_CELL_LINES:
            item = self._pushed.pop() if self._pushed else next(source, None)
            if item is None:
                break
            taken.append(item)
            text += item[1]
            if self.dialect.quote not in item[1]:
                continue
            cells, state = self._parse(text.rstrip("\r\n"))
            if state == "bad" or (state == "ok" and self.width and len(cells) > self.width):
                break
            if state == "ok":
                return Record(number, cells)
        self._pushed.extend(reversed(taken))
        return self._repair(number, raw.rstrip("\r\n"))

    def _repair(self, number: int, text: str) -> Record:
        self.flaws += 1
        lenient, state = self._parse(text, lenient=True)
        plain = self._plain(text)
        if state == "ok" and (not self.width or len(lenient) == self.width or len(plain) != self.width):
            return Record(number, lenient, "a quote inside a quoted cell is not doubled")
        return Record(number, plain, "a quote is opened and not closed")

    def _plain(self, text: str) -> list[str]:
        """Cells of a line whose bad quotes are plain characters; the good ones still count."""
        cells: list[str] = []
        position = 0
        while True:
            found = self._quoted(text, position, lenient=False)
            if isinstance(found, str):
                end = text.find(self.dialect.delimiter, position) if self.dialect.delimiter else -1
                cells.append(text[position:] if end < 0 else text[position:end])
                position = len(text) + 1 if end < 0 else end + len(self.dialect.delimiter)
            else:
                cells.append(found[0])
                position = found[1]
            if position > len(text):
                return cells

    def _parse(self, text: str, *, lenient: bool = False) -> tuple[list[str], str]:
        """Cells, and `ok`, `open` (the last quote is not closed) or `bad` (text after a closing quote)."""
        delimiter = self.dialect.delimiter
        cells: list[str] = []
        position = 0
        while position <= len(text):
            found = self._quoted(text, position, lenient=lenient)
            if found == "none":
                end = text.find(delimiter, position) if delimiter else -1
                cells.append(text[position:] if end < 0 else text[position:end])
                position = len(text) + 1 if end < 0 else end + len(delimiter)
            elif isinstance(found, str):
                return cells, found
            else:
                cells.append(found[0])
                position = found[1]
        return cells, "ok"

    def _quoted(self, text: str, position: int, *, lenient: bool) -> tuple[str, int] | str:
        """The quoted cell at `position` and where the next begins; else `none`, `open` or `bad`."""
        delimiter, quote, escape = self.dialect.delimiter, self.dialect.quote, self.dialect.escape
        start = position
        while text[start : start + 1] == " ":
            start += 1
        if text[start : start + 1] != quote:
            return "none"
        parts: list[str] = []
        begin = at = start + 1
        while True:
            end = text.find(quote, at)
            if end < 0:
                return "open"
            if escape and _escaped(text, end, escape, begin):
                parts.append(text[begin : end - 1] + quote)
                begin = at = end + 1
                continue
            if text[end + 1 : end + 2] == quote and not (escape and text[end + 2 : end + 3] not in (quote, "")):
                parts.append(text[begin : end + 1])
                begin = at = end + 2
                continue
            after = end + 1
            while text[after : after + 1] == " " and delimiter != " ":
                after += 1
            if after >= len(text):
                return "".join(parts) + text[begin:end], len(text) + 1
            if delimiter and text.startswith(delimiter, after):
                return "".join(parts) + text[begin:end], after + len(delimiter)
            if not lenient:
                return "bad"
            at = end + 1


def _escaped(text: str, end: int, escape: str, begin: int) -> bool:
    count = 0
    while end - 1 - count >= begin and text[end - 1 - count] == escape:
        count += 1
    return count % 2 == 1
