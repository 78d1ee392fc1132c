"""Readings that began, noted on the disk until they end, so that one whose process was killed is not forgotten.

A note lies beside the copy of the upload and is locked by the process that reads it. The system lets go of the lock
when that process dies, however it dies: a note that nobody holds is of a reading that was cut short.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

from tabulaflow_core.errors import NotFound
from tabulaflow_core.runtime.uploads import Upload

_NOTE: Final = ".reading"
#: Seconds that a person has to come back and decide; then the copy is deleted.
_KEPT_SECONDS: Final = 7 * 24 * 3600.0
_GONE: Final = "This upload does not wait any more. It may have been read again, or forgotten, in another window."


@dataclass(frozen=True, slots=True)
class CutShort:
    """An upload whose reading ended with its process.

    Attributes:
        id: Names it for `Runtime.read_again` and `Runtime.forget_cut_short`.
        size: Its bytes.
        began_at: Seconds since 1970.
    """

    id: str
    name: str
    size: int
    began_at: float


class Note:
    """The note of a reading of this process."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def end(self) -> None:
        """The reading has ended: there is nothing more to note."""
        self._path.unlink(missing_ok=True)
        self.release()
        with suppress(OSError):  # the copy is still there
            self._path.parent.rmdir()

    def release(self) -> None:
        """The reading is broken off and shall be told of later."""
        os.close(self._descriptor)


def note(folder: Path, upload: Upload) -> Note:
    """Note that `upload` is read from now on.

    Args:
        folder: The owner's.

    Raises:
        NotFound: It is read elsewhere at this moment, or was forgotten.
        OSError: The folder cannot be written.
    """
    path = folder / (upload.copy or uuid4().hex) / _NOTE
    if not upload.copy:
        path.parent.mkdir(mode=0o700, parents=True)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except FileNotFoundError:
        raise NotFound(_GONE) from None
    if not _try_lock(descriptor):
        os.close(descriptor)
        raise NotFound(_GONE)
    facts = {"name": upload.name, "sha256": upload.sha256, "size": upload.size, "began_at": time.time()}
    facts |= {} if upload.copy else {"path": str(upload.path)}
    os.ftruncate(descriptor, 0)
    os.write(descriptor, json.dumps(facts).encode("utf-8", "surrogatepass"))
    return Note(path, descriptor)


def cut_short(folder: Path) -> Iterator[tuple[CutShort, Upload]]:
    """The readings whose process is gone, with what they were reading; bytes that are gone too are no more told of."""
    for path in sorted(folder.glob(f"*/{_NOTE}")):
        facts = _facts(path)
        if facts is None:
            continue
        lies = str(facts.get("path", ""))
        name, token = str(facts.get("name", "")), path.parent.name
        place = Path(lies) if lies else path.parent / name
        if name and place.is_file():
            size, began = int(str(facts.get("size", 0))), float(str(facts.get("began_at", 0.0)))
            upload = Upload(name, str(facts.get("sha256", "")), size, "" if lies else token, place)
            yield CutShort(token, name, size, began), upload


def take(folder: Path, token: str) -> Upload:
    """What the reading `token` was reading, to be read again.

    Raises:
        NotFound: It is not there any more.
    """
    for told, upload in cut_short(folder):
        if told.id == token:
            if not upload.copy:  # the new reading makes a note of its own
                forget(folder, token)
            return upload
    raise NotFound(_GONE)


def forget(folder: Path, token: str) -> None:
    """Delete a note and the copy beside it. Nothing happens where there is none, or while it is read."""
    home = folder / Path(token).name
    if _facts(home / _NOTE) is not None:
        for path in home.iterdir():
            path.unlink(missing_ok=True)
        with suppress(OSError):
            home.rmdir()


def folders(folder: Path) -> set[Path]:
    """The folders of copies that are being read, or wait to be read again."""
    deadline = time.time() - _KEPT_SECONDS
    found = set()
    for path in folder.glob(f"*/{_NOTE}"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime > deadline:
                found.add(path.parent)
    return found


def _facts(path: Path) -> dict[str, object] | None:
    """What a note says; None while a process holds it, or when it is none."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:  # ended meanwhile
        return None
    try:
        if not _try_lock(descriptor):
            return None
        facts = json.loads(os.read(descriptor, 2**16).decode("utf-8", "surrogatepass"))
    except (OSError, ValueError):  # killed while it was written
        return None
    finally:
        os.close(descriptor)
    return facts if isinstance(facts, dict) else None


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        # Far behind the end: a locked range could not be read.
        os.lseek(descriptor, 2**20, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
