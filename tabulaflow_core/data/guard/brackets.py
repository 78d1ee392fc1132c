"""The brackets of a statement as a tree, with the names that stand before them; nothing is parsed further."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tabulaflow_core.data.guard.lexer import Kind, Token

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


@dataclass(slots=True)
class Bracket:
    """What stands in one pair of brackets.

    Attributes:
        opening: `(`, `[` or `{`; empty for the whole statement.
        name: The word before `(`, lower case; empty where none stands.
        after_dot: Whether a dot stands before the name, as in `x.repeat(3)` and `main.repeat('x', 3)`.
        parts: The tokens and brackets between the commas.
    """

    opening: str
    name: str = ""
    after_dot: bool = False
    parts: list[list[Token | Bracket]] = field(default_factory=lambda: [[]])

    def items(self) -> Iterator[Token | Bracket]:
        """The tokens and brackets directly inside, without the commas."""
        for part in self.parts:
            yield from part


def brackets(tokens: Sequence[Token]) -> Bracket:
    """The tree; a bracket that is never closed ends with the statement."""
    whole = Bracket("")
    opened = [whole]
    for i, token in enumerate(tokens):
        inside = opened[-1]
        if token.kind is not Kind.OP or token.text not in "([{)]},":
            inside.parts[-1].append(token)
        elif token.text in _OPENING:
            before = tokens[i - 1] if i and token.text == "(" else None
            named = before is not None and before.kind in (Kind.WORD, Kind.QUOTED)
            after_dot = named and i > 1 and tokens[i - 2].text == "."
            bracket = Bracket(token.text, before.text.lower() if before and named else "", after_dot)
            inside.parts[-1].append(bracket)
            opened.append(bracket)
        elif token.text in _CLOSING:
            if len(opened) > 1:
                opened.pop()
        else:
            inside.parts.append([])
    return whole


def tokens_in(items: Sequence[Token | Bracket]) -> Iterator[Token]:
    """All tokens of a part, at any depth, without brackets and commas."""
    for item in items:
        if isinstance(item, Bracket):
            yield from tokens_in(list(item.items()))
        else:
            yield item
