"""Reads the words of a statement one by one, for the small grammars of statements that only tell."""

from __future__ import annotations

from dataclasses import dataclass

from tabulaflow_core.data.guard.lexer import Kind, Token
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode


@dataclass(frozen=True, slots=True)
class Rest:
    """A head that is followed by a query.

    Attributes:
        kind: What the whole statement is.
        at: The index of the query's first token; equal to the number of tokens when nothing follows.
        condition: Whether what follows is the condition of a WHERE and not a query.
    """

    kind: str
    at: int
    condition: bool = False


class Reader:
    """Walks over the tokens of a head."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    @property
    def done(self) -> bool:
        """Whether all tokens are read."""
        return self.at >= len(self.tokens)

    def peek(self) -> str:
        """The next word or sign, lower case; empty for a literal, a quoted name and at the end."""
        token = self.tokens[self.at] if not self.done else None
        return token.text.lower() if token and token.kind in (Kind.WORD, Kind.OP) else ""

    def take(self, *words: str) -> bool:
        """Steps over one of these words if it comes next."""
        if self.peek() in words:
            self.at += 1
            return True
        return False

    def name(self) -> tuple[str, ...]:
        """Reads `a`, `a.b` or `a.b.c`; raises `Refusal` where no name stands."""
        parts: list[str] = []
        while not self.done and self.tokens[self.at].kind in (Kind.WORD, Kind.QUOTED):
            parts.append(self.tokens[self.at].text)
            self.at += 1
            if not self.take("."):
                return tuple(parts)
        raise self.unexpected()

    def literal(self) -> bool:
        """Steps over a text literal if one comes next."""
        if not self.done and self.tokens[self.at].kind is Kind.STRING:
            self.at += 1
            return True
        return False

    def number(self) -> bool:
        """Steps over a number if one comes next."""
        if not self.done and self.tokens[self.at].kind is Kind.NUMBER:
            self.at += 1
            return True
        return False

    def unexpected(self) -> Refusal:
        """The refusal for what does not fit the grammar."""
        shown = self.tokens[self.at].text if not self.done else "the end"
        return Refusal(RefusalCode.NOT_A_QUERY, f"This form of the statement is not allowed (at {shown[:40]!r}).")
