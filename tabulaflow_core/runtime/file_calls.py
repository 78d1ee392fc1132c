"""The part of the facade that is about files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import JsonValue

from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.begun import CutShort
from tabulaflow_core.runtime.services import Services
from tabulaflow_core.runtime.uploads import Given
from tabulaflow_core.runtime.views import FileChoice, FileOutcome, ReadingJob

T = TypeVar("T")


class FileCalls(ABC):
    """Synchronous and thread-safe functions over `Services.files`; mixed into `Runtime`."""

    @property
    @abstractmethod
    def _services(self) -> Services: ...

    @abstractmethod
    def _call(self, work: Coroutine[Any, Any, T]) -> T: ...

    def add_files(
        self, principal: Principal, files: Sequence[Given], *, choice: FileChoice | None = None
    ) -> tuple[FileOutcome, ...]:
        """Copy and read files, each a name and a path or an open binary file; waits for all.

        One that cannot be read does not touch the others. The same bytes under the same name change nothing. Where
        an upload could replace or extend what is there, its outcome is `waiting` and asks; see `answer_file`.

        Args:
            choice: Answers all questions beforehand. One that is no answer to a question keeps both, or separate.
        """
        services = self._services
        return self._call(services.files.add_async(principal, services.files.take_in(principal, files), choice=choice))

    def start_adding(self, principal: Principal, files: Sequence[Given], *, choice: FileChoice | None = None) -> str:
        """The same without waiting for the reading; the id of the job comes back once the bytes were copied.

        The job goes on when the page that began it is closed, and is kept until `reading_jobs` gave its outcomes.
        """
        services = self._services
        taken = services.files.take_in(principal, files)
        return self._call(services.jobs.start_async(principal, taken, choice=choice))

    def reading_jobs(self, principal: Principal) -> tuple[ReadingJob, ...]:
        """The readings of this process that run, and those that ended and were not seen yet, the oldest first.

        One that has ended is given once, and at most for ten minutes after its end.
        """
        return self._services.jobs.look(principal)

    def stop_reading(self, principal: Principal, job_id: str) -> None:
        """Stop a job; nothing of its files is kept. Nothing happens when it has ended already.

        Raises:
            NotFound: This principal has no such job here.
        """
        self._services.jobs.stop(principal, job_id)

    def cut_short(self, principal: Principal) -> tuple[CutShort, ...]:
        """Readings that ended with their server process before they were done; nothing of their tables is kept.

        What was uploaded is, for a week, so that it can be read again without another upload.
        """
        return self._call(self._services.files.cut_short.list_async(principal))

    def read_again(self, principal: Principal, token: str) -> str:
        """Begin a reading again that was cut short; the id of the job.

        Args:
            token: The `CutShort.id`.

        Raises:
            NotFound: It was read again or forgotten meanwhile.
            SourceError: It was a file of the server, and its folder is closed by now.
        """
        services = self._services
        return self._call(services.jobs.start_async(principal, [services.files.cut_short.take(principal, token)]))

    def forget_cut_short(self, principal: Principal, token: str) -> None:
        """Delete what a reading that was cut short was to read; nothing happens when it is gone already."""
        self._services.files.cut_short.forget(principal, token)

    def add_server_file(
        self, principal: Principal, path: Path | str, *, choice: FileChoice | None = None
    ) -> tuple[FileOutcome, ...]:
        """Read a file of the server where it lies, without copying it; see `add_files` for the rest.

        Raises:
            SourceError: It does not lie within `Settings.file_roots`, or is no file.
        """
        services = self._services
        taken = services.files.take_by_path(principal, Path(path))
        return self._call(services.files.add_async(principal, [taken], choice=choice))

    def start_adding_server_file(
        self, principal: Principal, path: Path | str, *, choice: FileChoice | None = None
    ) -> str:
        """The same as a job; see `start_adding`.

        Raises:
            SourceError: It does not lie within `Settings.file_roots`, or is no file.
        """
        services = self._services
        taken = services.files.take_by_path(principal, Path(path))
        return self._call(services.jobs.start_async(principal, [taken], choice=choice))

    def files(self, principal: Principal) -> tuple[FileOutcome, ...]:
        """What was uploaded, the oldest first, with the reading reports; then what waits for an answer."""
        return self._call(self._services.files.list_async(principal))

    def answer_file(self, principal: Principal, name: str, choice: FileChoice) -> tuple[FileOutcome, ...]:
        """Answer the question of a waiting file; an answer about one file of a `one_shape` is about all of them.

        Raises:
            NotFound: No file of this name waits; it may have been answered elsewhere.
            SourceError: This is not among the question's choices.
        """
        return self._call(self._services.files.answer_async(principal, name, choice))

    def dismiss_file(self, principal: Principal, name: str) -> None:
        """Forget a waiting file; what was there before stays as it is.

        Raises:
            NotFound: No file of this name waits.
        """
        self._call(self._services.files.dismiss_async(principal, name))

    def reread_file(self, principal: Principal, name: str, options: Mapping[str, JsonValue]) -> FileOutcome:
        """Read a file again with choices that replace the reader's own; without any, as the reader would.

        A reading that fails leaves the earlier one in force.

        Args:
            options: All choices that shall hold, fields of `tabulaflow_core.data.files.ReadOptions`, such as
                `{"delimiter": ";", "by_part": {"Prices": {"header_rows": 2}}}`.

        Raises:
            NotFound: There is no file of this name.
            SourceError: There is no such choice, or it takes no such value.
        """
        return self._call(self._services.files.reread_async(principal, name, options))

    def read_options(self, principal: Principal, name: str) -> dict[str, JsonValue]:
        """The choices of a person that are in force for a file, as `reread_file` takes them.

        Raises:
            NotFound: There is no file of this name.
        """
        return self._call(self._services.files.options_async(principal, name))

    def raw_lines(
        self, principal: Principal, name: str, *, part: str = "", start: int = 1, count: int = 50
    ) -> tuple[tuple[int, str], ...]:
        """Lines of a file as they stand in it, each with its number, in the encoding that is in force.

        Args:
            name: The file's; or one of those that its table is made of.
            part: The member of an archive.
            start: The number of the first line, from 1.
            count: Lines at most; 1,000 at most.

        Raises:
            NotFound: There is no such file or member.
            SourceError: It has no lines, such as a workbook.
        """
        return self._call(self._services.files.raw_async(principal, name, part=part, start=start, count=count))

    def original(self, principal: Principal, name: str, *, version: int | None = None) -> Path:
        """The uploaded bytes, to be downloaded.

        Args:
            name: The file's; or one of those that its table is made of.
            version: Of an earlier version; None for the current one.

        Raises:
            NotFound: There is no such file or version.
        """
        return self._call(self._services.files.original_async(principal, name, version=version))

    def remove_file(self, principal: Principal, name: str) -> None:
        """Remove a file, its earlier versions, and what waits under its name.

        Raises:
            NotFound: There is none of this name.
        """
        self._call(self._services.files.remove_async(principal, name))
