"""The bytes of a file: unpacked when it is compressed, refused when they are no text."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from tabulaflow_core.errors import FileUnreadable

#: Unpacked bytes at most: a compressed file of a megabyte can hold a thousand times as much.
_MOST_UNPACKED = 8 * 1024**3
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"-----BEGIN PGP", "an encrypted message"),
    (b"Salted__", "an encrypted file"),
    (b"{\\rtf", "a text document (RTF)"),
    (b"OggS", "a sound file"),
    (b"ID3", "a sound file"),
)
_OFFICE = frozenset({".xlsx", ".xlsm", ".xlsb", ".ods", ".docx", ".pptx", ".numbers"})
_BLANKS = b" \t\r\n\x00,;|\"'\xef\xbb\xbf\xff\xfe"
_CONTROLS = bytes([*range(32), 127])
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}


@contextmanager
def unpacked(path: Path, folder: Path) -> Iterator[tuple[Path, str]]:
    """The file itself, or its content when it is compressed, and the name of that content.

    Raises:
        FileUnreadable: It is missing, empty, damaged, locked by a password, or too large.
    """
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except FileNotFoundError as error:
        raise FileUnreadable(f"There is no file {path.name} at that place. Check the path.") from error
    except IsADirectoryError as error:
        raise FileUnreadable(f"{path.name} is a folder, not a file. Name the file in it.") from error
    except PermissionError as error:
        raise FileUnreadable(
            f"{path.name} may not be read: permission denied. Give yourself the right to read it, or copy it."
        ) from error
    except OSError as error:
        raise FileUnreadable(
            f"{path.name} cannot be opened: {error.strerror or error}. Copy it to a folder of your own and try again."
        ) from error
    if not head:
        raise FileUnreadable(f"{path.name} is empty (0 bytes). Export it again, or choose another file.")
    kind = next((name for magic, name in _PACKED.items() if head.startswith(magic)), "")
    if head.startswith(b"PK\x03\x04") and path.suffix.lower() not in _OFFICE and not _is_office(path):
        kind = "zip"
    if not kind:
        yield path, path.name
        return
    target = folder / "unpacked"
    try:
        name = _unpack(path, kind, target)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise FileUnreadable(
            f"{path.name} is a damaged {kind} file and cannot be unpacked. Pack it again, or give the unpacked file."
        ) from error
    if not target.stat().st_size:
        raise FileUnreadable(f"{path.name} holds an empty file. Export it again, or choose another file.")
    yield target, name


def _is_office(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except zipfile.BadZipFile:
        return False
    return bool(names & {"[Content_Types].xml", "mimetype", "content.xml"})


def _unpack(path: Path, kind: str, target: Path) -> str:
    stem = path.name.rsplit(".", 1)[0] if path.suffix.lower() in (".gz", ".bz2", ".xz", ".zip") else path.name
    if kind == "zip":
        with zipfile.ZipFile(path) as archive:
            member = _only_member(path, archive)
            with archive.open(member) as inner:
                _copy(cast("BinaryIO", inner), target, path)
            return PurePosixPath(member.filename).name
    with ExitStack() as stack:
        if kind == "gzip":
            source = cast("BinaryIO", stack.enter_context(gzip.open(path, "rb")))
        elif kind == "bzip2":
            source = cast("BinaryIO", stack.enter_context(bz2.open(path, "rb")))
        else:
            source = cast("BinaryIO", stack.enter_context(lzma.open(path, "rb")))
        _copy(source, target, path)
    return stem


def _only_member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [
        m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/") and m.file_size
    ]
    if not members:
        raise FileUnreadable(f"{path.name} is an archive without any file that holds data. Choose another file.")
    if len(members) > 1:
        names = ", ".join(m.filename for m in members[:5])
        raise FileUnreadable(
            f"{path.name} holds {len(members)} files ({names}{', …' if len(members) > 5 else ''}). "
            "Unpack it and add the files one by one."
        )
    if members[0].flag_bits & 1:
        raise FileUnreadable(f"{path.name} is locked by a password. Unpack it yourself and add the file inside.")
    return members[0]


def _copy(source: BinaryIO, target: Path, path: Path) -> None:
    written = 0
    with target.open("wb") as out:
        while block := source.read(1 << 20):
            written += len(block)
            if written > _MOST_UNPACKED:
                raise FileUnreadable(f"{path.name} unpacks to more than 8 GB, which is too large to read.")
            shutil.copyfileobj(_Once(block), out)


class _Once:
    def __init__(self, block: bytes) -> None:
        self._block = block

    def read(self, _size: int = -1) -> bytes:
        block, self._block = self._block, b""
        return block


def refuse_binary(path: Path, name: str) -> None:
    """Refuse what is no text.

    Raises:
        FileUnreadable: With what the file is, as far as its first bytes tell.
    """
    with path.open("rb") as file:
        head = file.read(1 << 16)
    for magic, what in _MAGIC:
        if head.startswith(magic):
            raise FileUnreadable(f"{name} is {what}, not a table. Export the data as CSV and add that file.")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = max(len(head) // 2, 1)
    wide = (odd > half * 0.4 and even < half * 0.05) or (even > half * 0.4 and odd < half * 0.05)
    control = sum(head.count(bytes([b])) for b in (*range(1, 9), *range(14, 27), 28, 29, 30, 127))
    much = head.count(0) > max(2, len(head) // 500) or control > max(3, len(head) // 50)
    unprinted = not head.translate(None, _CONTROLS + _BLANKS) and head.translate(None, _BLANKS)
    if not wide and (much or unprinted):
        raise FileUnreadable(
            f"{name} holds binary data, not text: it may be encrypted, damaged, or of another kind than its name says. "
            "Export the data as CSV and add that file."
        )
    if not head.strip(_BLANKS):
        raise FileUnreadable(
            f"{name} holds no data, only blanks and separators. Export it again, or choose another file."
        )
