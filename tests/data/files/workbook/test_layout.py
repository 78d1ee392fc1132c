"""Where tables lie on a sheet: titles, headers of several rows, notes, totals, merged cells, several tables."""

from __future__ import annotations

from datetime import date

import pytest

from tests.data.files.workbook.conftest import Book
from tests.data.files.workbooks import ListObject, Sheet

SALES = [["region", "units", "price"], ["East", 4, 1.5], ["West", 6, 2.25], ["North", 7, 3.5]]
STAFF = [["name", "age"], ["Ana", 31], ["Bo", 45], ["Cy", 28]]


def test_titles_and_notes_are_no_rows(book: Book) -> None:
    seen = book([["Sales report 2026"], ["made on Monday"], [], *SALES, [], ["Source: the tills"]]).only
    assert seen.names == ["region", "units", "price"]
    assert len(seen.rows) == 3
    assert [(s.line, s.why) for s in seen.report.skipped] == [
        (1, "above the table"), (2, "above the table"), (9, "below the table"),
    ]  # fmt: skip
    assert seen.choice("range") == "A4:C7"


def test_notes_beside_each_other_above_and_below(book: Book) -> None:
    seen = book(
        [
            ["Lots of", None, None, "notes"],
            ["at", "the", None, "top"],
            ["name", "job", "age", "born"],
            ["Ana", "cook", 31, date(1990, 1, 1)],
            ["Bo", "smith", 45, date(1980, 1, 1)],
            ["Cy", "smith", 44, date(1981, 1, 1)],
            ["Some"],
            [None, "more notes"],
            [None, None, "at the", "bottom"],
        ]
    ).only
    assert seen.names == ["name", "job", "age", "born"]
    assert seen.types == ["text", "text", "integer", "date"]
    assert len(seen.rows) == 3


def test_sparse_last_rows_of_a_table_stay(book: Book) -> None:
    seen = book([["text", "n", "d"], ["a", 1, 2], ["b", 3, 4], ["c", 5, 6], ["this has blanks"], ["so has this"]]).only
    assert len(seen.rows) == 5


def test_a_total_is_no_row_when_it_adds_up(book: Book) -> None:
    seen = book([*SALES, ["Total", 17, None]]).only
    assert seen.column("units") == [4, 6, 7]
    assert seen.told("totals row 5")
    kept = book([*SALES, ["Total", 99, None]]).only
    assert kept.column("units") == [4, 6, 7, 99]
    assert kept.told("row 5", "not the sum")
    assert len(book([*SALES, ["Total", 17, None]], keep_totals=True).only.rows) == 4


def test_blank_rows_and_columns_within_a_table(book: Book) -> None:
    rows = [[a, None, b, c] if a != "gap" else [] for a, b, c in [*SALES[:2], ("gap", 0, 0), *SALES[2:]]]
    seen = book([[], *[[None, *r] for r in rows]]).only
    assert seen.names == ["region", "units", "price"]
    assert seen.column("units") == [4, 6, 7]
    assert seen.told("1 blank column", "C")
    assert seen.told("1 blank row")


def test_names_within_merged_groups_may_be_units(book: Book) -> None:
    content = [["Region", 2024, None, 2025, None], [None, "Units", "EUR", "Units", "EUR"], ["N", 1, 10.5, 2, 20.5]]
    content += [["S", 3, 30.5, 4, 40.5], ["W", 3, 31.5, 4, 41.5]]
    seen = book([Sheet("S", content, merged=["A1:A2", "B1:C1", "D1:E1"])]).only
    assert seen.names == ["Region", "2024 / Units", "2024 / EUR", "2025 / Units", "2025 / EUR"]
    assert len(seen.rows) == 3


def test_merged_groups_over_two_header_rows(book: Book) -> None:
    content = [
        ["Region", 2023, None, 2024, None],
        [None, "Units", "Price", "Units", "Price"],
        ["East", 1, 1.5, 2, 2.5],
        ["West", 3, 3.5, 4, 4.5],
    ]
    seen = book([Sheet("S", content, merged=["A1:A2", "B1:C1", "D1:E1"])]).only
    assert seen.names == ["Region", "2023 / Units", "2023 / Price", "2024 / Units", "2024 / Price"]
    assert seen.types == ["text", "integer", "number", "integer", "number"]
    assert seen.choice("header_rows") == "2"
    plain = book([Sheet("S", content)]).only
    assert plain.names == seen.names


