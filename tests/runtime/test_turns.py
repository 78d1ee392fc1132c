"""Turns in one process: readers, Stop, deadlines, failures, follow-ups, many at once."""

from __future__ import annotations

import socket
import sqlite3
import threading
import time
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from tabulaflow_core.agents.events import AnswerDelta, Event, ToolFinished, TurnFailed, TurnFinished, TurnInterrupted
from tabulaflow_core.config import Limits, Settings
from tabulaflow_core.errors import ModelUnavailable, NoModelAvailable, NotFound, StoreUnavailable, TurnInProgress
from tabulaflow_core.models.contracts import AssistantMessage, ModelRequest, StreamPart, TextPart, UserMessage
from tabulaflow_core.models.scripted import ScriptedModel, call, delay, fail, hang, text
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import Runtime, Turn
from tests.runtime.conftest import MakeRuntime, drain

ENDLESS = (
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000000000000) SELECT count(*) FROM c"
)


def ask(rt: Runtime, question: str = "How many?", conversation_id: str | None = None) -> Turn:
    return rt.start_turn(LOCAL_USER, conversation_id or rt.new_conversation(LOCAL_USER).id, question)


def words(events: list[Event]) -> str:
    return "".join(event.content for event in events if isinstance(event, AnswerDelta))


def test_many_readers_and_late_ones_see_all(rt: Runtime, model: ScriptedModel) -> None:
    model.enqueue(text("one two "), delay(0.3), text("three "), delay(0.3), text("four"))
    turn = ask(rt)
    seen: list[list[Event]] = []
    readers = [threading.Thread(target=lambda: seen.append(drain(turn))) for _ in range(5)]
    for reader in readers[:3]:
        reader.start()
    time.sleep(0.4)
    for reader in readers[3:]:
        reader.start()
    for reader in readers:
        reader.join(30)
    seen.append(drain(turn))
    assert len(seen) == 6
    for events in seen:
        assert events[0].kind == "turn_started"
        assert words(events) == "one two three four"
        assert [event.kind for event in events].count("turn_finished") == 1
        assert events[-1].kind == "turn_finished"
    assert model.opened == 1, "readers do not ask the model again"


def test_a_reader_that_leaves_ends_nothing(rt: Runtime, model: ScriptedModel) -> None:
    model.enqueue(text("one "), delay(0.3), text("two"))
    turn = ask(rt)
    reader = turn.attach()
    next(reader)
    reader.close()  # type: ignore[attr-defined]
    assert words(drain(turn)) == "one two"


def test_silence_has_a_heartbeat(rt: Runtime, model: ScriptedModel) -> None:
    model.enqueue(hang())
    turn = ask(rt)
    batches = turn.attach(tick=0.02)
    assert [] in [next(batches) for _ in range(20)]
    turn.cancel()


def test_stop_stops_the_model_and_keeps_what_was_said(rt: Runtime, model: ScriptedModel) -> None:
    model.enqueue(text("So far so good"), hang())
    turn = ask(rt)
    _until(turn, "answer_delta")
    begun = time.monotonic()
    turn.cancel()
    turn.cancel()
    last = drain(turn)[-1]
    assert time.monotonic() - begun < 20
    assert isinstance(last, TurnInterrupted)
    assert (last.result.text, last.result.outcome) == ("So far so good", "interrupted")
    assert (model.aborted, model.open) == (1, 0)
    assert turn.state == "interrupted"
    turn.cancel()


def _until(turn: Turn, kind: str) -> None:
    for batch in turn.attach():
        if any(event.kind == kind for event in batch):
            return


