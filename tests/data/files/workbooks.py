"""Writes small workbooks for tests, part by part as raw XML: XLSX, XLSM and ODS, sound or broken on purpose.

    write_xlsx(path, [Sheet("Sales", [["Day", "Share"], [date(2026, 3, 1), Cell(0.25, "0%")]])])
    write_ods(path, [Sheet("Sales", [...], state="hidden", merged=["A1:C1"])])

A row is a list of plain values or `Cell`s; None leaves a cell out.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from html import escape
from pathlib import Path
from typing import Literal

Value = None | bool | int | float | str | date | datetime | time | timedelta

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        value: What is stored; None stores nothing (with a formula: a formula without a value).
        format: A number format code, or the id of a built-in one; None chooses one by the kind of the value.
        formula: Without `=`; for ODS with its own words, such as `of:=[.A1]`.
        kind: The XLSX type to write in place of the usual one: `n`, `s`, `str`, `inlineStr`, `b`, `e` or `d`.
        runs: Text in several runs of rich text, in place of `value`.
        phonetic: How the text is spoken, which is no part of the text.
        raw: The `<v>` or `<is>` of an XLSX cell as XML, in place of everything else.
    """

    value: Value = None
    format: str | int | None = None
    formula: str | None = None
    kind: str | None = None
    runs: tuple[str, ...] = ()
    phonetic: str = ""
    raw: str | None = None


@dataclass(frozen=True)
class ListObject:
    """A table of Excel: its name and range, such as `A1:C9`, the header and totals rows included."""

    name: str
    ref: str
    header_rows: int = 1
    totals_rows: int = 0


@dataclass(frozen=True)
class Sheet:
    """One sheet.

    Attributes:
        rows: Cells from A1 on; an empty list is an empty row.
        state: XLSX knows all three, ODS the first two.
        kind: What other than a worksheet it is; its rows are then not written.
        hidden_rows: 0-based; likewise columns.
        column_formats: Formats of whole columns, for cells that have none of their own.
        references: Whether rows and cells carry their `r`.
        tail: XML to put after the merged cells of an XLSX sheet.
    """

    name: str
    rows: Sequence[Sequence[Value | Cell]] = ()
    state: Literal["visible", "hidden", "veryHidden"] = "visible"
    kind: Literal["sheet", "chart", "dialog", "macro"] = "sheet"
    merged: Sequence[str] = ()
    hidden_rows: Iterable[int] = ()
    hidden_columns: Iterable[int] = ()
    tables: Sequence[ListObject] = ()
    column_formats: Mapping[int, str | int] = field(default_factory=dict)
    references: bool = True
    tail: str = ""


def letters(column: int) -> str:
    """The name of a 0-based column."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def serial(value: date | datetime | time | timedelta, *, date_1904: bool = False) -> float:
    """The number that a spreadsheet stores for a date or a time."""
    if isinstance(value, timedelta):
        return value / timedelta(days=1)
    if isinstance(value, time):
        return (value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6) / 86400
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    days = (moment - datetime(1899, 12, 30)) / timedelta(days=1)
    if date_1904:
        return days - 1462
    return days if days > 60 else days - 1  # 1900 had no 29 February, but the serial 60 is one


def default_format(value: Value) -> str | int:
    """The format that a spreadsheet gives to a typed value."""
    if isinstance(value, datetime):
        return 22
    if isinstance(value, date):
        return 14
    if isinstance(value, time):
        return 21
    return 46 if isinstance(value, timedelta) else 0


def as_cell(value: Value | Cell) -> Cell:
    return value if isinstance(value, Cell) else Cell(value)


class _Styles:
    """Cell formats by use: the index of each is what a cell's `s` says."""

    def __init__(self) -> None:
        self.used: list[str | int] = [0]

    def index(self, code: str | int) -> int:
        if code not in self.used:
            self.used.append(code)
        return self.used.index(code)

    def xml(self) -> str:
        codes = [c for c in self.used if isinstance(c, str)]
        ids = {code: 164 + i for i, code in enumerate(codes)}
        formats = "".join(f'<numFmt numFmtId="{ids[c]}" formatCode="{escape(c)}"/>' for c in codes)
        xfs = "".join(f'<xf numFmtId="{ids.get(c, c)}" fontId="0" applyNumberFormat="1"/>' for c in self.used)  # type: ignore[call-overload]
        return (
            f'<styleSheet xmlns="{MAIN}"><numFmts count="{len(codes)}">{formats}</numFmts>'
            f'<fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders>'
            f'<cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs>'
            f'<cellXfs count="{len(self.used)}">{xfs}</cellXfs></styleSheet>'
        )


class _Strings:
    """The shared strings."""

    def __init__(self) -> None:
        self.items: list[str] = []

    def index(self, item: str) -> int:
        if item not in self.items:
            self.items.append(item)
        return self.items.index(item)

    def xml(self) -> str:
        items = "".join(f"<si>{item}</si>" for item in self.items)
        return f'<sst xmlns="{MAIN}" count="{len(self.items)}" uniqueCount="{len(self.items)}">{items}</sst>'


