"""Hostile and broken workbooks get a sentence, within the bounds."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tabulaflow_core.data.files.formats.workbook.look import WorkbookKind, look
from tabulaflow_core.data.files.watch import ReadBounds, Watch
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable
from tests.data.files.workbook.look.binaries import compound
from tests.data.files.workbooks import MAIN, Cell, ListObject, Sheet, write_xlsx
from tests.data.files.workbooks_ods import write_ods

BOOK = [Sheet("Sales", [["a", "b"], [1, Cell(0.5, "0%")]], tables=[ListObject("T", "A1:B2")]), Sheet("Other", [[1]])]
SHEET = "xl/worksheets/sheet1.xml"


def refused(path: Path, kind: WorkbookKind = "xlsx", bounds: ReadBounds | None = None) -> str:
    with pytest.raises(FileUnreadable) as caught:
        look(path, kind, watch=Watch(bounds=bounds or ReadBounds()))
    return caught.value.user_message


def test_encrypted_office_workbooks(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(compound({"EncryptionInfo": b"x" * 50, "EncryptedPackage": b"x" * 9000}))
    assert "password" in refused(path)
    assert "password" in refused(path, "xlsb")
    assert "password" in refused(path, "xls")


def test_an_old_workbook_with_a_new_name_is_not_called_encrypted(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(compound({"Workbook": b"x" * 50}))
    assert "password" not in refused(path)


def test_encrypted_ods(tmp_path: Path) -> None:
    assert "password" in refused(write_ods(tmp_path / "a.ods", BOOK, encrypted=True), "ods")
    assert "password" in refused(write_ods(tmp_path / "b.ods", BOOK, replace={"encrypted-package": "x"}), "ods")


def test_a_zip_with_a_password(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", BOOK)
    data = bytearray(path.read_bytes())
    at = 0
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        data[at + 8] |= 1
        at += 4
    path.write_bytes(data)
    assert "password" in refused(path)


@pytest.mark.parametrize("kind", ["xlsx", "xlsb", "ods", "xls"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"a,b\n1,2\n", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\0" * 5000])
def test_what_is_no_workbook(tmp_path: Path, kind: WorkbookKind, data: bytes) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    assert refused(path, kind)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_truncated(tmp_path: Path, share: float) -> None:
    whole = write_xlsx(tmp_path / "a.xlsx", BOOK).read_bytes()
    path = tmp_path / "b.xlsx"
    path.write_bytes(whole[: int(len(whole) * share)])
    assert "damaged" in refused(path)


@pytest.mark.parametrize("part", ["xl/workbook.xml", SHEET, "xl/styles.xml", "_rels/.rels", "xl/tables/table1.xml"])
def test_document_types_are_refused_everywhere(tmp_path: Path, part: str) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>'
    assert "document type" in refused(write_xlsx(tmp_path / "a.xlsx", BOOK, replace={part: bomb}))
    inside = f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>'
    assert refused(write_xlsx(tmp_path / "a.xlsx", BOOK, replace={SHEET: "<!DOCTYPE worksheet>" + inside}))


def test_document_types_in_ods(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "a">]><x>&a;</x>'
    for part in ("content.xml", "styles.xml", "META-INF/manifest.xml"):
        assert "document type" in refused(write_ods(tmp_path / "a.ods", BOOK, replace={part: bomb}), "ods")


def test_deep_nesting(tmp_path: Path) -> None:
    deep = "<a>" * 5000 + "</a>" * 5000
    for xml in (deep, f'<worksheet xmlns="{MAIN}"><sheetData/>{deep}</worksheet>'):
        assert "nested" in refused(write_xlsx(tmp_path / "a.xlsx", BOOK, replace={SHEET: xml}))


def test_zip_bombs(tmp_path: Path) -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c></row>' * 400_000
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    path = write_xlsx(tmp_path / "a.xlsx", BOOK, replace={SHEET: sheet})
    assert "unpacks to" in refused(path, bounds=ReadBounds(unpacked_bytes=1_000_000))
    assert "unpacks to" in refused(path, bounds=ReadBounds(unpacked_ratio=20))
    assert look(path, "xlsx", watch=Watch()).sheets[0].filled_cells == 400_000


def test_an_entry_that_lies_about_its_size(tmp_path: Path) -> None:
    path = write_xlsx(
        tmp_path / "a.xlsx", BOOK, replace={SHEET: f'<worksheet xmlns="{MAIN}">{" " * 50_000}</worksheet>'}
    )
    data = bytearray(path.read_bytes())
    at = data.rfind(SHEET.encode()) - 46
    data[at + 24 : at + 28] = (100).to_bytes(4, "little")
    path.write_bytes(data)
    assert "damaged" in refused(path)


def test_one_endless_value_or_row(tmp_path: Path) -> None:
    bounds = ReadBounds(cell_bytes=2_000_000)
    long = "x" * 5_000_000
    for cells in (f'<row r="1"><c r="A1" t="str"><v>{long}</v></c></row>', f'<row r="1" x="{long}"/>'):
        for before in ("", "<!-- -->"):
            sheet = f'<worksheet xmlns="{MAIN}">{before}<sheetData>{cells}</sheetData></worksheet>'
            path = write_xlsx(tmp_path / "a.xlsx", BOOK, replace={SHEET: sheet})
            if before and "<c" in cells:
                assert look(path, "xlsx", watch=Watch(bounds=bounds)), "text is dropped as it comes"
            else:
                assert "larger than the allowed" in refused(path, bounds=bounds)


def test_a_part_that_stands_twice(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", BOOK)
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("XL/Worksheets/sheet1.xml", "<x/>")
    assert "twice" in refused(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_copies_that_change_nothing(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", BOOK, replace={"docProps/core.xml": "<a/>"})
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(SHEET, file.read(SHEET))  # the same once more
        file.writestr("docProps/core.xml", "<b/>")  # no part that is read
    assert look(path, "xlsx", watch=Watch()).sheets[0].filled_cells == 4


def test_one_sheet_under_many_names_is_read_once(tmp_path: Path) -> None:
    listed = "".join(f'<sheet name="s{i}" sheetId="{i}" r:id="rId1"/>' for i in range(3000))
    path = write_xlsx(
        tmp_path / "a.xlsx",
        BOOK,
        replace={"xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="urn:r"><sheets>{listed}</sheets></workbook>'},
    )
    told: list[int] = []
    found = look(path, "xlsx", watch=Watch(tell=lambda progress: told.append(progress.done)))
    assert len(found.sheets) == 3000
    assert found.sheets[2999].filled_cells == 4
    assert len(told) < 20


def test_missing_parts(tmp_path: Path) -> None:
    found = look(write_xlsx(tmp_path / "a.xlsx", BOOK, replace={SHEET: None}), "xlsx", watch=Watch())
    assert any("Sales" in n and "missing" in n for n in found.notices)
    assert [s.filled_cells for s in found.sheets] == [0, 1]
    for part in ("[Content_Types].xml", "xl/styles.xml", "xl/sharedStrings.xml", "_rels/.rels", "xl/tables/table1.xml"):
        look(write_xlsx(tmp_path / "a.xlsx", BOOK, replace={part: None}), "xlsx", watch=Watch())
    assert "no workbook" in refused(write_xlsx(tmp_path / "a.xlsx", BOOK, replace={"xl/workbook.xml": None}))
    assert "no spreadsheet" in refused(write_ods(tmp_path / "a.ods", BOOK, replace={"content.xml": None}), "ods")


def test_targets_that_lead_out_of_the_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text("<worksheet/>")
    for target in (
        str(secret),
        "../../../../etc/passwd",
        "file:///etc/passwd",
        "http://127.0.0.1:1/x",
        "..\\..\\x",
        "",
    ):
        links = f'<Relationships><Relationship Id="rId1" Type="urn:x/worksheet" Target="{target}"/></Relationships>'
        found = look(
            write_xlsx(tmp_path / "a.xlsx", BOOK, replace={"xl/_rels/workbook.xml.rels": links}), "xlsx", watch=Watch()
        )
        assert any("missing" in notice for notice in found.notices)


def test_broken_styles_are_said(tmp_path: Path) -> None:
    found = look(
        write_xlsx(tmp_path / "a.xlsx", BOOK, replace={"xl/styles.xml": "<styleSheet><a"}), "xlsx", watch=Watch()
    )
    assert any("number formats" in notice for notice in found.notices)
    assert found.sheets[0].filled_cells == 4


def test_an_ods_that_claims_endless_cells(tmp_path: Path) -> None:
    cell = '<table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="16384"/>'
    row = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>'
    book = write_ods(tmp_path / "a.ods", [Sheet("S", [[1]])])
    with zipfile.ZipFile(book) as file:
        text = file.read("content.xml").decode()
    path = write_ods(
        tmp_path / "b.ods", [], replace={"content.xml": text.replace("</table:table>", f"{row}</table:table>")}
    )
    assert "claims to hold" in refused(path, "ods")


def test_it_can_be_stopped(tmp_path: Path) -> None:
    watch = Watch()
    watch.stop()
    for path, kind in ((write_xlsx(tmp_path / "a.xlsx", BOOK), "xlsx"), (write_ods(tmp_path / "a.ods", BOOK), "ods")):
        with pytest.raises(FileReadingStopped):
            look(path, kind, watch=watch)  # type: ignore[arg-type]
