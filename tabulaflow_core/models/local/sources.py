"""What the two sources of weights have in common: one growing file, and the ways a transfer can fail."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tabulaflow_core.errors import LocalModelError
from tabulaflow_core.models.local.progress import Meter
from tabulaflow_core.models.local.weights import LocalWeights


class SourceFailed(LocalModelError):
    """This source cannot give the file; the next one may."""


@dataclass(slots=True)
class Transfer:
    """One pull of one file.

    Both sources give the same bytes in the same order, so what one of them left in `part` serves the other.

    Attributes:
        part: The file as far as it has come in.
    """

    weights: LocalWeights
    part: Path
    meter: Meter

    def have(self) -> int:
        """Bytes that are there."""
        try:
            return self.part.stat().st_size
        except FileNotFoundError:
            return 0

    def cut(self, length: int) -> None:
        """Keep the first `length` bytes only."""
        if self.have() > length:
            os.truncate(self.part, length)


def require_space(folder: Path, needed: int) -> None:
    """Look for free disk space before bytes are fetched.

    Raises:
        LocalModelError: Fewer than `needed` bytes are free.
    """
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise LocalModelError(
            f"The embedded model needs {needed / 1e9:.1f} GB more in {folder}, where {free / 1e9:.1f} GB are free. "
            "Make room, or set TABULAFLOW_CACHE_DIR to a folder on a larger disk."
        )


def disk_error(error: OSError, folder: Path) -> LocalModelError:
    """The sentence for a file that could not be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        text = "The disk is full. Make room, or set TABULAFLOW_CACHE_DIR to a folder on a larger disk, and start again."
    else:
        text = f"{folder} cannot be written. Set TABULAFLOW_CACHE_DIR to a folder that can."
    return LocalModelError(text, detail=repr(error))
