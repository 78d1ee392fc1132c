"""Who is asking. Every store, result and cache function takes a `Principal`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Principal:
    """The owner of a source, a result or a conversation.

    Attributes:
        id: Stable and opaque; the key under which everything is owned.
        name: For display only.
        groups: Names of the groups that things are shared with; who one is does not depend on them.
    """

    id: str
    name: str = ""
    groups: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("a principal needs an id")


#: The one user of an installation without login.
LOCAL_USER: Final = Principal("local", "You")
