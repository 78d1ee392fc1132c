"""One source, one model, one session: what most of these tests begin with."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tabulaflow_core.agents import ChatSession
from tabulaflow_core.data.registry import DataConnectorRegistry
from tabulaflow_core.models.scripted import ScriptedModel
from tests.agents.fakes import INVENTORY, FakeConnector


@pytest.fixture
def stock() -> FakeConnector:
    return FakeConnector(inventory=INVENTORY)


@pytest.fixture
def registry(stock: FakeConnector) -> DataConnectorRegistry:
    registry = DataConnectorRegistry()
    registry.register("stock", stock)
    return registry


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
def new_session(registry: DataConnectorRegistry, model: ScriptedModel) -> Callable[..., ChatSession]:
    def make(**more: object) -> ChatSession:
        return ChatSession(**{"registry": registry, "model": model, **more})  # type: ignore[arg-type]

    return make
