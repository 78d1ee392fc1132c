"""A dashboard as one file: what the tiles show stands in it, and nothing in it runs, links or is fetched."""

from __future__ import annotations

import pyarrow as pa

from tabulaflow_core.output import ChartSpec, MetricSpec, StoredResult, choose_chart
from tabulaflow_core.output.dashboard_document import DocumentTile, dashboard_html
from tests.output.test_document import _ALLOWED, HOSTILE, Seen

RESULT = StoredResult(
    source="clinics",
    dialect="sqlite",
    sql="SELECT 1",
    table=pa.table({"city": ["Bern", "Basel", "Chur"], "visits": [365, 326, 1_234_567]}),
)


def test_what_the_tiles_show_stands_in_it() -> None:
    chart = choose_chart(RESULT, type="bar")
    assert isinstance(chart, ChartSpec)
    tiles = [
        DocumentTile("Rows", 2, result=RESULT, notes=["Refreshed just now.", "Bern up: 360 → 365."], sql="SELECT 1"),
        DocumentTile("Drawn", 2, result=RESULT, spec=chart),
        DocumentTile("Total", 1, result=RESULT, spec=MetricSpec(table_id="r", label="visits", value="1,235,258")),
        DocumentTile("Away", 1, fault="The database does not answer."),
        DocumentTile("", 4, text="What **this** is"),
    ]
    page = dashboard_html("Clinic", tiles, made="As of today.")
    seen = Seen(page)
    for text in (
        "Clinic",
        "As of today.",
        "Bern",
        "365",
        "1234567",
        "1,235,258",
        "Bern up: 360 → 365.",
        "does not answer",
    ):
        assert text in seen.text, text
    assert "<strong>this</strong>" in page
    assert page.count("<pre>") == 1
    assert page.count("<svg") == 1
    classes = [
        value for name, value in seen.attributes if name == "class" and value.startswith("w") and len(value) == 2
    ]
    assert classes == ["w2", "w2", "w1", "w1", "w4"]
    assert "@page" in page


def test_hostile_text_stays_text() -> None:
    table = pa.table({HOSTILE: [f"{HOSTILE}{n}" for n in range(3)], "n": range(3)})
    result = StoredResult(source=HOSTILE, dialect="duckdb", sql=HOSTILE, table=table)
    chart = choose_chart(result, type="bar", title=HOSTILE)
    assert isinstance(chart, ChartSpec)
    metric = MetricSpec(table_id="r", label=HOSTILE, value=HOSTILE)
    tiles = [
        DocumentTile(HOSTILE, 9, HOSTILE, result, spec, HOSTILE, [HOSTILE], HOSTILE) for spec in (None, chart, metric)
    ]
    seen = Seen(dashboard_html(HOSTILE, tiles, made=HOSTILE))
    assert seen.tags <= set(_ALLOWED.split())
    assert not [name for name, _ in seen.attributes if name.startswith("on") or name in ("href", "src", "srcdoc")]


def test_what_is_too_large_is_left_out_and_said() -> None:
    page = dashboard_html("Many", [DocumentTile("x" * 100, 1, "y" * 3_000_000) for _ in range(4)])
    assert len(page) < 8_000_000
    assert "2 more tiles are left out" in page
