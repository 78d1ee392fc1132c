"""Values of cells: numbers, dates, codes, errors, formulas without a value, and columns of several kinds."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path

import numpy as np

from tabulaflow_core.data.files import read_file
from tabulaflow_core.data.files.formats.workbook.kinds import without_noise
from tests.data.files.workbook.conftest import Book, see
from tests.data.files.workbooks import Cell, Sheet, write_xlsx


def test_ids_stay_whole_numbers(book: Book) -> None:
    seen = book([["id", "n"], [4500012345678, 1], [4500012345679, 2]]).only
    assert seen.rows == [(4500012345678, 1), (4500012345679, 2)]
    assert seen.types == ["integer", "integer"]


def test_ids_beyond_15_digits_are_said(book: Book) -> None:
    assert book([["id", "n"], [1234567890123456000, 1]]).only.told("15 digits", "id")


def test_noise_of_binary_sums_is_taken_off(book: Book) -> None:
    seen = book([["v", "w"], [0.1 + 0.2, 1 / 3], [291.85999999999996, 2.5]]).only
    assert seen.column("v") == [0.3, 291.86]
    assert seen.column("w") == [1 / 3, 2.5]


def test_noise_of_many_sizes() -> None:
    clean = np.array([0.3, -17.33, 1e-5 + 2e-5, 123456.789, 5e-324, 1e300, 0.0, 1 / 7, 99999999999.95])
    noisy = clean * (1 + 2.3e-16)
    result = without_noise(noisy)
    assert result[[0, 1, 3, 8]].tolist() == [0.3, -17.33, 123456.789, 99999999999.95]
    assert result[4] == noisy[4]
    assert result[7] == noisy[7]


def test_shares_stay_shares(book: Book) -> None:
    seen = book([["a", "share"], [1, Cell(0.52, "0%")], [2, Cell(0.3, "0.0%")], [3, Cell(0.06, "0%")]]).only
    assert seen.column("share") == [0.52, 0.3, 0.06]


def test_a_share_is_noted(book: Book) -> None:
    seen = book([["a", "share"], [1, Cell(0.52, "0%")], [2, Cell(1, "0%")]]).only
    assert seen.type_of("share") == "number"
    assert "52 %" in seen.note("share")


def test_percent_as_text_and_as_format_mean_the_same(book: Book) -> None:
    rows = [[i, Cell(i / 100, "0%")] for i in range(1, 10)]
    seen = book([["a", "share"], *rows, [10, "10%"]]).only
    assert seen.column("share") == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_money_is_noted(book: Book) -> None:
    seen = book([["x", "cost"], ["a", Cell(0.5, "#,##0.00 [$€-407]")], ["b", Cell(10000, "#,##0.00 [$€-407]")]]).only
    assert seen.column("cost") == [0.5, 10000.0]
    assert "EUR" in seen.note("cost")


def test_thousands_are_said(book: Book) -> None:
    seen = book([["x", "cost"], ["a", Cell(1500000, "#,##0,")], ["b", Cell(2500000, "#,##0,")]]).only
    assert seen.column("cost") == [1500000, 2500000]
    assert "thousands" in seen.note("cost")


def test_codes_keep_their_zeros(book: Book) -> None:
    seen = book([["zip", "n"], [Cell(123, "00000"), 1], [Cell(12345, "00000"), 2]]).only
    assert seen.column("zip") == ["00123", "12345"]
    assert seen.type_of("zip") == "text"
    assert "00000" in seen.note("zip")
    assert book([["zip", "n"], [Cell(54321, "00000"), 1], [Cell(12345, "00000"), 2]]).only.type_of("zip") == "text"


def test_dates_and_times_by_their_own_type(book: Book) -> None:
    seen = book(
        [
            ["day", "moment", "clock", "span", "yes"],
            [date(2026, 3, 1), datetime(2026, 3, 1, 14, 30), time(14, 30), timedelta(hours=36), True],
            [date(2026, 12, 31), datetime(2026, 3, 2), time(0, 5), timedelta(minutes=90), False],
        ]
    ).only
    assert seen.types == ["date", "datetime", "other", "other", "boolean"]
    assert seen.rows[0] == (date(2026, 3, 1), datetime(2026, 3, 1, 14, 30), time(14, 30), timedelta(hours=36), True)
    assert seen.rows[1][1:] == (datetime(2026, 3, 2), time(0, 5), timedelta(minutes=90), False)


def test_a_number_is_a_date_by_its_format_alone(book: Book) -> None:
    seen = book([["day", "n"], [Cell(45292, "dd.mm.yyyy"), 45292], [Cell(45293, "dd.mm.yyyy"), 45293]]).only
    assert seen.rows == [(date(2024, 1, 1), 45292), (date(2024, 1, 2), 45293)]


def test_days_counted_from_1904(tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", [Sheet("S", [["day", "n"], [date(2000, 1, 1), 1]])], date_1904=True)
    seen = see(read_file(path, storage=tmp_path / "s"))
    assert seen.only.rows == [(date(2000, 1, 1), 1)]
    assert seen.told("1904")


def test_the_first_day_of_1904_is_a_day(tmp_path: Path) -> None:
    rows = [["day", "n"], [Cell(0, "yyyy-mm-dd"), 1], [Cell(60, "yyyy-mm-dd"), 2], [Cell(43538, "yyyy-mm-dd"), 3]]
    path = write_xlsx(tmp_path / "a.xlsx", [Sheet("S", rows)], date_1904=True)
    seen = see(read_file(path, storage=tmp_path / "s")).only
    assert seen.column("day") == [date(1904, 1, 1), date(1904, 3, 1), date(2023, 3, 15)]


def test_the_day_that_never_was_is_said(book: Book) -> None:
    days = [Cell(n, "yyyy-mm-dd") for n in (1, 59, 60, 61)]
    seen = book([["day", "n"], *([day, n] for n, day in enumerate(days))]).only
    assert seen.column("day") == [date(1900, 1, 1), date(1900, 2, 28), date(1900, 2, 28), date(1900, 3, 1)]
    assert seen.told("29 February 1900", "read as the 28th")
    assert not book([["day", "n"], [days[0], 1], [days[3], 2]]).only.told("29 February 1900")


def test_a_person_can_say_that_numbers_are_days(book: Book) -> None:
    seen = book([["day", "n"], [45292, 1], [45293.5, 2]], types={"day": "date", "n": "text"}).only
    assert seen.rows == [(date(2024, 1, 1), "1"), (date(2024, 1, 2), "2")]
    assert seen.types == ["date", "text"]


def test_numbers_stored_as_text(book: Book) -> None:
    seen = book([["n", "m", "zip"], ["1,5", 1, "00123"], ["22,75", "2", "01200"], ["1.234,5", 3, "99999"]]).only
    assert seen.column("n") == [1.5, 22.75, 1234.5]
    assert seen.column("m") == [1, 2, 3]
    assert seen.column("zip") == ["00123", "01200", "99999"]
    assert "stored as text" in seen.note("n")


def test_the_marks_of_text_do_not_hurt_numbers(book: Book) -> None:
    rows = [[i + 0.5, i] for i in range(20)]
    assert book([["v", "n"], *rows, ["1.234,50", 21]]).only.column("v")[-2:] == [19.5, 1234.5]


def test_text_dates_by_the_rules_of_text(book: Book) -> None:
    seen = book([["d", "n"], ["15/10/2017", 1], ["03/04/2016", 2], ["21/05/2015", 3]]).only
    assert seen.column("d") == [date(2017, 10, 15), date(2016, 4, 3), date(2015, 5, 21)]


def test_few_words_among_numbers_are_listed(book: Book) -> None:
    rows: list[list[object]] = [[i, i * 2] for i in range(200)]
    rows[7][1] = "closed"
    seen = book([["n", "v"], *rows]).only
    assert seen.type_of("v") == "integer"
    assert seen.column("v")[7] is None
    assert [(m.line, m.column, m.value) for m in seen.report.misfits] == [(9, "v", "closed")]


def test_words_for_no_value(book: Book) -> None:
    seen = book([["v", "cc"], [1.5, "NA"], ["n/a", "NO"], [3, "NA"], ["-", "SE"]]).only
    assert seen.column("v") == [1.5, None, 3.0, None]
    assert seen.column("cc") == ["NA", "NO", "NA", "SE"]
    assert seen.told("no value", "n/a")


def test_a_number_that_a_person_says_means_nothing(book: Book) -> None:
    seen = book([["v", "n"], [1, 1], [-999, 2], [3, 3]], missing=("-999",)).only
    assert seen.column("v") == [1, None, 3]


def test_a_mixed_column_loses_nothing(book: Book) -> None:
    seen = book([["v", "what"], [1, "n"], [2.50, "n"], [True, "b"], ["cabbage", "t"], [date(2016, 9, 24), "d"]]).only
    assert seen.column("v") == ["1", "2.5", "TRUE", "cabbage", "2016-09-24"]


def test_errors_are_empty_and_told(book: Book) -> None:
    rows: list[list[object]] = [[i, float(i)] for i in range(5)]
    seen = book([["n", "v"], *rows, [5, Cell("#DIV/0!", kind="e")], [6, Cell("#N/A", kind="e")]]).only
    assert seen.column("v")[5:] == [None, None]
    assert seen.type_of("v") == "integer"
    assert seen.told("2 cells", "#DIV/0! in B7", "#N/A in B8")


def test_formulas_without_a_value_are_told(book: Book) -> None:
    seen = book([["n", "double"], [1, Cell(formula="A2*2")], [2, Cell(4, formula="A3*2")]]).only
    assert seen.column("double") == [None, 4]
    assert seen.told("1 formula", "B2", "no stored value")


def test_control_characters_of_excel(book: Book) -> None:
    seen = book([["text", "n"], ["one_x000D_\ntwo", 1]]).only
    assert "x000D" not in str(seen.rows[0][0])
