"""Two replicas over one PostgreSQL store: each sees what the other keeps, without a common folder for results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.models.scripted import ScriptedModel, hang, text
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime.follower import FollowedTurn
from tests.runtime.conftest import MakeRuntime, drain
from tests.store.conftest import postgres_url as postgres_url

pytestmark = pytest.mark.server


def test_two_replicas(
    settings: Settings,
    make_runtime: MakeRuntime,
    model: ScriptedModel,
    shop: str,
    tmp_path: Path,
    postgres_url: str,
) -> None:
    one = make_runtime(replace(settings, database_url=postgres_url))
    two = make_runtime(replace(settings, database_url=postgres_url, data_dir=tmp_path / "elsewhere"))
    one.add_database(LOCAL_USER, "shop", shop)
    result = one.run_sql(LOCAL_USER, "shop", "SELECT sum(amount) AS total FROM orders")
    assert isinstance(result, StoredResult)
    assert two.result(LOCAL_USER, result.id).table.to_pylist() == [{"total": 60}]
    assert two.preview(LOCAL_USER, "shop", "orders").table.num_rows == 3

    conversation = one.new_conversation(LOCAL_USER)
    model.enqueue(text("Sixty, I think."), hang())
    turn = one.start_turn(LOCAL_USER, conversation.id, "How much?")
    followed = two.running_turn(LOCAL_USER, conversation.id)
    assert isinstance(followed, FollowedTurn)
    seen = []
    for batch in followed.attach():
        seen += batch
        if any(event.kind == "answer_delta" for event in batch):
            followed.cancel()
    assert [event.kind for event in seen] == ["turn_started", "answer_delta", "turn_interrupted"]
    assert drain(turn)[-1].kind == "turn_interrupted"

    model.enqueue(text("Sixty."))
    drain(two.start_turn(LOCAL_USER, conversation.id, "Sure?"))
    assert [view.state for view in one.conversation(LOCAL_USER, conversation.id).turns] == ["interrupted", "finished"]
    assert len(one.usage(LOCAL_USER)) == 2
