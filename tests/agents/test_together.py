"""A question that needs two sources, with a large model and with a small one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tabulaflow_core.agents.sources import Source, route
from tabulaflow_core.data.registry import DataConnectorRegistry
from tabulaflow_core.errors import NotPermitted
from tabulaflow_core.models.scripted import ScriptedModel, call, text
from tabulaflow_core.principal import Principal
from tests.agents.fakes import FakeConnector
from tests.agents.helpers import New
from tests.agents.test_compact import SMALL, fence

PLAIN = "SELECT s.region, s.sold, t.target FROM sold s JOIN targets t ON t.region = s.region ORDER BY 1"
QUALIFIED = PLAIN.replace("FROM sold", "FROM shop.sold").replace("JOIN targets", "JOIN plans.targets")


@pytest.fixture
def registry() -> DataConnectorRegistry:
    made = DataConnectorRegistry()
    made.register("shop", FakeConnector(sold={"region": ["east", "north"], "sold": [4, 9]}))
    made.register("plans", FakeConnector(targets={"region": ["east", "north"], "target": [5, 8]}))
    return made


def sources(registry: DataConnectorRegistry) -> tuple[Source, ...]:
    return tuple(Source(a, registry.get(a).dialect, registry.get(a).schema, registry.get(a)) for a in registry.aliases)


@pytest.mark.parametrize("sql", [PLAIN, QUALIFIED])
@pytest.mark.parametrize("named", [{}, {"source": "shop"}, {"source": "shop + plans"}])
async def test_a_large_model_joins_two_sources(
    model: ScriptedModel, new_session: New, sql: str, named: dict[str, str]
) -> None:
    model.enqueue(call("run_query", sql=sql, **named)).enqueue(text("North is above its target."))
    session = new_session()
    result = await session.run("Sold next to the target?")
    assert result.outcome == "answered"
    spec = result.artifacts[0]
    assert spec.source == "shop + plans"  # type: ignore[union-attr]
    assert spec.columns == ("region", "sold", "target")  # type: ignore[union-attr]
    assert "2 rows of shop.sold and 2 rows of plans.targets" in spec.notes[-1]  # type: ignore[union-attr]
    told = session.history[-2].text
    assert "2 rows of plans.targets" in told
    assert "One query may join tables of several sources" in session.history[0].text


@pytest.mark.parametrize("sql", [PLAIN, QUALIFIED])
async def test_a_small_model_joins_two_sources(new_session: New, sql: str) -> None:
    small = ScriptedModel(facts=SMALL)
    small.enqueue(text(fence(sql)))
    result = await new_session(model=small).run("Sold next to the target per region?")
    assert result.outcome == "answered"
    spec = result.artifacts[0]
    assert spec.source == "shop + plans"  # type: ignore[union-attr]
    assert spec.row_count == 2  # type: ignore[union-attr]
    shown = small.requests[0].messages[0].text
    assert "-- source shop" in shown
    assert "-- source plans" in shown


async def test_the_permit_is_asked_for_each_source(model: ScriptedModel, new_session: New) -> None:
    asked: list[str] = []

    class Permit:
        async def check_query_async(self, principal: Principal, *, source: str, sql: str) -> None:
            asked.append(source)
            if source == "plans":
                raise NotPermitted("The plans are not for you.")

    model.enqueue(call("run_query", sql=QUALIFIED)).enqueue(text("-"))
    with pytest.raises(NotPermitted):
        await new_session(query_permit=Permit()).run("Sold next to the target?")
    assert asked == ["shop", "plans"]


@pytest.mark.parametrize(
    ("sql", "alias"),
    [
        ("SELECT * FROM sold", "shop"),
        ("SELECT * FROM shop.sold", "shop"),
        ("SELECT * FROM plans.targets", "plans"),
        (PLAIN, "shop + plans"),
        (QUALIFIED, "shop + plans"),
    ],
)
async def test_where_a_query_goes(registry: DataConnectorRegistry, sql: str, alias: str) -> None:
    for named in ("", alias, "shop"):
        routed = route(sources(registry), named, sql)
        assert routed.source is not None
        assert routed.source.alias == alias
        outcome = await routed.source.connector.run_query_async(sql)
        assert outcome.table.num_rows == 2  # type: ignore[union-attr]


async def test_a_table_that_nobody_has_is_named(registry: DataConnectorRegistry) -> None:
    routed = route(sources(registry), "", "SELECT * FROM sold JOIN target USING (region)")
    assert routed.source is None
    assert "'target'" in routed.problem
    assert "plans.targets" in routed.problem


def _texts(messages: Sequence[object]) -> str:
    return " ".join(str(message) for message in messages)


async def test_one_source_is_told_nothing_of_joining(model: ScriptedModel, new_session: New) -> None:
    alone = DataConnectorRegistry()
    alone.register("shop", FakeConnector(sold={"region": ["east"], "sold": [4]}))
    model.enqueue(text("Which?"))
    session = new_session(registry=alone)
    await session.run("Sold?")
    assert "several sources" not in _texts(session.history)