def test_three_header_rows(book: Book) -> None:
    content = [
        ["Report of the year"],
        [None, "Europe", None, None, None],
        [None, "North", None, "South", None],
        ["Product", "Units", "Price", "Units", "Price"],
        ["nut", 1, 1.5, 2, 2.5],
        ["bolt", 3, 3.5, 4, 4.5],
        ["cap", 5, 5.5, 6, 6.5],
    ]
    seen = book([Sheet("S", content, merged=["B2:E2", "B3:C3", "D3:E3"])]).only
    assert seen.names == [
        "Product", "Europe / North / Units", "Europe / North / Price", "Europe / South / Units",
        "Europe / South / Price",
    ]  # fmt: skip


def test_a_title_over_all_columns_is_no_group(book: Book) -> None:
    seen = book([Sheet("S", [["Table 1"], ["A", "B"], [8, 9], [1, 2]], merged=["A1:B1"])]).only
    assert seen.names == ["A", "B"]


def test_long_groups_go_into_the_notes(book: Book) -> None:
    group = "Characteristics of the pollsters (as of 2014)"
    content = [[None, group, None], ["name", "polls", "grade"], ["Ana", 3, 1.5], ["Bo", 4, 2.5]]
    seen = book([Sheet("S", content, merged=["B1:C1"])]).only
    assert seen.names == ["name", "polls", "grade"]
    assert group in seen.note("polls")


def test_a_row_of_units(book: Book) -> None:
    seen = book([["part", "weight", "length"], [None, "kg", "m"], ["nut", 1.5, 2], ["cap", 2.5, 3]]).only
    assert seen.names == ["part", "weight", "length"]
    assert [seen.note(name) for name in seen.names] == ["", "unit: kg", "unit: m"]
    assert seen.told("Row 2", "units", "kg, m")


def test_a_row_with_one_unit(book: Book) -> None:
    seen = book([["name", "weight"], [None, "kg"], ["nut", 1], ["cap", 2], ["pin", 3]]).only
    assert seen.rows == [("nut", 1), ("cap", 2), ("pin", 3)]
    assert [s.why for s in seen.report.skipped] == ["units"]


def test_words_in_the_first_row_of_data_are_data(book: Book) -> None:
    rows = [[f"shop {i}", i, i * 2] for i in range(30)]
    seen = book([["shop", "mon", "tue"], ["shop 0", "closed", "closed"], *rows]).only
    assert seen.names == ["shop", "mon", "tue"]
    assert len(seen.rows) == 31


def test_numeric_and_dated_headers(book: Book) -> None:
    seen = book([["region", 2019, 2020, 2021], ["East", 5, 6, 7], ["West", 1, 2, 3]]).only
    assert seen.names == ["region", "2019", "2020", "2021"]
    months = [date(2026, 1, 1), date(2026, 2, 1)]
    assert book([["region", *months], ["East", 5, 6], ["West", 1, 2]]).only.names == [
        "region", "2026-01-01", "2026-02-01",
    ]  # fmt: skip
    assert book([[0, "Age", "Id"], [1, 32, 7], [2, 25, 8], [3, 36, 9]]).only.names == ["0", "Age", "Id"]


def test_duplicate_and_blank_header_cells(book: Book) -> None:
    seen = book([[None, "var2", None, "var2"], [1, "a", 1.5, "aa"], [2, "b", 2.5, "bb"]]).only
    assert seen.names == ["column_1", "var2", "column_3", "var2_2"]


def test_no_header(book: Book) -> None:
    seen = book([[1, "a", date(2026, 1, 1)], [2, "b", date(2026, 1, 2)]]).only
    assert seen.names == ["column_1", "column_2", "column_3"]
    assert seen.choice("header_rows") == "0"
    assert len(seen.rows) == 2


def test_a_header_without_rows_and_a_lone_cell(book: Book) -> None:
    assert book([["a", "b"]]).only.told("no rows")
    assert book([["only this"]]).only.rows == [("only this",)]