def _text(cell: Cell) -> str:
    if cell.runs:
        body = "".join(f'<r><rPr><b/></rPr><t xml:space="preserve">{escape(run)}</t></r>' for run in cell.runs)
    else:
        body = f'<t xml:space="preserve">{escape(str(cell.value))}</t>'
    return body + (f'<rPh sb="0" eb="1"><t>{escape(cell.phonetic)}</t></rPh>' if cell.phonetic else "")


def _cell_body(cell: Cell, strings: _Strings, *, shared: bool, date_1904: bool) -> tuple[str, str]:
    """Type and content of a cell."""
    value, kind = cell.value, cell.kind
    if cell.raw is not None:
        return kind or "n", cell.raw
    if value is None and not cell.runs:
        return kind or "n", ""
    if isinstance(value, bool) and kind in (None, "b"):
        return "b", f"<v>{int(value)}</v>"
    if isinstance(value, date | time) and kind == "d":
        return "d", f"<v>{value.isoformat()}</v>"
    if isinstance(value, date | time | timedelta):
        return kind or "n", f"<v>{serial(value, date_1904=date_1904)!r}</v>"
    if isinstance(value, str) or cell.runs:
        if kind is None:
            kind = "str" if cell.formula is not None else "s" if shared else "inlineStr"
            if isinstance(value, str) and value in ("#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"):
                kind = "e"
        if kind == "s":
            return "s", f"<v>{strings.index(_text(cell))}</v>"
        if kind == "inlineStr":
            return kind, f"<is>{_text(cell)}</is>"
        return kind, f"<v>{escape(str(value))}</v>"
    return kind or "n", f"<v>{value!r}</v>"


def _sheet_xml(sheet: Sheet, styles: _Styles, strings: _Strings, *, shared: bool, date_1904: bool) -> str:
    if sheet.kind == "chart":
        return f'<chartsheet xmlns="{MAIN}"><sheetViews><sheetView workbookViewId="0"/></sheetViews></chartsheet>'
    root = {"sheet": "worksheet", "dialog": "dialogsheet", "macro": "worksheet"}[sheet.kind]
    parts = [f'<{root} xmlns="{MAIN}" xmlns:r="{REL}">']
    hidden = set(sheet.hidden_columns)
    columns = sorted(hidden | set(sheet.column_formats))
    if columns:
        cols = (
            f'<col min="{c + 1}" max="{c + 1}" width="9"'
            + (f' style="{styles.index(sheet.column_formats[c])}"' if c in sheet.column_formats else "")
            + (' hidden="1"/>' if c in hidden else "/>")
            for c in columns
        )
        parts.append(f"<cols>{''.join(cols)}</cols>")
    if sheet.kind != "dialog":
        parts.append("<sheetData>")
        hidden_rows = set(sheet.hidden_rows)
        for r, row in enumerate(sheet.rows):
            number = f' r="{r + 1}"' if sheet.references else ""
            shown = ' hidden="1"' if r in hidden_rows else ""
            parts.append(f"<row{number}{shown}>")
            for c, plain in enumerate(row):
                if plain is None and sheet.references:
                    continue
                cell = as_cell(plain)
                kind, body = _cell_body(cell, strings, shared=shared, date_1904=date_1904)
                style = styles.index(
                    cell.format
                    if cell.format is not None
                    else sheet.column_formats.get(c, 0) or default_format(cell.value)
                )
                formula = "" if cell.formula is None else f"<f>{escape(cell.formula)}</f>"
                opening = (
                    "<c"
                    + (f' r="{letters(c)}{r + 1}"' if sheet.references else "")
                    + (f' s="{style}"' if style else "")
                    + (f' t="{kind}"' if kind != "n" else "")
                )
                parts.append(f"{opening}>{formula}{body}</c>" if formula or body else f"{opening}/>")
            parts.append("</row>")
        parts.append("</sheetData>")
    if sheet.merged:
        parts.append(
            f'<mergeCells count="{len(sheet.merged)}">'
            + "".join(f'<mergeCell ref="{ref}"/>' for ref in sheet.merged)
            + "</mergeCells>"
        )
    parts.append(sheet.tail)
    if sheet.tables:
        rows = "".join(f'<tablePart r:id="rIdT{i}"/>' for i in range(len(sheet.tables)))
        parts.append(f'<tableParts count="{len(sheet.tables)}">{rows}</tableParts>')
    parts.append(f"</{root}>")
    return "".join(parts)


def _relationships(rows: Iterable[tuple[str, str, str]]) -> str:
    body = "".join(f'<Relationship Id="{i}" Type="{REL}/{kind}" Target="{target}"/>' for i, kind, target in rows)
    return f'<Relationships xmlns="{PACKAGE}/relationships">{body}</Relationships>'


