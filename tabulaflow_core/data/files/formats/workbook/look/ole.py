"""The compound file under XLS and under encrypted workbooks: its streams by name, within bounds.

Source: MS-CFB 2.1 to 2.6.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tabulaflow_core.data.files.formats.workbook.look.package import DAMAGED
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileUnreadable

OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: Above these a sector number is no sector: free, end of chain, part of the table itself.
_LAST_SECTOR = 0xFFFFFFFA
_MOST_ENTRIES = 100_000
#: Bytes of all small streams together, none of which is of interest beyond the first few.
_MOST_SMALL = 16 * 1024**2


class OleFile:
    """A compound file that is open for reading.

    Attributes:
        has_macros: Whether it has a folder of macros.

    Raises:
        FileUnreadable: It is not one, or its tables contradict themselves.
    """

    def __init__(self, file: BinaryIO, *, watch: Watch) -> None:
        self._file, self._watch = file, watch
        self._size = file.seek(0, 2)
        file.seek(0)
        header = file.read(512)
        if len(header) < 512 or not header.startswith(OLE_MAGIC):
            raise FileUnreadable(DAMAGED)
        shift, small_shift = struct.unpack_from("<HH", header, 30)
        if shift not in (9, 12) or small_shift != 6:
            raise FileUnreadable(DAMAGED, detail=f"sector shift {shift}, {small_shift}")
        self._sector = 1 << shift
        tables, directory, _, _, small_table, _, more, more_count = struct.unpack_from("<IIIIIIII", header, 44)
        sectors = list(struct.unpack_from("<109I", header, 76))
        # no more tables than it takes to describe the whole file, whatever the header says
        tables = min(tables, self._size // (self._sector * self._sector // 4) + 1)
        for _ in range(min(more_count, tables)):
            if more >= _LAST_SECTOR:
                break
            numbers = struct.unpack(f"<{self._sector // 4}I", self._read_sector(more))
            sectors += numbers[:-1]
            more = numbers[-1]
        table = b"".join(self._read_sector(s) for s in sectors[: min(tables, len(sectors))] if s < _LAST_SECTOR)
        self._table = memoryview(table).cast("I")
        entries = b"".join(self._chain(directory, self._table, _MOST_ENTRIES * 128))
        self.has_macros = False
        self._streams: dict[str, tuple[int, int]] = {}
        root = (0xFFFFFFFF, 0)
        for at in range(0, len(entries) - 127, 128):
            length, kind = struct.unpack_from("<HB", entries, at + 64)
            start, size = struct.unpack_from("<IQ", entries, at + 116)
            size = size & 0xFFFFFFFF if shift == 9 else size
            name = entries[at : at + max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
            if kind == 5:
                root = (start, size)
            elif kind == 1:
                self.has_macros |= name.lower() == "_vba_project_cur"
            elif kind == 2:
                self._streams.setdefault(name.lower(), (start, size))
        small = b"".join(self._chain(small_table, self._table, _MOST_SMALL // 16))
        self._small_table = memoryview(small).cast("I")
        self._small = b"".join(self._chain(root[0], self._table, min(root[1], _MOST_SMALL)))

    def _read_sector(self, number: int) -> bytes:
        self._file.seek((number + 1) * self._sector)
        data = self._file.read(self._sector)
        if len(data) < self._sector:
            if not data:
                raise FileUnreadable(DAMAGED, detail=f"sector {number} lies behind the end of the file")
            data += bytes(self._sector - len(data))
        return data

    def _chain(self, sector: int, table: memoryview[int], size: int) -> Iterator[bytes]:
        """The sectors of a stream, up to `size` bytes."""
        steps = 0
        while sector < _LAST_SECTOR and size > 0:
            steps += 1
            if sector >= len(table) or steps > len(table):
                raise FileUnreadable(DAMAGED, detail="a chain of sectors runs in a circle or out of the file")
            yield self._read_sector(sector)[:size]
            size -= self._sector
            sector = table[sector]

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._streams

    def blocks(self, name: str) -> Iterator[bytes]:
        """The bytes of a stream, nothing when there is none of that name.

        Raises:
            FileUnreadable: Its chain is broken.
            FileReadingStopped: Somebody stopped the reading.
        """
        start, size = self._streams.get(name.lower(), (0xFFFFFFFF, 0))
        if size >= 4096:  # MS-CFB 2.2: smaller streams lie in the small one of the root
            for i, block in enumerate(self._chain(start, self._table, size)):
                if i % 256 == 0:
                    self._watch.advance("reading", min(i * self._sector, size), size)
                yield block
            return
        steps = 0
        while start < _LAST_SECTOR and size > 0:
            steps += 1
            if start >= len(self._small_table) or steps > 64:
                raise FileUnreadable(DAMAGED, detail="a chain of small sectors is broken")
            yield self._small[start * 64 : start * 64 + 64][:size]
            size -= 64
            start = self._small_table[start]


def is_ole(path: Path) -> bool:
    """Whether the file is a compound file."""
    with path.open("rb") as file:
        return file.read(8) == OLE_MAGIC


def is_encrypted(path: Path, *, watch: Watch) -> bool:
    """Whether a compound file holds an encrypted workbook (MS-OFFCRYPTO 2.3.4.4)."""
    with path.open("rb") as file:
        return "EncryptedPackage" in OleFile(file, watch=watch)
