"""The look at ODS workbooks."""

from __future__ import annotations

import re
import zipfile
from datetime import date, timedelta
from pathlib import Path

import pytest

from tabulaflow_core.data.files.formats.workbook.look import NamedTable, Range, SheetLook, Span, look, ods, package
from tabulaflow_core.data.files.formats.workbook.look.formats import describe
from tabulaflow_core.data.files.watch import Watch
from tests.data.files.workbooks import Cell, Sheet
from tests.data.files.workbooks_ods import SPACES, write_ods

BOOK = [
    Sheet(
        "Sales",
        [
            ["Day", "Share", "Sum", "Code", "Took"],
            [date(2026, 3, 1), Cell(0.25, "0.00%"), Cell(1.5, "#,##0.00 €"), Cell(7, "00000"), timedelta(hours=30)],
            [date(2026, 3, 2), Cell(0.5, "0.00%"), Cell(2.5, "#,##0.00 €"), Cell(12, "00000"), timedelta(hours=1)],
            [None, None, Cell(formula="of:=[.C2]+[.C3]"), Cell(3.0, formula="of:=1+2"), None],
        ],
        merged=["A1:B1", "D3:D4"],
        hidden_rows=[2],
        hidden_columns=[3, 4],
    ),
    Sheet("Old & gone", [[1]], state="hidden"),
]


def looked(path: Path) -> SheetLook:
    return look(path, "ods", watch=Watch()).sheets[0]


def test_what_a_workbook_tells(tmp_path: Path) -> None:
    found = look(write_ods(tmp_path / "a.ods", BOOK, date_1904=True), "ods", watch=Watch())
    assert [(s.name, s.state) for s in found.sheets] == [("Sales", "visible"), ("Old & gone", "hidden")]
    assert found.date_1904
    sheet = found.sheets[0]
    assert sheet.merged == (Range(0, 0, 0, 1), Range(2, 3, 3, 3))
    assert sheet.hidden_rows == (Span(2, 2),)
    assert [c for span in sheet.hidden_columns for c in range(span.first, span.last + 1)] == [3, 4]
    assert (sheet.formula_count, sheet.formulas_without_value) == (2, ((3, 2),))
    assert sheet.extent == Range(0, 0, 3, 4)
    kinds = [describe(sheet.column_format(c, 1, 2)) for c in range(5)]
    assert [k.kind for k in kinds] == ["date", "percent", "currency", "code", "duration"]
    assert kinds[1].decimals == 2
    assert kinds[2].currency == "EUR"
    assert sheet.column_format(3, 1, 2) == "00000"
    assert sheet.cell_format(0, 1) == ""


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("0%", "percent"),
        ("$#,##0.00", "currency"),
        ("#,##0.00", "number"),
        ("0.00E+00", "scientific"),
        ("@", "text"),
        ("dd.mm.yyyy", "date"),
        ("d mmm yy", "date"),
        ("yyyy-mm-dd hh:nn", "datetime"),
        ("hh:nn:ss", "time"),
        ("[h]:nn", "duration"),
        ("000", "code"),
    ],
)
def test_data_styles_become_codes(tmp_path: Path, code: str, kind: str) -> None:
    value = "x" if kind == "text" else 2
    sheet = looked(write_ods(tmp_path / "a.ods", [Sheet("S", [[Cell(value, code)]])]))
    assert describe(sheet.cell_format(0, 0)).kind == kind


