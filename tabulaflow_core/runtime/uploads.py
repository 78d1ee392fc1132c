"""The folders of uploaded files: copying in, and deleting what nothing refers to."""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias
from uuid import uuid4

from tabulaflow_core.data.files.watch import Watch

#: The name of a file and where its bytes are.
Given: TypeAlias = tuple[str, Path | str | BinaryIO]

#: A replaced version may still be asked by a running turn, here or in another process; none runs this long.
_GRACE_SECONDS: Final = 3600.0
_BLOCK: Final = 1 << 20
_LARGE_BLOCK: Final = 1 << 24


def plain_name(name: str) -> str:
    """The last part of a path as a file name: no separators, no control characters, short enough for any disk."""
    last = re.split(r"[/\\]", name)[-1]
    clean = re.sub(r"[\x00-\x1f\x7f]", "", last).strip().lstrip(".") or "file"
    stem, dot, suffix = clean.rpartition(".")
    while len(clean.encode("utf-8", "replace")) > 200:
        stem = stem[:-1] if dot else ""
        clean = f"{stem}.{suffix}" if dot and stem else clean[:-1]
    return clean.encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True)
class Upload:
    """Bytes that arrived and are not yet anything.

    Attributes:
        sha256: Empty for a file that was not looked at yet.
        copy: The name of the folder of their copy; empty for a file that is read where it lies.
        path: Where they are.
    """

    name: str
    sha256: str
    size: int
    copy: str
    path: Path


class TooLarge(Exception):
    """The file is larger than one upload may be."""


def copy_in(source: Path | BinaryIO, folder: Path, name: str, *, most: int) -> Upload:
    """Copy `source` in blocks to a folder of its own under `folder`.

    Args:
        source: A path, or a binary file at any position; it is read from its beginning where it can seek.
        most: Bytes a file may have.

    Raises:
        TooLarge: It has more.
        OSError: It cannot be read, or the disk is full.
    """
    token = uuid4().hex
    home = folder / token
    home.mkdir(mode=0o700, parents=True)
    digest, size = hashlib.sha256(), 0
    try:
        with ExitStack() as stack:
            file = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
            if not isinstance(source, Path) and file.seekable():
                file.seek(0)
            target = stack.enter_context((home / name).open("xb"))
            while block := file.read(_BLOCK):
                digest.update(block)
                size += len(block)
                if size > most:
                    raise TooLarge
                target.write(block)
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise
    return Upload(name, digest.hexdigest(), size, token, home / name)


def hash_of(path: Path, watch: Watch) -> str:
    """The SHA-256 of a file that is not copied.

    Raises:
        FileReadingStopped: The watch was stopped.
        OSError: It cannot be read.
    """
    digest, done, size = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as file:
        while block := file.read(_LARGE_BLOCK):
            digest.update(block)
            done += len(block)
            watch.advance("looking at the file", done, size)
    return digest.hexdigest()


def size_of(source: Path | BinaryIO) -> int:
    """Bytes of a path or of an open file, as far as they are known before it is read; 0 otherwise.

    Raises:
        OSError: There is no such file.
    """
    if isinstance(source, Path):
        return source.stat().st_size
    return source.seek(0, 2) if source.seekable() else 0


def unlink(paths: Iterable[Path]) -> None:
    """Delete files that may be gone already, and their folders where those are empty then."""
    for path in paths:
        path.unlink(missing_ok=True)
        _drop_empty(path.parent)


def delete_old(folder: Path, files: set[Path], folders: Iterable[Path] = ()) -> None:
    """Delete what lies two levels below `folder`, is not kept, and has not changed for an hour.

    So does what a killed process leaves: copies that nothing refers to, and the workshops of readings.

    Args:
        files: Kept files.
        folders: Folders of which everything is kept.
    """
    if not folder.is_dir():
        return
    deadline = time.time() - _GRACE_SECONDS
    whole = set(folders)
    for path in folder.glob("*/*"):
        if path in files or path.parent in whole:
            continue
        try:
            if path.is_dir():
                if path.name.startswith(".") and _newest(path) < deadline:
                    shutil.rmtree(path, ignore_errors=True)
            elif path.lstat().st_mtime < deadline:
                path.unlink(missing_ok=True)
                _drop_empty(path.parent)
        except FileNotFoundError:  # another process sweeps too
            continue


def _newest(folder: Path) -> float:
    return max(path.lstat().st_mtime for path in (folder, *folder.rglob("*")))


def _drop_empty(folder: Path) -> None:
    if folder.name != "tables":
        try:
            folder.rmdir()
        except OSError:  # not empty, or gone
            return
