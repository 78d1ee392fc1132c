"""Readings that ended with their process: found by their notes, and read again or forgotten as the person says."""

from __future__ import annotations

from collections.abc import Sequence

from tabulaflow_core.config import Settings
from tabulaflow_core.data.executor import run_blocking_async
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime import begun, server_files
from tabulaflow_core.runtime.file_keeping import FileKeeper
from tabulaflow_core.runtime.uploads import Upload
from tabulaflow_core.runtime.views import FileOutcome


class CutShortReadings:
    """The notes of every principal's readings."""

    def __init__(self, settings: Settings, keeper: FileKeeper) -> None:
        self._settings = settings
        self._keeper = keeper

    def note(self, principal: Principal, taken: Sequence[Upload | FileOutcome]) -> list[begun.Note]:
        """Note that these are read from now on.

        Raises:
            NotFound: One of them is read elsewhere.
        """
        folder = self._keeper.folder(principal)
        return [begun.note(folder, each) for each in taken if isinstance(each, Upload)]

    async def list_async(self, principal: Principal) -> tuple[begun.CutShort, ...]:
        """See `Runtime.cut_short`."""
        folder = self._keeper.folder(principal)
        found = await run_blocking_async(lambda: list(begun.cut_short(folder)))
        if not found:
            return ()
        kept, waiting = await self._keeper.kept_async(principal), await self._keeper.waiting_async(principal)
        members = [*(member for each in kept for member in each.members), *(each.member for each in waiting)]
        used = {member.copy for member in members}  # killed between its last step and the end of its note
        return tuple(told for told, upload in found if not upload.copy or upload.copy not in used)

    def take(self, principal: Principal, token: str) -> Upload:
        """What the reading `token` was reading.

        Raises:
            NotFound: It is not there any more.
            SourceError: It is a file of the server, and its folder is closed by now.
        """
        upload = begun.take(self._keeper.folder(principal), token)
        return upload if upload.copy else server_files.by_path(self._settings, upload.path)

    def forget(self, principal: Principal, token: str) -> None:
        """Delete what it left, unless it is read at this moment."""
        begun.forget(self._keeper.folder(principal), token)
