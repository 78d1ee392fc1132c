"""Compressed files: told by their first bytes, unpacked to one file."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from pathlib import Path
from typing import BinaryIO, Final, Literal, cast

from tabulaflow_core.data.files.containers.budget import Budget, Source
from tabulaflow_core.errors import FileUnreadable

Codec = Literal["gzip", "bzip2", "xz", "Zstandard", "LZ4"]

#: RFC 1952, the bzip2 and xz formats, RFC 8878 (also a frame to skip), the LZ4 frame format.
_MAGIC: Final[tuple[tuple[bytes, Codec], ...]] = (
    (b"\x1f\x8b\x08", "gzip"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"\x04\x22\x4d\x18", "LZ4"),
)
_BZIP2_BLOCKS: Final = (b"1AY&SY", b"\x17rE8P\x90")
_SKIPPED_FRAME: Final = b"\x2a\x4d\x18"
#: Suffix of a compressed file, and what stands in its place once it is unpacked.
SUFFIXES: Final = {
    ".gz": "", ".gzip": "", ".bz2": "", ".bz": "", ".xz": "", ".lzma": "", ".zst": "", ".zstd": "", ".lz4": "",
    ".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar", ".tzst": ".tar",
}  # fmt: skip


def without_suffix(name: str) -> str:
    """The name of the unpacked file.

    >>> without_suffix("a.csv.gz"), without_suffix("b.tgz")
    ('a.csv', 'b.tar')
    """
    stem, dot, suffix = name.rpartition(".")
    inner = SUFFIXES.get(f".{suffix.lower()}") if dot and stem else None
    return name if inner is None else stem + inner


def stem(name: str) -> str:
    """The name of a file without its suffixes: those of packing, then one more.

    >>> stem("sales.2026.csv.gz")
    'sales.2026'
    """
    while (inner := without_suffix(name)) != name:
        name = inner
    for suffix in (".zip", ".tar"):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            name = name[: -len(suffix)]
    return name.rsplit(".", 1)[0] or name


def codec_of(path: Path, name: str) -> Codec | None:
    """How the file is compressed, None when it is not.

    Raises:
        FileUnreadable: By an old way that is not known here.
    """
    with path.open("rb") as file:
        head = file.read(16)
    for magic, codec in _MAGIC:
        if head.startswith(magic):
            return codec
    if head.startswith(b"BZh") and head[3:4] in b"123456789" and head[4:10] in _BZIP2_BLOCKS:
        return "bzip2"
    if head[1:4] == _SKIPPED_FRAME and 0x50 <= head[0] <= 0x5F:
        return "LZ4" if name.lower().endswith(".lz4") else "Zstandard"
    if head.startswith(b"\x5d\x00\x00") and name.lower().endswith(".lzma"):
        return "xz"
    if head.startswith((b"\x1f\x9d", b"\x1f\xa0", b"\x1f\x1e")):
        raise FileUnreadable(f"{name} is compressed by an old way (compress or pack). Unpack it and add the file.")
    return None


def unpack(path: Path, name: str, codec: Codec, folder: Path, budget: Budget) -> tuple[Path, str]:
    """Unpack to a new file of the folder; that file and the name of what it holds.

    Raises:
        FileReadingStopped: Somebody stopped it.
        FileUnreadable: It is damaged, holds nothing, or holds too much.
    """
    import pyarrow as pa

    size = path.stat().st_size
    try:
        with path.open("rb") as raw:
            target = budget.copy(_stream(raw, codec), folder, size, total=size, at=raw.tell)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, pa.ArrowException) as error:
        if isinstance(error, FileUnreadable):
            raise
        early = isinstance(error, EOFError) or "truncated" in str(error).lower()
        what = "ends too early" if early else "cannot be unpacked"
        raise FileUnreadable(
            f"{name} is a damaged {codec} file that {what}. Copy or pack it again, or give the unpacked file."
        ) from error
    if not target.stat().st_size:
        target.unlink()
        raise FileUnreadable(f"{name} holds an empty file. Export it again, or choose another file.")
    return target, without_suffix(name)


def _stream(raw: BinaryIO, codec: Codec) -> Source:
    import pyarrow as pa

    if codec == "gzip":
        return cast("Source", gzip.GzipFile(fileobj=raw))
    if codec == "bzip2":
        return cast("Source", bz2.BZ2File(raw))
    if codec == "xz":
        return cast("Source", lzma.LZMAFile(raw))
    named = "zstd" if codec == "Zstandard" else "lz4"
    return cast("Source", pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), named))
