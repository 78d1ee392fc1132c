"""The folders of uploaded files: copying in, and deleting what nothing refers to."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

#: A replaced version may still be asked by a running turn, here or in another process; none runs this long.
_GRACE_SECONDS: Final = 3600.0
_BLOCK: Final = 1 << 20


def plain_name(name: str) -> str:
    """The last part of a path as a file name: no separators, no control characters, short enough for any disk."""
    last = re.split(r"[/\\]", name)[-1]
    clean = re.sub(r"[\x00-\x1f\x7f]", "", last).strip().lstrip(".") or "file"
    stem, dot, suffix = clean.rpartition(".")
    while len(clean.encode("utf-8", "replace")) > 200:
        stem = stem[:-1] if dot else ""
        clean = f"{stem}.{suffix}" if dot and stem else clean[:-1]
    return clean.encode("utf-8", "replace").decode()


class TooLarge(Exception):
    """The file is larger than one upload may be."""


def copy_in(source: Path, folder: Path, name: str, *, most: int) -> tuple[str, int]:
    """Copy `source` to the folder of its hash; the hash and the size come back.

    Args:
        most: Bytes a file may have.

    Raises:
        TooLarge: It has more.
        OSError: It cannot be read, or the disk is full.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=folder)
    digest, size = hashlib.sha256(), 0
    try:
        with os.fdopen(descriptor, "wb") as target, source.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
                size += len(block)
                if size > most:
                    raise TooLarge
                target.write(block)
        home = folder / digest.hexdigest()[:32]
        home.mkdir(mode=0o700, exist_ok=True)
        os.replace(draft, home / name)
    except BaseException:
        os.unlink(draft)
        raise
    return digest.hexdigest(), size


def unlink(paths: Iterable[Path]) -> None:
    """Delete files that may be gone already."""
    for path in paths:
        path.unlink(missing_ok=True)


def delete_old(folder: Path, kept: set[Path]) -> None:
    """Delete the files two levels below `folder` that are not `kept` and have been there for an hour."""
    if not folder.is_dir():
        return
    deadline = time.time() - _GRACE_SECONDS
    for path in folder.glob("*/*"):
        if path not in kept and path.is_file() and path.stat().st_mtime < deadline:
            path.unlink(missing_ok=True)