def test_what_a_person_says_of_the_header(book: Book) -> None:
    content = [["a", "b"], ["x", "y"], ["z", "w"]]
    assert book(content, header=False).only.names == ["column_1", "column_2"]
    assert len(book(content, header_rows=0).only.rows) == 3
    two = book(content, header_rows=2).only
    assert two.names == ["a / x", "b / y"]
    assert two.report.decision("header_rows").certainty == "told"  # type: ignore[union-attr]
    assert book([[1, 2], [3, 4]], header=True).only.names == ["1", "2"]


def test_rows_that_a_person_leaves_out(book: Book) -> None:
    seen = book([["x", "y", "z"], *SALES, ["end", "of", "it"]], skip_lines=1, skip_end=1).only
    assert seen.names == ["region", "units", "price"]
    assert len(seen.rows) == 3
    assert [s.text for s in seen.report.skipped] == ["x | y | z", "end | of | it"]


def test_merged_cells_of_the_body_hold_for_all_rows(book: Book) -> None:
    content = [["region", "shop", "n"], ["East", "a", 1], [None, "b", 2], [None, "c", 3], ["West", "d", 4]]
    seen = book([Sheet("S", content, merged=["A2:A4"])]).only
    assert seen.column("region") == ["East", "East", "East", "West"]
    assert seen.told("merged", "A2:A4")
    assert book([Sheet("S", content)]).only.column("region") == ["East", None, None, "West"]


def test_repeated_headers_of_pages(book: Book) -> None:
    seen = book([*SALES, [], SALES[0], ["South", 9, 4.5]]).only
    assert seen.column("units") == [4, 6, 7, 9]
    assert seen.told("1 row", "repeats the header")


def test_tables_below_each_other(book: Book) -> None:
    seen = book([["Sales"], *SALES, [], [], ["Staff"], *STAFF])
    assert list(seen.tables) == ["book_sales", "book_staff"]
    assert seen.tables["book_sales"].column("units") == [4, 6, 7]
    assert seen.tables["book_staff"].names == ["name", "age"]
    assert seen.tables["book_staff"].column("age") == [31, 45, 28]
    assert seen.tables["book_staff"].told("2 tables", "A9:B12")


def test_tables_beside_each_other(book: Book) -> None:
    long = [["day", "n"], *[[date(2026, 1, i), i] for i in range(1, 20)]]
    rows = [[*a, None, *(STAFF[i] if i < len(STAFF) else [])] for i, a in enumerate(long)]
    seen = book(rows)
    assert list(seen.tables) == ["book", "book_2"]
    assert seen.tables["book"].names == ["day", "n"]
    assert len(seen.tables["book"].rows) == 19
    assert seen.tables["book_2"].rows == [("Ana", 31), ("Bo", 45), ("Cy", 28)]


def test_spacer_columns_part_nothing(book: Book) -> None:
    rows = [["name", "age", None, "score", "rank"], *[[f"p{i}", i, None, i / 2, i] for i in range(9)]]
    assert book(rows).only.names == ["name", "age", "score", "rank"]


def test_a_block_of_facts_above_the_table(book: Book) -> None:
    seen = book([["Report", "Sales"], ["By", "Ana"], [], *SALES]).only
    assert seen.names == ["region", "units", "price"]
    assert len(seen.rows) == 3


def test_list_objects_are_tables(book: Book) -> None:
    content = [*[[*a, None, *b] for a, b in zip(SALES, STAFF, strict=True)]]
    tables = [ListObject("tblSales", "A1:C4"), ListObject("tblStaff", "E1:F4")]
    seen = book([Sheet("S", content, tables=tables)])
    assert list(seen.tables) == ["book_tblsales", "book_tblstaff"]
    assert seen.tables["book_tblstaff"].rows == [("Ana", 31), ("Bo", 45), ("Cy", 28)]


def test_totals_of_a_list_object(book: Book) -> None:
    content = [*SALES, ["any words", 17, None]]
    seen = book([Sheet("S", content, tables=[ListObject("t", "A1:C5", totals_rows=1)])]).only
    assert seen.column("units") == [4, 6, 7]


