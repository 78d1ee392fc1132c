"""An answer says what was guessed about the columns that it depends on, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabulaflow_core.data.assumptions import assumptions_of
from tabulaflow_core.data.files import ColumnReport, Decision, FilesConnector, ReadingReport, ReadOptions
from tabulaflow_core.data.files.doubts import doubts, touched

DATES = "nr,paid,amount\n7,03/04/2026,10.5\n8,05/06/2026,11.5\n9,01/02/2026,12.5\n"


async def opened(folder: Path, options: ReadOptions | None = None) -> FilesConnector:
    (folder / "paid.csv").write_text(DATES)
    (folder / "plain.csv").write_text("nr,name\n7,Ann\n8,Bo\n")
    given = {"paid": folder / "paid.csv", "plain": folder / "plain.csv"}
    return await FilesConnector.from_files_async(given, options={"paid": options} if options else None)


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("SELECT month(paid), sum(amount) FROM paid GROUP BY 1", 1),
        ('SELECT max("Paid") FROM "PAID"', 1),
        ("SELECT * FROM paid", 1),
        ("SELECT p.* FROM paid p", 1),
        ("FROM paid", 1),
        ("SELECT count(*) FROM plain", 0),
        ("SELECT nr, name FROM plain", 0),
        ("SELECT paid.paid FROM plain JOIN paid USING (nr)", 1),
        ("SELECT nonsense FROM", 0),
        ("DELETE FROM paid", 0),
    ],
)
async def test_a_guessed_date_order_is_said_where_it_matters(tmp_path: Path, sql: str, count: int) -> None:
    async with await opened(tmp_path) as connector:
        said = assumptions_of(connector, sql)
    assert len(said) == count
    if count:
        assert "day or month comes first in “paid”" in said[0]
        assert "month first" in said[0]


async def test_nothing_is_said_of_what_a_person_told(tmp_path: Path) -> None:
    async with await opened(tmp_path, ReadOptions(date_order="dmy")) as connector:
        assert assumptions_of(connector, "SELECT * FROM paid") == ()


def test_columns_that_a_query_does_not_name_are_left_out() -> None:
    report = ReadingReport(
        "text",
        decisions=(Decision("decimal_mark", ".", "guess"), Decision("encoding", "windows-1252", "likely")),
        columns=(
            ColumnReport("day", "day", "date", "DATE", "guess", "day first"),
            ColumnReport(
                "sum", "sum", "integer", "BIGINT", "guess", "its marks can be read as decimals or as thousands"
            ),
            ColumnReport("level", "level", "boolean", "BOOLEAN", "guess", "ones and zeros"),
            ColumnReport("name", "name", "text", "VARCHAR", "guess"),
        ),
    )
    found = doubts("t", report)
    assert [doubt.column for doubt in found] == ["day", "sum", "level"]
    assert touched(found, "SELECT level FROM t") == ("t: that “level” is boolean is a guess (ones and zeros).",)
    assert "whole numbers" in touched(found, "SELECT 2 * sum FROM t")[0]


def test_a_guess_about_the_whole_file_is_always_said() -> None:
    report = ReadingReport("text", decisions=(Decision("encoding", "mac-roman", "guess"),))
    assert touched(doubts("t", report), "SELECT 1 FROM t") == ("t: the encoding of the file is a guess (mac-roman).",)
