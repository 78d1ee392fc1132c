"""Files that are read in the background: how far each job is, and its end."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import uuid4

from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.data.files.watch import ReadProgress, Watch
from tabulaflow_core.errors import FileReadingStopped, NotFound, TabulaflowError
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime import memory
from tabulaflow_core.runtime.begun import Note
from tabulaflow_core.runtime.file_reader import Follower
from tabulaflow_core.runtime.uploads import Upload
from tabulaflow_core.runtime.views import FileChoice, FileOutcome, JobState, ReadingJob

_log = logging.getLogger(__name__)

#: Seconds after its end that a job is kept for a page that does not come back.
_KEPT_SECONDS: Final = 600.0
_BROKEN: Final = "The reading broke off, for a reason that only the server's log knows. Try it again."


class Adder(Protocol):
    """Reads files; `FileBook`."""

    async def add_async(
        self,
        principal: Principal,
        uploads: Sequence[Upload | FileOutcome],
        *,
        choice: FileChoice | None = None,
        follower: Follower | None = None,
    ) -> tuple[FileOutcome, ...]:
        """Read files.

        Raises:
            FileReadingStopped: The follower's watch was stopped; nothing was kept.
        """

    def note(self, principal: Principal, taken: Sequence[Upload | FileOutcome]) -> list[Note]:
        """Note that these uploads are read from now on.

        Raises:
            NotFound: One of them is read elsewhere.
        """


@dataclass(slots=True)
class _Job:
    """One job; a `Follower`. What is written here by the reading's thread is read by pages' threads."""

    id: str
    owner: str
    names: tuple[str, ...]
    file: str
    state: JobState = "running"
    progress: ReadProgress = field(default_factory=lambda: ReadProgress(""))
    outcomes: tuple[FileOutcome, ...] = ()
    begun: float = field(default_factory=time.monotonic)
    ended: float = 0.0
    leaves_copies: bool = False
    watch: Watch = field(init=False)

    def __post_init__(self) -> None:
        self.watch = Watch(tell=self._tell)

    def _tell(self, progress: ReadProgress) -> None:
        self.progress = progress

    def begins(self, name: str) -> None:
        self.file, self.progress = name, ReadProgress("reading")

    def end(self, state: JobState, outcomes: tuple[FileOutcome, ...] = ()) -> None:
        self.outcomes, self.ended, self.state = outcomes, time.monotonic(), state

    def view(self) -> ReadingJob:
        at = self.progress
        seconds = (self.ended or time.monotonic()) - self.begun
        return ReadingJob(
            self.id, self.file, self.state, at.stage, at.done, at.total, self.outcomes, self.names, seconds
        )


class ReadingJobs:
    """The jobs of one process. Tasks belong to the engine loop; `look` and `stop` may be called from any thread."""

    def __init__(self, files: Adder) -> None:
        self._files = files
        self._jobs: dict[str, _Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._lock = threading.Lock()

    async def start_async(
        self, principal: Principal, uploads: Sequence[Upload | FileOutcome], *, choice: FileChoice | None = None
    ) -> str:
        """Begin a job; its id."""
        notes = await run_blocking_async(lambda: self._files.note(principal, uploads))
        names = tuple(upload.name for upload in uploads)
        job = _Job(f"r_{uuid4().hex}", principal.id, names, names[0] if names else "")
        with self._lock:
            self._jobs[job.id] = job
        task = asyncio.create_task(self._run(job, principal, uploads, choice, notes))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job.id

    async def _run(
        self,
        job: _Job,
        principal: Principal,
        uploads: Sequence[Upload | FileOutcome],
        choice: FileChoice | None,
        notes: Sequence[Note],
    ) -> None:
        try:
            job.end("done", await self._files.add_async(principal, uploads, choice=choice, follower=job))
        except FileReadingStopped:
            job.end("stopped")
        except TabulaflowError as error:
            job.end("done", tuple(FileOutcome(name, "message", error.user_message) for name in job.names))
        except Exception:  # nobody waits for this task
            _log.exception("a reading job broke off")
            job.end("done", tuple(FileOutcome(name, "message", _BROKEN) for name in job.names))
        finally:
            ending = job.leaves_copies or job.state == "running"  # the process ends, and this is cancelled or stopped
            for note in notes:
                note.release() if ending else note.end()
            if job.state == "running":
                job.end("stopped")
            if not ending:
                read = sum(upload.size for upload in uploads if isinstance(upload, Upload))
                await run_blocking_async(lambda: memory.give_back(read))

    def look(self, principal: Principal) -> tuple[ReadingJob, ...]:
        """The jobs of `principal`; those that have ended are given for the last time."""
        with self._lock:
            for job in tuple(self._jobs.values()):
                if job.state != "running" and time.monotonic() - job.ended > _KEPT_SECONDS:
                    del self._jobs[job.id]
            views = tuple(job.view() for job in self._jobs.values() if job.owner == principal.id)
            for view in views:
                if view.state != "running":
                    del self._jobs[view.id]
        return views

    def stop(self, principal: Principal, job_id: str) -> None:
        """Stop a job.

        Raises:
            NotFound: This principal has no such job.
        """
        with self._lock:
            job = self._jobs.get(job_id)
        if job is None or job.owner != principal.id:
            raise NotFound("This reading is not here. It has ended, or was begun by another server process.")
        job.watch.stop()

    async def close_async(self) -> None:
        """Stop all jobs; they can be begun again."""
        with self._lock:
            for job in self._jobs.values():
                job.leaves_copies = True
                job.watch.stop()
        if self._tasks:
            await asyncio.wait(set(self._tasks))