@pytest.mark.parametrize("blank", [1, 3])
def test_text_tables_with_blank_rows_stay_one(book: Book, blank: int) -> None:
    rows: list[list[object]] = [["Column", "Description"], ["a", "what a is"], ["b", "what b is"]]
    rows += [[]] * blank + [["c", "what c is"], ["d", "what d is"]]
    assert len(book(rows).only.rows) == 4


def test_subtotals_between_the_rows(book: Book) -> None:
    content = [
        ["Region", "Q1", "Q2"], ["North", 1, 2], ["South", 3, 4], ["Subtotal Europe", 4, 6], ["China", 5, 6],
        ["Japan", 7, 8], ["Subtotal Asia", 12, 14], ["Total", 16, 20],
    ]  # fmt: skip
    seen = book(content).only
    assert seen.column("Region") == ["North", "South", "China", "Japan"]
    assert [s.why for s in seen.report.skipped] == ["subtotals row", "subtotals row", "totals row"]
    assert seen.told("3 rows", "subtotals")
    assert len(book(content, keep_totals=True).only.rows) == 7


def test_names_that_only_sound_like_totals_stay(book: Book) -> None:
    seen = book([["station", "litres"], ["Total Nord", 5], ["Shell", 7], ["Total Sud", 9], ["Aral", 3]]).only
    assert len(seen.rows) == 4


def test_titled_tables_beside_each_other(book: Book) -> None:
    content = [
        ["Customers", None, None, "Products", None], ["Name", "Revenue", None, "Product", "Units"],
        ["Ana", 5, None, "nut", 7], ["Bo", 4, None, "cap", 6], ["Cy", 3, None, "bolt", 5],
    ]  # fmt: skip
    seen = book(content)
    assert list(seen.tables) == ["book_customers", "book_products"]
    assert seen.tables["book_products"].rows == [("nut", 7), ("cap", 6), ("bolt", 5)]


def test_groups_over_columns_apart_part_nothing(book: Book) -> None:
    content = [
        [None, "Basic", None, None, "Bias", None], ["name", "polls", "grade", None, "mean", "house"],
        ["Ana", 3, 1.5, None, 2.5, 1], ["Bo", 4, 2.5, None, 3.5, 2], ["Cy", 5, 4.5, None, 1.5, 3],
    ]  # fmt: skip
    seen = book([Sheet("S", content, merged=["B1:C1", "E1:F1"])]).only
    assert seen.names == ["name", "Basic / polls", "Basic / grade", "Bias / mean", "Bias / house"]


def test_tables_of_the_same_shape_below_each_other(book: Book) -> None:
    seen = book([["2023"], *STAFF, [], ["2024"], *STAFF])
    assert list(seen.tables) == ["book_2023", "book_2024"]


def test_titles_above_a_table_of_words(book: Book) -> None:
    seen = book([["blah"], [None, "yada"], ["var1", "var2"], [], ["a", "b"], [], ["c", "d"]]).only
    assert seen.names == ["var1", "var2"]
    assert seen.rows == [("a", "b"), ("c", "d")]


def side_by_side(left: list[list[object]], right: list[list[object]], gap: int = 1) -> list[list[object]]:
    """Two lists of rows beside each other with blank columns between them."""
    rows = max(len(left), len(right))
    full = [*left, *[[None] * len(left[0])] * (rows - len(left))]
    other = [*right, *[[None] * len(right[0])] * (rows - len(right))]
    return [[*a, *[None] * gap, *b] for a, b in zip(full, other, strict=True)]


@pytest.mark.parametrize("gap", [1, 3])
@pytest.mark.parametrize("longer", ["left", "right"])
def test_tables_side_by_side_with_rows_of_their_own(book: Book, gap: int, longer: str) -> None:
    left = SALES if longer == "left" else SALES[:3]
    right = STAFF[:3] if longer == "left" else STAFF
    seen = book(side_by_side(left, right, gap))
    assert [len(t.rows) for t in seen.tables.values()] == [len(left) - 1, len(right) - 1]
    for table in seen.tables.values():
        assert table.choice("beside") == "several"
        assert table.told("2 tables")
    (one,) = book(side_by_side(left, right, gap), beside="one").tables.values()
    assert one.names == ["region", "units", "price", "name", "age"]
    assert one.report.decision("beside").certainty == "told"  # type: ignore[union-attr]


