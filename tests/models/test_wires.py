"""Both wires over real HTTP: answers, calls, usage."""

from __future__ import annotations

import pytest

from tabulaflow_core.models import (
    AssistantMessage,
    CallPart,
    DonePart,
    ModelRequest,
    StreamPart,
    SystemMessage,
    TextPart,
    ThinkingPart,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from tabulaflow_core.models.catalog import facts_for
from tabulaflow_core.models.openai import OpenAIChatModel, OpenAIResponsesModel
from tests.modelserver import ModelServer, call, no_usage, raw_call, text, thinking

pytestmark = pytest.mark.parametrize("wire", ["chat", "responses"])
RUN_QUERY = ToolSpec(
    "run_query",
    "Run one query.",
    {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]},
)
HELLO = ModelRequest((SystemMessage("Be brief."), UserMessage("Hello")), tools=(RUN_QUERY,))


def model_at(server: ModelServer, wire: str) -> OpenAIChatModel | OpenAIResponsesModel:
    if wire == "chat":
        return OpenAIChatModel(facts_for("groq:gpt-oss-20b"), base_url=server.url, api_key="key-1234")
    return OpenAIResponsesModel(facts_for("openai:gpt-5.6-sol"), base_url=server.url, api_key="key-1234")


async def parts_of(model: OpenAIChatModel | OpenAIResponsesModel, request: ModelRequest) -> list[StreamPart]:
    try:
        return [part async for part in model.stream(request)]
    finally:
        await model.close_async()


async def test_text_streams_and_ends_with_usage(wire: str) -> None:
    with ModelServer() as server:
        server.enqueue(text("Hello to you, too."))
        parts = await parts_of(model_at(server, wire), HELLO)
    assert [part.text for part in parts if isinstance(part, TextPart)] == ["Hello", " to", " you,", " too."]
    done = parts[-1]
    assert isinstance(done, DonePart)
    assert done.reason == "stop"
    assert done.usage.api_requests == 1
    assert done.usage.input_tokens > 0
    assert done.usage.cached_input_tokens == done.usage.input_tokens // 2
    assert done.usage.output_tokens > 0
    assert done.usage.seconds > 0


async def test_a_call_and_its_answer_go_round(wire: str) -> None:
    with ModelServer() as server:
        server.enqueue(thinking("Count them."), text("Let me look."), call("run_query", sql="SELECT 'ß' AS s"))
        server.enqueue(text("One row."))
        model = model_at(server, wire)
        first = [part async for part in model.stream(HELLO)]
        [asked] = [part.call for part in first if isinstance(part, CallPart)]
        assert asked.arguments == {"sql": "SELECT 'ß' AS s"}
        assert asked.id
        assert "".join(p.text for p in first if isinstance(p, ThinkingPart)) == "Count them."
        assert isinstance(first[-1], DonePart)
        assert first[-1].reason == "calls"
        history = (AssistantMessage("Let me look.", (asked,)), ToolMessage(asked.id, "run_query", "s\nß"))
        await parts_of(model, ModelRequest(HELLO.messages + history, tools=(RUN_QUERY,)))
    sent = server.requests[1].body
    if wire == "chat":
        assert [message["role"] for message in sent["messages"]] == ["system", "user", "assistant", "tool"]
        assert sent["messages"][2]["tool_calls"][0]["function"]["arguments"] == '{"sql": "SELECT \'ß\' AS s"}'
        assert sent["messages"][3] == {"role": "tool", "tool_call_id": asked.id, "content": "s\nß"}
    else:
        kinds = [item.get("type", item.get("role")) for item in sent["input"]]
        assert kinds == ["user", "assistant", "reasoning", "function_call", "function_call_output"]
        assert sent["input"][2]["encrypted_content"] == "scripted"
        assert sent["instructions"] == "Be brief."
        assert sent["store"] is False


@pytest.mark.parametrize(("raw", "arguments"), [("", {}), ("{}", {}), ("[1]", None), ('{"sql": "SEL', None)])
async def test_arguments_as_they_come(wire: str, raw: str, arguments: dict[str, object] | None) -> None:
    with ModelServer() as server:
        server.enqueue(raw_call("run_query", raw))
        parts = await parts_of(model_at(server, wire), HELLO)
    [part] = [part for part in parts if isinstance(part, CallPart)]
    assert part.call.arguments == arguments
    assert part.call.raw == raw