def test_stop_stops_the_statement(rt: Runtime, model: ScriptedModel, shop: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    model.enqueue(call("run_query", sql=ENDLESS))
    turn = ask(rt)
    _until(turn, "tool_started")
    time.sleep(0.3)
    begun = time.monotonic()
    turn.cancel()
    assert drain(turn)[-1].kind == "turn_interrupted"
    assert time.monotonic() - begun < 20
    idle = False
    for _ in range(20):  # a statement that still ran would use all of each of these times
        spent = time.process_time()
        time.sleep(0.4)
        idle = idle or time.process_time() - spent < 0.1
    assert idle


def test_a_follow_up_knows_what_was_said(rt: Runtime, make_runtime: MakeRuntime, model: ScriptedModel) -> None:
    model.enqueue(text("Twelve."))
    turn = ask(rt, "How many?")
    drain(turn)
    (info,) = rt.conversations(LOCAL_USER)
    model.enqueue(text("Certainly, "), hang())
    stopped = ask(rt, "Are you sure?", info.id)
    _until(stopped, "answer_delta")
    stopped.cancel()
    drain(stopped)
    for runtime, question in ((rt, "Here?"), (make_runtime(), "In another process?"), (rt, "Here again?")):
        model.enqueue(text("Yes."))
        drain(ask(runtime, question, info.id))
    said = [m.text for m in model.requests[-1].messages if isinstance(m, (UserMessage, AssistantMessage))]
    followed = [line for line in said if line.startswith(("How", "Twel", "Are", "Cert", "Here", "In an", "Yes"))]
    assert followed == [
        "How many?",
        "Twelve.",
        "Are you sure?",
        "Certainly, … (stopped)",
        "Here?",
        "Yes.",
        "In another process?",
        "Yes.",
        "Here again?",
    ]


def test_a_model_that_fails_is_said_and_the_conversation_goes_on(rt: Runtime, model: ScriptedModel) -> None:
    conversation = rt.new_conversation(LOCAL_USER)
    model.enqueue(fail(ModelUnavailable("The model does not answer. Try again.")))
    last = drain(ask(rt, "One?", conversation.id))[-1]
    assert isinstance(last, TurnFailed)
    assert (last.error.type, last.error.user_message) == ("ModelUnavailable", "The model does not answer. Try again.")
    model.enqueue(fail(ZeroDivisionError("secret internals")))
    last = drain(ask(rt, "Two?", conversation.id))[-1]
    assert isinstance(last, TurnFailed)
    assert "secret internals" not in last.model_dump_json()
    model.enqueue(text("Fine."))
    assert drain(ask(rt, "Three?", conversation.id))[-1].kind == "turn_finished"
    view = rt.conversation(LOCAL_USER, conversation.id)
    assert [turn.state for turn in view.turns] == ["failed", "failed", "finished"]
    assert [turn.error.type for turn in view.turns if turn.error] == ["ModelUnavailable", "InternalError"]


class Deaf:
    """A model that does not hear of deadlines."""

    def __init__(self) -> None:
        self.facts = ScriptedModel().facts

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart, None]:
        import asyncio

        yield TextPart("Something")
        await asyncio.sleep(60)

    async def close_async(self) -> None:
        return None


def test_the_deadline_ends_a_turn(settings: Settings, make_runtime: MakeRuntime) -> None:
    rt = make_runtime(replace(settings, limits=Limits(turn_seconds=0.5)), Deaf())
    begun = time.monotonic()
    last = drain(ask(rt))[-1]
    assert time.monotonic() - begun < 20
    assert isinstance(last, TurnFailed)
    assert last.error.type == "TurnLimitReached"


def test_twenty_turns_at_once(rt: Runtime, shop: str, make_runtime: MakeRuntime) -> None:
    def rule(request: ModelRequest) -> list[object]:
        if request.messages[-1].kind == "tool":
            return [text("Sixty."), delay(0.3), text(" In all.")]
        return [delay(0.2), call("run_query", sql="SELECT sum(amount) AS total FROM orders")]

    busy = make_runtime(None, ScriptedModel(rule=rule))  # type: ignore[arg-type]
    busy.add_database(LOCAL_USER, "shop", shop)
    turns = [ask(busy, f"Question {i}?") for i in range(20)]
    for turn in turns:
        events = drain(turn)
        assert isinstance(events[-1], TurnFinished)
        assert words(events).endswith("Sixty. In all.")
        (tool,) = [event for event in events if isinstance(event, ToolFinished)]
        assert tool.result_id is not None
        assert busy.result(LOCAL_USER, tool.result_id).table.to_pylist() == [{"total": 60}]
    assert len(rt.conversations(LOCAL_USER)) == 20
    rows = rt.usage(LOCAL_USER)
    assert len(rows) == 20
    assert {row.api_requests for row in rows} == {2}


