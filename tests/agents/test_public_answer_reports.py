"""Faults of answers that were reported in public (ids Q of the list of cases), where the loop must prevent them."""

from __future__ import annotations

import time
from datetime import date
from uuid import UUID

import pytest

from tabulaflow_core.models.contracts import ModelFacts, ToolMessage
from tabulaflow_core.output import results
from tabulaflow_core.principal import LOCAL_USER
from tests.agents.wires import WIRES, Talk, facts_on, talk
from tests.modelserver import call, text

both_wires = pytest.mark.parametrize("wire", WIRES)
SALES = {
    "region": ["North", "North", "South", "West", "West"],
    "day": ["2025-01-05", "2025-02-06", "2025-01-07", "2025-03-01", "2025-03-02"],
    "amount": [10, 20, 5, 7, 8],
}
NORTH = "SELECT sum(amount) AS total FROM sales WHERE region = 'North' AND day LIKE '2025%'"


def small(wire: str = "chat") -> ModelFacts:
    """A model that is asked for SQL alone."""
    return facts_on(wire, profile="compact")


async def sql_of(t: Talk, question: str, written: str) -> str:
    """Ask; the model writes `written`; return what ran in the end."""
    t.server.enqueue(text(f"```sql\n{written}\n```"))
    result = await t.ask(question)
    assert result.outcome == "answered", result.text
    return t.stock.queries[-1]


async def test_q01_a_follow_up_keeps_the_filters_that_the_model_forgot() -> None:
    async with talk("chat", facts=small(), sales=SALES) as t:
        await sql_of(t, "What is the total amount in North in 2025?", NORTH)
        ran = await sql_of(
            t, "Show them by month.", "SELECT substr(day, 1, 7) AS month, sum(amount) AS total FROM sales GROUP BY 1"
        )
        assert "region = 'North'" in ran
        assert "2025" in ran
        assert t.session.last_result is not None
        table = next(a for a in t.session.last_result.artifacts if a.kind == "table")
        assert table.row_count == 2
        assert any("North" in note for note in table.notes), "what was kept is said"


@both_wires
async def test_q02_the_model_is_told_what_day_it_is(wire: str) -> None:
    async with talk(wire, sales=SALES) as t:
        t.server.enqueue(text("Which one?"))
        await t.ask("How much in the past 7 days?")
        assert f"Today is {date.today().isoformat()}." in t.session.history[0].text


async def test_q04_a_value_that_is_written_otherwise_is_found() -> None:
    firms = {"firm": ["ACME GmbH & Co.", "Beta AG"], "amount": [3, 4]}
    async with talk("chat", facts=small(), orders=firms) as t:
        ran = await sql_of(
            t, "What is the total amount of acme?", "SELECT sum(amount) AS total FROM orders WHERE firm = 'acme'"
        )
        assert "ACME GmbH & Co." in ran
        assert t.session.last_result is not None
        assert "3" in t.session.last_result.text


@both_wires
async def test_q05_a_fault_of_a_source_goes_back_with_its_words(wire: str) -> None:
    """A table that wants a filter says so in its fault; the model reads it and sends another query."""
    async with talk(wire, sales=SALES) as t:
        t.server.enqueue(call("run_query", sql="SELECT amout FROM sales"))
        t.server.enqueue(call("run_query", sql="SELECT sum(amount) AS total FROM sales")).enqueue(text("50 in all."))
        result = await t.ask("How much in all?")
        assert (result.text, result.outcome) == ("50 in all.", "answered")
        told = next(m.text for m in t.session.history if isinstance(m, ToolMessage))
        assert "no such column: amout" in told


@both_wires
async def test_q08_the_first_question_over_a_new_source_knows_its_schema(wire: str) -> None:
    async with talk(wire, sales=SALES) as t:
        t.server.enqueue(text("Which one?"))
        await t.ask("Anything?")
        assert "sales(region TEXT 'North'" in t.session.history[0].text


