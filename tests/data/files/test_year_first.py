"""Dates of three short numbers whose year comes first, and JSON under the name of a text file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tabulaflow_core.data.files import FilesConnector, read_file

DAYS = [f"24-02-{day:02}" for day in range(3, 9)]


async def _column(path: Path, storage: Path, **options: object) -> tuple[list[object], str, str]:
    from tabulaflow_core.data.files import ReadOptions

    reading = read_file(path, storage=storage, options=ReadOptions(**options))  # type: ignore[arg-type]
    async with await FilesConnector.open_async([reading]) as connector:
        outcome = await connector.run_query_async(f'SELECT * FROM "{reading.tables[0].name}"')
    decision = reading.report.decision("date_order")
    assert decision is not None
    return outcome.table.column(0).to_pylist(), decision.value, decision.certainty  # type: ignore[union-attr]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def make(*cells: str, name: str = "days.csv") -> Path:
        path = tmp_path / name
        path.write_text("\n".join(["day,units", *(f"{cell},{i}" for i, cell in enumerate(cells))]) + "\n")
        return path

    return make


@pytest.mark.parametrize("rows", [1, 2_000])
async def test_a_number_above_31_is_a_year(write: Callable[..., Path], tmp_path: Path, rows: int) -> None:
    values, order, sure = await _column(write(*["85-01-31", "86-02-01"] * rows), tmp_path / "s")
    assert [str(value) for value in values[:2]] == ["1985-01-31", "1986-02-01"]
    assert (order, sure, len(values)) == ("ymd", "certain", 2 * rows)


@pytest.mark.parametrize("rows", [1, 2_000])
async def test_a_first_number_that_hardly_changes_is_taken_for_a_year(
    write: Callable[..., Path], tmp_path: Path, rows: int
) -> None:
    values, order, sure = await _column(write(*DAYS * rows), tmp_path / "s")
    assert [str(value) for value in values[:2]] == ["2024-02-03", "2024-02-04"]
    assert (order, sure) == ("ymd", "guess")
    told, order, sure = await _column(write(*DAYS), tmp_path / "t", date_order="dmy")
    assert str(told[0]) == "2003-02-24"
    assert (order, sure) == ("dmy", "told")


async def test_days_that_change_most_come_first(write: Callable[..., Path], tmp_path: Path) -> None:
    values, order, sure = await _column(write("31-01-24", "28-02-24", "03-02-24", "04-02-24"), tmp_path / "s")
    assert str(values[0]) == "2024-01-31"
    assert (order, sure) == ("dmy", "certain")


def test_a_list_of_records_is_json_whatever_it_is_called(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text('[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]')
    (table,) = read_file(path, storage=tmp_path / "s").tables
    assert (table.columns, table.row_count) == (("a", "b"), 2)
    path.write_text('{"a": 1};x\n{"a": 2};y\n')
    assert read_file(path, storage=tmp_path / "s").report.format == "text"
