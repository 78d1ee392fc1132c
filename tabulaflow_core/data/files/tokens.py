"""Text into records, so that one bad quote spoils one line and not the rest of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

#: A quoted cell may run over this many lines before its opening quote is taken for a plain character.
_LONGEST_CELL_LINES = 500


#: A word of a line that blanks cut, quotes around blanks included.
_WORD = re.compile(r'"(?:[^"]|"")*"(?!\S)|\S+')


@dataclass(frozen=True, slots=True)
class Dialect:
    """How cells are set apart.

    Attributes:
        delimiter: One or more characters; empty for one column a line.
        quote: One character or none.
        escape: One character or none.
        repeated: A run of blanks, at least as long as `delimiter`, is one delimiter.
        places: Where columns begin and end in every line, in place of a delimiter.
    """

    delimiter: str
    quote: str = '"'
    escape: str = ""
    repeated: bool = False
    places: tuple[tuple[int, int], ...] = ()

    @property
    def plain(self) -> bool:
        """True when one character parts the cells, as every CSV reader knows it."""
        return len(self.delimiter) == 1 and not self.repeated and not self.places


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
        quote = self.dialect.quote
        source = iter(lines)
        beyond = chain(source, following)
        while True:
            item = self._pushed.pop() if self._pushed else next(source, None)
            if item is None:
                return
            number, raw = item
            text = raw.rstrip("\r\n")
            if self.dialect.places or self.dialect.repeated:
                yield Record(number, self._blanks(text))
                continue
            if not quote or quote not in text:
                if self.dialect.escape and text.endswith(self.dialect.escape):
                    text = self._continued(text, beyond)
                for cells in self._lines_in(text) if "\r" in text else [self._split(text)]:
                    yield Record(number, cells)
                continue
            cells, state = self._parse(text)
            if state == "open":
                yield self._long_record(number, raw, beyond)
            elif state == "bad":
                yield self._repair(number, text)
            else:
                yield Record(number, cells)

    def _lines_in(self, text: str) -> list[list[str]]:
        """The cells of a line with CR in it: of several lines when each piece has all cells, else of one."""
        pieces = [self._split(piece) for piece in text.split("\r")]
        whole = self.width > 1 and all(len(cells) == self.width for cells in pieces)
        return pieces if whole else [self._split(text)]

    def _continued(self, text: str, source: Iterator[tuple[int, str]]) -> str:
        """The line with those that it goes on over, when an escape before its end says so and its cells are too few."""
        escape, taken = self.dialect.escape, 0
        while _escaped(text, len(text), escape, 0) and taken < _LONGEST_CELL_LINES:
            item = self._pushed.pop() if self._pushed else next(source, None)
            if item is None:
                break
            longer = text[: -len(escape)] + "\n" + item[1].rstrip("\r\n")
            if len(self._split(longer)) > self.width if self.width else self.dialect.quote:
                self._pushed.append(item)
                break
            text, taken = longer, taken + 1
        return text

    def _split(self, text: str) -> list[str]:
        """The cells of a line without quotes."""
        delimiter, escape = self.dialect.delimiter, self.dialect.escape
        if not delimiter:
            return [text]
        if not escape or escape not in text:
            return text.split(delimiter)
        twice = "" if self.dialect.quote else escape * 2  # beside quotes it escapes nothing but delimiters
        if twice:
            text = text.replace(twice, "\x00e")
        cells = text.replace(escape + delimiter, "\x00d").split(delimiter)
        return [cell.replace("\x00d", delimiter).replace("\x00e", escape) for cell in cells]

    def _blanks(self, text: str) -> list[str]:
        """The cells of a line that blanks cut."""
        text = text.expandtabs(8)
        if places := self.dialect.places:
            if not any(text[b - 1 : b].strip() and text[b : b + 1].strip() for b, _ in places[1:]):
                return [text[begin:end].strip() for begin, end in places]
            wide = re.split(r"\s{2,}", text.strip())
            if len(wide) == len(places):
                return wide
            cells: list[list[str]] = [[] for _ in places]
            for word in re.finditer(r"\S+", text):  # a header is often wider than its column
                inside = [min(word.end(), end) - max(word.start(), begin) for begin, end in places]
                cells[inside.index(max(inside))].append(word.group())
            return [" ".join(cell) for cell in cells]
        if len(self.dialect.delimiter) > 1:
            return re.split(r"\s{2,}", text.strip())
        words = _WORD.findall(text) if self.dialect.quote else text.split()
        return [w[1:-1].replace('""', '"') if len(w) > 1 and w[0] == w[-1] == '"' else w for w in words]

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
                parts.append(_bare(text[begin : end - 1], escape) + quote)
                begin = at = end + 1
                continue
            if text[end + 1 : end + 2] == quote and not (escape and text[end + 2 : end + 3] not in (quote, "")):
                parts.append(_bare(text[begin : end + 1], escape))
                begin = at = end + 2
                continue
            after = end + 1
            while text[after : after + 1] == " " and delimiter != " ":
                after += 1
            if after >= len(text):
                return "".join(parts) + _bare(text[begin:end], escape), len(text) + 1
            if delimiter and text.startswith(delimiter, after):
                return "".join(parts) + _bare(text[begin:end], escape), after + len(delimiter)
            if not lenient:
                return "bad"
            at = end + 1


def _bare(text: str, escape: str) -> str:
    """The text of a quoted cell with an escape that is escaped itself taken once."""
    return text.replace(escape * 2, escape) if escape else text


def _escaped(text: str, end: int, escape: str, begin: int) -> bool:
    count = 0
    while end - 1 - count >= begin and text[end - 1 - count] == escape:
        count += 1
    return count % 2 == 1
