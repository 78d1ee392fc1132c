"""The fake that ships: a model that plays a script.

    model = ScriptedModel()
    model.enqueue(call("run_query", sql="SELECT count(*) FROM orders"))
    model.enqueue(text("There are 12 orders."))

Each `enqueue` is the answer to one request. With `rule`, an answer is made from the request instead. It streams in
small deltas, records what it was asked, and counts the requests that are open, done and aborted.
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import json
import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import JsonValue

from tabulaflow_core.errors import ModelProtocolError
from tabulaflow_core.models.call_json import parse_object
from tabulaflow_core.models.contracts import (
    CallPart,
    DonePart,
    JsonObject,
    ModelFacts,
    ModelRequest,
    StreamPart,
    ThinkingPart,
    ToolCall,
)
from tabulaflow_core.models.text_calls import TextCallParser
from tabulaflow_core.models.tokens import estimate_request_tokens, estimate_tokens
from tabulaflow_core.models.usage import Usage

DEMO = ModelFacts(name="scripted:demo", wire="scripted", context_tokens=128_000, price="local", local=True)


@dataclass(frozen=True, slots=True)
class TextStep:
    """Text, streamed word by word."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingStep:
    """Reasoning, streamed word by word."""

    text: str


@dataclass(frozen=True, slots=True)
class CallStep:
    """A tool call; `arguments` is None when `raw` is malformed on purpose."""

    name: str
    arguments: JsonObject | None
    raw: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class FailStep:
    """An exception raised at this point of the stream."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class DelayStep:
    """Seconds of silence."""

    seconds: float


@dataclass(frozen=True, slots=True)
class HangStep:
    """Silence until the request is given up."""


Step: TypeAlias = TextStep | ThinkingStep | CallStep | FailStep | DelayStep | HangStep
Rule: TypeAlias = Callable[[ModelRequest], Sequence[Step]]


def text(words: str) -> TextStep:
    """Say `words`."""
    return TextStep(words)


def thinking(words: str) -> ThinkingStep:
    """Think `words` aloud."""
    return ThinkingStep(words)


def call(name: str, arguments: JsonObject | None = None, /, *, id: str = "", **more: JsonValue) -> CallStep:
    """Call the tool `name`; arguments as a dict, as keywords, or both."""
    given = {**(arguments or {}), **more}
    return CallStep(name, given, json.dumps(given, ensure_ascii=False), id)


def raw_call(name: str, raw: str, *, id: str = "") -> CallStep:
    """Call the tool `name` with arguments exactly as written, well-formed or not."""
    return CallStep(name, parse_object(raw), raw, id)


def fail(error: BaseException) -> FailStep:
    """Raise `error`."""
    return FailStep(error)


def delay(seconds: float) -> DelayStep:
    """Wait `seconds`."""
    return DelayStep(seconds)


def hang() -> HangStep:
    """Never go on."""
    return HangStep()


def deltas(words: str) -> list[str]:
    """Split `words` the way a model streams them: a word with the space before it."""
    return re.findall(r"\s*\S+|\s+\Z", words)


class ScriptedModel:
    """Plays enqueued answers, then those of `rule`.

    Args:
        rule: Makes the answer to a request when nothing is enqueued.
        facts: What it claims to be; with `tools="text"` its text is searched for calls as a small model's is.

    Attributes:
        requests: Every request, in order.
        opened: Requests begun; likewise `done` ended well, `failed` by a scripted fault, `aborted` given up.
    """

    def __init__(self, *, rule: Rule | None = None, facts: ModelFacts = DEMO) -> None:
        self._facts = facts
        self._rule = rule
        self._queue: deque[tuple[Step, ...]] = deque()
        self._ids = itertools.count(1)
        self.requests: list[ModelRequest] = []
        self.opened = self.done = self.failed = self.aborted = 0
        self.closed = False

    @property
    def facts(self) -> ModelFacts:
        """What it claims to be."""
        return self._facts

    @property
    def open(self) -> int:
        """Requests that run now."""
        return self.opened - self.done - self.failed - self.aborted

    @property
    def pending(self) -> int:
        """Answers enqueued and not yet asked for."""
        return len(self._queue)

    def enqueue(self, *steps: Step) -> ScriptedModel:
        """Add the answer to one further request; returns itself, so that calls chain."""
        self._queue.append(steps)
        return self

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        """Play the next answer.

        Raises:
            ModelProtocolError: Nothing is enqueued and there is no rule.
        """
        self.requests.append(request)
        self.opened += 1
        try:
            async for part in self._play(request, self._answer(request)):
                yield part
        except (asyncio.CancelledError, GeneratorExit):
            self.aborted += 1
            raise
        except BaseException:
            self.failed += 1
            raise
        self.done += 1

    def _answer(self, request: ModelRequest) -> Sequence[Step]:
        if self._queue:
            return self._queue.popleft()
        if self._rule is None:
            raise ModelProtocolError("The script has no further answer; enqueue one more, or give it a rule.")
        return self._rule(request)

    async def _play(self, request: ModelRequest, steps: Sequence[Step]) -> AsyncIterator[StreamPart]:
        tools = request.tools if self._facts.tools == "text" else ()
        parser = TextCallParser(tools, loose=request.tool_choice != "none", new_id=self._new_id)
        output = reasoning = 0
        called = False
        for step in steps:
            match step:
                case TextStep(words):
                    output += estimate_tokens(words)
                    for delta in deltas(words):
                        await asyncio.sleep(0)
                        for part in parser.feed(delta):
                            called |= isinstance(part, CallPart)
                            yield part
                case ThinkingStep(words):
                    reasoning += estimate_tokens(words)
                    for delta in deltas(words):
                        await asyncio.sleep(0)
                        yield ThinkingPart(delta)
                case CallStep(name, arguments, raw, call_id):
                    output += estimate_tokens(raw) + estimate_tokens(name)
                    called = True
                    await asyncio.sleep(0)
                    yield CallPart(ToolCall(call_id or self._new_id(), name, arguments, raw))
                case FailStep(error):
                    raise error
                case DelayStep(seconds):
                    await asyncio.sleep(seconds)
                case HangStep():
                    await asyncio.Event().wait()
        for part in parser.finish():
            called |= isinstance(part, CallPart)
            yield part
        usage = self._usage(request, output, reasoning)
        yield DonePart(usage, reason="calls" if called else "stop")

    def _new_id(self) -> str:
        return f"call_{next(self._ids)}"

    def _usage(self, request: ModelRequest, output: int, reasoning: int) -> Usage:
        return Usage(
            model=self._facts.name,
            api_requests=1,
            input_tokens=estimate_request_tokens(request),
            output_tokens=output + reasoning,
            reasoning_tokens=reasoning,
            api_cost_usd=0.0,
            price_source="local",
        )

    async def close_async(self) -> None:
        """Note that it was closed."""
        self.closed = True


def scripted_facts(name: str) -> ModelFacts:
    """Return the facts of a scripted model called `name`."""
    return dataclasses.replace(DEMO, name=name)
