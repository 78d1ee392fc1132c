"""The documented examples: small programs to read, run and copy."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Example:
    """One example.

    Attributes:
        module: The module with `run_async(console, *, model)`.
    """

    name: str
    what: str
    module: str


_ALL: Final = (
    Example(
        "chat-sessions",
        "two turns over a DataFrame: a question and a follow-up",
        "tabulaflow_core.cli.examples.chat_sessions",
    ),
)
#: By name.
EXAMPLES: Final = MappingProxyType({example.name: example for example in _ALL})
