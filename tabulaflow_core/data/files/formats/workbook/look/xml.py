"""XML of strangers, read as a stream: no document types, no entities of its own, no deep nesting, no endless token."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from xml.parsers import expat

from tabulaflow_core.data.files.watch import ReadBounds
from tabulaflow_core.errors import FileUnreadable

Attributes = dict[str, str]
Start = Callable[[str, Attributes], None]
End = Callable[[str], None]

_ENCODING = re.compile(rb"""<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)["']""")
#: Encodings in which `<`, names, digits and quotes are single ASCII bytes and can be nothing else.
_PLAIN = {b"utf-8", b"utf8", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252"}


def local(name: str) -> str:
    """A name without its prefix."""
    return name.rpartition(":")[2]


class _LocalNames(dict[str, str]):
    """Names without their prefixes, each worked out once."""

    def __missing__(self, name: str) -> str:
        if len(self) > 10_000:
            self.clear()
        self[name] = local(name)
        return self[name]


class XmlStream:
    """Calls `start` and `end` with the local names of elements as bytes are fed.

    Args:
        start: Takes the name and the attributes, these with their prefixes.
        text: Takes pieces of character data; without it they are dropped.
    """

    def __init__(self, start: Start, end: End | None = None, *, bounds: ReadBounds, text: End | None = None) -> None:
        self._start, self._end, self._bounds = start, end, bounds
        self._depth = 0
        self._most = bounds.nesting
        self._names = _LocalNames()
        self._fed = 0
        parser = self._parser = expat.ParserCreate()
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.StartDoctypeDeclHandler = _refuse
        if text is not None:
            parser.CharacterDataHandler = text

    def _on_start(self, name: str, attributes: Attributes) -> None:
        self._depth += 1
        if self._depth > self._most:
            raise FileUnreadable("This workbook's XML is nested deeper than any workbook needs, so it was not read.")
        self._start(self._names[name], attributes)

    def _on_end(self, name: str) -> None:
        self._depth -= 1
        if self._end is not None:
            self._end(self._names[name])

    def ignore_text(self) -> None:
        """From here on drop character data, which is half of the work where there is much of it."""
        self._parser.CharacterDataHandler = None

    def feed(self, block: bytes) -> None:
        """Parse some more.

        Raises:
            FileUnreadable: It has a document type, is nested too deep or has a token beyond the bounds.
            xml.parsers.expat.ExpatError: It is not well-formed.
        """
        self._parser.Parse(block, False)
        self._fed += len(block)
        if self._fed - self._parser.CurrentByteIndex > self._bounds.cell_bytes:
            raise FileUnreadable("This workbook holds one value that is larger than the allowed amount.")

    def close(self) -> None:
        """Say that this was all.

        Raises:
            xml.parsers.expat.ExpatError: It ends too early.
        """
        self._parser.Parse(b"", True)


def read_xml(
    blocks: Iterable[bytes], start: Start, end: End | None = None, *, bounds: ReadBounds, text: End | None = None
) -> None:
    """Read one whole document; nothing happens when there are no bytes.

    Raises:
        FileUnreadable: As `XmlStream.feed`.
        xml.parsers.expat.ExpatError: It is not well-formed.
    """
    stream, empty = XmlStream(start, end, bounds=bounds, text=text), True
    for block in blocks:
        stream.feed(block)
        empty = False
    if not empty:
        stream.close()


def _refuse(name: str, system: str | None, public: str | None, subset: bool) -> None:
    """Entities come only with a document type, and no spreadsheet has one."""
    raise FileUnreadable("This workbook's XML declares a document type, which no workbook needs, so it was not read.")


def is_plain(head: bytes) -> bool:
    """Whether a document that begins so can be searched byte by byte: no wide encoding, no document type or comment."""
    declared = _ENCODING.search(head[:200])
    return (declared is None or declared[1].lower() in _PLAIN) and b"\0" not in head and b"<!" not in head


def flag(attributes: Attributes, name: str) -> bool:
    """A boolean attribute of Office: `1` and `true` in any case."""
    return attributes.get(name, "").strip().lower() in ("1", "true", "on")


def whole(attributes: Attributes, name: str, default: int = 0) -> int:
    """A whole number from an attribute; the default when it is missing or not one."""
    text = attributes.get(name, "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default
