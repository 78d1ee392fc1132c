"""What an answer rests on stands under it as chips, each with the place where it can be changed."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import how
from pages.ui.assumed import place_of
from pages.ui.transcript import Transcript
from tabulaflow_core.agents.events import TurnFinished, TurnResult, UsageReport
from tabulaflow_core.output.specs import TableSpec


@pytest.mark.parametrize(
    ("sentence", "place"),
    [
        ("sales: the file does not show whether day or month comes first in “date”; it was read day first.", "data"),
        ("sales: “price” can be read with decimals or with thousands marks; it was read as decimals.", "data"),
        ("sales: that “n” is integer is a guess.", "data"),
        ("sales: the delimiter of the file is a guess (;).", "data"),
        ("A result was cut at the limit: figures over it may be too small.", "settings"),
        ("openai:x has no reasoning level 'high'; it was left out.", "settings"),
        ("The last query found no value: all that it returned is empty (NULL).", "query"),
        ("No result of this conversation holds 12: check before use.", "query"),
    ],
)
def test_the_place_where_it_can_be_changed(sentence: str, place: str) -> None:
    assert place_of(sentence) == place


def test_how_i_got_this_says_everything() -> None:
    usage = UsageReport(
        model="openai:x",
        api_requests=2,
        input_tokens=1200,
        cached_input_tokens=800,
        output_tokens=90,
        reasoning_tokens=40,
        api_cost_usd=None,
        price_source="unknown",
        seconds=3.0,
    )
    table = TableSpec(
        id="r_1", source="shop + files", sql="SELECT 1", columns=("a",), row_count=1, seconds=0.25, notes=("Joined.",)
    )
    result = TurnResult(text="1", outcome="answered", artifacts=(table,), usage=usage, assumptions=("Day first.",))
    transcript = Transcript.of([TurnFinished(result=result)])
    said = "\n".join(how.facts(transcript, seconds=4.2))
    for part in ("shop, files", "4.2 s", "0.2 s in queries", "openai", "2 model calls", "800 cached", "40 reasoning"):
        assert part in said, part
    for part in ("unknown", "Joined.", "Day first."):
        assert part in said, part
    assert how.label(transcript, seconds=4.2).startswith("How I got this · Done")


def test_a_stopped_answer_has_no_mark_of_success() -> None:
    def page() -> None:
        from pages.ui import how
        from pages.ui.transcript import Transcript
        from tabulaflow_core.agents.events import ToolFinished, ToolStarted, TurnInterrupted, TurnResult

        started = ToolStarted(call_id="1", name="run_query", title="Querying", args={}, step=1)
        finished = ToolFinished(call_id="1", name="run_query", ok=True, summary="1 row", seconds=0.1, step=1)
        ended = TurnInterrupted(result=TurnResult(text="", outcome="interrupted"), reason="You stopped this.")
        how.draw(Transcript.of([started, finished, ended]), seconds=1)

    shown = AppTest.from_function(page).run()
    assert not shown.exception
    assert [(expander.icon, "Stopped" in expander.label) for expander in shown.expander] == [
        (":material/stop_circle:", True)
    ]
