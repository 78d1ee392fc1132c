"""Writes small ODS workbooks for tests from the same sheets as `workbooks.py`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from html import escape
from pathlib import Path

from tests.data.files.workbooks import DECLARATION, Cell, Sheet, Value, as_cell, write_zip

NAMES = {
    name: f"urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"
    for name, long in {
        "office": "office",
        "style": "style",
        "text": "text",
        "table": "table",
        "number": "datastyle",
        "manifest": "manifest",
    }.items()
}
SPACES = " ".join(f'xmlns:{name}="{uri}"' for name, uri in NAMES.items())
DATES = {
    "yyyy": '<number:year number:style="long"/>',
    "yy": "<number:year/>",
    "mmmm": '<number:month number:textual="true" number:style="long"/>',
    "mmm": '<number:month number:textual="true"/>',
    "mm": '<number:month number:style="long"/>',
    "m": "<number:month/>",
    "dd": '<number:day number:style="long"/>',
    "d": "<number:day/>",
    "hh": '<number:hours number:style="long"/>',
    "h": "<number:hours/>",
    "nn": '<number:minutes number:style="long"/>',
    "ss": '<number:seconds number:style="long"/>',
}
KIND = "application/vnd.oasis.opendocument.spreadsheet"
SYMBOLS = "€$£¥₹"


def data_style(name: str, code: str) -> str:
    """An ODS data style for a plain format code; minutes are written `nn` in it.

    Known are `0.00%`, `#,##0.00 €`, `[h]:nn:ss`, `yyyy-mm-dd hh:nn:ss`, `00000`, `0.00E+00` and `@`.
    """
    digits = code.count("0", code.find(".")) if "." in code else 0
    grouped = ' number:grouping="true"' if "#,##" in code else ""
    whole = len(re.match(r"[^0]*(0*)", code.replace("#,##0", "0"))[1])  # type: ignore[index]
    number = f'<number:number number:decimal-places="{digits}" number:min-integer-digits="{whole}"{grouped}/>'
    if "%" in code:
        body = f"{number}<number:text>%</number:text>"
        return f'<number:percentage-style style:name="{name}">{body}</number:percentage-style>'
    symbol = next((s for s in SYMBOLS if s in code), "")
    if symbol:
        mark = f"<number:currency-symbol>{symbol}</number:currency-symbol>"
        body = mark + number if code.startswith(symbol) else number + "<number:text> </number:text>" + mark
        return f'<number:currency-style style:name="{name}">{body}</number:currency-style>'
    if code == "@":
        return f'<number:text-style style:name="{name}"><number:text-content/></number:text-style>'
    if "E+" in code:
        body = f'<number:scientific-number number:decimal-places="{digits}" number:min-exponent-digits="2"/>'
        return f'<number:number-style style:name="{name}">{body}</number:number-style>'
    if re.search("[ymdhs]", code):
        elapsed = "[h" in code
        tokens = re.findall(r"yyyy|yy|mmmm|mmm|mm|m|dd|d|hh|h|nn|ss|.", code.replace("[", "").replace("]", ""))
        body = "".join(DATES.get(t, f"<number:text>{escape(t)}</number:text>") for t in tokens)
        kind = "date" if re.search("[yd]", code) else "time"
        over = ' number:truncate-on-overflow="false"' if elapsed else ""
        return f'<number:{kind}-style style:name="{name}"{over}>{body}</number:{kind}-style>'
    return f'<number:number-style style:name="{name}">{number}</number:number-style>'


def _default(value: Value) -> str:
    if isinstance(value, datetime):
        return "yyyy-mm-dd hh:nn:ss"
    if isinstance(value, date):
        return "yyyy-mm-dd"
    if isinstance(value, time):
        return "hh:nn:ss"
    return "[h]:nn:ss" if isinstance(value, timedelta) else ""


def _value(value: Value, code: str) -> str:
    """The attributes of a stored value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return f' office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
    if isinstance(value, str):
        return ' office:value-type="string"'
    if isinstance(value, date):
        return f' office:value-type="date" office:date-value="{value.isoformat()}"'
    if isinstance(value, time):
        return f' office:value-type="time" office:time-value="PT{value.hour:02}H{value.minute:02}M{value.second:02}S"'
    if isinstance(value, timedelta):
        seconds = int(value.total_seconds())
        clock = f"PT{seconds // 3600:02}H{seconds // 60 % 60:02}M{seconds % 60:02}S"
        return f' office:value-type="time" office:time-value="{clock}"'
    symbol = next((s for s in SYMBOLS if s in code), "")
    if symbol:
        iso = dict(zip(SYMBOLS, ("EUR", "USD", "GBP", "JPY", "INR"), strict=True))[symbol]
        return f' office:value-type="currency" office:currency="{iso}" office:value="{value!r}"'
    kind = "percentage" if "%" in code else "float"
    return f' office:value-type="{kind}" office:value="{value!r}"'


