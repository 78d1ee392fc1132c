"""PIVOT over open columns, made readable for DuckDB's own parser.

`PIVOT t ON c` first asks for the values of c, so DuckDB gives no tree of it; `PIVOT t ON c IN (…)` has one. With an
`IN` put after every open column the text keeps all it had, and the tree shows every part that would run.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.lexer import Kind, Token
from tabulaflow_core.data.guard.names import name_set

_ENDS = name_set("using group order limit offset union except intersect")
_JOINING = frozenset("|+-*/%")
_OPENING, _CLOSING = "([{", ")]}"


def close_pivots(sql: str, tokens: list[Token]) -> str:
    """The text with `IN ('x')` after every column of a PIVOT that has no values."""
    columns = {column for i, token in enumerate(tokens) if _is_pivot(token) for column in _open_columns(tokens, i)}
    parts: list[str] = []
    at = tokens[0].start
    for first, last in sorted(columns):
        joined = any(token.kind is Kind.OP and token.text in _JOINING for token in tokens[first : last + 1])
        start, end = tokens[first].start, tokens[last].end
        column = f"({sql[start:end]})" if joined else sql[start:end]
        parts += [sql[at:start], column, " IN ('x')"]
        at = end
    return "".join([*parts, sql[at : tokens[-1].end]])


def _is_pivot(token: Token) -> bool:
    return token.kind is Kind.WORD and token.text.lower() in ("pivot", "pivot_wider")


def _open_columns(tokens: list[Token], start: int) -> list[tuple[int, int]]:
    """The first and the last token of each column of `PIVOT … ON a, b` that has no IN."""
    found: list[tuple[int, int]] = []
    begin = start
    depth, inside, closed = 0, False, False
    for i in range(start + 1, len(tokens)):
        token = tokens[i]
        word = token.text.lower() if token.kind in (Kind.WORD, Kind.OP) else ""
        last = word in _CLOSING and word != "" and depth == 0
        if depth == 0 and (last or (inside and (word == "," or word in _ENDS))):
            if inside and not closed:
                found.append((begin, i - 1))
            closed, begin = False, i + 1
            if word != ",":
                return found
        elif depth == 0 and word == "on" and not inside:
            inside, begin = True, i + 1
        elif depth == 0 and word == "in" and inside:
            closed = True
        if word:
            depth += (word in _OPENING) - (word in _CLOSING)
    if inside and not closed:
        found.append((begin, len(tokens) - 1))
    return found
