"""The embedded model as a `ChatModel`: the Chat Completions wire, pointed at the server of our own child process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import LocalModelError, ModelUnavailable
from tabulaflow_core.models.catalog import DEFAULT_LOCAL_MODEL, facts_for
from tabulaflow_core.models.contracts import (
    Message,
    ModelFacts,
    ModelRequest,
    StreamPart,
    SystemMessage,
    ToolSpec,
    UserMessage,
)
from tabulaflow_core.models.local.server import CONTEXT_TOKENS, LocalServer, choose_threads, shared_server
from tabulaflow_core.models.local.status import local_model_status
from tabulaflow_core.models.local.weights import find_weights

if TYPE_CHECKING:
    from tabulaflow_core.models.openai import OpenAIChatModel

# A first prompt is read at twenty to a hundred tokens a second, and others may wait in front of it.
_SILENCE_SECONDS = 600.0
# What one answer may take: a query and a sentence. A small model that loops ends here.
_MOST_OUTPUT_TOKENS = 768


class LocalModel:
    """The language model on this machine; nothing leaves it.

    Making one costs nothing: the weights are loaded by the first request or by `warm_async`, in a child process (see
    `server.py`). All models of a process share one server, where requests queue. An answer is the same every time:
    temperature 0 unless asked otherwise.

    Args:
        name: `local:NAME`, of the default weights, the small ones, or a file that `pull(from_file=…)` brought.
        settings: By default those of the environment.
    """

    def __init__(self, name: str = DEFAULT_LOCAL_MODEL, *, settings: Settings | None = None) -> None:
        self._settings = settings or Settings.from_env()
        self._facts = replace(facts_for(name), context_tokens=CONTEXT_TOKENS)
        self._server: LocalServer | None = None
        self._wire: OpenAIChatModel | None = None
        self._wire_key = ""

    @property
    def facts(self) -> ModelFacts:
        """What is true of it."""
        return self._facts

    def __repr__(self) -> str:
        return f"LocalModel({self._facts.name!r})"

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        """Ask, and stream the answer; see `ChatModel.stream`. A `warm_async` that still runs makes room.

        Raises:
            LocalModelError: The weights or the package are missing, or llama.cpp cannot load them.
            ModelUnavailable: llama.cpp died on the way; the next request starts it again.
        """
        wire, server = await self._ready()
        server.stop_warming()
        request = replace(
            request,
            temperature=0.0 if request.temperature is None else request.temperature,
            max_output_tokens=request.max_output_tokens or _MOST_OUTPUT_TOKENS,
        )
        parts = cast("AsyncGenerator[StreamPart, None]", wire.stream(request))
        try:
            async for part in parts:
                yield part
        except ModelUnavailable as error:
            raise await server.death_async() or error from error
        finally:
            await parts.aclose()

    async def warm_async(self, messages: Sequence[Message], *, tools: Sequence[ToolSpec] = ()) -> None:
        """Load the model and read a prompt's beginning into its cache, so that the first question is answered sooner.

        Ends early, without an error, when a question comes in meanwhile: what was read until then is kept.

        Args:
            messages: As the first request will begin: the system message with the schema.

        Raises:
            LocalModelError: As for `stream`.
            ModelError: The server refused or broke.
        """
        wire, server = await self._ready()
        begun = tuple(messages)
        if all(isinstance(message, SystemMessage) for message in begun):
            begun = (*begun, UserMessage("?"))
        request = ModelRequest(begun, tools=tuple(tools), temperature=0.0, max_output_tokens=1)

        async def read() -> None:
            async for _ in wire.stream(request):
                pass

        task = asyncio.ensure_future(read())
        server.warming.add(task)
        try:
            await asyncio.wait({task})
            if not task.cancelled():
                task.result()
        finally:
            server.warming.discard(task)
            task.cancel()

    async def count_tokens(self, text: str) -> int:
        """How many tokens the text is for this model.

        Raises:
            LocalModelError: As for `stream`.
        """
        _, server = await self._ready()
        return await asyncio.to_thread(server.tokenize, text)

    async def close_async(self) -> None:
        """Give up the connections; the server stays, others use it too (see `close_shared_server`)."""
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.close_async()

    async def _ready(self) -> tuple[OpenAIChatModel, LocalServer]:
        """Start the server, or find it running."""
        server = self._server
        if server is None or not server.running:
            server = self._server = await asyncio.to_thread(self._find_server)
        url, key, old = await server.start_async(), server.api_key, None
        if self._wire is None or self._wire_key != key:
            from tabulaflow_core.models.openai import OpenAIChatModel

            # A connection costs nothing on this machine, and llama.cpp closes one that waits.
            wire = OpenAIChatModel(
                self._facts, base_url=url, api_key=key, silence_seconds=_SILENCE_SECONDS, keep_alive=False
            )
            old, self._wire, self._wire_key = self._wire, wire, key
        wire = self._wire
        if old is not None:
            await old.close_async()
        return wire, server

    def _find_server(self) -> LocalServer:
        return shared_server(self._path(), threads=choose_threads(self._settings))

    def _path(self) -> Path:
        name = self._facts.name.partition(":")[2]
        path = find_weights(self._settings, name=name)
        if path is None:
            status = local_model_status(self._settings)
            raise LocalModelError(status.reason or f"There are no weights called {name!r} here.")
        return path
