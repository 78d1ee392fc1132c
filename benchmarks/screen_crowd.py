"""Many people asking at once: 100 websockets, each with a conversation of its own, all answers streaming together.

    python -m benchmarks.screen_crowd [--clients 100] [--seconds 10]

The clients speak Streamlit's own protocol and count as finished when the last word is there. The ideal is the time the
model takes by itself. The floor is a script of Streamlit alone that writes the same words at the same pace. The aims:
1.3 times the ideal, no socket dropped, less than 250 MB.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.screen_stage import ROOT, Row, folder, serving, show

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

    from benchmarks.screen_stage import Server

_PACE: Final = 0.05  # seconds between words
_BARE: Final = """
import time
import streamlit as st

question = st.chat_input("Ask")
box = st.empty()
if question:
    words = ""
    for at in range(WORDS):
        words += f"word{at} "
        box.markdown(words)
        time.sleep(PACE)
    box.markdown(words + "finis.")
"""


@dataclass
class Client:
    """One person.

    Attributes:
        first: Seconds from the question to the first word of the answer, 0 before.
        took: Seconds from the question to the last word, 0 before.
        dropped: The socket was lost.
    """

    url: str
    first: float = 0.0
    took: float = 0.0
    dropped: bool = False
    messages: int = 0
    began: float = 0.0
    _box: str = ""
    _ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, go: asyncio.Event, *, patience: float) -> None:
        """Open the page, wait for `go`, ask, and read until the last word."""
        address = self.url.replace("http", "ws") + "/_stcore/stream"
        try:
            async with websockets.connect(address, subprotocols=["streamlit"], max_size=None) as socket:
                await self._rerun(socket)
                async with asyncio.timeout(patience):
                    await self._read(socket, until_ready=True)
                self._ready.set()
                idle = asyncio.create_task(self._read(socket, until_ready=False))
                await go.wait()
                self.began = time.perf_counter()
                await self._ask(socket)
                async with asyncio.timeout(patience):
                    await idle
        except (OSError, TimeoutError, websockets.WebSocketException) as error:
            self.dropped = True
            print(f"  a client was lost: {type(error).__name__} {error}")
        finally:
            self._ready.set()

    async def ready(self) -> None:
        """Wait until the page is there."""
        await self._ready.wait()

    async def _rerun(self, socket: ClientConnection) -> None:
        message = BackMsg()
        message.rerun_script.query_string = ""
        await socket.send(message.SerializeToString())

    async def _ask(self, socket: ClientConnection) -> None:
        message = BackMsg()
        state = message.rerun_script.widget_states.widgets.add()
        state.id = self._box
        state.chat_input_value.data = "Say many words"
        await socket.send(message.SerializeToString())

    async def _read(self, socket: ClientConnection, *, until_ready: bool) -> None:
        async for data in socket:
            if not isinstance(data, bytes):
                continue
            self.messages += 1
            message = ForwardMsg()
            message.ParseFromString(data)
            kind = message.WhichOneof("type")
            if kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                element = message.delta.new_element
                if element.WhichOneof("type") == "chat_input":
                    self._box = element.chat_input.id
                elif element.WhichOneof("type") == "markdown" and "word0" in element.markdown.body:
                    now = time.perf_counter()
                    self.first = self.first or now - self.began
                    if "finis." in element.markdown.body:
                        self.took = now - self.began
                        return
            elif kind == "script_finished" and until_ready and self._box:
                return


async def _crowd(server: Server, *, clients: int, ideal: float) -> tuple[list[Client], float, float]:
    """All clients, the most memory seen, and the server's seconds of processor while they streamed."""
    go = asyncio.Event()
    crowd = [Client(server.url) for _ in range(clients)]
    tasks = []
    for client in crowd:  # one after the other: what is measured begins later
        tasks.append(asyncio.create_task(client.run(go, patience=60 + 10 * ideal)))
        await client.ready()
    most, cpu = server.megabytes, server.cpu
    go.set()
    while not all(task.done() for task in tasks):
        await asyncio.sleep(0.2)
        most = max(most, server.megabytes)
    await asyncio.gather(*tasks)
    return crowd, most, server.cpu - cpu


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=10.0, help="what the model takes by itself")
    options = parser.parse_args()
    words = round(options.seconds / _PACE)
    variables = {"BENCH_WORDS": str(words), "BENCH_PACE": str(_PACE), "TABULAFLOW_MODEL": "scripted"}
    rows = []
    with folder() as home:
        script = home / "bare.py"
        script.write_text(_BARE.replace("WORDS", str(words)).replace("PACE", str(_PACE)))
        own = Path(ROOT / "benchmarks" / "screen_crowd_server.py")
        results = []
        for name, path in (("floor", script), ("app", own)):
            with serving(path, home / name, {**variables, "PYTHONPATH": str(ROOT)}) as server:
                results.append(asyncio.run(_crowd(server, clients=options.clients, ideal=options.seconds)))
    (bare, bare_memory, bare_cpu), (crowd, memory, cpu) = results
    for label, aim, of in (
        ("the last to finish, in ideals", 1.3, lambda clients: [max(c.took for c in clients) / options.seconds]),
        ("the typical one, in ideals", None, lambda clients: [c.took / options.seconds for c in clients]),
        ("first word", None, lambda clients: [1000 * c.first for c in clients]),
        ("sockets lost", 0, lambda clients: [float(sum(c.dropped or not c.took for c in clients))]),
        ("messages a client", None, lambda clients: [float(c.messages) for c in clients]),
    ):
        rows.append(Row(label, of(crowd), "ms" if label == "first word" else "", aim, of(bare)))
    rows.append(Row("most memory", [memory], "MB", 250, [bare_memory]))
    rows.append(Row("processor time", [cpu], "s", None, [bare_cpu]))
    show(f"{options.clients} people at once, answers of {options.seconds:g} s", rows)


if __name__ == "__main__":
    main()
