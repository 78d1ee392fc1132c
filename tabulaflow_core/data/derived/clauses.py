"""What stands around the name of a table and belongs to it: ONLY, TABLESAMPLE, hints on indexes.

Where the name is replaced by a query, these go into that query, since only a table takes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tabulaflow_core.data.guard.forms import kind_at, sign_at, word_at
from tabulaflow_core.data.guard.lexer import Kind, Lexer, Token
from tabulaflow_core.data.guard.lexicon import LEX_RULES
from tabulaflow_core.data.guard.verdict import Refusal

_OPENS_TABLE: Final = frozenset({"(", "all", "distinct", "except", "intersect", "union"})
_NO_ALIAS: Final = frozenset({"force", "ignore", "indexed", "not", "tablesample", "use"})
_OPENING: Final = frozenset({"(", "[", "{"})
_CLOSING: Final = frozenset({")", "]", "}"})
_HINTS: Final = frozenset({"force", "ignore", "use"})


@dataclass(frozen=True, slots=True)
class Around:
    """The clauses of one table.

    Attributes:
        begin: Where the table's text begins, with ONLY.
        end: Where its name ends.
        inner: What stands for the table in a query of its own, with all clauses.
        moved: Where the clauses stood that now are in `inner`: they are to be taken out.
    """

    begin: int
    end: int
    inner: str
    moved: tuple[tuple[int, int], ...] = ()


def spelled_out(sql: str, dialect: str) -> str:
    """`TABLE t` as `SELECT * FROM t`, and `PIVOT … ORDER BY a` as `FROM (PIVOT …) ORDER BY a`: each means the same, and
    the parser knows it. A text that cannot be read comes back as it is."""
    if dialect == "duckdb":
        sql = _pivot_in_from(sql)
    tokens = _tokens(sql, dialect)
    found = [
        token
        for at, token in enumerate(tokens)
        if word_at(tokens, at) == "table"
        and (at == 0 or tokens[at - 1].text.lower() in _OPENS_TABLE)
        and kind_at(tokens, at + 1) in (Kind.WORD, Kind.QUOTED)
        and not (
            at > 1 and sign_at(tokens, at - 1) == "(" and kind_at(tokens, at - 2) is Kind.WORD and _is_call(tokens, at)
        )
    ]
    for token in reversed(found):
        sql = f"{sql[: token.start]}SELECT * FROM{sql[token.end :]}"
    return sql


def _pivot_in_from(sql: str) -> str:
    tokens = _tokens(sql, "duckdb")
    if word_at(tokens, 0) not in ("pivot", "pivot_longer", "pivot_wider", "unpivot"):
        return sql
    depth = 0
    for at, token in enumerate(tokens):
        depth += (sign_at(tokens, at) in _OPENING) - (sign_at(tokens, at) in _CLOSING)
        if depth == 0 and word_at(tokens, at) in ("order", "limit", "offset"):
            return f"FROM ({sql[: token.start]}) {sql[token.start :]}"
    return sql


def _is_call(tokens: list[Token], at: int) -> bool:
    return word_at(tokens, at - 2) not in ("as", "in", "exists", "any", "some", "all", "from", "join", "materialized")


def around(sql: str, name: tuple[int, int], dialect: str) -> Around:
    """The clauses of the table whose name stands at `name`."""
    begin, end = name
    written = sql[begin:end]
    tokens = _tokens(sql, dialect)
    first = next((i for i, token in enumerate(tokens) if token.start == begin), None)
    last = next((i for i, token in enumerate(tokens) if token.end == end), None)
    if first is None or last is None:
        return Around(begin, end, written)
    if word_at(tokens, first - 1) == "only" and first > 0:
        begin, written = tokens[first - 1].start, f"ONLY {written}"
    at = last + 1
    moved: list[tuple[int, int]] = []
    if dialect == "mysql" and word_at(tokens, at) == "partition" and (stop := _closed(tokens, at + 1)):
        moved.append((tokens[at].start, tokens[stop - 1].end))
        at = stop
    at = _after_alias(tokens, at)
    while stop := _clause_end(tokens, at, dialect):
        moved.append((tokens[at].start, tokens[stop - 1].end))
        at = stop
    inner = " ".join([written, *(sql[start:stop] for start, stop in moved)])
    return Around(begin, end, inner, tuple(moved))


def _after_alias(tokens: list[Token], at: int) -> int:
    """The index after `AS c (a, b)`, which may be missing."""
    if word_at(tokens, at) == "as":
        at += 2
    elif kind_at(tokens, at) is Kind.QUOTED or (word_at(tokens, at) and word_at(tokens, at) not in _NO_ALIAS):
        at += 1
    return _closed(tokens, at) or at


def _clause_end(tokens: list[Token], at: int, dialect: str) -> int:
    """The index after a clause that only a table takes; 0 where none begins."""
    word, following = word_at(tokens, at), word_at(tokens, at + 1)
    if dialect == "postgres" and word == "tablesample":
        end = _closed(tokens, at + 2)
        return (_closed(tokens, end + 1) or end) if end and word_at(tokens, end) == "repeatable" else end
    if dialect == "sqlite" and (word, following) == ("indexed", "by"):
        return at + 3
    if dialect == "sqlite" and (word, following) == ("not", "indexed"):
        return at + 2
    if dialect == "mysql" and word in _HINTS and following in ("index", "key"):
        at += 2
        if word_at(tokens, at) == "for":
            at += 2 if word_at(tokens, at + 1) == "join" else 3
        return _closed(tokens, at)
    return 0


def _closed(tokens: list[Token], at: int) -> int:
    """The index after the parentheses that open there; 0 where none open."""
    if sign_at(tokens, at) != "(":
        return 0
    depth = 0
    for i in range(at, len(tokens)):
        depth += (sign_at(tokens, i) == "(") - (sign_at(tokens, i) == ")")
        if depth == 0:
            return i + 1
    return 0


def _tokens(sql: str, dialect: str) -> list[Token]:
    try:
        return Lexer(sql, LEX_RULES["" if dialect == "ansi" else dialect]).tokens()
    except Refusal:
        return []
