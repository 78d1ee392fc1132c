"""Server-sent events as both wires use them: a JSON object in the `data` lines of each.

Read from the bytes, because the SDK builds a validated object of every event, which costs more than all else in a turn.
The format: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Iterator
from typing import Any, Final, Self, TypeAlias

import httpx2
import openai

Event: TypeAlias = dict[str, Any]

#: An answer is far shorter; what never ends must not fill the memory.
LONGEST_EVENT_BYTES: Final = 16 * 1024 * 1024
_READ_TO_END_SECONDS: Final = 0.5
_END: Final = "[DONE]"


class EventSplitter:
    """Cuts a stream of bytes, however it was cut before, into the `data` of its events."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[str]:
        """Take the next bytes; return the data of the events that are whole now. An unfinished last one is no event.

        Raises:
            ValueError: Not UTF-8, or an event without end.
        """
        data = self._rest + data
        if b"\r" in data:
            data, held = (data[:-1], b"\r") if data.endswith(b"\r") else (data, b"")  # half of a line end, perhaps
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") + held
        *blocks, self._rest = data.split(b"\n\n")
        if len(self._rest) > LONGEST_EVENT_BYTES:
            raise ValueError("an event does not end")
        for block in blocks:
            lines = [line[5:].removeprefix(b" ") for line in block.split(b"\n") if line.startswith(b"data:")]
            if lines:
                yield b"\n".join(lines).decode()


class EventStream:
    """The events of one answer, until the stream ends or says that it is done.

    Args:
        response: Opened and not yet read; closed by `close`.

    Raises (while iterating):
        openai.APIError: The server reports a fault; the subclasses for time-outs and lost connections.
        ValueError: Something that is no event.
    """

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self._bytes = response.aiter_bytes()
        self._splitter = EventSplitter()
        self._waiting: deque[str] = deque()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        while not self._waiting:
            try:
                data = await anext(self._bytes)
            except httpx2.TimeoutException as error:
                raise openai.APITimeoutError(request=self.response.request) from error
            except httpx2.RequestError as error:
                raise openai.APIConnectionError(request=self.response.request) from error
            self._waiting.extend(self._splitter.feed(data))
        text = self._waiting.popleft()
        if text.startswith(_END):
            self._waiting.clear()
            await self.read_to_end()
            raise StopAsyncIteration
        return self._event(text)

    def _event(self, text: str) -> Event:
        event = json.loads(text)
        if not isinstance(event, dict):
            raise ValueError("an event is not a JSON object")
        if error := event.get("error"):
            raise self.failure(error)
        return event

    def failure(self, error: object) -> openai.APIError:
        """Return a fault reported inside the stream as the SDK's exception, so that one place maps both."""
        body = error if isinstance(error, dict) else {"message": error}
        message = body.get("message")
        said = message if isinstance(message, str) and message else "The answer failed."
        return openai.APIError(said, self.response.request, body={**body, "message": said})

    async def read_to_end(self) -> None:
        """Read what follows the last event that matters, so that the connection can be used again.

        The answer is whole by now: a fault here, or a server that does not end its stream, only costs the connection.
        """
        with contextlib.suppress(httpx2.HTTPError, httpx2.StreamError, TimeoutError):
            async with asyncio.timeout(_READ_TO_END_SECONDS):
                async for _ in self._bytes:
                    pass

    async def close(self) -> None:
        """End the answer; a server that still writes it notices."""
        try:
            await self._bytes.aclose()
        finally:
            await self.response.aclose()


def whole_number(value: object, *path: str) -> int | None:
    """Follow `path` through objects to a whole number of at least 0; None when there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
