"""A conversation as one file: nothing in it runs, links or is fetched, whatever text it holds."""

from __future__ import annotations

import datetime as dt
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from itertools import pairwise

import pyarrow as pa
import pytest

from tabulaflow_core.output import ChartSpec, DocumentTurn, StoredResult, TableSpec, choose_chart, document_html
from tabulaflow_core.output.svg import chart_svg

HOSTILE = (
    '</script><script>alert(1)</script><img src=x onerror=alert(1)> [a](javascript:alert(1)) ![b](http://x.invalid/)"'
)
_ALLOWED = (
    "html head meta title style body section h1 h2 p div table thead tbody tr th td pre code strong span br figure "
    "figcaption svg text rect line circle path polyline polygon"
)


class Seen(HTMLParser):
    """Every element and attribute of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(result: StoredResult, **wish: object) -> tuple[list[TableSpec | ChartSpec], dict[str, StoredResult]]:
    chart = choose_chart(result, **wish)  # type: ignore[arg-type]
    assert isinstance(chart, ChartSpec)
    names = tuple(result.table.column_names)
    table = TableSpec(
        id=result.id, source=result.source, sql=result.sql, columns=names, row_count=result.table.num_rows
    )
    return [table, chart], {result.id: result}


def test_hostile_text_stays_text() -> None:
    table = pa.table({HOSTILE: [f"{HOSTILE}{n}" for n in range(12)], "n": range(12)})
    artifacts, results = shown(StoredResult(source=HOSTILE, dialect="duckdb", sql=f"SELECT '{HOSTILE}'", table=table))
    page = document_html(HOSTILE, [DocumentTurn(HOSTILE, HOSTILE, artifacts, [HOSTILE], results)], made=HOSTILE)
    seen = Seen(page)
    assert seen.tags <= set(_ALLOWED.split())
    assert not [name for name, _ in seen.attributes if name.startswith("on") or name in ("href", "src", "srcdoc")]
    addresses = [value for _, value in seen.attributes if "://" in value and "x.invalid" not in value]
    assert addresses == ["http://www.w3.org/2000/svg"]  # a name, which nothing is fetched from
    assert "@import" not in page
    assert "url(" not in page
    assert HOSTILE in seen.text


def test_what_is_told() -> None:
    table = pa.table({"region": ["North", "South"], "big": [2**60 + 1, -5]})
    artifacts, results = shown(
        StoredResult(source="shop", dialect="sqlite", sql="SELECT 1", table=table, truncated=True)
    )
    turn = DocumentTurn("Which?", "**North** leads, see `big`.", artifacts, ["Assumed: nothing."], results)
    page = document_html("Regions", [turn], made="today")
    for part in (
        "<strong>North</strong>",
        "<code>big</code>",
        str(2**60 + 1),
        "cut at a limit",
        "SELECT 1",
        "@media print",
    ):
        assert part in page
    gone = document_html("Regions", [DocumentTurn("Which?", artifacts=artifacts[:1])])
    assert "no longer kept" in gone


def test_a_long_table_and_a_long_conversation_are_bounded() -> None:
    table = pa.table({"label": [f"l{n}" * 200 for n in range(5_000)], "n": range(5_000)})
    result = StoredResult(source="s", dialect="sqlite", sql="SELECT 1", table=table)
    spec = TableSpec(id=result.id, source="s", sql="SELECT 1", columns=("label", "n"), row_count=5_000)
    page = document_html("Long", [DocumentTurn("All?", artifacts=[spec], results={result.id: result})] * 200)
    assert "The first 200 of 5,000 rows" in page
    assert "left out" in page
    assert len(page) < 9_000_000


@pytest.mark.parametrize(
    ("columns", "wish"),
    [
        ({"m": [f"2026-{m:02}-01" for m in range(1, 13)], "v": [1.5, None, *range(10)]}, {}),
        ({"c": ["a", "b", "c"], "v": [3, -1, 2]}, {"type": "bar"}),
        ({"c": [f"a long name {n}" for n in range(20)], "v": list(range(20))}, {"type": "bar"}),
        ({"c": ["a", "b"], "v": [3, 1]}, {"type": "pie"}),
        ({"c": ["a"], "v": [3]}, {"type": "pie"}),
        ({"x": [1.0, 2.0, 3.0], "y": [0.1, 0.2, 0.4]}, {"type": "scatter"}),
        ({"y": [float(n % 7) for n in range(50)]}, {"type": "histogram"}),
        ({"year": [2020, 2021, 2020, 2021], "k": ["a", "a", "b", "b"], "v": [1, 2, 3, 4]}, {"type": "area"}),
        ({"c": ["a", "b"], "v": [5, 5]}, {"type": "bar"}),
        ({"r": ["N", "N", "S"], "k": ["a", "b", "a"], "share": [0.4, 0.6, 1.0]}, {}),
        ({"c": ["$<&\"'", "😀 ß"], "v": [1e12, 1e-9]}, {"type": "bar"}),
    ],
)
def test_every_kind_of_chart_is_drawn_as_shapes(columns: dict[str, list[object]], wish: dict[str, object]) -> None:
    result = StoredResult(source="s", dialect="sqlite", sql="", table=pa.table(columns))
    spec = choose_chart(result, **wish)  # type: ignore[arg-type]
    assert isinstance(spec, ChartSpec)
    picture = ET.fromstring(chart_svg(spec.plotly, title=spec.summary))
    kinds = {element.tag.rpartition("}")[2] for element in picture.iter()}
    assert kinds & {"rect", "path", "polyline", "circle", "polygon"}
    numbers = [float(v) for e in picture.iter() for k, v in e.attrib.items() if k in ("x", "y", "cx", "cy")]
    assert all(-1 <= number <= 800 for number in numbers)
    if spec.type == "bar" and len(json.loads(spec.plotly)["data"]) == 1:
        bars = json.loads(spec.plotly)["data"][0]
        known = [v for v in (bars["x"] if bars.get("orientation") == "h" else bars["y"]) if v is not None]
        assert sum(e.tag.endswith("rect") for e in picture.iter()) == len(known)


def _path(spec: ChartSpec) -> list[list[float]]:
    """The places along the axis of each stretch of the drawn line."""
    picture = ET.fromstring(chart_svg(spec.plotly))
    lines = [element.attrib["points"] for element in picture.iter() if element.tag.endswith("polyline")]
    return [[float(point.split(",")[0]) for point in line.split()] for line in lines]


def _chart(columns: dict[str, object], **wish: object) -> ChartSpec:
    spec = choose_chart(StoredResult(source="s", dialect="sqlite", sql="", table=pa.table(columns)), **wish)  # type: ignore[arg-type]
    assert isinstance(spec, ChartSpec)
    return spec


@pytest.mark.parametrize(
    "times",
    [
        ["2026-01", "2026-02", "2026-03"],
        ["Jan 2026", "Feb 2026", "Mar 2026"],
        ["2026-1-5", "2026-2-5", "2026-3-5"],
        ["2026-01-05T00:00:00+02:00", "2026-02-05T00:00:00+02:00", "2026-03-05T00:00:00Z"],
        [1767225600, 1769904000, 1772323200],
    ],
)
def test_every_form_of_time_is_drawn_in_its_place(times: list[object]) -> None:
    (along,) = _path(_chart({"created_at": times, "v": [1, 5, 2]}))
    first, middle, last = along
    assert first < middle < last
    assert abs((middle - first) / (last - first) - 31 / 59) < 0.01, "the days of January, of those until March"


def test_a_line_does_not_go_over_a_gap() -> None:
    days = [f"2026-01-0{day}" for day in range(1, 8)]
    spec = _chart({"day": days, "v": [1.0, 2.0, None, 3.0, 4.0, 5.0, 6.0]})
    assert [len(run) for run in _path(spec)] == [2, 4]


@pytest.mark.parametrize("same", [2.0**60, 1e300, 5e-324, -3.0, 0.0])
@pytest.mark.parametrize("kind", ["bar", "line", "scatter", "pie", "area"])
def test_values_that_are_all_the_same_are_drawn(same: float, kind: str) -> None:
    spec = choose_chart(
        StoredResult(source="s", dialect="sqlite", sql="", table=pa.table({"x": [1.5, 2.5, 3.5], "y": [same] * 3})),
        type=kind,  # type: ignore[arg-type]
        x="x",
        y=["y"],
    )
    if spec is not None:
        assert isinstance(spec, ChartSpec)
        ET.fromstring(chart_svg(spec.plotly))


def test_the_ends_of_floats_are_drawn() -> None:
    ET.fromstring(chart_svg(_chart({"x": [1.0, 2.0, 3.0], "y": [-1e300, 0.0, 1e300]}, type="scatter").plotly))


def test_the_bars_of_years_are_within_the_frame() -> None:
    picture = ET.fromstring(chart_svg(_chart({"year": [2024, 2025], "v": [1, 2]}, type="bar").plotly))
    bars = [element.attrib for element in picture.iter() if element.tag.endswith("rect")]
    assert len(bars) == 2
    assert all(float(bar["x"]) >= 84 and float(bar["x"]) + float(bar["width"]) <= 744 for bar in bars)


def test_bars_of_moments_do_not_cover_each_other() -> None:
    days = [dt.date(2020, 1, 1), dt.date(2024, 1, 1), dt.date(2024, 2, 1), dt.date(2024, 3, 1), dt.date(2025, 1, 1)]
    table = pa.table({"day": days, "n": [5, 4, 3, 2, 1]})
    result = StoredResult(source="s", dialect="duckdb", sql="SELECT 1", table=table)
    chart = choose_chart(result, type="bar", x="day", y=["n"])
    assert isinstance(chart, ChartSpec)
    picture = chart_svg(chart.plotly, title="t")
    bars = sorted(
        (float(x), float(w)) for x, w in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', picture)
    )
    assert len(bars) == len(days)
    assert all(x + w <= following + 0.2 for (x, w), (following, _) in pairwise(bars))
    places = sorted(float(x) for x in re.findall(r'<text x="([\d.]+)"[^>]*>20\d\d-\d\d-\d\d', picture))
    assert all(after - before > 55 for before, after in pairwise(places))
