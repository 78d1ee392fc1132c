"""What was seen in stored tables, kept from one opening to the next."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from tabulaflow_core.data.profile import Profile

#: Tables remembered at most.
_REMEMBERED: Final = 5_000


class Known:
    """What was seen in stored tables, by each opening for the next ones. For one thread or task at a time."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, Profile] = {}

    def of(self, key: Hashable) -> Profile | None:
        """What was seen; None when it was never looked into."""
        return self._seen.get(key)

    def remember(self, key: Hashable, profile: Profile) -> None:
        """Keep what was seen."""
        self._seen[key] = profile
        while len(self._seen) > _REMEMBERED:
            self._seen.pop(next(iter(self._seen)), None)
