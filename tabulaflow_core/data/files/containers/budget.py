"""What unpacking may take: bytes, times the packed size, and room on the disk."""

from __future__ import annotations

import errno
import shutil
import uuid
from pathlib import Path
from typing import Protocol

from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileUnreadable

#: Below this many unpacked bytes the ratio says nothing: a short file of blanks packs a thousandfold.
_RATIO_FROM = 10 * 1024**2
#: Room that is left free on the disk.
_SPARE = 64 * 1024**2
_LOOK_EVERY = 64 * 1024**2
_BLOCK = 1 << 20


class Source(Protocol):
    """A stream of unpacked bytes."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes, none at the end."""


def size_text(count: int) -> str:
    """A size in words.

    >>> size_text(8 * 1024**3)
    '8 GB'
    """
    amount = float(count)
    for unit in ("bytes", "KB", "MB"):
        if amount < 1024:
            return f"{amount:.3g} {unit}"
        amount /= 1024
    return f"{amount:.3g} GB"


class Budget:
    """Counts all bytes that one reading unpacks.

    Args:
        name: What a person calls the outermost file.
        watch: Hears how far the unpacking is; its bounds hold.
    """

    def __init__(self, name: str, watch: Watch) -> None:
        self.watch = watch
        self._name = name
        self._spent = 0
        self._looked = 0

    def claim(self, total: int, largest: int, folder: Path) -> None:
        """Refuse files whose sizes are known before they are unpacked, one after the other.

        Raises:
            FileUnreadable: The bound or the disk is too small for them.
        """
        if self._spent + total > self.watch.bounds.unpacked_bytes:
            raise self._too_much()
        if shutil.disk_usage(folder).free < largest + _SPARE:
            raise self._no_room()

    def copy(self, source: Source, folder: Path, packed: int, *, total: int = 0, at: Position | None = None) -> Path:
        """Unpack a stream into a new file of the folder; it is removed when that fails.

        Args:
            packed: The bytes that the stream has when packed; 0 when it is not packed and counts for nothing.
            total: What the position counts up to; unpacked bytes are counted when there is no position.

        Raises:
            FileReadingStopped: Somebody stopped it.
            FileUnreadable: It unpacks to too much, or the disk is full.
        """
        target = folder / f"unpacked-{uuid.uuid4().hex}"
        bounds = self.watch.bounds
        written = 0
        try:
            with target.open("wb") as out:
                while block := source.read(_BLOCK):
                    written += len(block)
                    if packed:
                        self._spent += len(block)
                        if self._spent > bounds.unpacked_bytes:
                            raise self._too_much()
                        if written > _RATIO_FROM and written > packed * bounds.unpacked_ratio:
                            raise FileUnreadable(
                                f"{self._name} unpacks to more than {bounds.unpacked_ratio:,} times its size, as files "
                                "do that are made to fill a disk. If you trust it, raise the bound (unpacked_ratio), "
                                "or unpack it yourself."
                            )
                    if self._spent - self._looked > _LOOK_EVERY:
                        self._looked = self._spent
                        if shutil.disk_usage(folder).free < _SPARE:
                            raise self._no_room()
                    out.write(block)
                    self.watch.advance("unpacking", at() if at else written, total)
        except BaseException as error:
            target.unlink(missing_ok=True)
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                raise self._no_room() from error
            raise
        return target

    def _too_much(self) -> FileUnreadable:
        most = size_text(self.watch.bounds.unpacked_bytes)
        return FileUnreadable(
            f"{self._name} unpacks to more than {most}, the most that is unpacked. Raise the bound "
            "(unpacked_bytes, or --max-unpacked on the command line), or unpack it yourself."
        )

    def _no_room(self) -> FileUnreadable:
        return FileUnreadable(f"There is not enough room on the disk to unpack {self._name}. Make room and try again.")


class Position(Protocol):
    """Tells how far a stream is."""

    def __call__(self) -> int:
        """Bytes done."""
