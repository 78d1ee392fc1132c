"""What is known of stored tables: nobody writes them again, so what was seen in one once stays right.

A new file means a new instance with all files attached, since a locked one takes no more. To attach a file costs
milliseconds; to look into its values for samples costs many times that, and is done once for each table only.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tabulaflow_core.data.engines.duckdb import DuckDBAdapter
from tabulaflow_core.data.files.known import Known
from tabulaflow_core.data.profile import Candidate, Profile, Profiles

#: Seconds spent on tables that were never looked into, at one reading of the schema.
_SECONDS: Final = 1.5

#: A stored database and a table of it.
StoredTable = tuple[Path, str]


class StoredProfiles(Profiles):
    """Profiles of the tables of one opening, kept in a `Known` under what they are stored as.

    Args:
        stored: The stored table by the place at which this opening shows it.
    """

    def __init__(self, stored: Mapping[Hashable, StoredTable], known: Known) -> None:
        super().__init__()
        self._stored = stored
        self._known = known

    def due(self, tables: Iterable[Candidate]) -> Iterator[Candidate]:
        """The tables that were never looked into, until the time is up."""
        deadline = time.monotonic() + _SECONDS
        for table in tables:
            if time.monotonic() >= deadline:
                return
            if self.of(table) is None:
                yield table

    def remember(self, table: Candidate, profile: Profile) -> None:
        """Keep what was seen in `table`."""
        self._known.remember(self._key(table), profile)

    def of(self, table: Candidate) -> Profile | None:
        """What is known of `table`."""
        return self._known.of(self._key(table))

    def _key(self, table: Candidate) -> Hashable:
        return self._stored.get(table.key, table.key), table.shape


class StoredFiles(DuckDBAdapter):
    """Stored databases behind one locked instance.

    Args:
        databases: Files by the alias under which they are attached.
        tables: The tables to show, by name: the alias and the name in its file.
        known: What earlier openings saw in them.
    """

    def __init__(self, databases: Mapping[str, Path], *, tables: Mapping[str, tuple[str, str]], known: Known) -> None:
        renamed = {name: place for name, place in tables.items() if name != place[1]}
        super().__init__(databases, names=renamed, kind="file")
        stored: dict[Hashable, StoredTable] = {}
        for name, (alias, table) in tables.items():
            place = ("memory", "main", name) if name in renamed else (alias, "main", table)
            stored[place] = (databases[alias], table)
        self._profiles = StoredProfiles(stored, known)
