"""Charts: the right one without asking, the asked one when possible."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest

from tabulaflow_core.output import ChartSpec, MetricSpec, chart_wish, choose_chart

from ._results import result


def figure(spec: object) -> dict:
    assert isinstance(spec, ChartSpec), spec
    return json.loads(spec.plotly)


def chart(columns: object, question: str = "", **options: object) -> ChartSpec:
    spec = choose_chart(result(columns), question=question, **options)
    assert isinstance(spec, ChartSpec), spec
    return spec


REGIONS = {"region": ["North", "South", "East"], "revenue": [10, 30, 20]}


def test_one_number_is_a_metric_with_its_exact_text() -> None:
    spec = choose_chart(result({"total_revenue": [Decimal("1234567.50")]}))
    assert spec == MetricSpec(table_id=spec.table_id, label="total revenue", value="1,234,567.50")


@pytest.mark.parametrize("column", [{"name": ["x"]}, {"id": [7]}, {"n": pa.array([None], pa.int64())}, {"ok": [True]}])
def test_one_cell_that_is_no_measured_number_is_no_metric(column: dict) -> None:
    assert choose_chart(result(column)) is None


@pytest.mark.parametrize(
    "columns",
    [
        {"a": [1], "b": [2]},
        {"name": ["a", "b"], "city": ["x", "y"]},
        {"customer_id": [1, 2, 3], "name": ["a", "b", "c"], "city": ["x", "y", "z"], "total": [1, 2, 3]},
        {"name": ["a"] * 3, "total": [1, 2, 3]},
        {"n": pa.array([], pa.int64())},
        {"name": ["a", "b"], "n": pa.array([None, None], pa.int64())},
        {"id": [1, 2, 3], "order_id": [3, 4, 5]},
    ],
    ids=["single row", "text only", "listing", "repeated labels", "empty", "no values", "ids"],
)
def test_what_no_chart_helps_gets_none(columns: dict) -> None:
    assert choose_chart(result(columns)) is None


def test_labels_make_bars_sorted_by_value() -> None:
    spec = chart(REGIONS)
    trace = figure(spec)["data"][0]
    assert (spec.type, spec.x, spec.y, spec.color) == ("bar", 0, (1,), None)
    assert (trace["x"], trace["y"]) == (["South", "East", "North"], [30, 20, 10])
    assert spec.summary == "Bar chart: Revenue by region. 3 bars; highest South with 30, lowest North with 10."


def test_rows_that_came_sorted_keep_their_order() -> None:
    spec = chart({"region": ["N", "S", "E"], "revenue": [1, 2, 3]})
    assert figure(spec)["data"][0]["x"] == ["N", "S", "E"]


def test_number_ranges_keep_their_natural_order() -> None:
    spec = chart({"age": ["30-39", "<20", "100+", "20-29"], "people": [5, 9, 1, 7]})
    assert figure(spec)["data"][0]["x"] == ["&lt;20", "20-29", "30-39", "100+"]


def test_many_or_long_labels_lie_down_and_the_rest_is_said() -> None:
    spec = chart({"name": [f"p{i}" for i in range(50)], "total": [i * 7 % 50 for i in range(50)]})
    drawn = figure(spec)
    assert drawn["data"][0]["orientation"] == "h"
    assert len(drawn["data"][0]["y"]) == 20
    assert drawn["layout"]["yaxis"]["autorange"] == "reversed"
    assert "the 20 largest of 50 shown" in spec.summary
    assert figure(chart({"name": ["a very long label", "b", "c"], "n": [1, 3, 2]}))["data"][0]["orientation"] == "h"


@pytest.mark.parametrize(
    ("times", "expected", "axis"),
    [
        (["2024-03", "2024-01", "2024-02"], ["2024-01", "2024-02", "2024-03"], "date"),
        ([date(2024, 3, 1), date(2024, 1, 1), date(2024, 2, 1)], ["2024-01-01", "2024-02-01", "2024-03-01"], "date"),
        (["2024-Q3", "2023-Q4", "2024-Q1"], ["2023-Q4", "2024-Q1", "2024-Q3"], "category"),
        (["March", "January", "February"], ["January", "February", "March"], "category"),
        (["März", "Januar", "Februar"], ["Januar", "Februar", "März"], "category"),
        ([202403, 202401, 202402], ["202401", "202402", "202403"], "category"),
    ],
)
def test_time_is_recognised_and_sorted(times: list, expected: list, axis: str) -> None:
    spec = chart({"month": times, "revenue": [3, 1, 2]})
    drawn = figure(spec)
    assert spec.type == "line"
    assert drawn["data"][0]["x"] == expected
    assert drawn["layout"]["xaxis"]["type"] == axis


def test_years_are_numbers_without_separators() -> None:
    spec = chart({"year": [2022, 2020, 2021], "revenue": [3.5, 1.5, 2.5]})
    drawn = figure(spec)
    assert drawn["data"][0]["x"] == [2020, 2021, 2022]
    assert drawn["layout"]["xaxis"]["tickformat"] == "d"
    assert "from 2020 to 2022" in spec.summary


def test_year_and_month_make_one_axis() -> None:
    spec = chart({"year": [2024, 2023, 2024], "month": [1, 12, 2], "total": [5, 4, 6]})
    assert figure(spec)["data"][0]["x"] == ["2023-12", "2024-01", "2024-02"]
    assert spec.title == "Total by year and month"


def test_weekdays_are_bars_from_monday() -> None:
    spec = chart({"weekday": ["Sunday", "Monday", "Friday"], "orders": [1, 2, 3]})
    assert spec.type == "bar"
    assert figure(spec)["data"][0]["x"] == ["Monday", "Friday", "Sunday"]


def test_a_label_beside_time_splits_the_lines() -> None:
    spec = chart({"month": ["2024-01"] * 2 + ["2024-02"] * 2, "region": ["N", "S"] * 2, "total": [1, 2, 3, 4]})
    drawn = figure(spec)
    assert spec.color == 1
    assert [(t["name"], t["y"]) for t in drawn["data"]] == [("N", [1, 3]), ("S", [2, 4])]
    assert drawn["layout"]["legend"]["title"]["text"] == "region"


def test_too_many_series_are_cut_to_the_largest_and_said() -> None:
    rows = [(m, f"s{i}", i) for m in ("2024-01", "2024-02", "2024-03") for i in range(12)]
    spec = chart({"month": [r[0] for r in rows], "shop": [r[1] for r in rows], "total": [r[2] for r in rows]})
    assert len(figure(spec)["data"]) == 8
    assert "8 largest of 12 series" in spec.summary


def test_two_measures_are_set_against_each_other() -> None:
    spec = chart({"price": [1.0, 2.0, 3.0, 4.0], "sold": [9, 7, 4, 2]})
    assert (spec.type, spec.x, spec.y) == ("scatter", 0, (1,))
    assert figure(spec)["data"][0]["type"] == "scatter"


def test_clear_shares_make_a_pie_and_other_parts_do_not() -> None:
    assert chart({"part": ["a", "b"], "share": [0.25, 0.75]}).type == "pie"
    assert chart({"part": ["a", "b"], "n": [25, 75]}).type == "bar"
    assert chart({"part": ["a", "b"], "n": [25, 75]}, "what are the shares?").type == "pie"


def test_parts_of_a_whole_stand_on_each_other() -> None:
    columns = {"region": ["N", "N", "S", "S"], "kind": ["a", "b", "a", "b"]}
    for measure, question in (
        ({"share": [0.4, 0.6, 0.5, 0.5]}, ""),
        ({"revenue": [4, 6, 5, 5]}, "Which share does each kind have per region?"),
        ({"revenue": [4, 6, 5, 5]}, "Als gestapeltes Balkendiagramm"),
    ):
        assert figure(chart(columns | measure, question))["layout"]["barmode"] == "stack"
    assert figure(chart(columns | {"revenue": [4, 6, 5, 5]}))["layout"]["barmode"] == "group"
    assert figure(chart(columns | {"revenue": [4, -6, 5, 5]}, "stacked bar chart"))["layout"]["barmode"] == "group"


def test_a_cloud_of_many_colours_stays_within_its_bounds() -> None:
    rows = range(6_000)
    columns = {"who": [f"p{n}" for n in rows], "x": [n % 101 for n in rows], "y": [n % 97 for n in rows]}
    spec = chart(columns, type="scatter", x="x", y=["y"], color="who")
    traces = figure(spec)["data"]
    assert len(traces) == 8
    assert sum(len(trace["x"]) for trace in traces) <= 2_000
    assert "share one colour" in spec.summary
    assert "points drawn" in spec.summary


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("bar chart of revenue by region", "bar"),
        ("Show it as a pie", "pie"),
        ("as a line please", "line"),
        ("Zeig das als Balkendiagramm", "bar"),
        ("Mach ein Kreisdiagramm daraus", "pie"),
        ("als Liniendiagramm", "line"),
        ("gráfico de barras por región", "bar"),
        ("en un gráfico de líneas", "line"),
        ("gráfico circular", "pie"),
        ("diagramme en barres", "bar"),
        ("fais un camembert", "pie"),
        ("graphique en courbes", "line"),
        ("nuage de points", "scatter"),
        ("draw a scatter plot", "scatter"),
        ("an area chart", "area"),
        ("plot revenue per region", "any"),
        ("stelle den Umsatz grafisch dar", "any"),
        ("histogram of the prices", "histogram"),
        ("which bars sold most pies?", None),
        ("how many lines has order 7?", None),
        ("what is the total area of all shops?", None),
        ("revenue by region, no chart", "none"),
        ("ohne Diagramm", "none"),
    ],
)
def test_wishes_in_four_languages(question: str, kind: str | None) -> None:
    assert chart_wish(question) == kind


@pytest.mark.parametrize("kind", ["bar", "line", "pie", "area"])
def test_an_explicit_kind_is_honoured(kind: str) -> None:
    assert chart(REGIONS, type=kind).type == kind
    assert choose_chart(result(REGIONS), question="no chart please") is None


def test_a_wish_draws_repeated_labels_combined_and_says_so() -> None:
    spec = chart({"region": ["N", "S", "N"], "revenue": [1, 5, 2]}, "bar chart")
    assert figure(spec)["data"][0]["y"] == [5, 3]
    assert "rows with the same region are added up" in spec.summary
    mean = chart({"region": ["N", "S", "N"], "avg_price": [1, 5, 2]}, "bar chart")
    assert figure(mean)["data"][0]["y"] == [5, 1.5]


def test_named_columns_are_used_without_case_and_unknown_ones_passed_over() -> None:
    columns = {"shop": ["a", "b", "c"], "city": ["x", "y", "z"], "cost": [1, 5, 2], "gain": [9, 8, 7]}
    spec = chart(columns, x="City", y=["GAIN"])
    assert (spec.x, spec.y) == (1, (3,))
    assert chart(columns, x="nowhere", y=["nothing"], type="bar").type == "bar"


def test_a_large_pie_puts_its_small_parts_together() -> None:
    spec = chart({"name": [f"p{i}" for i in range(30)], "total": list(range(1, 31))}, "pie chart")
    trace = figure(spec)["data"][0]
    assert trace["labels"][-1] == "Other (23)"
    assert sum(trace["values"]) == sum(range(1, 31))


def test_a_histogram_counts_every_row() -> None:
    spec = chart({"price": [float(i % 17) for i in range(500)]}, "distribution of price as a chart")
    assert spec.type == "histogram"
    assert sum(figure(spec)["data"][0]["y"]) == 500


def test_many_points_are_thinned_but_keep_their_extremes() -> None:
    values = [float(i % 97) for i in range(50_000)]
    values[31_234] = 1e6
    start = datetime(2024, 1, 1, tzinfo=UTC)
    times = pa.array([start + timedelta(minutes=i) for i in range(50_000)], pa.timestamp("us", tz="UTC"))
    spec = chart({"t": times, "v": values})
    trace = figure(spec)["data"][0]
    assert len(trace["x"]) <= 2_000
    assert max(trace["y"]) == 1e6
    assert "of 50,000 points drawn" in spec.summary
    assert trace["type"] == "scatter"
    assert figure(spec)["layout"]["xaxis"]["title"]["text"] == "t (UTC)"


def test_names_and_labels_of_any_kind_are_escaped_and_kept() -> None:
    names = ["<b>bold</b>", "$a$ and $b$", "مبيعات", "a & b"]
    table = pa.table({"a.b[0]$<i>": names, "Umsatz {€}": [4, 3, 2, 1]})
    text = choose_chart(result(table)).plotly
    assert "<b>" not in text
    assert "<i>" not in text
    drawn = json.loads(text)
    assert drawn["data"][0]["y" if "orientation" in drawn["data"][0] else "x"] == [
        "&lt;b&gt;bold&lt;/b&gt;",
        "&#36;a&#36; and &#36;b&#36;",
        "مبيعات",
        "a &amp; b",
    ]
    assert drawn["layout"]["xaxis"]["title"]["text"] == "a.b[0]$&lt;i&gt;"


def test_cells_that_json_cannot_hold_are_gaps() -> None:
    wide = pa.array([Decimal(10) ** 30, None, Decimal(5)], pa.decimal128(38, 0))
    spec = chart({"name": ["a", "b", "c"], "big": wide}, "bar chart")
    assert figure(spec)["data"][0]["y"] == [1e30, 5, None]
    holes = chart({"month": ["2024-01", "2024-02", "2024-03"], "v": [1.0, float("nan"), float("inf")]})
    assert figure(holes)["data"][0]["y"] == [1, None, None]


def test_columns_of_one_name_are_told_apart_by_place() -> None:
    table = pa.table([pa.array(["a", "b"]), pa.array([1, 2]), pa.array([3, 4])], names=["n", "v", "v"])
    spec = chart(table)
    assert spec.y == (1, 2)
    assert [t["name"] for t in figure(spec)["data"]] == ["v", "v (2)"]


def test_plotly_reads_every_figure() -> None:
    from plotly.io import from_json

    for kind in ("bar", "line", "pie", "area", "scatter", "histogram"):
        columns = {"name": ["a", "b", "c"], "x": [1, 2, 3], "y": [3.5, 1.0, 2.0]}
        assert from_json(chart(columns, type=kind).plotly).data, kind


def test_a_cut_result_is_said() -> None:
    spec = choose_chart(result(REGIONS, truncated=True, cut_by="rows"))
    assert "the result was cut" in spec.summary


def test_a_quotient_is_shown_with_the_digits_that_matter() -> None:
    assert choose_chart(result({"share": [1 / 3]})).value == "0.3333"
    assert choose_chart(result({"exact": [Decimal("0.3333333333")]})).value == "0.3333333333"


def test_first_and_last_name_make_one_label() -> None:
    spec = chart({"first_name": ["Jo", "Al"], "last_name": ["Ray", "Oz"], "total_sales": [5, 4], "sales_rank": [1, 2]})
    assert figure(spec)["data"][0]["x"] == ["Jo Ray", "Al Oz"]
    assert spec.y == (2,)


@pytest.mark.parametrize("name", ["CountryId", "policy_number", "customer_no", "sales_rank", "zip", "PLZ", "orderId"])
def test_keys_and_ranks_are_no_measures(name: str) -> None:
    assert choose_chart(result({"name": ["a", "b", "c"], name: [30, 10, 20]})) is None


@pytest.mark.parametrize("name", ["count", "number_of_orders", "population", "total_number", "discount", "anzahl"])
def test_counts_are_measures(name: str) -> None:
    assert chart({"name": ["a", "b", "c"], name: [30, 10, 20]}).y == (1,)


_YEARS = [2025] * 12 + [2026] * 3
_PARTS = [*range(1, 13), 1, 2, 3]
_SOLD = [5 * i % 17 + 1 for i in range(15)]


@pytest.mark.parametrize(
    "columns",
    [
        {"year": _YEARS, "month": _PARTS},
        {"year": [str(y) for y in _YEARS], "month": [f"{m:02}" for m in _PARTS]},
        {"order_year": [float(y) for y in _YEARS], "order_month": [Decimal(m) for m in _PARTS]},
        {"strftime('%Y', day)": [str(y) for y in _YEARS], "strftime('%m', day)": [f"{m:02}" for m in _PARTS]},
        {"CAST(strftime('%Y', day) AS INTEGER)": _YEARS, "CAST(strftime('%m', day) AS INTEGER)": _PARTS},
        {"year(day)": _YEARS, "month(day)": _PARTS},
        {"EXTRACT(YEAR FROM day)": _YEARS, "EXTRACT(MONTH FROM CAST(day AS DATE))": _PARTS},
    ],
    ids=["numbers", "text", "decimals", "strftime", "cast", "calls", "extract"],
)
def test_year_and_month_are_one_time_axis(columns: dict) -> None:
    spec = chart({**columns, "sold": _SOLD})
    assert (spec.type, spec.color, spec.y) == ("line", None, (2,))
    drawn = figure(spec)
    assert len(drawn["data"]) == 1
    assert drawn["data"][0]["x"][:2] + drawn["data"][0]["x"][-1:] == ["2025-01", "2025-02", "2026-03"]
    assert "15 points from 2025-01 to 2026-03" in spec.summary


@pytest.mark.parametrize(
    ("years", "quarters"),
    [([2025] * 4 + [2026], [1, 2, 3, 4, 1]), (["2025"] * 4 + ["2026"], ["1", "2", "3", "4", "1"])],
)
def test_year_and_quarter_are_one_time_axis(years: list, quarters: list) -> None:
    spec = chart({"year": years, "quarter": quarters, "sold": [1, 5, 2, 4, 3]})
    assert (spec.type, spec.color) == ("line", None)
    drawn = figure(spec)
    assert drawn["data"][0]["x"] == ["2025-Q1", "2025-Q2", "2025-Q3", "2025-Q4", "2026-Q1"]
    assert drawn["layout"]["xaxis"]["title"]["text"] == "year and quarter"


def test_a_difference_of_years_is_no_year() -> None:
    spec = chart({"name": ["a", "b", "c"], "year(x) - year(y)": [2, 3, 1]})
    assert (spec.type, spec.y) == ("bar", (1,))


def test_year_month_and_a_label_make_a_line_each() -> None:
    rows = [(y, m, r) for y, m in ((2025, 11), (2025, 12), (2026, 1)) for r in "NS"]
    year, month, region = map(list, zip(*rows, strict=True))
    spec = chart({"year": year, "month": month, "region": region, "sold": [1, 2, 3, 4, 5, 6]})
    assert (spec.type, spec.color) == ("line", 2)


def test_a_summary_has_the_digits_of_the_table() -> None:
    spec = chart({"region": ["N", "S", "E"], "revenue": [Decimal("5.00"), Decimal("41437.80"), Decimal("7.10")]})
    assert spec.summary.endswith("highest S with 41,437.80, lowest N with 5.00.")
    spec = chart({"region": ["N", "S", "E"], "share": [1 / 3, 2.5, 0.1]})
    assert spec.summary.endswith("highest S with 2.5, lowest E with 0.1.")


@pytest.mark.parametrize("midnight", [datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC), date(2026, 1, 1)])
def test_a_summary_names_months_and_days(midnight: date) -> None:
    months = [midnight.replace(month=m) for m in range(1, 10)]
    spec = chart({"month": months, "sold": [9, 8, 7, 6, 5, 4, 3, 2, 255]})
    assert spec.summary.endswith(
        "9 points from Jan 2026 to Sep 2026; highest Sep 2026 with 255, lowest Aug 2026 with 2."
    )
    days = [midnight.replace(day=d) for d in (1, 2, 5)]
    spec = chart({"day": days, "sold": [1, 9, 3]})
    assert spec.summary.endswith("from 2026-01-01 to 2026-01-05; highest 2026-01-02 with 9, lowest 2026-01-01 with 1.")


def test_rows_in_order_of_size_keep_it() -> None:
    spec = chart({"region": ["a", "b", "c", "d"], "change": [100, -90, 80, -70]})
    assert figure(spec)["data"][0]["x"] == ["a", "b", "c", "d"]
    spec = chart({"region": ["a", "b", "c"], "revenue": [30, 20, 10], "cost": [5, 90, 9]})
    assert figure(spec)["data"][0]["x"] == ["a", "b", "c"]
