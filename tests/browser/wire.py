"""A wire between the browser and the app that can be cut."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import Self


class Wire:
    """Passes TCP on from a free port of 127.0.0.1 to `port`, in threads, until it is cut.

    Attributes:
        cuts: Connections that were cut.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._open: set[socket.socket] = set()
        self._dead = threading.Event()
        self._closed = False
        self.cuts = 0
        self._server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, name="wire", daemon=True).start()

    @property
    def url(self) -> str:
        """Where the browser goes."""
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def cut(self, *, seconds: float) -> None:
        """End every connection and take no other for so long."""
        self._dead.set()
        for end in list(self._open):
            self.cuts += 1
            with contextlib.suppress(OSError):  # it may have ended by itself
                end.shutdown(socket.SHUT_RDWR)
        time.sleep(seconds)
        self._dead.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        self._server.close()
        for end in list(self._open):
            end.close()

    def _accept(self) -> None:
        while not self._closed:
            try:
                near, _ = self._server.accept()
            except OSError:  # closed
                return
            if self._dead.is_set():
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._port))
            except OSError:  # the app is not there, as anyone would notice
                near.close()
                continue
            self._open |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):  # either end may go at any time
            while data := one.recv(65536):
                other.sendall(data)
        for end in (one, other):
            self._open.discard(end)
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
