"""The zip under a workbook: its parts by name, unpacked in blocks and never past the bounds."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from concurrent.futures import Future, wait
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from tabulaflow_core.data.executor import run_beside
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileUnreadable

#: Bytes that are unpacked at a time.
BLOCK = 1 << 19
#: Below this a part may be as compressible as it likes.
SMALL = 10 * 1024**2

DAMAGED = "This workbook is damaged. Open it in the program that made it, save it again, and add it once more."
ENCRYPTED = "This workbook is protected by a password. Save it without one, and add it again."


class _Part:
    """An open part of the zip."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._next: Future[bytes] | None = None

    def blocks(self, *, ahead: bool) -> Iterator[bytes]:
        """Its bytes; with `ahead` the next block is unpacked beside while the last one is looked at."""
        while block := self._next.result() if self._next else self._file.read(BLOCK):
            self._next = run_beside(self._read) if ahead else None
            yield block

    def _read(self) -> bytes:
        return self._file.read(BLOCK)

    def close(self) -> None:
        """Close it, once nothing reads it any more."""
        if self._next:
            wait([self._next])
        self._file.close()


class Package:
    """An opened zip.

    Attributes:
        done: Bytes unpacked so far.
        total: Bytes that progress is told against; set by whoever knows which parts it will read.

    Raises:
        FileUnreadable: It is larger than the bounds allow.
        zipfile.BadZipFile: It is no sound zip.
    """

    def __init__(self, path: Path, *, watch: Watch) -> None:
        self._watch = watch
        self._zip = zipfile.ZipFile(path)
        self._unclear: set[str] = set()
        self._open: list[_Part] = []
        self.done = 0
        self.total = 0
        try:
            self._members = self._index(path.stat().st_size)
        except BaseException:
            self._zip.close()
            raise

    def _index(self, size: int) -> dict[str, zipfile.ZipInfo]:
        bounds = self._watch.bounds
        infos = self._zip.infolist()
        unpacked = sum(info.file_size for info in infos)
        if len(infos) > 20 * bounds.members:
            raise FileUnreadable(
                f"This workbook holds {len(infos):,} parts, more than a workbook has. It was not opened."
            )
        if unpacked > bounds.unpacked_bytes or (unpacked > SMALL and unpacked > bounds.unpacked_ratio * size):
            raise _too_large(unpacked)
        members: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            name = _key(info.filename)
            other = members.setdefault(name, info)
            if (other.CRC, other.file_size) != (info.CRC, info.file_size):
                self._unclear.add(name)
        return members

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for part in self._open:  # a reader that gave up half-way has left its part open
            part.close()
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._members

    def names(self) -> list[str]:
        """The names of all parts, in lower case."""
        return list(self._members)

    def size(self, name: str) -> int:
        """Bytes of a part as its entry says, 0 when there is no such part."""
        info = self._members.get(_key(name))
        return info.file_size if info else 0

    def blocks(self, name: str) -> Iterator[bytes]:
        """A part's bytes, nothing when there is no such part.

        Raises:
            FileUnreadable: It is encrypted, stands twice and differs, or unpacks to more than the bounds allow.
            FileReadingStopped: Somebody stopped the reading.
        """
        info = self._members.get(_key(name))
        if info is None:
            return
        if _key(name) in self._unclear:
            raise FileUnreadable(
                f"This workbook holds the part {info.filename} twice, so its content is not certain. Save it again."
            )
        if info.flag_bits & 1:
            raise FileUnreadable(ENCRYPTED)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileUnreadable(DAMAGED, detail=f"compression {info.compress_type}")  # no workbook has another
        bounds, unpacked = self._watch.bounds, 0
        part = _Part(self._zip.open(info))
        self._open.append(part)
        try:
            for block in part.blocks(ahead=info.file_size > BLOCK):
                unpacked += len(block)
                self.done += len(block)
                dense = unpacked > SMALL and unpacked > bounds.unpacked_ratio * max(info.compress_size, 1)
                if dense or unpacked > bounds.unpacked_bytes:
                    raise _too_large(unpacked)
                self._watch.advance("reading", min(self.done, self.total), self.total)
                yield block
        finally:
            part.close()
            self._open.remove(part)


def _key(name: str) -> str:
    """Part names do not differ by case, and some writers use the other slash (ECMA-376 part 2, 6.2.2)."""
    return name.replace("\\", "/").lstrip("/").lower()


def _too_large(unpacked: int) -> FileUnreadable:
    return FileUnreadable(
        f"This workbook unpacks to {unpacked / 1024**2:,.0f} MB or more, far beyond its own size or the allowed "
        "amount, so it was not opened. Save the sheet that you need as CSV, and add that file."
    )
