"""Clauses inside the SQL/JSON functions of PostgreSQL 16 and later, and of XMLROOT, that the parser does not know."""

from __future__ import annotations

from collections.abc import Sequence

from tabulaflow_core.data.guard.forms import sign_at, word_at
from tabulaflow_core.data.guard.lexer import Kind, Token
from tabulaflow_core.data.guard.names import name_set

_FUNCTIONS = name_set("json json_array json_arrayagg json_exists json_objectagg json_query json_scalar json_serialize")
_CLAUSES = tuple(
    tuple(clause.split())
    for clause in (
        "null|absent on null",
        "with|without unique keys",
        "with|without unique",
        "with conditional|unconditional array wrapper",
        "with conditional|unconditional wrapper",
        "with|without array wrapper",
        "with|without wrapper",
        "keep|omit quotes on scalar string",
        "keep|omit quotes",
        "format json encoding utf8|utf16|utf32",
        "format json",
        "empty array|object on empty|error",
        "null|error|empty|true|false|unknown on empty|error",
    )
)
"""Longer ones first. None holds an expression, so that nothing is hidden by leaving them out."""
_RETURNED = name_set("bytea int int4 int8 integer bigint boolean date json jsonb numeric text varchar")
_ROOT = {"version": "1.0", "standalone": "no"}


def plain_json(tokens: Sequence[Token]) -> list[Token]:
    """Leaves out what says how a missing value or a single one is given, and writes `key: value` with a comma."""
    out: list[Token] = []
    opened = [""]
    i = 0
    while i < len(tokens):
        token, inside = tokens[i], opened[-1]
        if inside in _FUNCTIONS and (end := _clause_end(tokens, i) or _returned_end(tokens, i)):
            i = end
            continue
        if inside == "xmlroot" and word_at(tokens, i) in _ROOT and sign_at(out, len(out) - 1) == ",":
            i += 1
            if word_at(tokens, i) in ("yes", "no"):
                out.append(Token(Kind.STRING, "yes", tokens[i].start, tokens[i].end, spaced=True))
                i += 2 if word_at(tokens, i + 1) == "value" else 1
            continue
        colon = sign_at(tokens, i) == ":" and ":" not in (sign_at(tokens, i + 1), sign_at(tokens, i - 1))
        if inside == "json_objectagg" and (colon or word_at(tokens, i) == "value"):
            out.append(Token(Kind.OP, ",", token.start, token.end, spaced=True))
            i += 1
            continue
        out.append(token)
        i += 1
        if token.kind is Kind.OP and token.text == "(":
            opened.append(word_at(out, len(out) - 2))
        elif token.kind is Kind.OP and token.text == ")" and len(opened) > 1:
            opened.pop()
    return out


def _clause_end(tokens: Sequence[Token], at: int) -> int:
    for clause in _CLAUSES:
        if all(word_at(tokens, at + i) in words.split("|") for i, words in enumerate(clause)):
            return at + len(clause)
    return 0


def _returned_end(tokens: Sequence[Token], at: int) -> int:
    """The index after `RETURNING text`, of PostgreSQL's own types only: another is refused where it stands."""
    named = word_at(tokens, at) == "returning" and word_at(tokens, at + 1) in _RETURNED
    return at + 2 if named and sign_at(tokens, at + 2) != "." else 0
