"""Formats that are known but not read yet: each gets a sentence instead of a wrong table."""

from __future__ import annotations

from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.report import ReadingReport
from tabulaflow_core.errors import FileUnreadable

_SUFFIXES = {
    ".avro": "an Avro file", ".sav": "an SPSS file", ".dta": "a Stata file",
    ".sas7bdat": "a SAS file", ".xml": "an XML file", ".html": "a web page", ".htm": "a web page",
    ".parquet": "a damaged Parquet file", ".docx": "a Word document", ".pptx": "a slide show",
    ".numbers": "a Numbers spreadsheet",
}  # fmt: skip
_MAGIC = {
    b"PK\x03\x04": "an Office document",
    b"Obj\x01": "an Avro file",
}


def _is_markup(head: bytes) -> bool:
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<html", b"<!doctype html", b"<?xml"))


class LaterReader:
    """Refuses known formats that have no reader."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """True for the formats above."""
        return suffix in _SUFFIXES or any(head.startswith(m) for m in _MAGIC) or _is_markup(head)

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Refuse the file."""
        suffix = "." + job.name.rsplit(".", 1)[-1].lower()
        with job.path.open("rb") as file:
            head = file.read(16)
        what = _SUFFIXES.get(suffix) or next(
            (w for m, w in _MAGIC.items() if head.startswith(m)), "a web page or an XML file"
        )
        if "damaged" in what:
            raise FileUnreadable(f"{job.name} is {what}. Export it again, or choose another file.")
        raise FileUnreadable(f"{job.name} is {what}, which cannot be read yet. Save its data as CSV and add that file.")
