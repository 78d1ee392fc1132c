"""PIVOT over open columns, made readable for DuckDB's own parser.

`PIVOT t ON c` first asks for the values of c, so DuckDB gives no tree of it; `PIVOT t ON c IN (…)` has one. With an
`IN` put after every open column the text keeps all it had, and the tree shows every part that would run.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.lexer import Kind, Token
from tabulaflow_core.data.guard.names import name_set

_ENDS = name_set("using group order limit offset union except intersect")
_OPENING, _CLOSING = "([{", ")]}"


def close_pivots(sql: str, tokens: list[Token]) -> str:
    """The text with `IN ('x')` after every column of a PIVOT that has no values."""
    inserts = [end for i, token in enumerate(tokens) if _is_pivot(token) for end in _open_columns(tokens, i)]
    parts: list[str] = []
    at = tokens[0].start
    for end in sorted(set(inserts)):
        parts += [sql[at:end], " IN ('x')"]
        at = end
    return "".join([*parts, sql[at : tokens[-1].end]])


def _is_pivot(token: Token) -> bool:
    return token.kind is Kind.WORD and token.text.lower() in ("pivot", "pivot_wider")


def _open_columns(tokens: list[Token], start: int) -> list[int]:
    """Where in the text the columns of `PIVOT … ON a, b` end that have no IN."""
    ends: list[int] = []
    depth, inside, closed = 0, False, False
    for i in range(start + 1, len(tokens)):
        token = tokens[i]
        word = token.text.lower() if token.kind in (Kind.WORD, Kind.OP) else ""
        last = word in _CLOSING and word != "" and depth == 0
        if depth == 0 and (last or (inside and (word == "," or word in _ENDS))):
            if inside and not closed:
                ends.append(tokens[i - 1].end)
            closed = False
            if word != ",":
                return ends
        elif depth == 0 and word == "on" and not inside:
            inside = True
        elif depth == 0 and word == "in" and inside:
            closed = True
        if word:
            depth += (word in _OPENING) - (word in _CLOSING)
    if inside and not closed:
        ends.append(tokens[-1].end)
    return ends
