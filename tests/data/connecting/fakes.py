"""Servers on loopback that say one thing: enough of a protocol to tell how a mistake is understood."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
_SSL_REQUEST = 80877103
#: Seconds after which a client that forgot its socket is left.
_LONGEST = 4.0


@asynccontextmanager
async def server(talk: Talk) -> AsyncIterator[int]:
    """The port of a server that holds `talk` with whoever connects."""

    talks: set[asyncio.Task[None] | None] = set()

    async def held(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talks.add(asyncio.current_task())
        try:
            await talk(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    running = await asyncio.start_server(held, "127.0.0.1", 0)
    try:
        yield running.sockets[0].getsockname()[1]
    finally:
        running.close()
        await asyncio.gather(*(talk for talk in talks if talk is not None))


def postgres_error(code: str, message: str) -> Talk:
    """A PostgreSQL server without encryption that refuses with an SQLSTATE."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            (length, kind) = struct.unpack("!ii", await reader.readexactly(8))
            await reader.readexactly(length - 8)
            if kind != _SSL_REQUEST:
                break
            writer.write(b"N")
            await writer.drain()
        told = ((b"S", "FATAL"), (b"V", "FATAL"), (b"C", code), (b"M", message))
        fields = b"".join(key + text.encode() + b"\0" for key, text in told)
        writer.write(b"E" + struct.pack("!i", len(fields) + 5) + fields + b"\0")
        await writer.drain()

    return talk


def mysql_error(code: int, message: str) -> Talk:
    """A MySQL server that refuses at the door."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = b"\xff" + struct.pack("<H", code) + b"#08004" + message.encode()
        writer.write(struct.pack("<I", len(body))[:3] + b"\0" + body)
        await writer.drain()
        await asyncio.sleep(0.2)

    return talk


def banner(text: bytes) -> Talk:
    """A server of another kind that speaks first, or one that answers the first bytes with its own words."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if text.startswith(b"HTTP"):
            await reader.read(1)
        writer.write(text)
        await writer.drain()
        await asyncio.sleep(0.2)

    return talk


async def hangs_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A server that closes at once."""


async def redis(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A server of commands in lines: it waits for the end of one."""
    async with asyncio.timeout(_LONGEST):
        await reader.readuntil(b"\n")
        writer.write(b"-ERR unknown command\r\n")
        await writer.drain()
        await reader.read()


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A server that takes whatever comes and says nothing."""
    async with asyncio.timeout(_LONGEST):
        while await reader.read(1024):
            pass


HTTP = banner(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
SSH = banner(b"SSH-2.0-OpenSSH_9.9\r\n")
