"""How a file was read, in a line of plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pages.ui import report, wording
from pages.ui.report import Json
from tabulaflow_core.data.schema import TableSchema

#: Codecs by the names that people know them by; others are shown as Python calls them.
ENCODINGS: Final = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with a mark",
    "utf-16": "UTF-16",
    "utf-32": "UTF-32",
    "ascii": "ASCII",
    "cp1252": "Windows-1252 (Western European)",
    "cp1250": "Windows-1250 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "cp1257": "Windows-1257 (Baltic)",
    "iso8859-1": "ISO 8859-1 (Western European)",
    "iso8859-2": "ISO 8859-2 (Central European)",
    "iso8859-5": "ISO 8859-5 (Cyrillic)",
    "iso8859-7": "ISO 8859-7 (Greek)",
    "iso8859-15": "ISO 8859-15 (Western European, €)",
    "cp437": "DOS 437 (American)",
    "cp850": "DOS 850 (Western European)",
    "cp866": "DOS 866 (Cyrillic)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "mac_roman": "Mac Roman",
    "shift_jis": "Shift-JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "euc_kr": "EUC-KR (Korean)",
}
DATE_ORDERS: Final = {"dmy": "day first", "mdy": "month first", "ymd": "year first"}
DECIMAL_MARKS: Final = {".": "decimal point", ",": "decimal comma"}
_DATES: Final = {"dmy": "day before month", "mdy": "month before day", "ymd": "year before month"}
_DELIMITERS: Final = {"none": "no delimiter", "blanks": "two or more blanks", "fixed": "columns at fixed places"}
_CERTAINTY: Final = {"guess": " (a guess)", "told": " (your choice)"}
_FORMATS: Final = {
    "text": "",
    "json": "JSON",
    "ndjson": "JSON, one record a line",
    "parquet": "Parquet",
    "feather": "Feather",
    "xlsx": "Excel workbook",
    "xlsm": "Excel workbook",
    "xlsb": "Excel workbook (xlsb)",
    "xls": "Excel workbook (xls)",
    "ods": "OpenDocument workbook",
    "sqlite": "SQLite database",
    "duckdb": "DuckDB database",
    "zip": "ZIP archive",
    "html": "HTML page",
    "xml": "XML workbook",
}
#: What the parts of a file are called, one and several.
PARTS: Final = {"sheet": ("sheet", "sheets"), "member": ("file", "files"), "table": ("table", "tables")}


def encoding(codec: str) -> str:
    """The short name of a codec, such as `Windows-1252`."""
    return ENCODINGS.get(codec, codec).partition(" (")[0]


def summary(tables: Sequence[TableSchema], of: Json) -> str:
    """One line that says how a file, or a part of it, was read.

    `575 rows, 4 columns · comma · UTF-8 · header in line 1 · month before day (a guess)`
    """
    pieces = [_size(tables, of), *_choices(of)]
    if left_out := report.number(of, "skipped_count"):
        pieces.append(f"{wording.count(left_out, 'line')} left out")
    if misfits := report.number(of, "misfit_count"):
        pieces.append(f"{wording.count(misfits, 'value')} did not fit")
    return " · ".join(piece for piece in pieces if piece)


def _size(tables: Sequence[TableSchema], of: Json) -> str:
    parts = report.objects(of.get("parts"))
    if len(tables) == 1:
        (table,) = tables
        rows = wording.count(table.row_count, "row") if table.row_count is not None else "rows not counted"
        size = f"{rows}, {wording.count(len(table.columns), 'column')}"
    else:
        size = wording.count(len(tables), "table")
    if len(parts) < 2:
        return size
    one, many = PARTS.get(report.text(parts[0], "kind"), ("part", "parts"))
    read = sum(1 for part in parts if part.get("state") == "read")
    hidden = sum(1 for part in parts if part.get("hidden") and part.get("state") == "off")
    share = "" if read == len(parts) else f"{read} of "
    return f"{size} from {share}{wording.count(len(parts), one, many)}" + (
        f" ({hidden} hidden and off)" if hidden else ""
    )


def _choices(of: Json) -> list[str]:
    made = report.decisions(of)
    kind = report.text(of, "format")
    pieces = [_FORMATS.get(kind, kind)]
    header = "header" if "header" in made else "header_rows"
    for name in ("delimiter", "encoding", header, "decimal_mark", "date_order"):
        decision = made.get(name)
        if decision is None:
            continue
        sure = _CERTAINTY.get(decision.certainty, "")
        if name == "decimal_mark" and decision.value == "." and not sure:
            continue
        if name == "delimiter" and decision.value == "none" and not sure:  # the number of columns tells it
            continue
        pieces.append(_choice(name, decision.value) + sure)
    return pieces


def _choice(name: str, value: str) -> str:
    if name == "encoding":
        return encoding(value)
    if name in ("header", "header_rows"):
        return _header(value)
    if name == "delimiter":
        return _DELIMITERS.get(value, value)
    if name == "decimal_mark":
        return DECIMAL_MARKS.get(value, value)
    if name == "date_order":
        return _DATES.get(value, value)
    return value


def _header(value: str) -> str:
    """`line 1`, `none`, a number of rows, or whether the first row is one."""
    if value in ("none", "", "0", "false"):
        return "no header"
    if value == "true":
        return "header in the first row"
    return f"header of {wording.count(int(value), 'row')}" if value.isdigit() else f"header in {value}"


def reckoning(of: Json) -> str:
    """Rows in the file against rows in the table, and where the others went."""
    in_file, in_table = report.number(of, "rows_in_file"), report.number(of, "rows_in_table")
    if not in_file:
        return ""
    left_out, blank = report.number(of, "skipped_count"), report.number(of, "blank_lines")
    header = in_file - in_table - left_out
    rest = [wording.count(header, "header row")] if header > 0 else []
    if left_out:
        rest.append(f"{wording.count(left_out, 'line')} left out")
    text = f"{wording.count(in_file, 'row')} in the file, {in_table:,} in the table"
    text += f"; the difference is {' and '.join(rest)}" if rest and in_file > in_table else ""
    return f"{text}. " + (f"{wording.count(blank, 'blank line')} not counted." if blank else "")
