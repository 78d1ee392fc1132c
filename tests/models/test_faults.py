"""What goes wrong on a wire: retries, broken streams, refusals, and giving up."""

from __future__ import annotations

import asyncio
import contextlib
import json
import traceback

import pytest

from tabulaflow_core.errors import ModelError, ModelProtocolError, ModelRejected, ModelUnavailable
from tabulaflow_core.models import CallPart, DonePart, ModelRequest, SystemMessage, TextPart, UserMessage, resolve_model
from tabulaflow_core.models.catalog import facts_for
from tabulaflow_core.models.openai import OpenAIChatModel, OpenAIResponsesModel, make_client
from tabulaflow_core.models.openai import client as client_module
from tabulaflow_core.models.openai import quirks as quirks_module
from tabulaflow_core.models.scripts import chat_sessions
from tests.models.test_wires import RUN_QUERY
from tests.modelserver import (
    ModelServer,
    call,
    delay,
    drop,
    end_early,
    error_event,
    hang,
    no_finish,
    no_index,
    raw_event,
    status,
    text,
)

HELLO = ModelRequest((SystemMessage("Be brief."), UserMessage("Hello")), tools=(RUN_QUERY,))
KEY = "sk-secret-1234567890"
both_wires = pytest.mark.parametrize("wire", ["chat", "responses"])
Model = OpenAIChatModel | OpenAIResponsesModel


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry at once, and start without anything learnt."""
    monkeypatch.setattr(client_module, "_FIRST_WAIT_SECONDS", 0.001)
    monkeypatch.setattr(quirks_module, "_learnt", {})


def model_at(url: str, wire: str, *, name: str = "", silence_seconds: float = 10.0) -> Model:
    if wire == "chat":
        facts = facts_for(name or "openrouter:some/model")
        return OpenAIChatModel(facts, base_url=url, api_key=KEY, silence_seconds=silence_seconds)
    facts = facts_for(name or "openai:gpt-5.6-sol")
    return OpenAIResponsesModel(facts, base_url=url, api_key=KEY, silence_seconds=silence_seconds)


async def answer(model: Model, request: ModelRequest = HELLO) -> str:
    try:
        return "".join([part.text async for part in model.stream(request) if isinstance(part, TextPart)])
    finally:
        await model.close_async()


async def failure(model: Model, request: ModelRequest = HELLO) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await answer(model, request)
    assert KEY not in caught.value.user_message + str(caught.value.detail)
    assert KEY not in "".join(traceback.format_exception(caught.value))
    return caught.value


@both_wires
async def test_busy_and_failing_servers_are_asked_again(wire: str) -> None:
    with ModelServer() as server:
        server.enqueue(status(429, retry_after=0)).enqueue(status(500)).enqueue(status(503)).enqueue(text("Here."))
        assert await answer(model_at(server.url, wire)) == "Here."
        assert len(server.requests) == 4
        assert server.connections == 1


@both_wires
async def test_retries_end(wire: str) -> None:
    with ModelServer() as server:
        for _ in range(5):
            server.enqueue(status(500))
        error = await failure(model_at(server.url, wire))
        assert len(server.requests) == client_module.MAX_TRIES
    assert isinstance(error, ModelUnavailable)
    assert "500" in error.user_message


async def test_retry_after_is_obeyed_when_short_and_told_when_long() -> None:
    with ModelServer() as server:
        server.enqueue(status(429, retry_after=120))
        error = await failure(model_at(server.url, "chat"))
        assert len(server.requests) == 1
        assert isinstance(error, ModelUnavailable)
        assert "120 seconds" in error.user_message
        server.enqueue(status(429, retry_after=0.3)).enqueue(text("Now."))
        began = asyncio.get_running_loop().time()
        assert await answer(model_at(server.url, "chat")) == "Now."
        assert asyncio.get_running_loop().time() - began >= 0.3


@both_wires
async def test_an_empty_account_is_not_asked_again(wire: str) -> None:
    with ModelServer() as server:
        server.enqueue(status(429, "You exceeded your current quota", error_code="insufficient_quota"))
        error = await failure(model_at(server.url, wire))
        assert len(server.requests) == 1
    assert isinstance(error, ModelRejected)
    assert "credit" in error.user_message
    assert "The endpoint" not in error.user_message.removeprefix("The endpoint")


@both_wires
async def test_a_connection_cut_before_the_first_part_is_tried_again(wire: str) -> None:
    with ModelServer() as server:
        server.enqueue(drop()).enqueue(text("Here."))
        assert await answer(model_at(server.url, wire)) == "Here."
        assert server.cut == 1


@both_wires
@pytest.mark.parametrize("fault", [drop(), end_early()])
async def test_a_stream_that_breaks_off_is_an_error_and_not_repeated(wire: str, fault: object) -> None:
    with ModelServer() as server:
        server.enqueue(text("Half of"), fault)  # type: ignore[arg-type]
        model = model_at(server.url, wire)
        seen: list[object] = []
        with pytest.raises(ModelUnavailable, match="broke its answer off"):
            await _collect(model, seen)
        await model.close_async()
        assert len(server.requests) == 1
    assert [part.text for part in seen if isinstance(part, TextPart)] == ["Half", " of"]
    assert not any(isinstance(part, DonePart) for part in seen)


async def test_no_finish_reason_is_a_broken_stream() -> None:
    with ModelServer() as server:
        server.enqueue(text("Half"), no_finish())
        assert isinstance(await failure(model_at(server.url, "chat")), ModelUnavailable)


@both_wires
async def test_a_fault_told_in_the_stream(wire: str) -> None:
    with ModelServer() as server:
        server.enqueue(text("Half"), error_event("The engine fell over", code="server_error"))
        error = await failure(model_at(server.url, wire))
    assert isinstance(error, ModelUnavailable)


@both_wires
async def test_an_event_that_is_not_json_is_a_protocol_error(wire: str) -> None:
    with ModelServer() as server:
        server.enqueue(raw_event("{not json"))
        assert isinstance(await failure(model_at(server.url, wire)), ModelProtocolError)


@both_wires
@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.output_text.delta", "delta": 5, "choices": [{"delta": {"content": 5}}]},
        {"type": "response.output_text.delta", "choices": [5]},
        {"type": "response.output_item.done", "item": {}, "choices": 5},
        {"type": "response.completed", "choices": [{"delta": "x"}]},
    ],
)
async def test_an_event_of_another_shape_is_a_protocol_error(wire: str, event: dict[str, object]) -> None:
    with ModelServer() as server:
        server.enqueue(raw_event(json.dumps(event)))
        assert isinstance(await failure(model_at(server.url, wire)), ModelProtocolError)


@both_wires
async def test_a_server_that_never_ends_its_stream_has_answered_all_the_same(wire: str) -> None:
    done = {"type": "response.completed", "response": {"status": "completed"}}
    with ModelServer() as server:
        if wire == "chat":
            last = [raw_event('{"choices": [{"delta": {}, "finish_reason": "stop"}]}'), raw_event("[DONE]")]
        else:
            last = [raw_event(json.dumps(done))]
        server.enqueue(text("Hi."), *last, hang())
        model = model_at(server.url, wire)
        parts = [part async for part in model.stream(HELLO)]
        assert isinstance(parts[-1], DonePart)
        await server.settled()
        assert server.aborted == 1
        await model.close_async()


@both_wires
async def test_silence_ends_with_a_time_out(wire: str) -> None:
    with ModelServer() as server:
        server.enqueue(text("Half"), hang())
        error = await failure(model_at(server.url, wire, silence_seconds=0.3))
        assert isinstance(error, ModelUnavailable)
        assert "in time" in error.user_message
        await server.settled()
        assert server.aborted == 1


@both_wires
async def test_nobody_listens(wire: str) -> None:
    with ModelServer() as server:
        url = server.url
    error = await failure(model_at(url, wire, name="ollama:qwen3" if wire == "chat" else ""))
    assert isinstance(error, ModelUnavailable)
    assert url in error.user_message
    assert wire == "responses" or "ollama serve" in error.user_message


@both_wires
async def test_wrong_key_wrong_address_unknown_model_too_long(wire: str) -> None:
    with ModelServer(api_key="another") as server:
        error = await failure(model_at(server.url, wire))
        assert isinstance(error, ModelRejected)
        assert "key" in error.user_message
    with ModelServer() as server:
        error = await failure(model_at(server.url.removesuffix("/v1"), wire))
        assert isinstance(error, ModelRejected)
        assert "/v1" in error.user_message
        server.enqueue(status(404, "The model `x` does not exist", error_code="model_not_found"))
        error = await failure(model_at(server.url, wire))
        assert "has no model" in error.user_message
        server.enqueue(status(400, "Your max_tokens … exceeds", error_code="context_length_exceeded"))
        error = await failure(model_at(server.url, wire))
        assert "too long" in error.user_message
        assert len(server.requests) == 2


@both_wires
@pytest.mark.parametrize("body", ["<html>Welcome</html>", '{"choices": []}'])
async def test_a_page_where_a_stream_was_asked_for(wire: str, body: str) -> None:
    with ModelServer() as server:
        server.enqueue(status(200, body=body))
        error = await failure(model_at(server.url, wire))
    assert isinstance(error, ModelProtocolError)
    assert "doctor" in error.user_message


async def test_the_servers_sentence_is_quoted_without_the_key() -> None:
    with ModelServer() as server:
        server.enqueue(status(400, f"Your key {KEY} may not use <b>this</b>."))
        error = await failure(model_at(server.url, "chat"))
    assert isinstance(error, ModelRejected)
    assert "may not use" in error.user_message


@both_wires
@pytest.mark.parametrize("how", ["cancel", "close", "before the first part"])
async def test_giving_up_ends_the_request_at_the_server(wire: str, how: str) -> None:
    with ModelServer() as server:
        server.enqueue(*(() if how == "before the first part" else (text("One two"),)), hang())
        server.enqueue(text("Again."))
        model = model_at(server.url, wire)
        stream = model.stream(HELLO)
        if how == "close":
            await anext(stream)
            await stream.aclose()  # type: ignore[attr-defined]
        else:

            async def consume() -> None:
                async for _ in stream:
                    pass

            task = asyncio.create_task(consume())
            await server.begun()
            await asyncio.sleep(0.05)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await server.settled()
        assert (server.aborted, server.done) == (1, 0)
        assert await answer(model) == "Again."
        await server.settled()
        assert server.done == 1


@both_wires
async def test_connections_are_reused_and_shared_by_tasks(wire: str) -> None:
    with ModelServer() as server:
        model = model_at(server.url, wire)
        for _ in range(5):
            server.enqueue(text("Hi."))
            assert [part async for part in model.stream(HELLO)]
        assert server.connections == 1
        for _ in range(4):
            server.enqueue(delay(0.05), text("Hi."))
        await asyncio.gather(*(_drain(model) for _ in range(4)))
        assert server.connections <= 4
        await model.close_async()
        await model.close_async()
        await server.settled()
        assert server.done == 9


async def _collect(model: Model, seen: list[object]) -> None:
    async for part in model.stream(HELLO):
        seen.append(part)


async def _drain(model: Model) -> None:
    async for _ in model.stream(HELLO):
        pass


async def test_calls_without_index_and_with_the_same_index() -> None:
    with ModelServer() as server:
        server.enqueue(no_index(), call("run_query", sql="SELECT 1"), call("run_query", sql="SELECT 2"))
        model = model_at(server.url, "chat")
        parts = [part async for part in model.stream(HELLO)]
        await model.close_async()
    calls = [part.call for part in parts if isinstance(part, CallPart)]
    assert [c.arguments for c in calls] == [{"sql": "SELECT 1"}, {"sql": "SELECT 2"}]
    assert len({c.id for c in calls}) == 2


@pytest.mark.parametrize(
    ("name", "refused", "request_"),
    [
        ("openrouter:m", "max_tokens", ModelRequest(HELLO.messages, max_output_tokens=9)),
        ("openrouter:m", "temperature", ModelRequest(HELLO.messages, temperature=0.0)),
        ("openrouter:m", "stream_options", HELLO),
        ("openrouter:m", "system", HELLO),
        ("openrouter:gpt-oss", "reasoning_effort", ModelRequest(HELLO.messages, reasoning="low")),
        ("openrouter:m", "response_format", ModelRequest(HELLO.messages, response_schema={"type": "object"})),
        ("openrouter:m", "tool_choice", ModelRequest(HELLO.messages, (RUN_QUERY,), tool_choice="required")),
        ("azure:gpt-4o", "max_completion_tokens", ModelRequest(HELLO.messages, max_output_tokens=9)),
    ],
)
async def test_a_refused_parameter_is_left_out_and_remembered(name: str, refused: str, request_: ModelRequest) -> None:
    with ModelServer(refuses=[refused]) as server:
        server.enqueue(text("Hi.")).enqueue(text("Hi."))
        assert await answer(model_at(server.url, "chat", name=name), request_) == "Hi."
        assert refused not in server.requests[0].body
        refusals = server.refused
        assert refusals == 1
        assert await answer(model_at(server.url, "chat", name=name), request_) == "Hi."
        assert server.refused == refusals


@pytest.mark.parametrize("refused", ["include", "reasoning"])
async def test_the_responses_wire_learns_too(refused: str) -> None:
    with ModelServer(refuses=[refused]) as server:
        server.enqueue(text("Hi."))
        request = ModelRequest(HELLO.messages, reasoning="low")
        assert await answer(model_at(server.url, "responses"), request) == "Hi."
        assert refused not in server.requests[0].body


async def test_a_refusal_that_names_nothing_is_an_error() -> None:
    with ModelServer() as server:
        server.enqueue(status(400, "Something else is wrong."))
        error = await failure(model_at(server.url, "chat"))
        assert len(server.requests) == 1
    assert isinstance(error, ModelRejected)
    assert "Something else is wrong." in error.user_message


async def test_a_given_client_stays_the_callers() -> None:
    with ModelServer() as server:
        client = make_client(server.url, KEY)
        for _ in range(2):
            server.enqueue(text("Hi."))
            model = OpenAIChatModel(facts_for("compatible:m"), base_url=server.url, api_key=KEY, client=client)
            assert await answer(model) == "Hi."
        assert server.connections == 1
        await client.close()


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with ModelServer() as server:
        server.enqueue(text("Hi."))
        assert await answer(model_at(server.url, "chat")) == "Hi."


@pytest.mark.parametrize("name", ["openai:gpt-5.6-sol", "compatible:some-model"])
async def test_the_shipped_script_plays_over_http(name: str) -> None:
    question = UserMessage("Which products are below their reorder point?")
    with ModelServer(rule=chat_sessions, api_key=KEY) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        model = resolve_model(name, env=env)
        parts = [part async for part in model.stream(ModelRequest((question,), (RUN_QUERY,)))]
        await model.close_async()
    [asked] = [part.call for part in parts if isinstance(part, CallPart)]
    assert "reorder_point" in asked.raw
    done = parts[-1]
    assert isinstance(done, DonePart)
    cost = done.usage.api_cost_usd
    assert (cost is not None and cost > 0) if name.startswith("openai:") else cost is None


def test_a_model_outlives_an_event_loop() -> None:
    with ModelServer() as server:
        model = model_at(server.url, "chat")
        for _ in range(2):
            server.enqueue(text("Hi."))
            asyncio.run(_drain_and_close(model, server))
        assert server.done == 2


async def _drain_and_close(model: Model, server: ModelServer) -> None:
    await _drain(model)
    await model.close_async()
    await server.settled()
