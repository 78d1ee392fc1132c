"""The quick way through the body of an ODS document: start tags of the table namespace, and nothing else.

The cells of a sheet have few different start tags once their values are cut out, so each kind is read once. What
this way cannot be sure of raises `Unusual`, and the document is read again element by element.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from tabulaflow_core.data.files.formats.workbook.look.ods_content import ContentReader, OdsCell
from tabulaflow_core.data.files.formats.workbook.look.scan import Unusual
from tabulaflow_core.data.files.formats.workbook.look.xml import Attributes
from tabulaflow_core.errors import FileUnreadable

_TAG = re.compile(rb"<table:([a-z-]+)([^>]*)>|</table:(table-row|table|dde-link)>")
_ATTRIBUTE = re.compile(rb"""\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_CELLS = (b"table-cell", b"covered-table-cell")
_MOST_KINDS = 20_000


def scan_body(data: bytes, blocks: Iterator[bytes], reader: ContentReader, *, most: int) -> None:
    """Hand the tables of a document to a reader.

    Args:
        data: What follows the tag that opens the spreadsheet, as far as it is unpacked.
        blocks: The rest.
        most: Bytes between two tags.

    Raises:
        Unusual: Something in it needs the slow way.
        FileUnreadable: There are more bytes than that between two tags.
    """
    kinds: dict[bytes, OdsCell] = {}
    for block in blocks:
        data += block
        cut = data.rfind(b"<table:")
        if cut > 0:
            _feed(data[:cut], reader, kinds)
            data = data[cut:]
        elif len(data) > most:
            raise FileUnreadable("This workbook holds one value that is larger than the allowed amount.")
    _feed(data, reader, kinds)


def _feed(piece: bytes, reader: ContentReader, kinds: dict[bytes, OdsCell]) -> None:
    if b"<!" in piece or b"<?" in piece:
        raise Unusual
    for name, written, closed in _TAG.findall(piece):
        if name in _CELLS:
            at = written.find(b'value="')
            kind = written[:at] + written[written.find(b'"', at + 7) + 1 :] if at >= 0 else written
            cell = kinds.get(kind)
            if cell is None:
                cell = OdsCell.of(_attributes(kind))
                if len(kinds) < _MOST_KINDS:
                    kinds[kind] = cell
            reader.cell(cell)
        elif closed:
            reader.end(closed.decode())
        else:
            reader.start(name.decode(), _attributes(written))
            if written.endswith(b"/"):
                reader.end(name.decode())


def _attributes(written: bytes) -> Attributes:
    if written.count(b'"') % 2 or written.count(b"'") % 2:
        raise Unusual  # a quoted `>` has cut the tag short, or a quote stands within the other kind
    try:
        return {
            name.decode(): html.unescape((double or single).decode())
            for name, double, single in _ATTRIBUTE.findall(written)
        }
    except UnicodeDecodeError as error:
        raise Unusual from error  # another encoding, which the slow way knows
