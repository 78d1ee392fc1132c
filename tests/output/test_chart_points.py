"""The points of a chart: nothing is added up, thinned or binned into something that the rows do not say."""

from __future__ import annotations

import json
import random
import statistics
from datetime import date, timedelta

import pytest

from tabulaflow_core.output import ChartSpec, choose_chart
from tests.output._results import result


def chart(columns: dict[str, object], **wish: object) -> ChartSpec:
    spec = choose_chart(result(columns), **wish)  # type: ignore[arg-type]
    assert isinstance(spec, ChartSpec)
    return spec


def points(spec: ChartSpec) -> dict[str, float]:
    trace = json.loads(spec.plotly)["data"][0]
    names, values = ("y", "x") if trace.get("orientation") == "h" else ("x", "y")
    return dict(zip(trace[names], trace[values], strict=True))


@pytest.mark.parametrize(
    "labels",
    [
        ["x" * 250 + "a", "x" * 250 + "b", "c"],
        ["a\nb", "a b", "c"],
        [None, "(none)", "c"],
        ["", "(empty)", "c"],
    ],
)
def test_different_things_that_look_alike_are_not_added_up(labels: list[str | None]) -> None:
    drawn = points(chart({"label": labels, "total": [1, 2, 4]}))
    assert sorted(drawn.values()) == [1, 2, 4]
    assert [name for name in drawn if name.endswith(" (2)")]


def test_names_of_two_parts_are_not_added_up() -> None:
    drawn = points(chart({"first_name": ["Mary Ann", "Mary"], "last_name": ["Lee", "Ann Lee"], "total": [1, 2]}))
    assert drawn == {"Mary Ann Lee": 1, "Mary Ann Lee (2)": 2}


def test_series_that_look_alike_are_told_apart() -> None:
    spec = chart({"day": ["2026-01-01", "2026-01-02"] * 2, "k": ["a\nb"] * 2 + ["a b"] * 2, "v": [1, 2, 3, 4]})
    assert [(t["name"], t["y"]) for t in json.loads(spec.plotly)["data"]] == [("a b", [1, 2]), ("a b (2)", [3, 4])]


def test_times_that_fall_together_are_said() -> None:
    spec = chart({"month": ["2026-01", "2026-01 ", "2026-02"], "v": [1, 2, 4]})
    assert points(spec) == {"2026-01": 3, "2026-02": 4}
    assert "rows with the same month are added up" in spec.summary


def test_a_thinned_cloud_keeps_its_shape_and_its_outermost_points() -> None:
    chance = random.Random(7)
    xs = [chance.gauss(0, 1) for _ in range(30_000)]
    ys = [0.8 * x + chance.gauss(0, 1) for x in xs]
    spec = chart({"x": xs, "y": ys})
    trace = json.loads(spec.plotly)["data"][0]
    assert len(trace["x"]) == 2_000
    assert "2,000 of 30,000 points drawn, taken at random" in spec.summary
    assert {min(trace["x"]), max(trace["x"])} == {min(xs), max(xs)}
    assert {min(trace["y"]), max(trace["y"])} == {min(ys), max(ys)}
    assert abs(statistics.correlation(trace["x"], trace["y"]) - statistics.correlation(xs, ys)) < 0.05
    assert abs(statistics.stdev(trace["y"]) / statistics.stdev(ys) - 1) < 0.05
    assert chart({"x": xs, "y": ys}).plotly == spec.plotly


def test_stacked_areas_are_thinned_at_the_same_places() -> None:
    days = [date(2000, 1, 1) + timedelta(days=n) for n in range(5_000)]
    rows = [(day, kind, n % 97 + (50 if kind == "a" else 0)) for n, day in enumerate(days) for kind in "ab"]
    day, kind, value = zip(*rows, strict=True)
    spec = chart({"day": list(day), "kind": list(kind), "v": list(value)}, type="area")
    first, second = json.loads(spec.plotly)["data"]
    assert first["x"] == second["x"]
    assert len(first["x"]) <= 1_000
    assert "of 10,000 points drawn" in spec.summary


