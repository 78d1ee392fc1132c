"""Names from right to left among other words, and numbers among such names, stay where they belong."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from tabulaflow_core.output import ChartSpec, DocumentTurn, StoredResult, choose_chart, direction, document_html
from tabulaflow_core.output.svg import chart_svg

_SHOWN = str.maketrans({"\u2068": "⟨", "\u2069": "⟩"})


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Bar chart: فروش by شهر. 6 bars", "Bar chart: ⟨فروش⟩ by ⟨شهر⟩. 6 bars"),
        ("“תל אביב” was integer", "“⟨תל אביב⟩” was integer"),
        ("the line فاز 2 شرق, 12 rows", "the line ⟨فاز 2 شرق⟩, 12 rows"),
        ("می\u200cشود: 3", "⟨می\u200cشود⟩: 3"),
        ("340 تهران", "340 ⟨تهران⟩"),
        ("Köln: 6, Łódź: 7 · 東京 8", "Köln: 6, Łódź: 7 · 東京 8"),
        ("۱۲ and 12", "۱۲ and 12"),
    ],
)
def test_names_in_a_sentence(text: str, marked: str) -> None:
    once = direction.marked_off(text)
    assert once.translate(_SHOWN) == marked
    assert direction.marked_off(once) == once
    assert direction.plain(once) == text


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("سود -45.25 بود", "سود ⟨-45.25⟩ بود"),
        ("در 2026-03-05 و 10:30", "در ⟨2026-03-05⟩ و ⟨10:30⟩"),
        ("$5 و $10، 20% و ۱٬۲۳۴٫۵", "⟨$5⟩ و ⟨$10⟩، ⟨20%⟩ و ⟨۱٬۲۳۴٫۵⟩"),
        ("تهران 340 و A-12 و v1.2", "تهران 340 و A-12 و v1.2"),
        ("Top: تهران (340)", "Top: ⟨تهران⟩ (340)"),
    ],
)
def test_numbers_in_a_text_from_right_to_left(line: str, marked: str) -> None:
    assert direction.prose(line, backwards=True).translate(_SHOWN) == marked


def test_the_first_letter_tells_the_direction() -> None:
    assert direction.is_right_to_left("12: تهران is the first")
    assert not direction.is_right_to_left("The first is تهران")
    assert not direction.is_right_to_left("\u2068شهر\u2069 is new")
    assert not direction.is_right_to_left("۱۲٬۳۴۵")


def test_names_as_labels() -> None:
    assert direction.name("فروش.csv") == "\u2068فروش.csv\u2069"
    assert direction.name("sales.csv") == "sales.csv"
    assert direction.name(direction.name("شهر")) == "\u2068شهر\u2069"


CITIES = ["تهران", "اصفهان", "مشهد (Mashhad)", "یزد"]


def bars(cities: list[str], sales: list[int]) -> tuple[StoredResult, ChartSpec]:
    table = pa.table({"شهر": cities, "فروش": sales})
    result = StoredResult(source="fa", dialect="duckdb", sql="SELECT 1", table=table)
    spec = choose_chart(result, type="bar")
    assert isinstance(spec, ChartSpec)
    return result, spec


def test_a_chart_keeps_its_labels_and_numbers() -> None:
    _, spec = bars(CITIES, [340, 128, 75, -12])
    figure = json.loads(spec.plotly)
    trace, layout = figure["data"][0], figure["layout"]
    assert (trace["orientation"], trace["y"], trace["x"]) == ("h", CITIES, [340, 128, 75, -12])
    assert (layout["yaxis"]["title"]["text"], layout["xaxis"]["title"]["text"]) == ("شهر", "فروش")
    assert layout["yaxis"]["categoryarray"] == CITIES
    assert trace["hovertemplate"] == "\u2068%{y}\u2069: %{x:,}<extra></extra>"
    assert spec.summary == "Bar chart: فروش by شهر. 4 bars; highest تهران with 340, lowest یزد with -12."


def test_each_of_many_bars_has_room_for_its_label() -> None:
    _, many = bars([f"شهر {n}" for n in range(20)], list(range(20)))
    assert json.loads(many.plotly)["layout"]["height"] >= 20 * 20
    assert "height" not in json.loads(bars(CITIES, [4, 3, 2, 1])[1].plotly)["layout"]


def test_a_pie_taken_away_has_each_number_behind_its_name() -> None:
    result, _ = bars(CITIES, [340, 128, 75, 12])
    pie = choose_chart(result, type="pie")
    assert isinstance(pie, ChartSpec)
    assert "\u2068تهران\u2069: 340 (61.3%)" in chart_svg(pie.plotly)


def test_a_document_has_the_direction_of_each_text() -> None:
    result, spec = bars(CITIES, [340, 128, 75, 12])
    page = document_html(
        "فروش", [DocumentTurn("فروش؟", "سود -5 بود\n`\"شهر\" = 'یزد'`", [spec], [], {result.id: result})]
    )
    assert '<h2 dir="auto">فروش؟</h2>' in page
    assert "سود \u2068-5\u2069 بود" in page
    assert "<code>&quot;شهر&quot; = &#x27;یزد&#x27;</code>" in page  # a query is copied as it is
    assert "by \u2068شهر\u2069. 4 bars" in page