def test_one_turn_at_a_time(rt: Runtime, model: ScriptedModel) -> None:
    conversation = rt.new_conversation(LOCAL_USER)
    model.enqueue(hang())
    turn = ask(rt, "One?", conversation.id)
    with pytest.raises(TurnInProgress):
        ask(rt, "Two?", conversation.id)
    assert rt.running_turn(LOCAL_USER, conversation.id) is turn
    turn.cancel()
    drain(turn)
    assert rt.running_turn(LOCAL_USER, conversation.id) is None


def test_deleting_a_conversation_stops_its_turn(rt: Runtime, model: ScriptedModel) -> None:
    conversation = rt.new_conversation(LOCAL_USER)
    model.enqueue(hang())
    turn = ask(rt, "One?", conversation.id)
    _until(turn, "turn_started")
    rt.delete_conversation(LOCAL_USER, conversation.id)
    assert drain(turn)[-1].kind == "turn_interrupted"
    with pytest.raises(NotFound):
        rt.conversation(LOCAL_USER, conversation.id)
    with pytest.raises(NotFound):
        ask(rt, "Two?", conversation.id)


def test_close_ends_turns_as_interrupted(make_runtime: MakeRuntime, model: ScriptedModel, shop: str) -> None:
    rt = make_runtime()
    rt.add_database(LOCAL_USER, "shop", shop)
    conversation = rt.new_conversation(LOCAL_USER)
    model.enqueue(text("Just a "), call("run_query", sql=ENDLESS))
    turn = ask(rt, "One?", conversation.id)
    _until(turn, "tool_started")
    begun = time.monotonic()
    rt.close()
    assert time.monotonic() - begun < 20
    last = drain(turn)[-1]
    assert isinstance(last, TurnInterrupted)
    (view,) = make_runtime().conversation(LOCAL_USER, conversation.id).turns
    assert (view.state, view.reason) == ("interrupted", last.reason)
    rt.close()


def test_without_a_model_the_question_is_not_taken(settings: Settings) -> None:
    rt = Runtime(settings)
    try:
        conversation = rt.new_conversation(LOCAL_USER)
        assert rt.default_model(LOCAL_USER) is None
        with pytest.raises(NoModelAvailable, match="model pull"):
            ask(rt, "One?", conversation.id)
        assert rt.conversations(LOCAL_USER) == ()
        assert {status.ready for status in rt.models(LOCAL_USER)} == {False}
        assert all(status.reason for status in rt.models(LOCAL_USER))
    finally:
        rt.close()


def test_a_process_that_slept_keeps_its_turn(rt: Runtime, model: ScriptedModel, settings: Settings) -> None:
    conversation = rt.new_conversation(LOCAL_USER)
    model.enqueue(text("One "), delay(1.0), text("two."))
    turn = ask(rt, "Count!", conversation.id)
    _until(turn, "answer_delta")
    connection = sqlite3.connect(settings.data_dir / "tabulaflow.db")
    connection.execute("UPDATE turns SET heartbeat_at = heartbeat_at - 60")
    connection.commit()
    connection.close()
    assert [view.state for view in rt.conversation(LOCAL_USER, conversation.id).turns] == ["running"]
    assert drain(turn)[-1].kind == "turn_finished"


