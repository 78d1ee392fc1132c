"""Room on the disk, looked at before bytes are written."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Final

from tabulaflow_core.data.files.watch import ReadBounds
from tabulaflow_core.errors import FileUnreadable

#: Left free for everything else: the store, other people's uploads, the machine.
_MARGIN: Final = 64 * 2**20
#: Times its packed size that deflate can unpack to.
_DEFLATE_MOST: Final = 1_032


class DiskFull(Exception):
    """There is not enough room; the text says what is needed and what is there."""


def need_room(folder: Path, size: int) -> None:
    """See that `size` bytes fit into the file system of `folder`, which may not exist yet.

    Raises:
        DiskFull: They do not.
    """
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < size + _MARGIN:
        raise DiskFull(f"about {_mb(size + _MARGIN)} MB are needed and {_mb(free)} MB are free")


def need_room_to_read(path: Path, storage: Path) -> None:
    """See that a file can be unpacked and its table written, as far as its size tells before it is read.

    Raises:
        FileUnreadable: With what is needed and what to do.
    """
    unpacked = unpacked_size(path)
    try:
        if unpacked:
            need_room(Path(tempfile.gettempdir()), unpacked)
        # A table is mostly smaller than its text; what is read goes through a temporary table of the same size.
        need_room(storage, max(unpacked, path.stat().st_size))
    except DiskFull as error:
        raise FileUnreadable(
            f"There is not enough room on the server's disk to read {path.name}: {error}. "
            "Remove files that are not needed any more, or ask the administrator for room."
        ) from error


def unpacked_size(path: Path) -> int:
    """How many bytes a packed file says it holds; 0 for a file that is not packed or does not say."""
    with path.open("rb") as file:
        head = file.read(4)
        if head.startswith(b"\x1f\x8b"):
            file.seek(-4, 2)
            # The format keeps the size modulo 4 GiB, of the last stream only; in a damaged file it is any number.
            said, packed = int.from_bytes(file.read(4), "little"), path.stat().st_size
            return max(packed, said if said <= packed * _DEFLATE_MOST else 0)
    if head.startswith(b"PK\x03\x04"):
        try:
            with zipfile.ZipFile(path) as archive:
                said = sum(member.file_size for member in archive.infolist())
                return min(said, ReadBounds().unpacked_bytes)  # more is refused by the reader, with its own words
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            return 0  # the reader says what is wrong with it
    return 0


def _mb(size: int) -> str:
    return f"{-(-size // 2**20):,}"
