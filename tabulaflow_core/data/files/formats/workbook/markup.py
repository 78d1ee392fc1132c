"""Markup that holds tables: web pages, and the XML of Excel 2003, both of them mostly named as workbooks."""

from __future__ import annotations

import codecs
import re
from typing import Final
from xml.parsers.expat import ExpatError

from tabulaflow_core.data.files.encoding import unknown, wide_codec
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.formats.workbook.excel_xml import read_excel_xml
from tabulaflow_core.data.files.formats.workbook.pages import read_page
from tabulaflow_core.data.files.formats.workbook.reader import read_book
from tabulaflow_core.data.files.report import ReadingReport
from tabulaflow_core.errors import FileUnreadable

#: The name of the format in its own words, which stands among the first elements.
_EXCEL: Final = "urn:schemas-microsoft-com:office:spreadsheet"
#: What a page begins with, behind comments and declarations.
_PAGE: Final = re.compile(
    r"<(?:!doctype\s+html|html|head|meta|body|title|style|table|center|div|h[1-4]|p|font|form)\b", re.IGNORECASE
)
#: One of these must be near: a cell of a text file may begin with a tag too.
_SURE: Final = re.compile(r"<(?:!doctype\s+html|html|body|table)[\s>]", re.IGNORECASE)
_BEFORE: Final = re.compile(r"\s+|<!--.{0,4000}?-->|<\?xml[^>]{0,200}\?>|<\?mso-application[^>]{0,100}\?>", re.DOTALL)
_MAIL: Final = re.compile(r"(?:From:.*\n)?MIME-Version:.*", re.IGNORECASE)


def markup_kind(head: bytes) -> str:
    """`html`, `xml` for a workbook of Excel 2003, `mhtml` for a page packed as a mail; empty for anything else."""
    text = _decoded(head)
    if _MAIL.match(text) and "multipart/related" in text:
        return "mhtml"
    at = 0
    while (match := _BEFORE.match(text, at)) is not None:
        at = match.end()
    if text.startswith("<Workbook", at) or (text[at : at + 1] == "<" and ":Workbook" in text[at : at + 40]):
        return "xml" if _EXCEL in text else ""
    return "html" if _PAGE.match(text, at) and _SURE.search(text) else ""


def _decoded(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "replace")
    wide = wide_codec(head)
    return head.decode(wide or "utf-8-sig", "replace")


class MarkupReader:
    """Reads the tables of web pages and of Excel's XML."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """True for what begins as such markup, whatever it is called."""
        return bool(markup_kind(head))

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Write the tables of the page, or of the sheets.

        Raises:
            FileReadingStopped: Somebody stopped it.
            FileUnreadable: It holds no table, is damaged or goes beyond the bounds.
        """
        with job.path.open("rb") as file:
            kind = markup_kind(file.read(4096))
        if kind == "mhtml":
            raise FileUnreadable(
                f"{job.name} is a web page that is packed as a mail (MHTML). Open it in Excel and save it as a "
                "workbook."
            )
        if kind == "html":
            try:
                return read_book(job, read_page(job.path, job.name, job.options.encoding, job.watch), "html")
            except LookupError as error:
                raise FileUnreadable(unknown(job.options.encoding or "")) from error
        try:
            book = read_excel_xml(job.path, job.name, job.watch)
        except FileUnreadable as error:
            message = error.user_message.replace("This workbook", f"The Excel workbook {job.name}", 1)
            raise FileUnreadable(message, detail=error.detail) from error
        except (ExpatError, ValueError) as error:
            raise FileUnreadable(
                f"{job.name} is an Excel XML file that is damaged or cut off. Open it in Excel, save it again, and add "
                "it anew.",
                detail=str(error),
            ) from error
        return read_book(job, book, "xml")
