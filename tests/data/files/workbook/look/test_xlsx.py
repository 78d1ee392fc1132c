"""The look at XLSX workbooks."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from tabulaflow_core.data.files.formats.workbook.look import NamedTable, Range, SheetLook, Span, look, package
from tabulaflow_core.data.files.formats.workbook.look import xlsx as xlsx_module
from tabulaflow_core.data.files.formats.workbook.look.scan import Unusual
from tabulaflow_core.data.files.watch import Watch
from tests.data.files.workbooks import Cell, ListObject, Sheet, Value, letters, write_xlsx

ROWS: list[list[Value | Cell]] = [
    ["Day", "Share", "Code", "Sum", None, "Note"],
    [date(2026, 3, 1), Cell(0.25, "0.0%"), Cell(123, "00000"), Cell(1.5, "#,##0.00 €"), None, "a < b & c"],
    [date(2026, 3, 2), Cell(0.5, "0.0%"), Cell(7, "00000"), Cell(2.5, "#,##0.00 €"), None, True],
    [date(2026, 3, 3), Cell(1, "0.0%"), Cell(99999, "00000"), Cell(formula="D2+D3", format=4), None, "#N/A"],
    [
        datetime(2026, 3, 4, 12),
        Cell(2, "0.0%"),
        Cell(4, "00000"),
        Cell(4.0, formula="D2+D3"),
        None,
        timedelta(hours=30),
    ],
]
BOOK = [
    Sheet(
        "Sales",
        ROWS,
        merged=["A1:B1", "D7:F9"],
        hidden_rows=[2, 3],
        hidden_columns=[4],
        tables=[ListObject("Takings", "A1:F5", totals_rows=1)],
    ),
    Sheet("Old & gone", [[1]], state="hidden"),
    Sheet("Deep", [[Cell(3, 9)]], state="veryHidden"),
    Sheet("Curve", kind="chart"),
    Sheet("Form", kind="dialog"),
]


def looked(path: Path, name: str = "Sales") -> SheetLook:
    found = look(path, "xlsx", watch=Watch()).sheet(name)
    assert found is not None
    return found


def plain(sheet: SheetLook) -> tuple[object, ...]:
    """All of a look in a form that can be compared."""
    return (
        sheet.name,
        sheet.state,
        sheet.merged,
        sheet.tables,
        sheet.hidden_rows,
        sheet.hidden_columns,
        sheet.formulas_without_value,
        sheet.formulas_without_value_count,
        sheet.formula_count,
        sheet.extent,
        sheet.filled_cells,
        sheet.formats.codes,
        sheet.formats.runs.tolist(),
    )


def careful(path: Path, monkeypatch: pytest.MonkeyPatch) -> SheetLook:
    """The same sheet, read element by element."""

    def never(blocks: object) -> object:
        raise Unusual

    with monkeypatch.context() as patch:
        patch.setattr(xlsx_module, "_until_cells", never)
        return look(path, "xlsx", watch=Watch()).sheets[0]


def test_sheets_their_states_and_kinds(tmp_path: Path) -> None:
    found = look(write_xlsx(tmp_path / "a.xlsx", BOOK), "xlsx", watch=Watch())
    assert [(s.name, s.state, s.kind) for s in found.sheets] == [
        ("Sales", "visible", "sheet"),
        ("Old & gone", "hidden", "sheet"),
        ("Deep", "very hidden", "sheet"),
        ("Curve", "visible", "chart"),
        ("Form", "visible", "dialog"),
    ]
    assert found.notices == ()
    assert not found.date_1904


def test_what_a_sheet_tells(tmp_path: Path) -> None:
    sheet = looked(write_xlsx(tmp_path / "a.xlsx", BOOK))
    assert sheet.merged == (Range(0, 0, 0, 1), Range(6, 3, 8, 5))
    assert sheet.hidden_rows == (Span(2, 3),)
    assert sheet.hidden_columns == (Span(4, 4),)
    assert sheet.tables == (NamedTable("Takings", Range(0, 0, 4, 5), header_rows=1, totals_rows=1),)
    assert (sheet.formula_count, sheet.formulas_without_value_count) == (2, 1)
    assert sheet.formulas_without_value == ((3, 3),)
    assert sheet.extent == Range(0, 0, 4, 5)


def test_formats_of_columns_and_cells(tmp_path: Path) -> None:
    sheet = looked(write_xlsx(tmp_path / "a.xlsx", BOOK))
    assert [sheet.column_format(c, 1, 3) for c in range(6)] == ["mm-dd-yy", "0.0%", "00000", "#,##0.00 €", "", ""]
    assert sheet.column_format(0, 1, 4) == "", "the last of the four is a date with a time"
    assert sheet.column_format(1, 0, 0) == "", "the header is text and General"
    assert sheet.cell_format(4, 0) == "m/d/yy h:mm"
    assert sheet.cell_format(4, 5) == "[h]:mm:ss"
    assert sheet.cell_format(0, 1) == ""
    assert sheet.cell_format(90, 90) == ""


def test_nearly_all_is_enough_and_most_is_not(tmp_path: Path) -> None:
    def shares(odd: int) -> str:
        rows = [[Cell(0.5, "0%" if i >= odd else "0.0")] for i in range(100)]
        return looked(write_xlsx(tmp_path / "a.xlsx", [Sheet("Sales", rows)])).column_format(0, 0, 99)

    assert shares(5) == "0%"
    assert shares(6) == ""


def test_words_do_not_outvote_numbers(tmp_path: Path) -> None:
    rows: list[list[Value | Cell]] = [["n/a"] if i % 3 else [Cell(0.5, "0%")] for i in range(30)]
    rows += [[Cell(None, "0.000")] for _ in range(300)]  # formatted and empty
    assert looked(write_xlsx(tmp_path / "a.xlsx", [Sheet("Sales", rows)])).column_format(0, 0, 400) == "0%"


def test_a_column_of_text_has_the_format_of_its_texts(tmp_path: Path) -> None:
    rows = [[Cell(f"{i:03}", "@")] for i in range(9)]
    assert looked(write_xlsx(tmp_path / "a.xlsx", [Sheet("Sales", rows)])).column_format(0, 0, 8) == "@"


def test_1904_macros_and_links(tmp_path: Path) -> None:
    found = look(write_xlsx(tmp_path / "a.xlsm", BOOK, date_1904=True, macros=True, links=True), "xlsx", watch=Watch())
    assert found.date_1904
    assert any("macros" in n and "not run" in n for n in found.notices)
    assert any("other workbooks" in n for n in found.notices)


@pytest.mark.parametrize(
    "dialect",
    [
        {"prefix": "x"},
        {"prefix": "spread.sheet"},
        {"quote": "'"},
        {"strict": True},
        {"shared": False},
        {"prefix": "x", "quote": "'", "strict": True, "shared": False},
    ],
    ids=str,
)
def test_dialects_of_xml_say_the_same(tmp_path: Path, dialect: dict[str, object]) -> None:
    usual = looked(write_xlsx(tmp_path / "a.xlsx", BOOK))
    other = looked(write_xlsx(tmp_path / "b.xlsx", BOOK, **dialect))  # type: ignore[arg-type]
    assert plain(other) == plain(usual)


def test_cells_without_references_follow_each_other(tmp_path: Path) -> None:
    rows = [[row[0], row[1] if row[1] is not None else Cell(), row[2]] for row in ROWS]
    usual = looked(write_xlsx(tmp_path / "a.xlsx", [Sheet("Sales", rows)]))
    other = looked(write_xlsx(tmp_path / "b.xlsx", [Sheet("Sales", rows, references=False)]))
    assert plain(other) == plain(usual)


SHEETS = {
    "comment": '<row r="1"><!-- <c r="B1" s="1"><v>1</v></c> --><c r="A1" s="1"><v>5</v></c></row>',
    "cdata": '<row r="1"><c r="A1" s="1" t="str"><v><![CDATA[<c r="B9" s="1"><v>1</v></c>]]></v></c></row>',
    "order of attributes": '<row spans="1:1" r="1"><c t="n" s="1" r="A1"><v>5</v></c></row>',
    "spaces": '<row\n r = "1" ><c\n r="A1"\ts="1" ><v>5</v></c ></row >',
    "self-closing": '<row r="1"/><row r="3"><c r="A3" s="1"/><c r="B3" s="1" /><c r="C3" s="1"><v>1</v></c></row>',
    "more attributes": '<row r="1"><c r="A1" s="1" cm="1" vm="2"><v>5</v></c><c r="B1" ph="1" s="1"><v>1</v></c></row>',
    "rich inline text": '<row r="1"><c r="A1" t="inlineStr" s="1"><is><r><rPr><b/><i/><color rgb="FF"/>'
    '<vertAlign val="x"/><family val="2"/></rPr><t>x</t></r><rPh sb="0" eb="1"><t>y</t></rPh></is></c></row>',
    "empty values": '<row r="1"><c r="A1" s="1"><v></v></c><c r="B1" s="1"><f>1</f><v/></c><c r="C1"><f>1</f><v /></c>'
    '<c r="D1" t="str"><f>""</f><v></v></c><c r="E1" t="str" s="1"><f>""</f><v/></c></row>',
    "no values": '<row r="1"><c r="A1"><f t="shared" ref="A1:A2" si="0">1</f></c></row>'
    '<row r="2"><c r="A2"><f t="shared" si="0"/></c><c r="B2"><f>1</f><v>3</v></c></row>',
    "rows without numbers": '<row><c r="A1" s="1"><v>1</v></c></row>'
    '<row hidden="1"><c><v>1</v></c><c s="1"><v>2</v></c></row>',
    "no references": '<row r="2"><c><v>1</v></c><c s="1" t="n"><v>1</v></c><c/><c t="s"><v>0</v></c></row>'
    '<row r="5"><c t="n" s="1"><v>1</v></c></row>',
    "some references": '<row r="1"><c><v>1</v></c><c s="1" r="D1"><v>1</v></c><c s="1"><v>2</v></c></row>',
    "references in one row of two": '<row r="1"><c r="B1"><v>1</v></c><c s="1"><v>1</v></c></row>'
    '<row><c s="1"><v>1</v></c></row>',
    "columns far out": '<row r="1048576"><c r="XFD1048576" s="1"><v>1</v></c></row>',
    "hidden rows": '<row r="2" hidden="1"/><row r="3" hidden="true"/><row r="4" hidden="0"/>'
    '<row r="5" collapsed="1" hidden=\'1\'/>',
    "styles that do not exist": '<row r="1"><c r="A1" s="77"><v>1</v></c><c r="B1" s=""><v>1</v></c></row>',
    "rows out of order": '<row r="5"><c r="A5" s="1"><v>1</v></c></row><row r="2"><c r="A2" s="1"><v>1</v></c></row>',
    "dates as text": '<row r="1"><c r="A1" s="1" t="d"><v>2026-01-01</v></c><c r="B1" t="e"><v>#N/A</v></c></row>',
    "nothing": "",
}


@pytest.mark.parametrize("cells", SHEETS.values(), ids=SHEETS.keys())
@pytest.mark.parametrize("block", [7, 1 << 19])
def test_both_ways_of_reading_agree(tmp_path: Path, cells: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "BLOCK", block)
    sheet = f'<worksheet xmlns="urn:x"><cols><col min="2" max="3" hidden="1"/></cols><sheetData>{cells}</sheetData>'
    sheet += '<mergeCells><mergeCell ref="A1:B2"/></mergeCells></worksheet>'
    path = write_xlsx(
        tmp_path / "a.xlsx", [Sheet("Sales", [[1, Cell(1, "0%")]])], replace={"xl/worksheets/sheet1.xml": sheet}
    )
    assert plain(looked(path)) == plain(careful(path, monkeypatch))
    assert looked(path).hidden_columns == (Span(1, 2),)


def test_what_those_sheets_hold(tmp_path: Path) -> None:
    def of(name: str) -> SheetLook:
        sheet = f'<worksheet xmlns="urn:x"><sheetData>{SHEETS[name]}</sheetData></worksheet>'
        return looked(
            write_xlsx(
                tmp_path / "a.xlsx", [Sheet("Sales", [[1, Cell(1, "0%")]])], replace={"xl/worksheets/sheet1.xml": sheet}
            )
        )

    assert of("comment").filled_cells == 1
    assert of("cdata").extent == Range(0, 0, 0, 0)
    assert of("order of attributes").cell_format(0, 0) == "0%"
    assert of("self-closing").extent == Range(2, 2, 2, 2)
    assert of("empty values").formulas_without_value == ((0, 1), (0, 2))
    assert of("no values").formulas_without_value == ((0, 0), (1, 0))
    assert of("no values").formula_count == 3
    assert of("rows without numbers").cell_format(1, 1) == "0%"
    assert of("no references").extent == Range(1, 0, 4, 3)
    assert [of("no references").cell_format(*at) for at in ((1, 0), (1, 1), (4, 0))] == ["", "0%", "0%"]
    assert of("some references").extent == Range(0, 0, 0, 4)
    assert of("columns far out").extent == Range(1048575, 16383, 1048575, 16383)
    assert of("hidden rows").hidden_rows == (Span(1, 2), Span(4, 4))


def test_random_sheets_are_read_alike_both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(20)
    formats: list[str | int] = [0, 9, 14, 22, "00000", '#,##0.00 "€"', "[h]:mm"]
    values: list[Value] = [
        None,
        1,
        2.5,
        -1e300,
        "x",
        "",
        "a<b>&\"'",
        True,
        date(2026, 1, 2),
        timedelta(hours=40),
        "#REF!",
    ]
    for _ in range(60):
        monkeypatch.setattr(package, "BLOCK", chance.choice([64, 500, 1 << 19]))
        rows = [
            [
                Cell(chance.choice(values), chance.choice(formats), formula=chance.choice([None, None, "A1&B1"]))
                for _ in range(chance.randrange(6))
            ]
            for _ in range(chance.randrange(12))
        ]
        hidden = [r for r in range(12) if chance.random() < 0.2]
        path = write_xlsx(
            tmp_path / "a.xlsx",
            [Sheet("Sales", rows, hidden_rows=hidden, references=chance.random() < 0.7)],
            prefix=chance.choice(["", "", "x"]),
            quote=chance.choice(['"', '"', "'"]),
            shared=chance.random() < 0.5,
        )
        assert plain(looked(path)) == plain(careful(path, monkeypatch))


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "utf-8-sig"])
def test_encodings_of_the_sheet(tmp_path: Path, encoding: str) -> None:
    name = {"utf-8-sig": "UTF-8"}.get(encoding, encoding)
    text = f'<?xml version="1.0" encoding="{name}"?><worksheet xmlns="urn:x"><sheetData>'
    text += '<row r="1"><c r="A1" s="1"><v>1</v></c><c r="B1" t="str"><v>é</v></c></row></sheetData></worksheet>'
    path = write_xlsx(
        tmp_path / "a.xlsx",
        [Sheet("Sales", [[1, Cell(1, "0%")]])],
        replace={"xl/worksheets/sheet1.xml": text.encode(encoding)},
    )
    assert looked(path).cell_format(0, 0) == "0%"
    assert looked(path).extent == Range(0, 0, 0, 1)


def test_many_formulas_without_a_value_are_counted_and_some_listed(tmp_path: Path) -> None:
    rows = [[Cell(formula="1+1")] for _ in range(350)]
    sheet = looked(write_xlsx(tmp_path / "a.xlsx", [Sheet("Sales", rows)]))
    assert sheet.formulas_without_value_count == 350
    assert sheet.formulas_without_value == tuple((r, 0) for r in range(200))


def test_a_format_of_the_workbook_outranks_a_built_in_one(tmp_path: Path) -> None:
    styles = (
        '<styleSheet xmlns="urn:x"><numFmts><numFmt numFmtId="14" formatCode="0&quot; pcs&quot;"/></numFmts>'
        '<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="14"/><xf numFmtId="10"/></cellXfs>'
        "</styleSheet>"
    )
    path = write_xlsx(tmp_path / "a.xlsx", [Sheet("Sales", [[1, Cell(1, "0%")]])], replace={"xl/styles.xml": styles})
    assert [looked(path).cell_format(0, c) for c in (0, 1)] == ['0" pcs"', "0.00%"]


def test_letters_of_columns() -> None:
    assert [letters(c) for c in (0, 25, 26, 701, 702, 16383)] == ["A", "Z", "AA", "ZZ", "AAA", "XFD"]