async def test_two_calls_in_one_answer(wire: str) -> None:
    with ModelServer() as server:
        server.enqueue(call("run_query", sql="SELECT 1"), call("run_query", sql="SELECT 2"))
        parts = await parts_of(model_at(server, wire), HELLO)
    assert [p.call.arguments for p in parts if isinstance(p, CallPart)] == [{"sql": "SELECT 1"}, {"sql": "SELECT 2"}]


async def test_no_usage_means_no_price(wire: str) -> None:
    with ModelServer() as server:
        server.enqueue(text("Hi."), no_usage())
        parts = await parts_of(model_at(server, wire), HELLO)
    done = parts[-1]
    assert isinstance(done, DonePart)
    assert (done.usage.input_tokens, done.usage.output_tokens, done.usage.api_requests) == (60, 2, 1)
    assert done.usage.estimated
    assert done.usage.api_cost_usd is None
    assert done.usage.price_source == "unknown"


async def test_the_request_carries_what_was_asked(wire: str) -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    request = ModelRequest(
        HELLO.messages,
        tools=(RUN_QUERY,),
        tool_choice="required",
        max_output_tokens=50,
        temperature=0.0,
        reasoning="low",
        response_schema=schema,
        cache_key="conversation-1",
    )
    with ModelServer() as server:
        server.enqueue(text("{}"))
        await parts_of(model_at(server, wire), request)
    body = server.requests[0].body
    assert body["tool_choice"] == "required"
    assert server.requests[0].headers["authorization"] == "Bearer key-1234"
    if wire == "chat":
        assert body["max_tokens"] == 50
        assert body["temperature"] == 0.0
        assert body["reasoning_effort"] == "low"
        assert body["response_format"]["json_schema"]["strict"] is True
        assert "prompt_cache_key" not in body
        assert body["tools"][0]["function"]["name"] == "run_query"
    else:
        assert body["max_output_tokens"] == 50
        assert "temperature" not in body
        assert body["reasoning"] == {"effort": "low", "summary": "auto"}
        assert body["text"]["format"]["strict"] is True
        assert body["prompt_cache_key"] == "conversation-1"
        assert body["tools"][0] == {
            "type": "function",
            "name": "run_query",
            "description": "Run one query.",
            "parameters": RUN_QUERY.parameters,
            "strict": False,
        }


async def test_a_level_the_model_does_not_have_is_left_out(wire: str) -> None:
    request = ModelRequest(HELLO.messages, reasoning="none" if wire == "chat" else None)
    with ModelServer() as server:
        server.enqueue(text("Hi."))
        await parts_of(model_at(server, wire), request)
    assert not {"reasoning_effort", "reasoning"} & server.requests[0].body.keys()


async def test_a_call_written_as_text_is_a_call(wire: str) -> None:
    with ModelServer() as server:
        server.enqueue(text('Sure. <tool_call>{"name": "run_query", "arguments": {"sql": "SELECT 1"}}</tool_call>'))
        parts = await parts_of(model_at(server, wire), HELLO)
    assert [p.call.arguments for p in parts if isinstance(p, CallPart)] == [{"sql": "SELECT 1"}]
    assert isinstance(parts[-1], DonePart)
    assert parts[-1].reason == "calls"


@pytest.mark.parametrize("answered", [False, True])
async def test_a_fence_is_a_call_only_before_a_tool_has_answered(wire: str, answered: bool) -> None:
    calls = (ToolMessage("c1", "run_query", "1"),) if answered else ()
    with ModelServer() as server:
        server.enqueue(text("The query was\n```sql\nSELECT 1\n```\n"))
        parts = await parts_of(model_at(server, wire), ModelRequest(HELLO.messages + calls, tools=(RUN_QUERY,)))
    assert any(isinstance(part, CallPart) for part in parts) is not answered


@pytest.mark.parametrize("opening", ["<think>Hm, 3 < 4.</think>\n\nFour.", "\n<think>Hm, 3 < 4.</think>Four."])
async def test_reasoning_left_in_the_text_is_no_answer(wire: str, opening: str) -> None:
    with ModelServer() as server:
        server.enqueue(text(opening)).enqueue(text("a <think> b"))
        model = model_at(server, wire)
        parts = [part async for part in model.stream(HELLO)]
        said = "".join([p.text async for p in model.stream(HELLO) if isinstance(p, TextPart)])
        await model.close_async()
    assert said == "a <think> b"
    if wire == "chat":
        assert "".join(p.text for p in parts if isinstance(p, TextPart)) == "Four."
        assert "".join(p.text for p in parts if isinstance(p, ThinkingPart)) == "Hm, 3 < 4."
