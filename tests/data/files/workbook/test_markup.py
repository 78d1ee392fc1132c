"""Tables of web pages and of Excel's XML, mostly named as workbooks."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest

from tabulaflow_core.data.files import ReadBounds, Watch, read_file
from tabulaflow_core.data.files.formats.workbook.markup import markup_kind
from tabulaflow_core.errors import FileUnreadable
from tests.data.files.workbook.conftest import SeenBook, see

PLAIN = "<table><tr><th>name</th><th>n</th></tr><tr><td>Ann</td><td>1</td></tr><tr><td>Bob</td><td>2</td></tr></table>"


def seen(folder: Path, content: str | bytes, name: str = "a.xls") -> SeenBook:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return see(read_file(path, storage=folder / "s"))


def refused(folder: Path, content: str | bytes, bounds: ReadBounds | None = None) -> str:
    path = folder / "a.xls"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FileUnreadable) as caught:
        read_file(path, storage=folder / "s", watch=Watch(bounds=bounds or ReadBounds()))
    assert not list((folder / "s").iterdir())
    return caught.value.user_message


@pytest.mark.parametrize("name", ["a.xls", "a.xlsx", "a.html", "a.csv"])
def test_a_table_of_a_page(tmp_path: Path, name: str) -> None:
    book = seen(tmp_path, f"<html><body><h1>Sales</h1>{PLAIN}</body></html>", name)
    assert list(book.tables) == ["a"]
    assert book.only.rows == [("Ann", 1), ("Bob", 2)]
    assert book.report.format == "html"
    assert book.told("web page") is (name != "a.html")


def test_a_table_without_a_page(tmp_path: Path) -> None:
    assert seen(tmp_path, PLAIN).only.rows == [("Ann", 1), ("Bob", 2)]
    assert seen(tmp_path, f"\ufeff\n<!-- made by a program -->\n{PLAIN}").only.names == ["name", "n"]


def test_tables_in_tables_and_of_one_page(tmp_path: Path) -> None:
    second = "<table><caption>Staff</caption><tr><td>who<td>age<tr><td>Cy<td>44</table>"
    book = seen(tmp_path, f"<html><table><tr><td>menu</td><td>{PLAIN}</td></tr></table>{second}</html>")
    assert list(book.tables) == ["a_table_1", "a_staff"]
    assert book.tables["a_staff"].rows == [("Cy", 44)]
    assert [(p.name, p.kind) for p in book.report.parts] == [("table 1", "table"), ("Staff", "table")]
    assert book.told("1 table", "no data")


def test_cells_over_several_rows_and_columns(tmp_path: Path) -> None:
    book = seen(
        tmp_path,
        "<table><thead><tr><th rowspan=2>Region<th colspan='2'>2025</tr><tr><th>Units<th>Price</tr></thead>"
        "<tr><td rowspan=2>East<td>1<td>1.5</tr><tr><td>2<td>2.5</tr><tr><td>West<td>3<td>3.5</tr></table>",
    )
    assert book.only.names == ["Region", "2025 / Units", "2025 / Price"]
    assert book.only.rows == [("East", 1, 1.5), ("East", 2, 2.5), ("West", 3, 3.5)]
    assert book.only.choice("header_rows") == "2"


def test_what_a_cell_shows(tmp_path: Path) -> None:
    cells = (
        "<b>a</b>&amp;\n  b",
        "one<br>two",
        "<p>x</p><p>y</p>",
        "&nbsp;7&nbsp;",
        "<script>if (a<b) 1</script>z",
        "007",
    )
    rows = "".join(f"<tr><td>{i}<td>{c}</tr>" for i, c in enumerate(cells))
    book = seen(tmp_path, f"<table><tr><th>n<th>text</tr>{rows}</table>")
    assert book.only.column("text") == ["a& b", "one\ntwo", "x\ny", "7", "z", "007"]


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "cp1252"])
def test_the_encoding_of_a_page(tmp_path: Path, codec: str) -> None:
    told = "<meta http-equiv=Content-Type content='text/html; charset=windows-1252'>" if codec == "cp1252" else ""
    page = f"<html><head>{told}</head><table><tr><th>town<th>n</tr><tr><td>Zürich<td>1</tr></table></html>"
    assert seen(tmp_path, page.encode(codec)).only.rows == [("Zürich", 1)]


def test_headings_that_are_only_numbers(tmp_path: Path) -> None:
    book = seen(tmp_path, "<table><tr><th>1</th><th>2</th></tr><tr><td>5</td><td>6</td></tr></table>")
    assert (book.only.names, book.only.rows) == (["1", "2"], [(5, 6)])


def test_pages_without_data_and_beyond_the_bounds(tmp_path: Path) -> None:
    assert "web page without a table" in refused(tmp_path, "<!DOCTYPE html><html><body>1,2</body></html>")
    assert "more than 20 columns" in refused(tmp_path, "<table><tr><td colspan=30>a</table>", ReadBounds(columns=20))
    long = f"<table><tr><td>{'x' * 9000}<td>1</table>"
    assert "larger than the allowed" in refused(tmp_path, long, ReadBounds(cell_bytes=5000))
    many = f"<table>{'<tr><td>1<td>2' * 9000}</table>"
    assert "memory" in refused(tmp_path, many, ReadBounds(memory_bytes=300_000))
    mail = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\n"
    assert "MHTML" in refused(tmp_path, mail)


def test_rows_that_reach_far_take_no_memory(tmp_path: Path) -> None:
    rows = "<tr><td rowspan=65534 colspan=400>a<td>b</tr>" * 20
    assert seen(tmp_path, f"<table>{rows}</table>").only.rows


@pytest.mark.parametrize(
    "text", ["<b>x</b>,1\n", "<TICKER>,<DATE>\n", "<p>a</p>,2\n", "a<table>,1\n", "<?xml version='1'?><a/>"]
)
def test_what_is_no_page(text: str) -> None:
    assert markup_kind(text.encode()) == ""


EXCEL = """<?xml version="1.0"?>
<?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Styles><Style ss:ID="p"><NumberFormat ss:Format="Percent"/></Style><Style ss:ID="q" ss:Parent="p"/>
<Style ss:ID="d"><NumberFormat ss:Format="Short Date"/></Style><Style ss:ID="t"><NumberFormat ss:Format="h:mm"/></Style>
<Style ss:ID="u"><NumberFormat ss:Format="[h]:mm"/></Style><Style ss:ID="z"><NumberFormat ss:Format="00000"/></Style>
</Styles>{sheets}</Workbook>"""
XMLNS = 'xmlns="urn:schemas-microsoft-com:office:excel"'


def data(kind: str, value: object, style: str = "", more: str = "") -> str:
    styled = f' ss:StyleID="{style}"' if style else ""
    return f'<Cell{styled}{more}><Data ss:Type="{kind}">{value}</Data></Cell>'


def sheet(name: str, *rows: str, before: str = "", after: str = "") -> str:
    return f'<Worksheet ss:Name="{name}"><Table>{before}{"".join(rows)}</Table>{after}</Worksheet>'


def row(*cells: str, more: str = "") -> str:
    return f"<Row{more}>{''.join(cells)}</Row>"


def head(*names: str) -> str:
    return row(*(data("String", n) for n in names))


def test_excels_xml(tmp_path: Path) -> None:
    first = row(
        '<Cell ss:MergeDown="1"><ss:Data ss:Type="String" xmlns="http://www.w3.org/TR/REC-html40"><B>An</B>na</ss:Data>'
        "<Comment><ss:Data>a remark</ss:Data></Comment></Cell>",
        data("Number", 0.25, "q"), data("DateTime", "2026-03-01T00:00:00.000", "d"),
        data("DateTime", "1899-12-31T14:30:00.000", "t"), data("DateTime", "1900-01-01T12:00:00.000", "u"),
        data("Number", 123), data("Boolean", 1), data("DateTime", "2026-03-01T10:00:00.000"), more=' ss:Index="3"',
    )  # fmt: skip
    second = row(
        data("Number", 0.5, "p", ' ss:Index="2"'), data("Number", 46083, "d"), data("Number", 0.25, "t"),
        data("Number", 1.5, "u"), data("Number", 4567), data("Boolean", 0), data("DateTime", "2026-03-02T00:00:00.000"),
    )  # fmt: skip
    zips = '<Column ss:Index="6" ss:StyleID="z"/>'
    names = head("name", "share", "day", "at", "spent", "zip", "ok", "when")
    hidden = sheet(
        "Hid", head("a"), after=f"<WorksheetOptions {XMLNS}><Visible>SheetHidden</Visible></WorksheetOptions>"
    )
    book = seen(tmp_path, EXCEL.format(sheets=sheet("Sales", names, first, second, before=zips) + hidden))
    assert book.only.rows == [
        ("Anna", 0.25, date(2026, 3, 1), time(14, 30), timedelta(hours=36), "00123", True, datetime(2026, 3, 1, 10)),
        ("Anna", 0.5, date(2026, 3, 2), time(6), timedelta(hours=36), "04567", False, datetime(2026, 3, 2)),
    ]
    assert "per cent" in book.only.note("share")
    assert book.told("hidden", "Hid")
    assert book.report.format == "xml"


def test_what_excels_xml_lacks_is_told(tmp_path: Path) -> None:
    lacking = '<Cell ss:Formula="=RC[-1]*2"></Cell>'
    rows = (head("n", "v"), row(data("Number", 1), lacking), row(data("Number", 2), data("Error", "#DIV/0!")))
    book = seen(tmp_path, EXCEL.format(sheets=sheet("S", *rows)), "a.xml")
    assert book.only.rows == [(1, None), (2, None)]
    assert book.told("1 formula", "B2")
    assert book.told("#DIV/0! in B3")


def test_dates_of_1900_and_before(tmp_path: Path) -> None:
    """Serial 59 and 61 are the last of February and the first of March; 60 is a day that never was."""
    days = [data("Number", n, "d") for n in (1, 59, 61, 45000)]
    book = seen(tmp_path, EXCEL.format(sheets=sheet("S", head("day", "n"), *(row(d, data("Number", 1)) for d in days))))
    assert book.only.column("day") == [date(1900, 1, 1), date(1900, 2, 28), date(1900, 3, 1), date(2023, 3, 15)]


@pytest.mark.parametrize(
    "damage", ["<Row ss:Index='99999999'/>", "<Cell ss:Index='999999'/>", "<a>", "&x;", "<Row>" + "<b>" * 2000]
)
def test_damaged_excel_xml(tmp_path: Path, damage: str) -> None:
    said = refused(tmp_path, EXCEL.format(sheets=sheet("S", head("a", "b"), damage)))
    assert said.endswith(".")


def test_entities_of_its_own_are_refused(tmp_path: Path) -> None:
    told = '<!DOCTYPE x [<!ENTITY a "b">]>'
    text = EXCEL.format(sheets=sheet("S", head("a"))).replace("<Workbook", f"{told}<Workbook", 1)
    assert refused(tmp_path, text)