def test_a_wide_gap_parts_tables_of_the_same_length(book: Book) -> None:
    seen = book(side_by_side(SALES, STAFF, 2))
    assert [t.names for t in seen.tables.values()] == [["region", "units", "price"], ["name", "age"]]


def test_a_spacer_column_whose_rows_pair_up_is_told_and_can_be_parted(book: Book) -> None:
    seen = book(side_by_side(SALES, STAFF)).only
    assert seen.names == ["region", "units", "price", "name", "age"]
    assert seen.choice("beside") == "one"
    assert seen.told("one table", "pair up")
    parted = book(side_by_side(SALES, STAFF), beside="several")
    assert [t.names for t in parted.tables.values()] == [["region", "units", "price"], ["name", "age"]]


def test_words_side_by_side(book: Book) -> None:
    towns: list[list[object]] = [["town", "land"], ["Bern", "CH"], ["Graz", "AT"], ["Ulm", "DE"]]
    codes: list[list[object]] = [["code", "word"], ["a", "open"], ["b", "shut"]]
    assert [len(t.rows) for t in book(side_by_side(towns, codes)).tables.values()] == [3, 2]


def test_three_tables_side_by_side(book: Book) -> None:
    long: list[list[object]] = [["day", "n"], *[[date(2026, 1, i), i] for i in range(1, 9)]]
    seen = book(side_by_side(side_by_side(SALES, STAFF[:3]), long))
    assert [len(t.rows) for t in seen.tables.values()] == [3, 2, 8]


@pytest.mark.parametrize(
    "last",
    [["Total", 17, None, None, None], ["South", 9, 4.5, None, None], ["made by Ana", None, None, None, None]],
    ids=["total", "gap", "note"],
)
def test_what_follows_on_one_side_only(book: Book, last: list[object]) -> None:
    """A total or a note is no row of its own; a whole row is."""
    rows = [[*row[:3], None, *row[3:]] for row in [*[[*a, *b] for a, b in zip(SALES, STAFF, strict=True)], last]]
    assert len(book(rows).tables) == (2 if last[0] == "South" else 1)


def test_notes_and_lone_columns_beside_a_table_stay_with_it(book: Book) -> None:
    rows = [[*row, None, None, note, word] for row, note, word in zip(
        SALES, ["note", "checked", None, None], ["by", None, "Ana", None], strict=True)]  # fmt: skip
    assert len(book(rows).tables) == 1


def test_cells_merged_over_the_gap_are_no_gap(book: Book) -> None:
    rows = [[a[0], None, None, a[1], a[2]] for a in SALES]
    content = [[r[0], None, None, r[3], r[4]] for r in rows]
    merged = [f"A{i}:C{i}" for i in range(1, 5)]
    wide = [[*a[:2], None, None, *b] for a, b in zip(SALES, STAFF, strict=True)]
    assert book([Sheet("S", content, merged=merged)]).only.names == ["region", "units", "price"]
    assert len(book([Sheet("S", wide, merged=[f"B{i}:D{i}" for i in range(1, 5)])]).tables) == 1


def test_labels_below_codes(book: Book) -> None:
    table = book(
        [
            ["GEO_ID", "NAME", "S0101_C01_001E"],
            ["Geography", "Geographic Area Name", "Estimate!!Total population"],
            ["01001", "Autauga County", 58805],
            ["01003", "Baldwin County", 231767],
        ]
    ).only
    assert table.names == ["GEO_ID", "NAME", "S0101_C01_001E"]
    assert table.column("S0101_C01_001E") == [58805, 231767]
    assert table.told("row 2", "what the columns mean")
    assert table.note("S0101_C01_001E").endswith("label: Estimate!!Total population")


def test_units_and_formats_below_the_header(book: Book) -> None:
    table = book([["day", "speed"], ["int", "float"], [1, 2.5], [2, 3.5], [3, 4.5]]).only
    assert table.rows == [(1, 2.5), (2, 3.5), (3, 4.5)]
    assert book([["day", "speed"], ["d", "m/s"], [1, 2.5], [2, 3.5]]).only.note("speed") == "unit: m/s"
