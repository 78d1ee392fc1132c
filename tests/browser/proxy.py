"""What stands between a browser and the app in an office: a proxy that spreads, or cuts, what goes through it."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

_BLOCK = 64 * 1024


class Proxy:
    """A proxy on a free port of 127.0.0.1, in a thread of its own; websockets pass too.

    Args:
        backends: Ports of the servers behind it. Each request goes to the next of them, without sticky sessions.
        sticky: Every request goes to the first one instead.

    Attributes:
        cuts: How many of the next uploads are cut off.
        cut_at: Where in an upload, as a share of its bytes.
        uploads: Requests that bring a file, so far.
    """

    def __init__(self, backends: Sequence[int], *, sticky: bool = False) -> None:
        self._turn = itertools.repeat(backends[0]) if sticky else itertools.cycle(backends)
        self.cuts = 0
        self.cut_at = 0.5
        self.uploads = 0
        self._port = 0
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="proxy", daemon=True)

    @property
    def url(self) -> str:
        """Where a browser goes."""
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the proxy did not start")
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            try:
                with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                    await self._request(reader, writer)
            finally:
                tasks.discard(task)
                writer.close()

        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one request on, and whatever comes back; then the connection ends, so that the next is a new choice."""
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", next(self._turn))
        try:
            if headers.get("upgrade", "").lower() != "websocket":
                lines = [line for line in lines if not line.lower().startswith("connection:")]
                head = "\r\n".join([first, "Connection: close", *lines]).encode("latin-1")
            up_writer.write(head)
            size = int(headers.get("content-length", "0"))
            if first.startswith("PUT "):
                self.uploads += 1
                if self.cuts:
                    self.cuts -= 1
                    await self._some(reader, up_writer, int(size * self.cut_at))
                    writer.transport.abort()  # a reset, as a proxy sends it, and no last word
                    return
            back = asyncio.create_task(_pipe(up_reader, writer))
            forth = asyncio.create_task(_pipe(reader, up_writer))
            await back
            forth.cancel()
        finally:
            up_writer.transport.abort()

    async def _some(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int) -> None:
        while size > 0 and (block := await reader.read(min(_BLOCK, size))):
            size -= len(block)
            writer.write(block)
            await writer.drain()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while block := await reader.read(_BLOCK):
            writer.write(block)
            await writer.drain()