async def test_q10_and_for_west_asks_the_same_of_west() -> None:
    async with talk("chat", facts=small(), sales=SALES) as t:
        await sql_of(t, "What is the total amount in North in 2025?", NORTH)
        ran = await sql_of(t, "And for West?", NORTH.replace("North", "West"))
        assert "West" in ran
        assert "North" not in ran
        shown = t.server.requests[-1].body["messages"]
        assert NORTH in "".join(m["content"] for m in shown), "the model saw the question before"
        assert t.session.last_result is not None
        assert "15" in t.session.last_result.text


@both_wires
@pytest.mark.parametrize("figure", ["9", "0"])
async def test_q13_a_count_that_the_rows_deny_is_marked(
    wire: str, figure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "uuid4", lambda: UUID("9a0b" * 8))  # the digits of an id support nothing
    async with talk(wire, sales=SALES) as t:
        t.server.enqueue(call("run_query", sql="SELECT region, amount FROM sales WHERE amount > 6"))
        t.server.enqueue(text(f"There are {figure} such sales."))
        result = await t.ask("Which sales are large?")
        assert any(f"No result of this conversation holds {figure}" in said for said in result.assumptions)


async def test_q14_the_loop_itself_takes_no_time_that_anybody_waits_for() -> None:
    async with talk("chat", sales=SALES) as t:
        t.server.enqueue(text("Which one?"))
        await t.ask()  # loads what the first question of a process loads
        t.server.enqueue(call("run_query", sql="SELECT amount FROM sales")).enqueue(text("Here they are."))
        began = time.process_time()  # what other programs do at the time is not counted
        first = 0.0
        async for event in t.session.run_stream("How much?"):
            if not first and event.kind != "turn_started":
                first = time.process_time() - began
        assert first < 1.0
        assert time.process_time() - began < 5.0


@both_wires
@pytest.mark.parametrize(("ends", "said"), [("ASC", True), ("DESC", False)])
async def test_l19_a_list_sorted_the_wrong_way_is_told_before_it_is_narrated(wire: str, ends: str, said: bool) -> None:
    async with talk(wire, sales=SALES) as t:
        sql = "SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY total {} LIMIT 2"
        t.server.enqueue(call("run_query", sql=sql.format(ends)))
        t.server.enqueue(call("run_query", sql=sql.format("DESC") + " ")).enqueue(text("North and West."))
        await t.ask("What are the top 2 regions by sales?")
        told = next(m.text for m in t.session.history if isinstance(m, ToolMessage))
        assert ("sorts from the smallest up, and the question asks for the highest" in told) is said


@pytest.mark.parametrize(
    ("question", "key", "rows"),
    [
        ("What are the top 2 regions by sales?", "total ASC", ["North", "West"]),
        ("Which 2 regions have the lowest sales?", "2 DESC", ["South", "West"]),
        ("Welche 2 Regionen haben den höchsten Umsatz?", "sum(amount)", ["North", "West"]),
        ("Which 2 regions sold the least?", "total", ["South", "West"]),
        ("Name 2 regions that sold at least 5, the smallest first.", "total", ["South", "West"]),
    ],
)
async def test_l19_a_small_models_list_is_turned_round(question: str, key: str, rows: list[str]) -> None:
    async with talk("chat", facts=small(), sales=SALES) as t:
        sql = f"SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY {key} LIMIT 2"
        t.server.enqueue(text(f"```sql\n{sql}\n```"))
        result = await t.ask(question)
        table = next(a for a in result.artifacts if a.kind == "table")
        stored = await t.session.results.get_async(LOCAL_USER, table.id)
        assert stored.table.column(0).to_pylist() == rows


async def test_l19_a_rank_of_one_is_left_as_the_highest() -> None:
    """What a column's numbers mean is not known: it is told, and not turned round."""
    ranks = {"team": ["A", "B", "C"], "place": [2, 1, 3]}
    async with talk("chat", facts=small(), league=ranks) as t:
        written = "SELECT team FROM league ORDER BY place LIMIT 2"
        assert await sql_of(t, "What are the top 2 teams by place?", written) == written
        assert t.session.last_result is not None
        assert any("sorts from the smallest up" in said for said in t.session.last_result.assumptions)
