"""Long lists of plain values, shortened before they are parsed.

`IN (1, 2, … 10,000 more)` says nothing that its first values do not say to this check, and costs the parser seconds.
Only literals between commas are left out; whatever else stands in a statement stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tabulaflow_core.data.guard.lexer import Kind, Token
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

_VALUES_KEPT = 12
_ROWS_KEPT = 4
_MOST_TOKENS = 25_000
"""Words and signs that are parsed; the parsers take about a second for them."""
_PLAIN_WORDS = frozenset({"null", "true", "false"})
_SIGNS = frozenset("+-")


def condense(sql: str, tokens: Sequence[Token]) -> str:
    """The text of these tokens without most of the plain values of long lists.

    Args:
        sql: The text that the tokens point into.
        tokens: All tokens of the statement.

    Raises:
        Refusal: More than 25,000 words and signs are left.
    """
    kept = _without_middle(_without_middle(tokens, _value_end, _VALUES_KEPT), _row_end, _ROWS_KEPT)
    if len(kept) > _MOST_TOKENS:
        raise Refusal(
            RefusalCode.TOO_LONG,
            f"The statement has {len(kept):,} words and signs; at most {_MOST_TOKENS:,} are read. Break it up.",
        )
    parts: list[str] = []
    place = {id(token): i for i, token in enumerate(tokens)}
    first = 0
    for i in range(1, len(kept) + 1):
        if i == len(kept) or place[id(kept[i])] != place[id(kept[i - 1])] + 1:
            parts.append(sql[kept[first].start : kept[i - 1].end])
            first = i
    return " ".join(parts)


def _without_middle(tokens: Sequence[Token], end_of: Callable[[Sequence[Token], int], int], most: int) -> list[Token]:
    """The tokens without the items of each list that come after its first ones and before its last.

    Args:
        tokens: Where the lists stand.
        end_of: The index after the item that begins at an index; that index itself where none does.
        most: How many items of a list stay besides its last.
    """
    kept: list[Token] = []
    run = i = 0
    while i < len(tokens):
        end = end_of(tokens, i)
        if end > i:
            run += 1
            if run > most and end < len(tokens) and _is(tokens[end], ",") and _is(kept[-1], ","):
                i = end + 1
                continue
            kept += tokens[i:end]
            i = end
            continue
        if not _is(tokens[i], ","):
            run = 0
        kept.append(tokens[i])
        i += 1
    return kept


def _is(token: Token, sign: str) -> bool:
    return token.kind is Kind.OP and token.text == sign


def _literal_end(tokens: Sequence[Token], at: int) -> int:
    """The index after the literal that begins here, with its sign; `at` itself where none does."""
    token = tokens[at]
    if token.kind is Kind.OP and token.text in _SIGNS and at + 1 < len(tokens):
        return at + 2 if tokens[at + 1].kind is Kind.NUMBER else at
    plain = token.kind is Kind.WORD and token.text.lower() in _PLAIN_WORDS
    return at + 1 if plain or token.kind in (Kind.NUMBER, Kind.STRING) else at


def _value_end(tokens: Sequence[Token], at: int) -> int:
    """The index after a literal between brackets and commas only, as of `(1, 2, 3)`; `at` itself where none begins."""
    end = _literal_end(tokens, at)
    listed = at > 0 and at < end < len(tokens) and tokens[at - 1].kind is Kind.OP and tokens[at - 1].text in "([,"
    return end if listed and tokens[end].kind is Kind.OP and tokens[end].text in ",)]" else at


def _row_end(tokens: Sequence[Token], at: int) -> int:
    """The index after a bracket that holds literals only; `at` itself where none begins."""
    if not _is(tokens[at], "("):
        return at
    i = at + 1
    while i < len(tokens):
        end = _literal_end(tokens, i)
        if end == i or end >= len(tokens):
            return at
        if _is(tokens[end], ")"):
            return end + 1
        if not _is(tokens[end], ","):
            return at
        i = end + 1
    return at
