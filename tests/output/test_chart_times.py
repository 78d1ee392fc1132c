"""Charts along time: every form in which a time stands is drawn in its place, and none is drawn as another."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta

import pyarrow as pa
import pytest

from tabulaflow_core.output import ChartSpec, choose_chart, describe
from tests.output._results import result


def drawn(times: object, name: str = "month") -> tuple[list[object], str, ChartSpec]:
    """The places on the axis in order, how the axis reads them, and the chart."""
    spec = choose_chart(result({name: times, "v": range(1, len(times) + 1)}))  # type: ignore[arg-type]
    assert isinstance(spec, ChartSpec)
    assert spec.type == "line"
    figure = json.loads(spec.plotly)
    return figure["data"][0]["x"], figure["layout"]["xaxis"]["type"], spec


@pytest.mark.parametrize(
    ("times", "places"),
    [
        (["2026-10-1", "2026-2-1", "2026-11-15"], ["2026-02-01", "2026-10-01", "2026-11-15"]),
        (["Feb 2026", "Apr 2026", "Jan 2026"], ["2026-01", "2026-02", "2026-04"]),
        (["2026 March", "2026 May", "2025 December"], ["2025-12", "2026-03", "2026-05"]),
        (["März 2026", "Januar 2026", "Dez. 2025"], ["2025-12", "2026-01", "2026-03"]),
        (["enero de 2026", "marzo de 2026", "febrero de 2026"], ["2026-01", "2026-02", "2026-03"]),
        (["02/2026", "12/2025", "1/2026"], ["2025-12", "2026-01", "2026-02"]),
        (["Jan-26", "Dec-25", "Feb-26"], ["2025-12", "2026-01", "2026-02"]),
        (["Jan '26", "Dec '25", "Feb '26"], ["2025-12", "2026-01", "2026-02"]),
        (["01.2026", "12.2025", "02.2026"], ["2025-12", "2026-01", "2026-02"]),
        (["Jan-00", "Dec-99", "Feb-00"], ["1999-12", "2000-01", "2000-02"]),
    ],
)
def test_months_and_days_as_text_run_as_time_does(times: list[str], places: list[str]) -> None:
    assert drawn(times)[:2] == (places, "date")


@pytest.mark.parametrize(
    ("times", "places"),
    [
        (["2026-W10", "2026-W9", "2026-W11"], ["2026-W9", "2026-W10", "2026-W11"]),
        (["Q1 2026", "Q4 2025", "Q2 2026"], ["Q4 2025", "Q1 2026", "Q2 2026"]),
        (["KW 10 2026", "KW 9 2026", "KW 52 2025"], ["KW 52 2025", "KW 9 2026", "KW 10 2026"]),
        (["2026 Q1", "2025 Q4", "2026 Q2"], ["2025 Q4", "2026 Q1", "2026 Q2"]),
    ],
)
def test_quarters_and_weeks_run_as_time_does(times: list[str], places: list[str]) -> None:
    assert drawn(times, "period")[:2] == (places, "category")


_DAYS = ["May 12", "May 13", "June 14"]
_VERSIONS = ["1.2026", "2.2026", "3.2026"]


def test_text_that_only_looks_like_a_month_is_a_label() -> None:
    for texts in (
        ["may", "might", "must"],
        ["May 4", "June 17", "July 90"],
        ["13/2026", "14/2026", "15/2026"],
        _DAYS,
        _VERSIONS,
    ):
        spec = choose_chart(result({"name": texts, "v": [1, 3, 2]}))
        assert isinstance(spec, ChartSpec)
        assert spec.type == "bar", texts
    mixed = [f"Jan-{day:02}" for day in range(1, 13)]
    spec = choose_chart(result({"name": mixed, "v": range(12)}))
    assert isinstance(spec, ChartSpec)
    assert spec.type == "bar", "these are days of January, not months of twelve years"


@pytest.mark.parametrize(("unit", "parts"), [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
@pytest.mark.parametrize("name", ["created_at", "createdAt", "timestamp", "event_ts", "epoch"])
def test_an_epoch_is_drawn_as_its_day(name: str, unit: str, parts: int) -> None:
    first = [int(datetime(2025, month, 1, tzinfo=UTC).timestamp()) * parts for month in (3, 1, 2)]
    places, axis, spec = drawn(first, name)
    assert (places, axis) == (["2025-01-01", "2025-02-01", "2025-03-01"], "date"), unit
    assert json.loads(spec.plotly)["layout"]["xaxis"]["title"]["text"].endswith("(UTC)")
    # the rows themselves stay what they are
    assert f"{first[0]}" in describe(result({name: first, "v": [1, 2, 3]})).replace(",", "")


@pytest.mark.parametrize("name", ["duration_ms", "total_created", "id", "amount", "population"])
def test_other_large_numbers_are_no_epoch(name: str) -> None:
    spec = choose_chart(result({"label": ["a", "b", "c"], name: [1735689600, 1738368000, 1740787200]}))
    assert spec is None or (isinstance(spec, ChartSpec) and spec.type == "bar")


def test_small_numbers_are_no_epoch() -> None:
    spec = choose_chart(result({"label": ["a", "b", "c"], "created": [10, 30, 20]}))
    assert isinstance(spec, ChartSpec)
    assert spec.type == "bar"


def test_an_hour_that_a_clock_shows_twice_stays_two() -> None:
    start = datetime(2025, 11, 2, 4, 30, tzinfo=UTC)
    hours = pa.array([start + timedelta(hours=n) for n in range(4)], pa.timestamp("us", tz="America/New_York"))
    places, _, spec = drawn(hours, "t")
    assert places == [f"2025-11-02 {n:02}:30:00" for n in range(4, 8)]
    figure = json.loads(spec.plotly)
    assert figure["data"][0]["y"] == [1, 2, 3, 4]
    assert figure["layout"]["xaxis"]["title"]["text"] == "t (UTC)"


def test_other_hours_keep_the_zone_of_the_data() -> None:
    start = datetime(2025, 7, 2, 4, 30, tzinfo=UTC)
    hours = pa.array([start + timedelta(hours=n) for n in range(4)], pa.timestamp("us", tz="America/New_York"))
    places, _, spec = drawn(hours, "t")
    assert places[0] == "2025-07-02 00:30:00"
    assert json.loads(spec.plotly)["layout"]["xaxis"]["title"]["text"] == "t (America/New_York)"


@pytest.mark.parametrize(
    ("times", "places", "title"),
    [
        (
            ["2026-01-01T09:00:00+02:00", "2026-01-02T09:00:00+02:00", "2026-01-03T09:00:00+02:00"],
            ["2026-01-01 09:00:00", "2026-01-02 09:00:00", "2026-01-03 09:00:00"],
            "t (+02:00)",
        ),
        (
            ["2026-01-01T09:00:00+02:00", "2026-01-01T08:30:00Z", "2026-01-01T00:00:00-08:00"],
            ["2026-01-01 07:00:00", "2026-01-01 08:00:00", "2026-01-01 08:30:00"],
            "t (UTC)",
        ),
    ],
)
def test_text_with_a_zone_is_drawn_at_its_instant(times: list[str], places: list[str], title: str) -> None:
    seen, axis, spec = drawn(times, "t")
    assert (seen, axis) == (places, "date")
    assert json.loads(spec.plotly)["layout"]["xaxis"]["title"]["text"] == title


@pytest.mark.parametrize(
    "times",
    [
        ["0000-00-00", "2026-01-01", "2026-01-02", "2026-01-03"],
        ["2026-02-30", "2026-01-01", "2026-01-02", "2026-01-03"],
        pa.array([2**31 - 1, 20454, 20455, 20456], pa.int32()).cast(pa.date32()),  # DuckDB's infinity
        [None, date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 3)],
    ],
)
def test_what_is_no_day_is_left_out_and_said(times: object) -> None:
    places, axis, spec = drawn(times, "day")
    assert (places, axis) == (["2026-01-01", "2026-01-02", "2026-01-03"], "date")
    assert "1 row without a time left out" in spec.summary