class _Book:
    def __init__(self) -> None:
        self.codes: list[str] = []

    def style(self, code: str) -> str:
        if not code:
            return ""
        if code not in self.codes:
            self.codes.append(code)
        return f' table:style-name="ce{self.codes.index(code)}"'

    def cell(self, cell: Cell, *, tag: str = "table-cell", spans: str = "") -> str:
        code = str(cell.format) if cell.format is not None else _default(cell.value)
        formula = "" if cell.formula is None else f' table:formula="{escape(cell.formula)}"'
        text = "".join(cell.runs) if cell.runs else cell.value
        shown = "" if text is None else f"<text:p>{escape(str(text))}</text:p>"
        kind = ' office:value-type="string"' if cell.runs else _value(cell.value, code)
        return f"<table:{tag}{self.style(code)}{formula}{spans}{kind}>{shown}</table:{tag}>"

    def sheet(self, n: int, sheet: Sheet) -> str:
        covered: set[tuple[int, int]] = set()
        spans: dict[tuple[int, int], str] = {}
        for ref in sheet.merged:
            first, last = ref.split(":")
            (r1, c1), (r2, c2) = _place(first), _place(last)
            spans[r1, c1] = f' table:number-columns-spanned="{c2 - c1 + 1}" table:number-rows-spanned="{r2 - r1 + 1}"'
            covered |= {(r, c) for r in range(r1, r2 + 1) for c in range(c1, c2 + 1)} - {(r1, c1)}
        parts = [f'<table:table table:name="{escape(sheet.name)}" table:style-name="ta{n}">']
        width = max([len(row) for row in sheet.rows] + [c + 1 for _, c in covered] + [1])
        hidden_columns, hidden_rows = set(sheet.hidden_columns), set(sheet.hidden_rows)
        for c in range(width):
            style = self.style(str(sheet.column_formats[c])) if c in sheet.column_formats else ""
            style = style.replace("table:style-name", "table:default-cell-style-name")
            visible = ' table:visibility="collapse"' if c in hidden_columns else ""
            parts.append(f"<table:table-column{style}{visible}/>")
        for r, row in enumerate(sheet.rows):
            shown = ' table:visibility="collapse"' if r in hidden_rows else ""
            parts.append(f"<table:table-row{shown}>")
            for c in range(max([len(row)] + [c + 1 for rr, c in covered if rr == r])):
                cell = as_cell(row[c]) if c < len(row) else Cell()
                tag = "covered-table-cell" if (r, c) in covered else "table-cell"
                parts.append(self.cell(cell, tag=tag, spans=spans.get((r, c), "")))
            parts.append("</table:table-row>")
        parts.append(
            '<table:table-row table:number-rows-repeated="1048000">'
            '<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
        )
        return "".join(parts)


def _place(ref: str) -> tuple[int, int]:
    match = re.fullmatch(r"([A-Z]+)(\d+)", ref)
    assert match is not None
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1


def write_ods(
    path: Path,
    sheets: Sequence[Sheet],
    *,
    date_1904: bool = False,
    encrypted: bool = False,
    replace: Mapping[str, str | bytes | None] | None = None,
) -> Path:
    """Write an ODS file.

    Args:
        encrypted: Let the manifest say that the content is encrypted.
        replace: Members to write as given, or to leave out (None).
    """
    book = _Book()
    body = "".join(book.sheet(n, sheet) for n, sheet in enumerate(sheets))
    styles = "".join(
        data_style(f"N{i}", code)
        + f'<style:style style:name="ce{i}" style:family="table-cell" style:data-style-name="N{i}"/>'
        for i, code in enumerate(book.codes)
    )
    styles += "".join(
        f'<style:style style:name="ta{n}" style:family="table">'
        f'<style:table-properties table:display="{"true" if sheet.state == "visible" else "false"}"/></style:style>'
        for n, sheet in enumerate(sheets)
    )
    settings = ""
    if date_1904:
        settings = (
            '<table:calculation-settings><table:null-date table:date-value="1904-01-01"/></table:calculation-settings>'
        )
    lock = "<manifest:encryption-data/>" if encrypted else ""
    members: dict[str, str | bytes] = {
        "mimetype": KIND,
        "content.xml": f"{DECLARATION}<office:document-content {SPACES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:spreadsheet>{settings}{body}</office:spreadsheet>"
        "</office:body></office:document-content>",
        "styles.xml": f"{DECLARATION}<office:document-styles {SPACES}/>",
        "META-INF/manifest.xml": f"{DECLARATION}<manifest:manifest {SPACES}>"
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{KIND}"/>'
        f'<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml">{lock}'
        "</manifest:file-entry></manifest:manifest>",
    }
    return write_zip(path, members, replace)
