"""The server: HTTP/1.1 by hand, because the faults under test lie below any framework."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from tabulaflow_core.models.scripted import (
    CallStep,
    DelayStep,
    FailStep,
    HangStep,
    Rule,
    TextStep,
    ThinkingStep,
    deltas,
)
from tabulaflow_core.models.tokens import estimate_tokens
from tests.modelserver.speakers import ChatSpeaker, ResponsesSpeaker, Speaker
from tests.modelserver.steps import (
    Drop,
    EndEarly,
    ErrorEvent,
    Finish,
    Habit,
    RawEvent,
    Refuse,
    Status,
    WireStep,
    status,
)
from tests.modelserver.translate import prompt_of, request_of, shared_beginning


@dataclass(frozen=True)
class Recorded:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class _Cut(Exception):
    """The script cuts the connection."""


class ModelServer:
    """A scripted model server on a free port of 127.0.0.1, in a thread of its own.

    Args:
        rule: Answers what is not enqueued; without one, such a request is answered with a 500.
        port: 0 for a free one.
        models: Names that `GET /v1/models` lists.
        api_key: When given, any other key is refused with a 401.
        refuses: Parameters that make a request fail with a 400 which names them.
        needs_reasoning: Refuse a call, made after reasoning, that comes back without it (Responses).
        lists: Further fields of each listed model.
        caching: Count as cached what a prompt has in common with the beginning of an earlier one; else half of it.

    Attributes:
        requests: Every request for an answer, in order.
        charged: Answers of which something was sent, which a provider would charge for.
        opened: Answers begun; likewise `done` sent whole, `aborted` given up by the client, `cut` by the script.
        refused: Requests refused before a script was looked at: wrong key, path or parameter.
        connections: TCP connections accepted so far.
    """

    def __init__(
        self,
        *,
        rule: Rule | None = None,
        port: int = 0,
        models: Sequence[str] = ("scripted-model",),
        api_key: str | None = None,
        refuses: Iterable[str] = (),
        caching: bool = False,
        needs_reasoning: bool = False,
        lists: Mapping[str, object] | None = None,
    ) -> None:
        self._rule = rule
        self._port = port
        self._models = tuple(models)
        self._api_key = api_key
        self.refuses = set(refuses)
        self._caching = caching
        self._needs_reasoning = needs_reasoning
        self._lists = dict(lists or {})
        self._reasoned: set[str] = set()
        self._prompts: list[str] = []
        self._queue: deque[tuple[WireStep, ...]] = deque()
        self.requests: list[Recorded] = []
        self.opened = self.done = self.aborted = self.cut = self.refused = self.connections = self.charged = 0
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="modelserver", daemon=True)

    @property
    def url(self) -> str:
        """The base URL, with `/v1`."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def open(self) -> int:
        """Answers that run now."""
        return self.opened - self.done - self.aborted - self.cut

    @property
    def pending(self) -> int:
        """Answers enqueued and not yet asked for."""
        return len(self._queue)

    def enqueue(self, *steps: WireStep) -> ModelServer:
        """Add the answer to one further request; returns itself, so that calls chain."""
        self._queue.append(steps)
        return self

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the model server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop, cutting whatever is open."""
        if self._loop is not None and self._stop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(30)

    async def begun(self, count: int = 1, *, seconds: float = 5.0) -> None:
        """Wait until `count` answers have begun."""
        for _ in range(int(seconds / 0.01)):
            if self.opened >= count:
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"{self.opened} answer(s) begun, not {count}")

    async def settled(self, *, seconds: float = 5.0) -> None:
        """Wait until no answer runs any more: an abort reaches the server a moment after the client's side."""
        for _ in range(int(seconds / 0.01)):
            if not self.open:
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"{self.open} answer(s) still run at the server")

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        handlers: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            handlers.add(task)
            self.connections += 1
            try:
                await self._connection(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                writer.transport.abort()
            finally:
                handlers.discard(task)
                writer.close()

        server = await asyncio.start_server(connected, "127.0.0.1", self._port)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(handlers):
            task.cancel()
        await asyncio.gather(*handlers, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readline():
            method, path, _ = head.decode("latin-1").split()
            headers: dict[str, str] = {}
            while (line := (await reader.readline()).decode("latin-1").strip()) != "":
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
            data = await reader.readexactly(int(headers.get("content-length", 0)))
            request = Recorded(method, path, headers, json.loads(data) if data else {})
            if not await self._respond(request, reader, writer):
                writer.transport.abort()
                return

    async def _respond(self, request: Recorded, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False when the connection is to be cut."""
        if refusal := self._refusal(request):
            self.refused += 1
            await _send_status(writer, refusal)
            return True
        if request.method == "GET":
            about = {"object": "model", "created": 1, "owned_by": "tests", **self._lists}
            models = [{"id": name, **about} for name in self._models]
            await _send(writer, 200, json.dumps({"object": "list", "data": models}))
            return True
        self.requests.append(request)
        self.opened += 1
        play = asyncio.create_task(self._play(request, writer))
        watch = asyncio.create_task(reader.read(1))  # nothing is pipelined: this ends when the client goes away
        try:
            await asyncio.wait({play, watch}, return_when=asyncio.FIRST_COMPLETED)
            if not play.done():
                self.aborted += 1
                return False
            play.result()
        except _Cut:
            self.cut += 1
            return False
        except (ConnectionError, asyncio.CancelledError):
            self.aborted += 1
            raise
        finally:
            for task in (play, watch):
                task.cancel()
            await asyncio.gather(play, watch, return_exceptions=True)
        self.done += 1
        return True

    def _refusal(self, request: Recorded) -> Status | None:
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._api_key is not None and key != self._api_key:
            return status(401, f"Incorrect API key provided: {key}", error_code="invalid_api_key")
        if request.path not in ("/v1/chat/completions", "/v1/responses", "/v1/models"):
            return status(404, body="<html>Not Found</html>")
        if self._needs_reasoning and (lost := self._without_reasoning(request.body.get("input", ()))):
            return status(400, f"Item '{lost}' of type 'function_call' came without its required 'reasoning' item.")
        for name in self.refuses & {*request.body, *(m.get("role") for m in request.body.get("messages", ()))}:
            instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            message = f"Unsupported parameter: '{name}' is not supported with this model.{instead}"
            if name in ("system", "developer"):
                message = f"Unsupported value: 'messages[0].role' does not support '{name}' with this model."
            return status(400, message, param=name, error_code="unsupported_parameter")
        return None

    def _without_reasoning(self, items: Sequence[dict[str, Any]]) -> str:
        """Return the id of the first call that came after reasoning and is sent back without it."""
        before = ""
        for item in items:
            if item.get("call_id") in self._reasoned and item["type"] == "function_call" and before != "reasoning":
                return str(item["call_id"])
            before = item.get("type", "")
        return ""

    def _shared(self, prompt: str) -> int:
        """Count the tokens of the longest beginning that `prompt` shares with an earlier one, and keep it."""
        longest = max((shared_beginning(prompt, before) for before in self._prompts), key=len, default="")
        self._prompts.append(prompt)
        return estimate_tokens(longest)

    async def _play(self, request: Recorded, writer: asyncio.StreamWriter) -> None:
        if self._queue:
            steps: Sequence[WireStep] = self._queue.popleft()
        elif self._rule is not None:
            steps = self._rule(request_of(request.path, request.body))
        else:
            steps = (status(500, "nothing is enqueued"),)
        if steps and isinstance(steps[0], Status):
            await _send_status(writer, steps[0])
            return
        prompt = prompt_of(request.body)
        cached = self._shared(prompt) if self._caching else None
        speaker: Speaker = (ResponsesSpeaker if request.path.endswith("/responses") else ChatSpeaker)(
            request.body, prompt_tokens=estimate_tokens(prompt), cached=cached
        )
        speaker.habits |= {step.name for step in steps if isinstance(step, Habit)}
        if steps and isinstance(steps[0], Drop):
            raise _Cut
        self.charged += 1
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        await _chunks(writer, speaker.start())
        for step in steps:
            if not await self._perform(step, speaker, writer):
                break
        else:
            await _chunks(writer, speaker.end())
            self._reasoned |= speaker.reasoned
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def _perform(self, step: WireStep, speaker: Speaker, writer: asyncio.StreamWriter) -> bool:
        """Do one step; False when the stream ends with it."""
        match step:
            case TextStep(words):
                for delta in deltas(words):
                    await _chunks(writer, speaker.text(delta))
            case ThinkingStep(words):
                for delta in deltas(words):
                    await _chunks(writer, speaker.thinking(delta))
            case CallStep():
                await _chunks(writer, speaker.call(step))
            case RawEvent(data):
                await _chunks(writer, [f"data: {data}\n\n"])
            case Refuse(words):
                await _chunks(writer, speaker.refuse(words))
            case Finish(reason):
                speaker.reason = reason
            case ErrorEvent(message, code):
                await _chunks(writer, speaker.error(message, code))
                return False
            case DelayStep(seconds):
                await asyncio.sleep(seconds)
            case HangStep():
                await asyncio.Event().wait()
            case Drop() | FailStep():
                raise _Cut
            case EndEarly():
                return False
            case Habit() | Status():
                pass
        return True


async def _chunks(writer: asyncio.StreamWriter, events: Iterable[str]) -> None:
    for event in events:
        data = event.encode()
        writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await writer.drain()
        await asyncio.sleep(0)


async def _send_status(writer: asyncio.StreamWriter, answer: Status) -> None:
    body = answer.error if isinstance(answer.error, str) else json.dumps(answer.error)
    await _send(writer, answer.code, body, answer.headers)


async def _send(writer: asyncio.StreamWriter, code: int, body: str, headers: dict[str, str] | None = None) -> None:
    kind = "text/html" if body.startswith("<") else "application/json"
    data = body.encode()
    lines = [f"HTTP/1.1 {code} Scripted", f"content-type: {kind}", f"content-length: {len(data)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
    with contextlib.suppress(ConnectionError):
        await writer.drain()
