"""Numbers of things in sentences for a person."""

from __future__ import annotations


def counted(number: int, thing: str, several: str = "") -> str:
    """`1 row`, `1,200 rows`.

    Args:
        several: The plural, where it does not only end in an s.
    """
    return f"{number:,} {thing if number == 1 else several or f'{thing}s'}"


def agreed(number: int, one: str, several: str) -> str:
    """The word that agrees with the number: `is` or `are`, `it` or `they`."""
    return one if number == 1 else several
