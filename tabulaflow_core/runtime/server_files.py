"""Files of the server that a page may read where they lie: those in the folders that the administrator allows."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import SourceError
from tabulaflow_core.runtime.uploads import Upload, plain_name
from tabulaflow_core.store.database import own_places

#: The same for what is not there: this is no way to find out which files a server has.
_CLOSED: Final = (
    "There is no such file in the folders that the administrator has allowed (`TABULAFLOW_FILE_ROOTS`). "
    "Check the path, upload the file instead, or ask for its folder to be added."
)


def by_path(settings: Settings, path: Path) -> Upload:
    """A file to be read where it lies, its links followed.

    Raises:
        SourceError: It does not lie within the allowed folders, or is no file that can be read.
    """
    try:
        real = path.expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise SourceError(_CLOSED) from None
    see_open(settings, real)
    if not real.is_file():
        raise SourceError(f"{real.name[:80]!r} is no file. Give the path of one file.")
    try:
        return Upload(plain_name(real.name), "", real.stat().st_size, "", real)
    except OSError as error:
        raise SourceError(f"{real.name[:80]!r} cannot be read: {error.strerror or error}.") from error


def see_open(settings: Settings, real: Path) -> None:
    """See that a resolved path lies in a folder that pages may open, and is none of everybody's data.

    Raises:
        SourceError: It does not.
    """
    own = [place.expanduser().resolve() for place in own_places(settings)]
    roots = [root.expanduser().resolve() for root in settings.file_roots]
    if any(map(real.is_relative_to, own)) or not any(map(real.is_relative_to, roots)):
        raise SourceError(_CLOSED)
