"""The look at ODS workbooks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from xml.parsers.expat import ExpatError

from tabulaflow_core.data.files.formats.workbook.look.model import WorkbookLook
from tabulaflow_core.data.files.formats.workbook.look.ods_content import ContentReader
from tabulaflow_core.data.files.formats.workbook.look.ods_scan import scan_body
from tabulaflow_core.data.files.formats.workbook.look.ods_styles import DataStyles
from tabulaflow_core.data.files.formats.workbook.look.opc import LINKS, MACROS
from tabulaflow_core.data.files.formats.workbook.look.package import ENCRYPTED, Package
from tabulaflow_core.data.files.formats.workbook.look.scan import Unusual
from tabulaflow_core.data.files.formats.workbook.look.xml import Attributes, XmlStream, is_plain, read_xml
from tabulaflow_core.data.files.watch import ReadBounds, Watch
from tabulaflow_core.errors import FileUnreadable

_SPREADSHEET = re.compile(rb"<office:spreadsheet(?:\s[^>]*)?>")
#: Prefixes that attributes are known by here, by the last words of their namespaces.
_PREFIXES = {"office": "office", "style": "style", "table": "table", "datastyle": "number", "text": "text"}
_NAMESPACE = re.compile(rb"""xmlns:([\w.-]+)\s*=\s*["']urn:oasis:names:tc:opendocument:xmlns:(\w+):1.0["']""", re.ASCII)
_NO_STYLES = "The workbook's shared styles could not be read, so some percent and currency formats may be missing."


def look_at_ods(path: Path, *, watch: Watch) -> WorkbookLook:
    """Look at an ODS workbook.

    Raises:
        FileUnreadable: It is encrypted or holds no spreadsheet, or goes beyond the bounds.
        zipfile.BadZipFile, xml.parsers.expat.ExpatError: It is damaged; so may be other errors of reading a zip.
    """
    bounds = watch.bounds
    with Package(path, watch=watch) as package:
        if "encrypted-package" in package or _is_encrypted(package, bounds=bounds):
            raise FileUnreadable(ENCRYPTED)
        if "content.xml" not in package:
            raise FileUnreadable("This file is a zip, but no spreadsheet is in it. Choose another file.")
        styles = DataStyles()
        notices = [MACROS] * any(part.startswith(("basic/", "scripts/")) for part in package.names())
        package.total = package.size("content.xml") + package.size("styles.xml")
        try:
            _careful(package.blocks("styles.xml"), styles, None, bounds=bounds)
        except ExpatError:
            notices.append(_NO_STYLES)
        try:
            reader = ContentReader(styles)
            _quick(package.blocks("content.xml"), styles, reader, bounds=bounds)
        except Unusual:
            reader = ContentReader(styles)
            _careful(package.blocks("content.xml"), styles, reader, bounds=bounds)
        notices += [LINKS] * reader.links
        return WorkbookLook(tuple(reader.finish()), reader.date_1904, tuple(notices))


def _is_encrypted(package: Package, *, bounds: ReadBounds) -> bool:
    found = False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal found
        found |= name == "encryption-data"

    read_xml(package.blocks("META-INF/manifest.xml"), start, bounds=bounds)
    return found


def _quick(blocks: Iterator[bytes], styles: DataStyles, reader: ContentReader, *, bounds: ReadBounds) -> None:
    """Read the styles element by element, and then the tables by their tags.

    Raises:
        Unusual: The document must be read as a whole.
    """
    head = b""
    for block in blocks:
        head += block
        found = _SPREADSHEET.search(head)
        if found is not None:
            break
        if len(head) > bounds.cell_bytes:
            raise Unusual
    else:
        raise Unusual
    before = head[: found.end()]
    if not is_plain(before) or _renamed(before) or found[0].endswith(b"/>"):
        raise Unusual
    stream = XmlStream(reader.start, reader.end, bounds=bounds, text=styles.text)
    stream.feed(before)
    scan_body(head[found.end() :], blocks, reader, most=bounds.cell_bytes)


def _careful(blocks: Iterator[bytes], styles: DataStyles, reader: ContentReader | None, *, bounds: ReadBounds) -> None:
    """Read a document element by element, also one with prefixes of its own choice."""
    head = next(blocks, b"")
    rename = _renamed(head)
    takes = reader or styles

    def renamed(name: str, attributes: Attributes) -> None:
        usual: Attributes = {}
        for key, value in attributes.items():
            prefix, colon, rest = key.partition(":")
            usual[rename.get(prefix, prefix) + colon + rest] = value
        takes.start(name, usual)

    stream = XmlStream(renamed if rename else takes.start, takes.end, bounds=bounds, text=styles.text)
    if reader:
        reader.on_sheets = stream.ignore_text
    for block in chain((head,), blocks) if head else ():
        stream.feed(block)
    if head:
        stream.close()


def _renamed(head: bytes) -> dict[str, str]:
    """The usual prefixes by those that the document has in their place."""
    found = ((prefix.decode(), uri.decode()) for prefix, uri in _NAMESPACE.findall(head[:20_000]))
    return {prefix: _PREFIXES[uri] for prefix, uri in found if _PREFIXES.get(uri, prefix) != prefix}
