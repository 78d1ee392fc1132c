"""Fetching the embedded model's weights: one download a process, watched and stopped from any thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import TabulaflowError

if TYPE_CHECKING:
    from tabulaflow_core.models.local.progress import Progress

_log = logging.getLogger(__name__)

DownloadState = Literal["running", "done", "failed", "cancelled"]
_BROKEN: Final = (
    "The download broke for a reason that only the server's log knows. Starting it again goes on from there."
)


class Pull(Protocol):
    """`tabulaflow_core.models.local.pull`, as it is used here."""

    def __call__(
        self, settings: Settings, *, progress: Callable[[Progress], None], cancelled: Callable[[], bool]
    ) -> Path: ...


class Download:
    """One download in its own thread. Reading the attributes is safe from any thread.

    Attributes:
        state: `running` until it ends.
        bytes_per_second: Over the last seconds.
        seconds_left: At that speed; None when it cannot be said.
        message: What happens now, or why it ended, for a person.
    """

    def __init__(self, settings: Settings, *, pull: Pull | None = None) -> None:
        self.state: DownloadState = "running"
        self.bytes_done = 0
        self.bytes_total = 0
        self.bytes_per_second = 0.0
        self.seconds_left: float | None = None
        self.message = "Starting"
        self._settings = settings
        self._pull = pull
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tabulaflow-download", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Stop it; what came in is kept for the next time."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for its end; False when `timeout` seconds were not enough."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        from tabulaflow_core.models.local import PullCancelled, pull

        run = self._pull or pull
        try:
            run(self._settings, progress=self._report, cancelled=self._stop.is_set)
        except PullCancelled as error:
            self._end("cancelled", error.user_message)
        except TabulaflowError as error:
            self._end("failed", error.user_message)
        except Exception:
            _log.exception("the download of the embedded model broke")
            self._end("failed", _BROKEN)
        else:
            self._end("done", "The model is there.")

    def _report(self, progress: Progress) -> None:
        self.bytes_done = progress.bytes_done
        self.bytes_total = progress.bytes_total
        self.bytes_per_second = progress.bytes_per_second
        self.seconds_left = progress.seconds_left
        self.message = progress.message

    def _end(self, state: DownloadState, message: str) -> None:
        self.message = message
        self.seconds_left = None
        self.bytes_per_second = 0.0
        self.state = state  # last: who sees the state sees its message


class Downloads:
    """The one download of a process: starting it twice joins it."""

    def __init__(self, settings: Settings, *, pull: Pull | None = None) -> None:
        self._settings = settings
        self._pull = pull
        self._lock = threading.Lock()
        self._current: Download | None = None

    def start(self) -> Download:
        """The running download, or a new one."""
        with self._lock:
            if self._current is None or self._current.state != "running":
                self._current = Download(self._settings, pull=self._pull)
            return self._current

    @property
    def current(self) -> Download | None:
        """The last download begun; None before the first."""
        return self._current

    def close(self) -> None:
        """Stop the running download without waiting for it."""
        if self._current is not None:
            self._current.cancel()
