"""A server that goes away and comes back: a proxy on loopback that can drop and refuse its connections."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class Proxy:
    """Passes bytes to `host`:`port` until `stop_async`; `start_async` takes up the same port again."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    async def start_async(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._serve_async, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop_async(self) -> None:
        """Drop all connections, as a server does that is ended, and listen no more."""
        assert self._server is not None
        self._server.close()
        for writer in list(self._open):
            writer.transport.abort()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._server = None

    async def _serve_async(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        there, back = await asyncio.open_connection(*self._target)
        self._open |= {writer, back}
        await asyncio.gather(_pass_async(reader, back), _pass_async(there, writer))
        self._open -= {writer, back}


async def _pass_async(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while block := await reader.read(65_536):
            writer.write(block)
            await writer.drain()
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
