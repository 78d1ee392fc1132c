"""Row counts and sample values of tables: read within a bound of time, remembered, and read again by turns.

A catalogue tells names and types of ten thousand tables in a second; to look into each takes minutes. So each reading
of the schema looks into those tables that were never looked into, then into those whose turn was longest ago, until
its time is up; the others keep what is known of them.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

#: Seconds spent on the tables of a schema of the usual size at one reading, and of a larger one.
_SECONDS: Final = 1.5
_LARGE_SECONDS: Final = 0.4
#: Tables from which on a schema is large.
_LARGE: Final = 300
#: Tables remembered at most.
_REMEMBERED: Final = 5_000


@dataclass(frozen=True, slots=True)
class Profile:
    """What was seen in one table.

    Attributes:
        rows: Exact or estimated; None when unknown.
        samples: A few distinct values as text, by column.
        estimated: The rows were not counted.
    """

    rows: int | None = None
    samples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table that may be looked into.

    Attributes:
        key: Its name within the source.
        shape: Its columns and types; another shape makes what is remembered useless.
    """

    key: Hashable
    shape: Hashable


class Profiles:
    """What is remembered of the tables of one source. For one thread or task at a time."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, tuple[Hashable, Profile]] = {}  # those seen longest ago first

    def due(self, tables: Iterable[Candidate]) -> Iterator[Candidate]:
        """The tables to look into now, until the time is up; each must be followed by `remember`."""
        ages = {key: age for age, key in enumerate(self._seen)}
        waiting = sorted(tables, key=lambda table: ages.get(table.key, -1))
        allowed = {table.key for table in waiting}
        for key in [key for key in self._seen if key not in allowed]:
            del self._seen[key]  # it is gone, or it is too large by now
        deadline = time.monotonic() + (_LARGE_SECONDS if len(waiting) > _LARGE else _SECONDS)
        for table in waiting:
            if time.monotonic() >= deadline:
                return
            yield table

    def remember(self, table: Candidate, profile: Profile) -> None:
        """Keep what was seen in `table`."""
        self._seen.pop(table.key, None)
        self._seen[table.key] = (table.shape, profile)
        while len(self._seen) > _REMEMBERED:
            del self._seen[next(iter(self._seen))]

    def of(self, table: Candidate) -> Profile | None:
        """What is known of `table`; None when nothing is, or when its columns are others by now."""
        shape, profile = self._seen.get(table.key, (None, None))
        return profile if shape == table.shape else None
