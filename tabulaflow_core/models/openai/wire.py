"""What both wires share: the client, asking again, learning from refusals, time and errors."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, ClassVar

import httpx2
import openai

from tabulaflow_core.errors import ModelError
from tabulaflow_core.models.contracts import DonePart, ModelFacts, ModelRequest, StreamPart
from tabulaflow_core.models.openai.client import SILENCE_SECONDS, make_client, may_be_charged, retry_wait
from tabulaflow_core.models.openai.errors import as_model_error, broke_off
from tabulaflow_core.models.openai.events import EventStream
from tabulaflow_core.models.openai.quirks import Quirks, adjusted, known_quirks, remember
from tabulaflow_core.models.prices import unsettled
from tabulaflow_core.models.text_calls import TextCallParser
from tabulaflow_core.models.tokens import estimate_request_tokens, tokens_of

# A refusal names one parameter at a time, and each is left out once: more than a server can refuse.
_MOST_ADJUSTMENTS = 12


class Wire(ABC):
    """A model behind one of the SDK's endpoints.

    Args:
        facts: What is true of it.
        base_url: Where it listens, up to and with `/v1`.
        api_key: Empty where none is asked for.
        client: A ready client, which then stays the caller's to close.
        silence_seconds: The longest pause between two pieces of an answer.
        keep_alive: Whether a connection serves further requests.
    """

    #: Where requests go, below the address.
    path: ClassVar[str]

    def __init__(
        self,
        facts: ModelFacts,
        *,
        base_url: str,
        api_key: str,
        client: openai.AsyncOpenAI | None = None,
        silence_seconds: float = SILENCE_SECONDS,
        keep_alive: bool = True,
    ) -> None:
        self._facts = facts
        self._model = facts.name.partition(":")[2]
        self._base_url = base_url
        self._api_key = api_key
        self._given = client
        self._own: openai.AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._silence_seconds = silence_seconds
        self._keep_alive = keep_alive

    @property
    def facts(self) -> ModelFacts:
        """What is true of it."""
        return self._facts

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._facts.name!r})"

    @abstractmethod
    def _body(self, request: ModelRequest, quirks: Quirks) -> dict[str, Any]:
        """Return what is sent."""

    @abstractmethod
    def _read(self, events: EventStream, request: ModelRequest, started: float) -> AsyncIterator[StreamPart]:
        """Translate the answer."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        """Ask, and stream the answer; see `ChatModel.stream`."""
        started = time.monotonic()
        attempt, lost = 1, 0
        while True:
            begun = False
            output = 0
            try:
                events = await self._ask(request)
                try:
                    _require_stream(events.response)
                    async for part in self._read(events, request, started):
                        begun = True
                        output += tokens_of(part)
                        yield part if part.kind != "done" else self._settled(part, request, output, lost)
                finally:
                    await events.close()
                return
            except ModelError as error:
                error.charged = lost + 1
                raise
            except (openai.OpenAIError, ValueError, TypeError, AttributeError, LookupError) as error:
                wait = None if begun else retry_wait(error, attempt)
                lost += may_be_charged(error)
                cut = isinstance(error, openai.APIConnectionError) and not isinstance(error, openai.APITimeoutError)
                if wait is None or begun:
                    broken = broke_off(self._facts, detail=type(error).__name__) if begun and cut else None
                    failure = broken or self._mapped(error)
                    failure.charged = lost
                    raise failure from None  # its words may hold the key, and end in a log
            attempt += 1
            await asyncio.sleep(wait)

    def _settled(self, done: DonePart, request: ModelRequest, output: int, lost: int) -> DonePart:
        """Fill in what the server did not count, and add the requests that were lost on the way."""
        usage = done.usage
        if usage.estimated:
            counted = usage.input_tokens or estimate_request_tokens(request)
            usage = replace(usage, input_tokens=counted, output_tokens=usage.output_tokens or output)
        return replace(done, usage=usage + unsettled(self._facts, request, requests=lost))

    async def _ask(self, request: ModelRequest) -> EventStream:
        """Send the request, without what the server refuses."""
        quirks = known_quirks(self._facts, self._base_url)
        for _ in range(_MOST_ADJUSTMENTS):
            try:
                return await self._send(self._body(request, quirks))
            except openai.APIStatusError as error:
                changed = adjusted(quirks, error)
                if changed is None:
                    raise
                quirks = changed
                remember(self._facts, self._base_url, quirks)
        return await self._send(self._body(request, quirks))

    async def _send(self, body: dict[str, Any]) -> EventStream:
        """Send `body` as it is: the SDK's typed methods walk through all of it by its type hints, to change nothing."""
        answer = await self._client().post(self.path, body=body, cast_to=httpx2.Response, stream=True)
        return EventStream(answer)

    def _client(self) -> openai.AsyncOpenAI:
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        if self._own is None or self._loop is not loop:  # connections cannot be used from another loop
            self._own = make_client(
                self._base_url, self._api_key, silence_seconds=self._silence_seconds, keep_alive=self._keep_alive
            )
            self._loop = loop
        return self._own

    def _mapped(self, error: Exception) -> ModelError:
        return as_model_error(error, self._facts, base_url=self._base_url, api_key=self._api_key)

    def _parser(self, request: ModelRequest) -> TextCallParser:
        """Return the reader of calls written as text.

        A model with native calls shows SQL in its final words now and then; so its fences count as calls only while no
        tool has answered in this turn.
        """
        turn = next((i for i, m in enumerate(reversed(request.messages)) if m.kind == "user" and not m.host), 0)
        answered = any(m.kind == "tool" for m in request.messages[len(request.messages) - turn :])
        loose = request.tool_choice != "none" and (self._facts.tools == "text" or not answered)
        return TextCallParser(request.tools, loose=loose)

    async def close_async(self) -> None:
        """Give up the connections; a second call does nothing."""
        client, self._own = self._own, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()


def _require_stream(response: httpx2.Response) -> None:
    """Notice a web page, or an answer in one piece, where a stream was asked for."""
    kind = response.headers.get("content-type", "")
    if "html" in kind or kind.startswith("application/json"):
        raise ValueError(f"a stream was asked for, {kind} came")
