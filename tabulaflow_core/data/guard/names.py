"""Tables of names are written as plain text, so that they can be read, sorted and compared at a glance."""

from __future__ import annotations


def names(text: str) -> tuple[str, ...]:
    """The words of a text, in order."""
    return tuple(text.split())


def name_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())
