"""A person's words for “no value” in workbooks: obeyed whatever kind a cell is of."""

from __future__ import annotations

from datetime import date

from tests.data.files.workbook.conftest import Book


def test_workbooks_obey_whatever_kind_a_cell_is_of(book: Book) -> None:
    rows = [
        ["n", "w", "d", "m", "b"],
        [-999, "none", date(2026, 1, 1), 5, True],
        [4, "n/a", date(1900, 3, 1), "-", False],
        *([n, "x", date(2026, 1, n), n, True] for n in range(5, 9)),
    ]
    seen = book(rows, missing=("-999", "1900-03-01", "NONE", "-", "false")).only
    assert [seen.column(name)[:2] for name in seen.names] == [
        [None, 4],
        [None, "n/a"],
        [date(2026, 1, 1), None],
        [5, None],
        [True, None],
    ]
    assert sum(sum(c.missing.values()) for c in seen.report.columns) == 5
    assert seen.told("“b”", "no value", "“FALSE” (1)")
    assert book(rows, missing=()).only.report.misfit_count == 1
    assert book(rows).only.column("n")[0] == -999


def test_a_workbook_of_numbers_alone_shows_the_choice(book: Book) -> None:
    seen = book([["a", "b"], [1, 2], [9999, 3]], missing=("9999",)).only
    assert seen.rows == [(1, 2), (None, 3)]
    decision = seen.report.decision("missing")
    assert decision is not None
    assert (decision.value, decision.certainty) == ("9999", "told")
