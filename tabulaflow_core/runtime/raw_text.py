"""Lines of an uploaded file as they stand in it."""

from __future__ import annotations

import codecs
import lzma
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import pyarrow as pa

from tabulaflow_core.errors import NotFound, SourceError

#: Lines shown at once, and the characters of one.
MOST_LINES: Final = 1_000
_MOST_CHARACTERS: Final = 10_000
#: Bytes of one line that are kept while it is looked at; a file may be one line of a gigabyte.
_MOST_BYTES: Final = 4 * _MOST_CHARACTERS
_BLOCK: Final = 1 << 16
_PACKED: Final[tuple[tuple[bytes, str], ...]] = ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\x28\xb5\x2f\xfd", "zstd"))
_BINARY: Final[tuple[tuple[bytes, str], ...]] = (
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\xd0\xcf\x11\xe0", "a workbook"),
    (b"SQLite format 3\0", "a database"),
)
_OFFICE: Final = frozenset({"[Content_Types].xml", "mimetype", "content.xml"})


def raw_lines(
    path: Path, *, encoding: str = "", part: str = "", start: int = 1, count: int = 50
) -> tuple[tuple[int, str], ...]:
    """Lines `start` and on, each with its number. Line ends are `\\n`, `\\r\\n` or `\\r`; quoted ones count too.

    Args:
        encoding: The codec in force; empty for UTF-8. What it cannot read is shown as U+FFFD.
        part: The member of an archive; empty for its only one.
        start: From 1.
        count: `MOST_LINES` at most.

    Raises:
        NotFound: The archive has no such member, or the file is not there.
        SourceError: It has no lines to be shown, or cannot be read.
    """
    count = max(0, min(count, MOST_LINES))
    start = max(1, start)
    out: list[tuple[int, str]] = []
    try:
        with _opened(path, part) as file:
            for number, line in enumerate(_lines(file, encoding or "utf-8"), 1):
                if number >= start + count:
                    break
                if number >= start:
                    out.append((number, line))
    except FileNotFoundError:
        raise NotFound(f"The original of {path.name} is not there any more.") from None
    except (OSError, EOFError, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise SourceError(f"The lines of {path.name} cannot be shown: it is damaged or locked.") from error
    return tuple(out)


@contextmanager
def _opened(path: Path, part: str) -> Iterator[BinaryIO]:
    with ExitStack() as stack:
        file = stack.enter_context(path.open("rb"))
        head = file.read(16)
        file.seek(0)
        if what := next((what for magic, what in _BINARY if head.startswith(magic)), ""):
            raise SourceError(f"{path.name} is {what}, which has no lines of text. Download it to look into it.")
        if head.startswith(b"PK\x03\x04"):
            yield _member(stack, path, part)
        elif head.startswith(b"\xfd7zXZ"):
            yield cast("BinaryIO", stack.enter_context(lzma.open(file)))
        elif kind := next((kind for magic, kind in _PACKED if head.startswith(magic)), ""):
            yield cast(
                "BinaryIO", stack.enter_context(pa.CompressedInputStream(pa.PythonFile(file), cast("Any", kind)))
            )
        else:
            yield file


def _member(stack: ExitStack, path: Path, part: str) -> BinaryIO:
    archive = stack.enter_context(zipfile.ZipFile(path))
    names = [member.filename for member in archive.infolist() if not member.is_dir()]
    if _OFFICE & set(names):
        raise SourceError(f"{path.name} is a workbook, which has no lines of text. Download it to look into it.")
    data = [name for name in names if not name.startswith("__MACOSX/")]
    wanted = part or (data[0] if data else "")
    found = next((n for n in data if n == wanted), None) or next((n for n in data if n.endswith(f"/{wanted}")), None)
    if found is None:
        raise NotFound(f"{path.name} has no file {part[:80]!r} in it.")
    return cast("BinaryIO", stack.enter_context(archive.open(found)))


def _lines(file: BinaryIO, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    line, kept = "", 0
    after_return = False
    first = True
    while True:
        block = file.read(_BLOCK)
        text = decoder.decode(bytes(block), final=not block)
        if first and text:
            text, first = text.removeprefix("\ufeff"), False
        if "\0" in text:
            raise SourceError("The file holds binary data, which has no lines of text. Download it to look into it.")
        if after_return and text.startswith("\n"):
            text = text[1:]
        if text:
            after_return = text.endswith("\r")
        pieces = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for piece in pieces[:-1]:
            yield _shown(line + piece, kept + len(piece))
            line, kept = "", 0
        kept += len(pieces[-1])
        line = (line + pieces[-1])[:_MOST_BYTES]
        if not block:
            break
    if line:
        yield _shown(line, kept)


def _shown(line: str, length: int) -> str:
    if length <= _MOST_CHARACTERS:
        return line
    return f"{line[:_MOST_CHARACTERS]} … ({length - _MOST_CHARACTERS:,} more characters)"
