"""What a file's name says of its format, and when that is not to be believed."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from tabulaflow_core.data.files.source import is_text

#: What the suffixes say, in a person's words, with the formats of the report that fit them.
_WORKBOOK: Final = ("an Excel workbook", frozenset({"xlsx", "xlsb", "xls"}))
_TEXT: Final = ("text", frozenset({"text"}))
_JSON: Final = ("JSON", frozenset({"json", "ndjson"}))
_ARROW: Final = ("an Arrow file", frozenset({"arrow", "feather"}))
_CLAIMS: Final = {
    ".xlsx": _WORKBOOK, ".xlsm": _WORKBOOK, ".xltx": _WORKBOOK, ".xltm": _WORKBOOK, ".xlsb": _WORKBOOK,
    ".xls": _WORKBOOK, ".xlt": _WORKBOOK, ".ods": ("a spreadsheet", frozenset({"ods"})),
    ".ots": ("a spreadsheet", frozenset({"ods"})), ".csv": _TEXT, ".tsv": _TEXT, ".tab": _TEXT, ".psv": _TEXT,
    ".json": _JSON, ".ndjson": _JSON, ".jsonl": _JSON, ".parquet": ("a Parquet file", frozenset({"parquet"})),
    ".feather": _ARROW, ".arrow": _ARROW, ".arrows": _ARROW, ".html": ("a web page", frozenset({"html"})),
    ".htm": ("a web page", frozenset({"html"})), ".sqlite": ("a SQLite database", frozenset({"sqlite"})),
    ".sqlite3": ("a SQLite database", frozenset({"sqlite"})),
    ".duckdb": ("a DuckDB database", frozenset({"duckdb"})),
}  # fmt: skip
#: Formats of the report in a person's words.
_FOUND: Final = {
    "text": "text", "json": "JSON", "ndjson": "JSON", "html": "a web page", "xml": "the XML of Excel 2003",
    "xlsx": "an Excel workbook", "xlsb": "an Excel workbook", "xls": "an Excel workbook", "ods": "an ODS spreadsheet",
    "parquet": "a Parquet file", "feather": "a Feather file", "arrow": "an Arrow file", "sqlite": "a SQLite database",
    "duckdb": "a DuckDB database", "zip": "a ZIP archive", "tar": "a TAR archive",
}  # fmt: skip
#: Suffixes of formats that are no text; text under them is read as the text that it is.
_BINARY: Final = frozenset(
    {
        ".xlsx", ".xlsm", ".xltx", ".xltm", ".xlsb", ".ods", ".ots", ".parquet", ".feather", ".arrow", ".arrows",
        ".docx", ".pptx", ".numbers", ".avro", ".sav", ".dta", ".sas7bdat",
    }
)  # fmt: skip


def believed_suffix(head: bytes, suffix: str) -> str:
    """The suffix, or that of plain text where it is one of a binary format and what the file holds is text.

    Args:
        head: The first bytes of the file.
        suffix: In lower case, with its dot.
    """
    return ".txt" if suffix in _BINARY and is_text(head) else suffix


def misnamed(name: str, found: str) -> str:
    """A sentence on a file that is of another format than its name says; empty when they agree.

    Args:
        found: The format of its report.

    >>> misnamed("sales.xlsx", "text")
    'The name sales.xlsx says that this is an Excel workbook, but it holds text. It was read as that.'
    """
    what, fitting = _CLAIMS.get(PurePath(name).suffix.lower(), ("", frozenset()))
    if not what or found in fitting or found not in _FOUND:
        return ""
    return f"The name {name} says that this is {what}, but it holds {_FOUND[found]}. It was read as that."
