"""Where a principal's files lie in the data folder."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from tabulaflow_core.principal import Principal

_PLAIN: Final = re.compile(r"[a-z0-9]{1,32}")


def owner_folder(root: Path, principal: Principal) -> Path:
    """The folder of `principal` under `root`: its id where that is a plain name, else the id's hash.

    An id is opaque and may hold anything, such as `../`; the hash is marked with `h-` so that no id imitates it.
    """
    if _PLAIN.fullmatch(principal.id):
        return root / principal.id
    return root / f"h-{hashlib.sha256(principal.id.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}"
