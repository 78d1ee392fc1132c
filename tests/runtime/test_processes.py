"""Two processes over one store: both see, both ask, one answers; and what is left when one is killed."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from tabulaflow_core.agents.events import AnswerDelta, ToolFinished, TurnInterrupted
from tabulaflow_core.config import Settings
from tabulaflow_core.errors import TurnInProgress
from tabulaflow_core.models.contracts import UserMessage
from tabulaflow_core.models.scripted import ScriptedModel, hang, text
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import Runtime
from tabulaflow_core.runtime.follower import FollowedTurn
from tests.runtime.conftest import Child, drain


def test_both_see_and_ask_the_same_table(rt: Runtime, child: Child, tmp_path: Path) -> None:
    assert child.ask("tables") == []
    file = tmp_path / "orders.csv"
    file.write_text("id,amount\n1,10\n2,20\n")
    (outcome,) = rt.add_files(LOCAL_USER, [("orders.csv", file)])
    assert outcome.status == "loaded"
    assert child.ask("tables") == ["orders"]
    total = "SELECT sum(amount) AS total FROM orders"
    assert child.ask("sql", alias="files", sql=total) == [{"total": 30}]
    assert rt.preview(LOCAL_USER, "files", "orders").table.num_rows == 2
    file.write_text("id,amount\n1,10\n2,20\n3,70\n")
    rt.add_files(LOCAL_USER, [("orders.csv", file)], choice="replace")
    assert child.ask("sql", alias="files", sql=total) == [{"total": 100}]
    rt.remove_file(LOCAL_USER, "orders.csv")
    assert child.ask("tables") == []
    assert rt.sources(LOCAL_USER) == ()


def test_of_two_processes_that_ask_at_once_one_answers(rt: Runtime, child: Child, model: ScriptedModel) -> None:
    child.ask("tables")  # started by now
    for _ in range(4):
        model.enqueue(hang())
        conversation = rt.new_conversation(LOCAL_USER)
        child.send("start", conversation=conversation.id)
        try:
            here = rt.start_turn(LOCAL_USER, conversation.id, "Asked here?")
        except TurnInProgress:
            here = None
        there = child.receive()
        assert (here is None) == isinstance(there, str), "one of the two and not both"
        running = rt.running_turn(LOCAL_USER, conversation.id)
        assert running is not None
        assert running.id == (there if here is None else here.id)
        running.cancel()
        assert drain(running)[-1].kind == "turn_interrupted"
        assert len(rt.conversation(LOCAL_USER, conversation.id).turns) == 1


def test_a_turn_is_followed_and_stopped_from_the_other_process(rt: Runtime, child: Child, model: ScriptedModel) -> None:
    conversation = rt.new_conversation(LOCAL_USER)
    model.enqueue(text("Hello."), hang())
    turn = rt.start_turn(LOCAL_USER, conversation.id, "Asked here?")
    assert child.ask("start", conversation=conversation.id) == {"error": "TurnInProgress"}
    seen = child.ask("follow", conversation=conversation.id, until="answer_delta")
    assert seen == {"type": "FollowedTurn", "kinds": ["turn_started", "answer_delta"]}
    child.ask("stop", conversation=conversation.id)
    last = drain(turn)[-1]
    assert isinstance(last, TurnInterrupted)
    assert (last.reason, last.result.text) == ("You stopped this answer.", "Hello.")
    assert model.aborted == 1


def _age_heartbeat(settings: Settings, turn_id: str) -> None:
    connection = sqlite3.connect(settings.data_dir / "tabulaflow.db")
    connection.execute("UPDATE turns SET heartbeat_at = heartbeat_at - 60 WHERE id = ?", (turn_id,))
    connection.commit()
    connection.close()


def test_a_killed_process_loses_at_most_the_text_in_flight(
    rt: Runtime, child: Child, shop: str, settings: Settings, model: ScriptedModel
) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    conversation = rt.new_conversation(LOCAL_USER)
    turn_id = child.ask("start_slow", conversation=conversation.id)
    turn = rt.running_turn(LOCAL_USER, conversation.id)
    assert isinstance(turn, FollowedTurn)
    said = ""
    for batch in turn.attach():
        said += "".join(event.content for event in batch if isinstance(event, AnswerDelta) and event.step > 0)
        if "more to say" in said:
            os.kill(child.process.pid, signal.SIGKILL)
            break
    child.process.wait(30)
    _age_heartbeat(settings, turn_id)

    assert rt.running_turn(LOCAL_USER, conversation.id) is None
    (view,) = rt.conversation(LOCAL_USER, conversation.id).turns
    assert (view.question, view.state) == ("How many orders?", "interrupted")
    assert view.reason == "The server stopped while this was being answered."
    assert view.result is not None
    assert "There are three orders, and more to say" in view.result.text
    (tool,) = [event for event in view.events if isinstance(event, ToolFinished)]
    assert tool.ok
    assert tool.result_id is not None
    assert rt.result(LOCAL_USER, tool.result_id).table.to_pylist() == [{"n": 3}]
    assert drain(turn)[-1].kind == "turn_interrupted", "who still watches is told"

    model.enqueue(text("Three."))
    again = rt.start_turn(LOCAL_USER, conversation.id, "So how many?")
    assert drain(again)[-1].kind == "turn_finished"
    asked = [message.text for message in model.requests[-1].messages if isinstance(message, UserMessage)]
    assert [words for words in asked if words in ("How many orders?", "So how many?")] == [
        "How many orders?",
        "So how many?",
    ], "the model knows what was asked before the process died"


@pytest.mark.parametrize(("start", "until"), [("start", "answer_delta"), ("start_endless", "tool_started")])
def test_a_process_that_ends_ends_its_turns(rt: Runtime, child: Child, shop: str, start: str, until: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    conversation = rt.new_conversation(LOCAL_USER)
    child.ask(start, conversation=conversation.id)
    child.ask("follow", conversation=conversation.id, until=until)
    time.sleep(0.5)  # until the statement runs
    begun = time.monotonic()
    assert child.end() == 0
    assert time.monotonic() - begun < 20
    (view,) = rt.conversation(LOCAL_USER, conversation.id).turns
    assert (view.state, view.reason) == (
        "interrupted",
        "The server was shut down while this was being answered.",
    )
    assert view.result is not None
    if start == "start":
        assert view.result.text == "Thinking aloud."