def test_a_turn_that_another_process_ended_stops(rt: Runtime, model: ScriptedModel, settings: Settings) -> None:
    conversation = rt.new_conversation(LOCAL_USER)
    model.enqueue(text("One "), hang())
    turn = ask(rt, "Count!", conversation.id)
    _until(turn, "answer_delta")
    connection = sqlite3.connect(settings.data_dir / "tabulaflow.db")
    connection.execute("UPDATE turns SET state = 'interrupted', finished_at = heartbeat_at")
    connection.commit()
    connection.close()
    assert drain(turn)[-1].kind == "turn_interrupted"
    assert model.aborted == 1


def test_after_closing_every_call_says_so(settings: Settings, model: ScriptedModel) -> None:
    rt = Runtime(settings, model_factory=lambda name: model)
    conversation = rt.new_conversation(LOCAL_USER)
    rt.close()
    with pytest.raises(StoreUnavailable, match="shut down"):
        rt.conversation(LOCAL_USER, conversation.id)
    rt.warm(LOCAL_USER, conversation.id)


def test_a_store_that_cannot_be_opened_is_said_and_tried_again(settings: Settings, make_runtime: MakeRuntime) -> None:
    settings.data_dir.write_text("a file where the folder should be")
    rt = make_runtime()
    with pytest.raises(StoreUnavailable, match="TABULAFLOW_DATA_DIR"):
        rt.conversations(LOCAL_USER)
    settings.data_dir.unlink()
    assert rt.conversations(LOCAL_USER) == ()


def test_another_model_goes_on_with_the_same_history(
    settings: Settings, make_runtime: MakeRuntime, model: ScriptedModel
) -> None:
    other = ScriptedModel()
    rt = Runtime(settings, model_factory=lambda name: other if name == "scripted:other" else model)
    try:
        conversation = rt.new_conversation(LOCAL_USER)
        model.enqueue(text("Twelve."))
        drain(ask(rt, "How many?", conversation.id))
        other.enqueue(text("Certainly."))
        drain(rt.start_turn(LOCAL_USER, conversation.id, "Sure?", model="scripted:other"))
        said = [m.text for m in other.requests[-1].messages if isinstance(m, (UserMessage, AssistantMessage))]
        assert said[-3:] == ["How many?", "Twelve.", "Sure?"]
        turns = rt.conversation(LOCAL_USER, conversation.id).turns
        assert [turn.model for turn in turns] == ["scripted:demo", "scripted:other"]
    finally:
        rt.close()


def test_stop_while_a_source_is_silent(rt: Runtime, model: ScriptedModel) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://reader:x@127.0.0.1:{silent.getsockname()[1]}/sales"
        services = rt._services
        secret = services.store.secrets.encrypt(LOCAL_USER, url)
        rt._call(
            services.store.sources.add_database_async(
                LOCAL_USER, "sales", dialect="postgres", url_masked="postgresql://…", url_secret=secret
            )
        )
        turn = ask(rt)
        time.sleep(0.3)
        assert turn.state == "running"
        begun = time.monotonic()
        turn.cancel()
        assert drain(turn)[-1].kind == "turn_interrupted"
        assert time.monotonic() - begun < 20
    assert model.opened == 0


class Warm(ScriptedModel):
    """A model that says when it is warmed."""

    def __init__(self) -> None:
        super().__init__(facts=replace(ScriptedModel().facts, profile="compact"))
        self.warmed = threading.Event()

    async def warm_async(self, messages: object, **more: object) -> None:
        self.warmed.set()


def test_warming_reaches_the_model_and_never_raises(make_runtime: MakeRuntime, shop: str) -> None:
    model = Warm()
    rt = make_runtime(None, model)
    rt.add_database(LOCAL_USER, "shop", shop)
    rt.warm(LOCAL_USER, "")
    assert model.warmed.wait(20)
    model.warmed.clear()
    rt.warm(LOCAL_USER, rt.new_conversation(LOCAL_USER).id)
    assert model.warmed.wait(20)
    assert model.requests == []