def content(tables: str, styles: str = "", spaces: str = SPACES) -> str:
    return (
        f"<office:document-content {spaces}><office:automatic-styles>{styles}</office:automatic-styles><office:body>"
        f"<office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )


def from_content(tmp_path: Path, text: str) -> SheetLook:
    return looked(write_ods(tmp_path / "a.ods", [], replace={"content.xml": text}))


CELL = '<table:table-cell office:value-type="{}" office:value="1" table:style-name="s"/>'
TABLE = '<table:table table:name="{}"><table:table-row>{}</table:table-row></table:table>'
DOCUMENTS = {
    "usual": TABLE.format("é &amp; <".replace("<", "&lt;"), CELL.format("float") + CELL.format("percentage")),
    "comment": TABLE.format("S", "<!--" + CELL.format("float") + "-->" + CELL.format("percentage")),
    "cdata": TABLE.format("S", CELL.format("float") + "<text:p><![CDATA[" + CELL.format("float") + "]]></text:p>"),
    "single quotes": TABLE.format("S", CELL.format("percentage").replace('"', "'") * 3),
    "a bracket in a formula": TABLE.format(
        "S", '<table:table-cell table:formula="of:=1>2" office:value-type="float"/>'
    ),
    "quotes in quotes": TABLE.format(
        'S"'.replace('"', "&quot;"), '<table:table-cell table:formula=\'of:="a"&amp;"b"\'/>'
    ),
    "value first": TABLE.format("S", '<table:table-cell office:value="1" office:value-type="percentage"/>' * 2),
    "self-closing rows": '<table:table table:name="S"><table:table-row table:number-rows-repeated="7"/>'
    f"<table:table-row>{CELL.format('date')}</table:table-row></table:table>",
    "repeated": TABLE.format("S", CELL.format("float").replace("/>", ' table:number-columns-repeated="100"/>') * 2)
    + TABLE.format("T", CELL.format("float").replace("/>", ' table:number-columns-repeated="3"/>') * 2),
}


@pytest.mark.parametrize("tables", DOCUMENTS.values(), ids=DOCUMENTS.keys())
@pytest.mark.parametrize("block", [5, 300, 1 << 19])
def test_both_ways_of_reading_agree(tmp_path: Path, tables: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(path: Path) -> list[object]:
        return [
            (
                s.name,
                s.merged,
                s.formulas_without_value,
                s.formula_count,
                s.extent,
                s.filled_cells,
                s.formats.runs.tolist(),
            )
            for s in look(path, "ods", watch=Watch()).sheets
        ]

    monkeypatch.setattr(package, "BLOCK", block)
    path = write_ods(tmp_path / "a.ods", [], replace={"content.xml": content(tables)})
    quick = told(path)
    never = re.compile(rb"\Z[^\s\S]")
    monkeypatch.setattr(ods, "_SPREADSHEET", never)
    assert told(path) == quick
    assert quick


def test_the_quick_way_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ods, "_careful", lambda *args, **options: None)
    assert looked(write_ods(tmp_path / "a.ods", BOOK)).filled_cells == 16


def test_rows_of_a_table_within_a_cell_are_not_rows_of_the_sheet(tmp_path: Path) -> None:
    cell = CELL.format("float")
    inner = TABLE.format("inner", cell * 5).replace("<table:table-row>", "<table:table-column/><table:table-row>")
    outer = f'<table:table-cell office:value-type="float" office:value="1">{inner}</table:table-cell>'
    sheet = from_content(tmp_path, content(TABLE.format("S", cell + outer + cell)))
    assert sheet.extent == Range(0, 0, 0, 2)


def test_huge_repetitions_are_not_written_out(tmp_path: Path) -> None:
    value = '<table:table-cell office:value-type="percentage" office:value="1" table:number-columns-repeated="3"/>'
    empty = '<table:table-cell table:number-columns-repeated="16381"/>'
    table = (
        '<table:table table:name="S"><table:table-column table:number-columns-repeated="16384"/>'
        f'<table:table-row table:number-rows-repeated="1000000">{value}{empty}</table:table-row>'
        '<table:table-row table:number-rows-repeated="48576" table:visibility="filter"><table:table-cell/>'
        "</table:table-row></table:table>"
    )
    sheet = from_content(tmp_path, content(table))
    assert sheet.extent == Range(0, 0, 999_999, 2)
    assert sheet.filled_cells == 3_000_000
    assert len(sheet.formats.runs) == 3
    assert sheet.hidden_rows == (Span(1_000_000, 1_048_575),)
    assert sheet.column_format(2, 0, 999_999) == "0.00%"


def test_a_type_stands_in_for_a_style(tmp_path: Path) -> None:
    cells = "".join(
        f'<table:table-cell office:value-type="{kind}" {more}/>'
        for kind, more in {
            "percentage": 'office:value="1"',
            "currency": 'office:currency="SEK" office:value="1"',
            "date": 'office:date-value="2026-01-01"',
            "time": 'office:time-value="PT1H"',
            "float": 'office:value="1"',
        }.items()
    )
    sheet = from_content(
        tmp_path, content(f'<table:table table:name="S"><table:table-row>{cells}</table:table-row></table:table>')
    )
    kinds = [describe(sheet.cell_format(0, c)) for c in range(5)]
    assert [k.kind for k in kinds] == ["percent", "currency", "date", "duration", "general"]
    assert kinds[1].currency == "SEK"


def test_styles_of_columns_rows_and_parents(tmp_path: Path) -> None:
    styles = (
        '<number:percentage-style style:name="N1"><number:number number:decimal-places="1"/><number:text>%'
        "</number:text></number:percentage-style>"
        '<style:style style:name="parent" style:family="table-cell" style:data-style-name="N1"/>'
        '<style:style style:name="child" style:family="table-cell" style:parent-style-name="parent"/>'
    )
    cell = '<table:table-cell office:value-type="float" office:value="1"/>'
    table = (
        '<table:table table:name="S"><table:table-column/><table:table-column table:default-cell-style-name="child"/>'
        f"<table:table-row>{cell}{cell}</table:table-row>"
        f'<table:table-row table:default-cell-style-name="parent">{cell}</table:table-row></table:table>'
    )
    sheet = from_content(tmp_path, content(table, styles))
    assert [describe(sheet.cell_format(r, c)).kind for r, c in ((0, 0), (0, 1), (1, 0))] == [
        "general",
        "percent",
        "percent",
    ]


def test_conditional_styles_and_marks_between_digits(tmp_path: Path) -> None:
    styles = (
        '<number:currency-style style:name="P0"><number:currency-symbol>£</number:currency-symbol>'
        '<number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/>'
        '</number:currency-style><number:text-style style:name="N1"><number:text-content/>'
        '<style:map style:condition="value()&gt;=0" style:apply-style-name="P0"/></number:text-style>'
        '<style:style style:name="a" style:family="table-cell" style:data-style-name="N1"/>'
        '<number:number-style style:name="N2"><number:number number:decimal-places="0" number:min-integer-digits="6">'
        '<number:embedded-text number:position="3">-</number:embedded-text></number:number></number:number-style>'
        '<style:style style:name="b" style:family="table-cell" style:data-style-name="N2"/>'
    )
    cells = "".join(
        f'<table:table-cell table:style-name="{s}" office:value-type="float" office:value="1"/>' for s in "ab"
    )
    sheet = from_content(
        tmp_path,
        content(f'<table:table table:name="S"><table:table-row>{cells}</table:table-row></table:table>', styles),
    )
    assert describe(sheet.cell_format(0, 0)).currency == "GBP"
    assert describe(sheet.cell_format(0, 1)).kind == "code"


def test_other_prefixes(tmp_path: Path) -> None:
    usual = looked(write_ods(tmp_path / "a.ods", BOOK))
    with zipfile.ZipFile(tmp_path / "a.ods") as file:
        text = file.read("content.xml").decode()
    for short in ("table", "office", "style", "number"):
        text = re.sub(rf"(?<![:\w]){short}:", f"{short[0]}x:", text).replace(f"xmlns:{short}=", f"xmlns:{short[0]}x=")
    other = looked(write_ods(tmp_path / "b.ods", [], replace={"content.xml": text}))
    assert other.merged == usual.merged
    assert other.formulas_without_value == usual.formulas_without_value
    assert [other.column_format(c, 1, 2) for c in range(5)] == [usual.column_format(c, 1, 2) for c in range(5)]


def test_database_ranges_and_what_is_no_sheet(tmp_path: Path) -> None:
    cell = '<table:table-cell office:value-type="float" office:value="1">{}</table:table-cell>'
    row = f"<table:table-row>{cell}</table:table-row>"
    inner = f'<table:table table:name="inner">{row.format("")}{row.format("")}</table:table>'
    tables = (
        f'<table:table table:name="My &apos;Sheet">{row.format(inner)}</table:table><table:database-ranges>'
        '<table:database-range table:name="Takings" table:target-range-address="&apos;My &apos;&apos;Sheet&apos;.A1:'
        '&apos;My &apos;&apos;Sheet&apos;.C9"/><table:database-range table:name="__Anonymous_Sheet_DB__0" '
        'table:target-range-address="&apos;My &apos;&apos;Sheet&apos;.A1:.B2"/></table:database-ranges>'
        f'<table:dde-links><table:dde-link><table:table table:name="d">{row.format("")}</table:table></table:dde-link>'
        "</table:dde-links>"
    )
    path = write_ods(tmp_path / "a.ods", [], replace={"content.xml": content(tables)})
    found = look(path, "ods", watch=Watch())
    assert [s.name for s in found.sheets] == ["My 'Sheet"]
    assert found.sheets[0].filled_cells == 1
    assert found.sheets[0].tables == (NamedTable("Takings", Range(0, 0, 8, 2)),)


def test_macros_are_told(tmp_path: Path) -> None:
    path = write_ods(tmp_path / "a.ods", BOOK, replace={"Basic/Standard/Module1.xml": "<x/>"})
    assert any("macros" in notice for notice in look(path, "ods", watch=Watch()).notices)
