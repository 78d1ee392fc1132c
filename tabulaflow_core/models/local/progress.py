"""How far a download is, and how a person stops it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tabulaflow_core.errors import LocalModelError


@dataclass(frozen=True, slots=True)
class Progress:
    """One report of a running `pull`.

    Attributes:
        bytes_done: Bytes that lie on the disk, those of an earlier, interrupted pull included.
        bytes_total: Bytes of the whole file.
        bytes_per_second: Measured over the last seconds; 0.0 while nothing came in.
        seconds_left: At that speed; None when it cannot be said.
        source: `hub`, `index`, `file`, or empty while none is in use.
        message: What happens now, for a person.
    """

    bytes_done: int
    bytes_total: int
    bytes_per_second: float = 0.0
    seconds_left: float | None = None
    source: str = ""
    message: str = ""


class PullCancelled(LocalModelError):
    """The person stopped the download; what came in is kept and the next pull goes on from there."""


OnProgress: TypeAlias = Callable[[Progress], None]
Cancelled: TypeAlias = Callable[[], bool]

# Long enough to smooth the gaps between pieces, short enough to follow a changing line.
_WINDOW_SECONDS = 8.0
_REPORT_SECONDS = 0.2


class Meter:
    """Turns byte counts into reports, at most five a second, and looks whether to stop."""

    def __init__(self, total: int, progress: OnProgress, cancelled: Cancelled) -> None:
        self.total = total
        self._progress = progress
        self._cancelled = cancelled
        self._points: deque[tuple[float, int]] = deque()
        self._last = float("-inf")
        self._said = ("", "")

    def check(self) -> None:
        """Stop here when the person asked to.

        Raises:
            PullCancelled: `cancelled()` is true.
        """
        if self._cancelled():
            raise PullCancelled("The download was stopped. What came in is kept; starting it again goes on from there.")

    def report(self, done: int, *, source: str, message: str) -> None:
        """Say that `done` bytes are there; also a `check`."""
        self.check()
        now = time.monotonic()
        if self._points and done < self._points[-1][1]:  # begun anew
            self._points.clear()
        self._points.append((now, done))
        while len(self._points) > 2 and now - self._points[0][0] > _WINDOW_SECONDS:
            self._points.popleft()
        changed = self._said != (source, message)
        if not changed and done < self.total and now - self._last < _REPORT_SECONDS:
            return
        self._last, self._said = now, (source, message)
        speed = self._speed()
        left = (self.total - done) / speed if speed > 0 else None
        self._progress(Progress(done, self.total, speed, left, source, message))

    def restart(self) -> None:
        """Forget the measured speed: another source begins."""
        self._points.clear()

    def _speed(self) -> float:
        (t0, b0), (t1, b1) = self._points[0], self._points[-1]
        return max(0.0, (b1 - b0) / (t1 - t0)) if t1 - t0 > 0.05 else 0.0