@pytest.mark.parametrize("kind", ["bar", "line", "area", "scatter", "pie", "histogram"])
@pytest.mark.parametrize("series", [1, 9, 300])
def test_no_chart_draws_more_than_a_browser_can_bear(kind: str, series: int) -> None:
    days = [date(2000, 1, 1) + timedelta(days=n // series) for n in range(9_000)]
    numbers = [float(n % 97) for n in range(9_000)]
    spec = chart({"day": days, "k": [f"k{n % series}" for n in range(9_000)], "v": numbers}, type=kind)
    traces = json.loads(spec.plotly)["data"]
    assert sum(len(trace.get("x") or trace["labels"]) for trace in traces) <= 2_000
    assert "gl" not in {trace["type"][-2:] for trace in traces}


def test_bins_of_whole_numbers_hold_the_same_count_of_them() -> None:
    drawn = points(chart({"n": [n % 12 for n in range(120)]}, type="histogram"))
    assert set(drawn.values()) in ({10.0}, {20.0})
    assert "0 to 2" in drawn or "0 to 1" in drawn


def test_a_value_on_an_edge_is_in_the_bin_that_begins_there() -> None:
    drawn = points(chart({"v": [n / 10 for n in range(7)] + [0.3] * 20}, type="histogram"))
    assert drawn["0.3 to 0.4"] == 21


def test_the_bins_of_large_numbers_are_told_apart() -> None:
    drawn = points(chart({"v": [1_234_567 + 3 * n for n in range(100)]}, type="histogram"))
    assert "1,234,600 to 1,234,650" in drawn
    assert sum(drawn.values()) == 100


@pytest.mark.parametrize("values", [[-1e300, 0.0, 1e300], [5e-324, 1e-323, 0.0], [1e15, 1e15 + 0.125, 1e15 + 1]])
def test_the_ends_of_floats_can_be_binned(values: list[float]) -> None:
    assert sum(points(chart({"v": values}, type="histogram")).values()) == 3


def test_rows_without_a_number_are_said_of_a_distribution() -> None:
    spec = chart({"v": [1.5, None, 2.5, float("nan"), 3.5]}, type="histogram")
    assert "2 rows without a number left out" in spec.summary


def test_what_is_put_together_is_not_called_the_largest_part() -> None:
    spec = chart({"city": [f"c{n}" for n in range(40)], "sales": list(range(1, 41))}, type="pie")
    assert "highest c39 with 40" in spec.summary


def test_one_bar_is_one_bar() -> None:
    spec = chart({"city": ["Oslo"], "sales": [5]}, type="bar")
    assert spec.summary == "Bar chart: Sales by city. 1 bar; Oslo with 5."


def test_numbers_that_cannot_be_added_up_are_gaps() -> None:
    spec = chart({"name": ["a", "a", "b", "c"], "v": [1.7e308, 1.7e308, 2.0, 3.0]}, type="bar")
    assert points(spec) == {"a": None, "c": 3, "b": 2}


def test_long_labels_that_begin_alike_can_be_told_apart() -> None:
    names = [f"International Trading Company of {place}" for place in ("Norway", "Sweden", "Denmark")]
    spec = chart({"company": [*names, "A short one", "One that is long but like no other"], "v": [5, 4, 3, 2, 1]})
    axis = json.loads(spec.plotly)["layout"]["yaxis"]
    assert axis["tickvals"][:3] == names
    assert len(set(axis["ticktext"])) == 5
    assert all(len(text) <= 28 for text in axis["ticktext"])
    assert axis["ticktext"][0].endswith("Norway")
    assert axis["ticktext"][3:] == ["A short one", "One that is long but like n…"]


def test_a_long_title_of_an_axis_fits_the_chart() -> None:
    spec = chart({"c": ["a", "b", "c"], "the number of pieces that were sold in all of the years": [1, 3, 2]})
    assert len(json.loads(spec.plotly)["layout"]["yaxis"]["title"]["text"]) <= 44
