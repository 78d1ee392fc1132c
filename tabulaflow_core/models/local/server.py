"""llama.cpp inside the process: one server, on loopback, behind a key that only this process knows."""

from __future__ import annotations

import asyncio
import atexit
import http.client
import json
import os
import secrets
import threading
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import LocalModelError
from tabulaflow_core.models.local.status import INSTALL_COMMAND
from tabulaflow_core.models.local.weights import is_gguf

CONTEXT_TOKENS = 8192
# Prompts set aside when another conversation takes the slot; llama.cpp's own default is 8 GB.
_CACHE_MIB = 512
_BATCH_TOKENS = 128
# Beyond this, memory and not arithmetic is the bottleneck of a small model.
_MOST_THREADS = 8


def choose_threads(settings: Settings) -> int:
    """Threads for the model: the setting, else all cores but one, which the page keeps.

    On two cores that is one: measured, two threads are twice as fast on an idle machine and less than half as fast
    as one as soon as anything else wants a core.
    """
    if settings.local_threads:
        return settings.local_threads
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores - 1, _MOST_THREADS))


class LocalServer:
    """One model file, served.

    Nothing is loaded before `start`. Requests of all sessions queue here.

    Args:
        path: A GGUF file.
        threads: Of the computation.
        parallel: Requests answered at the same time; each has its own prompt cache and its share of the context.
    """

    def __init__(self, path: Path, *, threads: int, parallel: int = 1, context_tokens: int = CONTEXT_TOKENS) -> None:
        self.path = path
        self.threads = threads
        self.parallel = parallel
        self.context_tokens = context_tokens
        self.api_key = secrets.token_urlsafe(24)
        self._server: Any = None
        self._address = ""
        self._lock = threading.Lock()
        self.warming: set[asyncio.Future[None]] = set()

    @property
    def running(self) -> bool:
        """Whether the model is loaded."""
        return self._server is not None

    @property
    def base_url(self) -> str:
        """Where the OpenAI-compatible endpoints are; empty before `start`."""
        return f"{self._address}/v1" if self._address else ""

    def start(self) -> str:
        """Load the model unless it is loaded; blocks for seconds, so call it in a worker thread.

        Returns:
            The base URL.

        Raises:
            LocalModelError: The package or the file is missing, or llama.cpp cannot load it.
        """
        with self._lock:
            if self._server is None:
                self._server = self._load()
                self._address = str(self._server.listening_address).rstrip("/")
                atexit.register(self.close)
            return self.base_url

    def close(self) -> None:
        """Stop serving and free the memory; a second call does nothing."""
        with self._lock:
            self._server, self._address = None, ""
        atexit.unregister(self.close)

    def stop_warming(self) -> None:
        """End the requests that only read a prompt in advance; from any thread."""
        for task in list(self.warming):
            task.get_loop().call_soon_threadsafe(task.cancel)

    def tokenize(self, text: str) -> int:
        """How many tokens the text is for this model.

        Raises:
            LocalModelError: The server does not answer.
        """
        self.start()
        # Not urllib: a proxy from the environment must not see it.
        connection = http.client.HTTPConnection(urlsplit(self._address).netloc, timeout=30)
        try:
            headers = {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"}
            connection.request("POST", "/tokenize", json.dumps({"content": text}), headers)
            answer = json.loads(connection.getresponse().read())
            return len(answer["tokens"])
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            raise LocalModelError("The embedded model does not answer; start the program again.") from error
        finally:
            connection.close()

    def _load(self) -> Any:
        try:
            llama = import_module("xllamacpp")
        except ImportError as error:
            raise LocalModelError(f"The embedded model needs the package xllamacpp: {INSTALL_COMMAND}") from error
        if not is_gguf(self.path):
            raise LocalModelError(f"{self.path} is not there or is not a GGUF model file.")
        params = llama.CommonParams()
        params.model.path = str(self.path)
        params.n_ctx = self.context_tokens
        params.n_parallel = self.parallel
        params.cache_ram_mib = _CACHE_MIB
        params.warmup = True
        # A cancelled request ends between two batches: at twenty tokens a second, 128 are six seconds.
        params.n_batch = params.n_ubatch = _BATCH_TOKENS
        params.sampling.temp = 0.0
        params.sampling.seed = 1
        params.verbosity = -1
        for cpu in (params.cpuparams, params.cpuparams_batch):
            cpu.n_threads = self.threads
        # No other user of this machine and no web page may ask it.
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.api_keys = [self.api_key]
        params.ui = False
        params.endpoint_slots = False
        params.cors_origins = "null"
        params.cors_credentials = False
        try:
            return llama.Server(params)
        except (RuntimeError, OSError, ValueError, MemoryError) as error:
            raise LocalModelError(
                f"llama.cpp cannot load {self.path.name}. It needs about twice the file's size in free memory; "
                "if there is enough, the file may be of a newer kind than the installed xllamacpp.",
                detail=repr(error),
            ) from error


_shared: LocalServer | None = None
_shared_lock = threading.Lock()


def shared_server(path: Path, *, threads: int) -> LocalServer:
    """The one server of this process; another file or thread count replaces it."""
    global _shared
    with _shared_lock:
        if _shared is None or (_shared.path, _shared.threads) != (path, threads):
            if _shared is not None:
                _shared.close()
            _shared = LocalServer(path, threads=threads)
        return _shared
