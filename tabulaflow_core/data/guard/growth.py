"""Calls that ask for an absurd amount of memory at once, which no time limit can stop.

What an argument comes to is not known here; that its literals alone, or their product, are too large is. Values that
come from columns are bounded by the engine's own limits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from tabulaflow_core.data.guard.lexer import Kind, Token
from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

MOST = 1_000_000
"""Characters, bytes or elements that one literal may ask for."""
_MOST_TOGETHER = 50_000_000
"""The same for the product of all literals inside, as of `repeat(repeat('x', 1000), 1000)`."""
_GROWERS = name_set(
    """
    array_fill array_resize bar bitstring list_resize lpad random_bytes randomblob repeat replicate rpad space zeroblob
    """
)
_FORMATTERS = {
    "sqlite": frozenset({"format", "printf"}),
    "duckdb": frozenset({"format", "printf"}),
    "postgres": frozenset({"format"}),
}
_WIDE = re.compile(r"%[^%A-Za-z]*\d{5}|\{[^{}]*\d{5}")
_REPEATED_CHARACTER = re.compile(r"%[^%A-Za-z]*\*[^%A-Za-z]*c")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def check_growth(tokens: Sequence[Token], dialect: str) -> None:
    """Raises `Refusal` if the literals of a call ask for more than a report can hold."""
    formatters = _FORMATTERS.get(dialect, frozenset())
    for i, token in enumerate(tokens[:-1]):
        if token.kind not in (Kind.WORD, Kind.QUOTED) or tokens[i + 1].text != "(":
            continue
        name = token.text.lower()
        if name in _GROWERS:
            check_amounts(name, [t.text for t in _inside(tokens, i + 1) if t.kind is Kind.NUMBER])
        elif name in formatters:
            _check_format(name, list(_inside(tokens, i + 1)))


def check_amounts(name: str, literals: Sequence[str]) -> None:
    """Raises `Refusal` if one of these numbers, or their product, is too large for the function `name`."""
    amounts = [_number(literal) for literal in literals]
    if max(amounts, default=0) > MOST or math.prod(a for a in amounts if a > 1) > _MOST_TOGETHER:
        raise Refusal(
            RefusalCode.TOO_LARGE,
            f"{name} is asked for more than {MOST:,} characters or elements at once; ask for less.",
        )


def _inside(tokens: Sequence[Token], at: int) -> Iterator[Token]:
    """The tokens between the parenthesis at `at` and the one that closes it."""
    depth = 0
    for token in tokens[at:]:
        if token.kind is Kind.OP:
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
            if depth == 0:
                return
        yield token


def _check_format(name: str, inside: list[Token]) -> None:
    texts = [token.text for token in inside if token.kind is Kind.STRING]
    if any(_WIDE.search(text) or _REPEATED_CHARACTER.search(text) for text in texts):
        raise Refusal(RefusalCode.TOO_LARGE, f"{name} is asked for a width that no report needs; use a smaller one.")
    if any("*" in text for text in texts):
        check_amounts(name, [token.text for token in inside if token.kind is Kind.NUMBER])


def _number(literal: str) -> float:
    text = literal.replace("_", "")
    try:
        return float(int(text, 0)) if text[:2].lower() in ("0x", "0o", "0b") else float(text)
    except (ValueError, OverflowError):
        return math.inf