def xlsx_members(
    sheets: Sequence[Sheet], *, date_1904: bool = False, macros: bool = False, shared: bool = True, links: bool = False
) -> dict[str, str | bytes]:
    """The members of an XLSX file by their names; arguments as in `write_xlsx`."""
    styles, strings = _Styles(), _Strings()
    members: dict[str, str | bytes] = {}
    kinds = {"sheet": "worksheet", "chart": "chartsheet", "dialog": "dialogsheet", "macro": "xlMacrosheet"}
    rels: list[tuple[str, str, str]] = []
    listed, table = "", 0
    for n, sheet in enumerate(sheets, 1):
        folder = {"sheet": "worksheets", "macro": "macrosheets"}.get(sheet.kind, f"{sheet.kind}sheets")
        target = f"{folder}/sheet{n}.xml"
        rels.append((f"rId{n}", kinds[sheet.kind], target))
        state = "" if sheet.state == "visible" else f' state="{sheet.state}"'
        listed += f'<sheet name="{escape(sheet.name)}" sheetId="{n}"{state} r:id="rId{n}"/>'
        members[f"xl/{target}"] = _sheet_xml(sheet, styles, strings, shared=shared, date_1904=date_1904)
        parts: list[tuple[str, str, str]] = []
        for i, item in enumerate(sheet.tables):
            table += 1
            parts.append((f"rIdT{i}", "table", f"../tables/table{table}.xml"))
            totals = f' totalsRowCount="{item.totals_rows}"' if item.totals_rows else ""
            header = "" if item.header_rows == 1 else f' headerRowCount="{item.header_rows}"'
            members[f"xl/tables/table{table}.xml"] = (
                f'<table xmlns="{MAIN}" id="{table}" name="{escape(item.name)}" displayName="{escape(item.name)}" '
                f'ref="{item.ref}"{header}{totals}/>'
            )
        if parts:
            members[f"xl/{folder}/_rels/sheet{n}.xml.rels"] = _relationships(parts)
    rels += [("rIdS", "styles", "styles.xml"), ("rIdT", "sharedStrings", "sharedStrings.xml")]
    if macros:
        rels.append(("rIdV", "vbaProject", "vbaProject.bin"))
        members["xl/vbaProject.bin"] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 no real macro"
    if links:
        rels.append(("rIdL", "externalLink", "externalLinks/externalLink1.xml"))
        members["xl/externalLinks/externalLink1.xml"] = f'<externalLink xmlns="{MAIN}"/>'
    properties = '<workbookPr date1904="1"/>' if date_1904 else "<workbookPr/>"
    members["xl/workbook.xml"] = (
        f'<workbook xmlns="{MAIN}" xmlns:r="{REL}">{properties}<sheets>{listed}</sheets></workbook>'
    )
    members["xl/_rels/workbook.xml.rels"] = _relationships(rels)
    members["xl/styles.xml"] = styles.xml()
    members["xl/sharedStrings.xml"] = strings.xml()
    members["_rels/.rels"] = _relationships([("rId1", "officeDocument", "xl/workbook.xml")])
    kind = "application/vnd.ms-excel.sheet.macroEnabled" if macros else "application/vnd.openxmlformats-officedocument"
    members["[Content_Types].xml"] = (
        f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.main+xml"/></Types>'
    )
    return members


def write_xlsx(
    path: Path,
    sheets: Sequence[Sheet],
    *,
    date_1904: bool = False,
    macros: bool = False,
    shared: bool = True,
    links: bool = False,
    prefix: str = "",
    quote: str = '"',
    strict: bool = False,
    replace: Mapping[str, str | bytes | None] | None = None,
) -> Path:
    """Write an XLSX (or XLSM) file.

    Args:
        macros: Put a (dead) macro project into it.
        shared: Texts as shared strings; otherwise inline.
        links: Put a link to another workbook into it.
        prefix: A namespace prefix on each element, which is rare and allowed.
        quote: The quote around attributes, `"` or `'`.
        strict: The namespaces of Strict Open XML.
        replace: Members to write as given, or to leave out (None).
    """
    members = xlsx_members(sheets, date_1904=date_1904, macros=macros, shared=shared, links=links)
    for name, text in members.items():
        if isinstance(text, str):
            members[name] = DECLARATION + _dressed(text, name, prefix=prefix, quote=quote, strict=strict)
    return write_zip(path, members, replace)


def _dressed(text: str, name: str, *, prefix: str, quote: str, strict: bool) -> str:
    if strict:
        text = text.replace(MAIN, "http://purl.oclc.org/ooxml/spreadsheetml/main")
        text = text.replace(REL, "http://purl.oclc.org/ooxml/officeDocument/relationships")
    if prefix and name.startswith("xl/") and "/_rels/" not in name:
        text = re.sub(r"<(/?)(?=\w)", rf"<\1{prefix}:", text).replace(" xmlns=", f" xmlns:{prefix}=")
    if quote != '"':
        text = text.replace('"', quote)
    return text


def write_zip(
    path: Path, members: Mapping[str, str | bytes], replace: Mapping[str, str | bytes | None] | None = None
) -> Path:
    """Pack members, some of them replaced, added or (None) left out."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in {**members, **(replace or {})}.items():
            if data is not None:
                stored = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
                file.writestr(name, data, compress_type=stored)
    return path
