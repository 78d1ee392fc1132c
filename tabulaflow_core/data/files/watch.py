"""What goes with every reading: how far it is, whether it shall stop, and what it may take."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from tabulaflow_core.errors import FileReadingStopped


@dataclass(frozen=True, slots=True)
class ReadBounds:
    """What one reading may take.

    Attributes:
        memory_bytes: Memory of the reading's DuckDB; more goes to its temporary folder.
        unpacked_bytes: Bytes that an archive or a compressed file may hold.
        unpacked_ratio: Times its own size that a compressed file above 10 MB unpacked may hold.
        members: Files in one archive.
        columns: Columns of one table.
        cell_bytes: Bytes of one cell, and of one line.
        nesting: Levels of brackets in JSON.
    """

    memory_bytes: int = 1024**3
    unpacked_bytes: int = 8 * 1024**3
    unpacked_ratio: int = 1_000
    members: int = 1_000
    columns: int = 10_000
    cell_bytes: int = 64 * 1024**2
    nesting: int = 200


@dataclass(frozen=True, slots=True)
class ReadProgress:
    """How far a reading is.

    Attributes:
        stage: What goes on, as words for a person: "unpacking", "reading", "finding types", "writing".
        done: Bytes or rows done.
        total: Of how many; 0 when that is not known.
    """

    stage: str
    done: int = 0
    total: int = 0


def _nobody(progress: ReadProgress) -> None:
    """Tell nobody."""


@dataclass(slots=True)
class Watch:
    """Passed down one reading; readers call `advance` at least every few hundred milliseconds of work.

    Attributes:
        tell: Called from the reading's thread.
        bounds: What the reading may take.
    """

    tell: Callable[[ReadProgress], None] = _nobody
    bounds: ReadBounds = field(default_factory=ReadBounds)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _stoppers: list[Callable[[], None]] = field(default_factory=list)

    def advance(self, stage: str, done: int = 0, total: int = 0) -> None:
        """Say how far it is.

        Raises:
            FileReadingStopped: Somebody called `stop`.
        """
        if self._stopped.is_set():
            raise FileReadingStopped
        self.tell(ReadProgress(stage, done, total))

    def stop(self) -> None:
        """Make the next `advance` raise, and end what runs right now. Safe from any thread."""
        self._stopped.set()
        for call in tuple(self._stoppers):
            call()

    def on_stop(self, call: Callable[[], None]) -> Callable[[], None]:
        """Have `call` called by `stop`, from its thread; what is returned takes it back."""
        self._stoppers.append(call)

        def forget() -> None:
            if call in self._stoppers:
                self._stoppers.remove(call)

        return forget

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopped.is_set()
