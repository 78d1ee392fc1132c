"""Whole questions to the embedded model's real weights, which `conftest.py` finds: `pytest -m live`.

The data are plotly's: gapminder (Gapminder Foundation, CC BY 4.0) and tips, from the `plotly` package (MIT).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pandas as pd
import plotly.data
import pytest

from tabulaflow_core.agents import ChatSession, TurnResult
from tabulaflow_core.config import Settings
from tabulaflow_core.data import DataConnectorRegistry, FilesConnector, SQLConnector
from tabulaflow_core.models.contracts import ChatModel
from tabulaflow_core.models.resolve import resolve_model
from tabulaflow_core.output import rows_json
from tabulaflow_core.principal import LOCAL_USER

pytestmark = pytest.mark.live

STOCK = {"HDMI cable": (12, 20), "USB-C dock": (3, 10), "Mouse": (40, 15), "Keyboard": (9, 9)}
FIRST = "Which products are below their reorder point?"
SECOND = "How many units of each should I order to reach those levels?"
NAMES = [
    ("product", "on_hand", "reorder_point"),
    ("item", "stock", "min_level"),
    ("Product Name", "On Hand", "Reorder Point"),
    ("name", "quantity_on_hand", "reorder_level"),
    ("product", "qty", "reorder_at"),
]

#: question -> a value that the shown rows must hold
EASY = [
    ("gapminder", "How many countries are in the data?", 142),
    ("gapminder", "What was the population of France in 2007?", 61083916),
    ("gapminder", "Which country had the highest life expectancy in 2007?", "Japan"),
    ("gapminder", "What is the average life expectancy per continent in 2007?", 54.80603846153846),
    ("gapminder", "What was the total population of Asia in 2007?", 3811953827),
    ("tips", "What is the average tip?", 2.99827868852459),
    ("tips", "How many people smoke?", 93),
    ("tips", "What is the average tip on each day?", 2.993103448275862),
    ("tips", "What is the total bill by sex?", 1570.95),
    ("tips", "What was the largest party size?", 6),
]


@pytest.fixture
def settings(live_settings: Settings) -> Settings:
    return live_settings


@pytest.fixture
async def model(settings: Settings) -> AsyncIterator[ChatModel]:
    model = resolve_model("local:qwen2.5-coder-1.5b", settings=settings)
    yield model
    await model.close_async()


async def sqlite_of(**tables: pd.DataFrame) -> DataConnectorRegistry:
    source = await SQLConnector.from_url_async("sqlite+aiosqlite:///:memory:", read_only=False)
    for name, frame in tables.items():
        await source.write_dataframe_async(frame, name)
    registry = DataConnectorRegistry()
    registry.register("data", source)
    return registry


async def rows_of(session: ChatSession, result: TurnResult) -> list[list[object]]:
    table = next(spec for spec in reversed(result.artifacts) if spec.kind == "table")
    stored = await session.results.get_async(LOCAL_USER, table.id)
    return rows_json(stored.table)  # type: ignore[return-value]


def holds(rows: list[list[object]], wanted: object) -> bool:
    def same(cell: object) -> bool:
        if isinstance(wanted, str) or isinstance(cell, str) or cell is None:
            return cell == wanted
        return abs(float(cell) - float(wanted)) < 1e-6 * abs(float(wanted))  # type: ignore[arg-type]

    return any(same(cell) for row in rows for cell in row)


async def two_turns(registry: DataConnectorRegistry, model: ChatModel) -> None:
    session = ChatSession(registry=registry, model=model)
    result = await session.run(FIRST)
    names = {cell for row in await rows_of(session, result) for cell in row if isinstance(cell, str)}
    assert {"HDMI cable", "USB-C dock"} <= names
    assert not {"Mouse", "Keyboard"} & names
    assert "HDMI cable" in result.text
    grown, sql = 0, ""
    async for event in session.run_stream(SECOND):
        grown += event.kind == "thinking_delta"
        if event.kind == "tool_started":
            sql = str(event.args["sql"])
        if event.kind == "turn_finished":
            result = event.result
    assert grown >= 5
    assert sql
    rows = await rows_of(session, result)
    assert sorted((row[0], next(c for c in reversed(row) if not isinstance(c, str))) for row in rows) == [
        ("HDMI cable", 8),
        ("USB-C dock", 7),
    ]
    assert result.usage is not None
    assert (result.usage.api_cost_usd, result.usage.price_source) == (0.0, "local")
    assert result.usage.input_tokens > 0


@pytest.mark.parametrize("names", NAMES, ids=lambda n: n[2])
@pytest.mark.parametrize("kind", ["sqlite", "csv"])
async def test_the_two_turn_conversation(
    model: ChatModel, tmp_path: Path, names: tuple[str, str, str], kind: str
) -> None:
    frame = pd.DataFrame([(k, *v) for k, v in STOCK.items()], columns=list(names))
    if kind == "sqlite":
        registry = await sqlite_of(inventory=frame)
    else:
        path = tmp_path / "inventory.csv"
        frame.to_csv(path, index=False)
        registry = DataConnectorRegistry()
        registry.register("files", await FilesConnector.from_files_async([path]))
    async with registry:
        await two_turns(registry, model)


async def test_easy_questions(model: ChatModel) -> None:
    registry = await sqlite_of(gapminder=plotly.data.gapminder(), tips=plotly.data.tips())
    wrong = []
    async with registry:
        for _, question, wanted in EASY:
            session = ChatSession(registry=registry, model=model)
            result = await session.run(question)
            shown = await rows_of(session, result) if result.outcome == "answered" else []
            if not holds(shown, wanted):
                wrong.append((question, result.text))
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize(
    "question", ["Hello!", "What is the capital of France?", "What is the average salary per department?"]
)
async def test_what_the_data_cannot_tell_has_no_figures(model: ChatModel, question: str) -> None:
    frame = pd.DataFrame([(k, *v) for k, v in STOCK.items()], columns=["product", "on_hand", "reorder_point"])
    async with await sqlite_of(inventory=frame) as registry:
        result = await ChatSession(registry=registry, model=model).run(question)
    assert result.outcome in ("cannot_answer", "needs_clarification")
    assert not any(char.isdigit() for char in result.text)
    assert result.artifacts == ()
