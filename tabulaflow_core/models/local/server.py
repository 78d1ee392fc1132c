"""llama.cpp in a process of its own: one server, on loopback, behind a key that only this process knows.

Why a process: `xllamacpp.Server(…)` holds the interpreter's lock for as long as it reads the weights. Measured on two
cores: 1.5 to 3.4 s when nothing else ran, 12 s under load, and all that time every thread stands still, those that
draw other people's pages too. And when llama.cpp gives up it calls `abort()`, which would end the whole application;
so only the child ends, the request fails with a sentence, and the next one starts another child.
"""

from __future__ import annotations

import asyncio
import atexit
import http.client
import json
import os
import secrets
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import LocalModelError, ModelUnavailable
from tabulaflow_core.models.local.child import Child
from tabulaflow_core.models.local.serve import Job
from tabulaflow_core.models.local.weights import is_gguf

CONTEXT_TOKENS = 8192
# Beyond this, memory and not arithmetic is the bottleneck of a small model.
_MOST_THREADS = 8
# The end of a connection is seen a moment before the end of the process behind it.
_DEATH_SECONDS = 1.0


def choose_threads(settings: Settings) -> int:
    """Threads for the model: the setting, else all cores but one, which the page keeps.

    On two cores that is one. Tokens a second there, with the default weights and the published AVX2 wheel:

    | threads | nothing else runs: reading, writing | one core is wanted elsewhere: writing |
    |---|---|---|
    | 1 | 48, 22 | 22 to 25 |
    | 2 | 97, 33 | 8 to 11 |

    Two threads wait for each other at every layer, so the slower one sets the pace; and the page, the database and
    the browser do want a core while the model answers.
    """
    if settings.local_threads:
        return settings.local_threads
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores - 1, _MOST_THREADS))


def _running() -> Future[str]:
    # A waiting task that is cancelled would otherwise cancel the start for everybody.
    future: Future[str] = Future()
    future.set_running_or_notify_cancel()
    return future


@dataclass(slots=True)
class _Start:
    """One start of the child, which any number of callers wait for.

    Attributes:
        address: Where it serves, once it does.
        waiting: How many wait now.
    """

    api_key: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    child: Child = field(default_factory=Child)
    address: Future[str] = field(default_factory=_running)
    waiting: int = 0

    @property
    def serves(self) -> bool:
        return self.address.done() and self.address.exception() is None and self.child.alive


class LocalServer:
    """One model file, served.

    Nothing is loaded before `start`. Requests of all sessions queue here. The child that serves ends with `close`,
    when this process exits, and when it is killed.

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
        self._current: _Start | None = None
        self._lock = threading.Lock()
        self.warming: set[asyncio.Future[None]] = set()

    @property
    def running(self) -> bool:
        """Whether the model is loaded and its process lives."""
        start = self._current
        return start is not None and start.serves

    @property
    def base_url(self) -> str:
        """Where the OpenAI-compatible endpoints are; empty while it does not run."""
        start = self._current
        return f"{start.address.result()}/v1" if start is not None and start.serves else ""

    @property
    def api_key(self) -> str:
        """The key of the process that runs, a new one each; empty before `start`."""
        start = self._current
        return start.api_key if start is not None else ""

    @property
    def pid(self) -> int | None:
        """The process that serves, or is about to; None when there is none."""
        start = self._current
        return start.child.pid if start is not None else None

    def start(self) -> str:
        """Load the model unless it is loaded; blocks for seconds. In an event loop, use `start_async`.

        Returns:
            The base URL.

        Raises:
            LocalModelError: The package or the file is missing, or llama.cpp cannot load it.
        """
        start, first = self._join()
        try:
            if first:
                self._load(start)
            return f"{start.address.result()}/v1"
        finally:
            self._leave(start)

    async def start_async(self) -> str:
        """As `start`, without blocking the loop. When all who wait for it are cancelled, so is the loading."""
        start, first = self._join()
        try:
            if first:
                self._load_in_a_worker(start)
            address: str = await asyncio.wrap_future(start.address)
            return f"{address}/v1"
        finally:
            self._leave(start)

    def close(self) -> None:
        """Stop serving and free the memory; a second call does nothing. A later `start` begins anew."""
        with self._lock:
            start, self._current = self._current, None
        if start is not None:
            start.child.end()
        atexit.unregister(self.close)

    def death(self) -> ModelUnavailable | None:
        """What to say of a child that ended by itself; None while it lives, and after `close`."""
        start = self._current
        if start is None or not start.address.done() or start.child.alive:
            return None
        return ModelUnavailable(f"{start.child.why()} Ask again: it starts anew.", detail=start.child.last_words())

    async def death_async(self) -> ModelUnavailable | None:
        """As `death`, a moment after a connection broke."""
        for _ in range(int(_DEATH_SECONDS / 0.05)):
            if not self.running:
                break
            await asyncio.sleep(0.05)
        return self.death()

    def stop_warming(self) -> None:
        """End the requests that only read a prompt in advance; from any thread."""
        for task in list(self.warming):
            task.get_loop().call_soon_threadsafe(task.cancel)

    def tokenize(self, text: str) -> int:
        """How many tokens the text is for this model.

        Raises:
            LocalModelError: As for `start`.
            ModelUnavailable: The server does not answer.
        """
        address = urlsplit(self.start()).netloc
        # Not urllib: a proxy from the environment must not see it.
        connection = http.client.HTTPConnection(address, timeout=30)
        try:
            headers = {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"}
            connection.request("POST", "/tokenize", json.dumps({"content": text}), headers)
            answer = json.loads(connection.getresponse().read())
            return len(answer["tokens"])
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            raise self.death() or ModelUnavailable("The embedded model does not answer. Ask again.") from error
        finally:
            connection.close()

    def _join(self) -> tuple[_Start, bool]:
        """The start that runs or has succeeded, else a new one, and whether it is new; counted as waited for."""
        with self._lock:
            start, dead = self._current, None
            first = start is None or (start.address.done() and not start.serves)
            if start is None or first:
                start, dead = _Start(), start
                self._current = start
            start.waiting += 1
        if dead is not None:
            dead.child.end()
        return start, first

    def _leave(self, start: _Start) -> None:
        with self._lock:
            start.waiting -= 1
            given_up = not start.waiting and not start.address.done()
            if given_up and self._current is start:
                self._current = None
        if given_up:
            start.child.kill()

    def _load_in_a_worker(self, start: _Start) -> None:
        try:
            asyncio.get_running_loop().run_in_executor(None, self._load, start)
        except RuntimeError as error:  # the loop is being shut down
            start.address.set_exception(LocalModelError("The program is ending.", detail=repr(error)))

    def _load(self, start: _Start) -> None:
        """Start the child in this thread and tell those who wait."""
        try:
            if not is_gguf(self.path):
                raise LocalModelError(f"{self.path} is not there or is not a GGUF model file.")
            atexit.register(self.close)
            job = Job(
                path=str(self.path.absolute()),
                threads=self.threads,
                parallel=self.parallel,
                context_tokens=self.context_tokens,
                api_key=start.api_key,
            )
            address = start.child.start(job)
        except BaseException as error:
            start.child.end()
            with self._lock:
                if self._current is start:
                    self._current = None
            known = isinstance(error, Exception)
            start.address.set_exception(error if known else LocalModelError("Loading the model was interrupted."))
            if not known:
                raise
        else:
            start.address.set_result(address)


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


def close_shared_server() -> None:
    """End the process of the embedded model, if there is one; the next request starts it again."""
    with _shared_lock:
        if _shared is not None:
            _shared.close()
