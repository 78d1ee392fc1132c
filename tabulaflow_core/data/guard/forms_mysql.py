"""Forms of MariaDB and MySQL that the parser does not know, written in others that mean the same to this check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tabulaflow_core.data.guard.forms import kind_at, sign_at, word_at
from tabulaflow_core.data.guard.lexer import Kind, Token
from tabulaflow_core.data.guard.names import name_set

_ESCAPES = frozenset({"d", "t", "ts"})
_MODIFIERS = name_set(
    """
    high_priority sql_big_result sql_buffer_result sql_cache sql_calc_found_rows sql_no_cache sql_small_result
    straight_join
    """
)
_DISTINCT = frozenset({"all", "distinct", "distinctrow"})
_AFTER_GROUP_BY = name_set("except for having intersect into limit order procedure select union window with")
_TYPES = frozenset({"inet4", "inet6"})
_LONGEST_MATCH = 64
"""Tokens in the list of columns of MATCH without parentheses."""


@dataclass(slots=True)
class _Frame:
    """One pair of brackets: the name before it, and whether a GROUP BY is being read."""

    name: str
    grouping: bool = False


def plain_mysql(tokens: Sequence[Token]) -> list[Token]:
    r"""Writes `{d '2025-01-31'}`, `{OJ a LEFT JOIN b …}`, `\N` and `MATCH a AGAINST` as the parser knows them, and
    takes away what is harmless by itself.

    That is: ASC and DESC of GROUP BY, modifiers of SELECT, `ROWS EXAMINED n`, LIMIT of GROUP_CONCAT, what JSON_TABLE
    does with missing values, `CYCLE a RESTRICT` of a WITH, the length in WEIGHT_STRING.
    """
    out: list[Token] = []
    frames = [_Frame("")]
    i = 0
    while i < len(tokens):
        token = tokens[i]
        frame = frames[-1]
        if skipped := next((end for look in _LOOKS if (end := look(tokens, i, out, frame))), 0):
            i = skipped
            continue
        if token.kind is Kind.OP:
            opening = token.text == "{" and word_at(tokens, i + 1) == "oj"
            if opening or (token.text == "}" and frame.name == "{oj"):
                out.append(_sign("(" if opening else ")", token))
            else:
                out.append(token)
            if opening or token.text in "([":
                frames.append(_Frame("{oj" if opening else word_at(out, len(out) - 2) if len(out) > 1 else ""))
            elif (token.text in ")]" or out[-1] is not token) and len(frames) > 1:
                frames.pop()
            i += 2 if opening else 1
            continue
        word = word_at(tokens, i)
        if word == "group" and word_at(tokens, i + 1) == "by":
            frame.grouping = True
        elif word in _AFTER_GROUP_BY:
            frame.grouping = False
        out.append(token)
        i += 1
    return out


def _escape(tokens: Sequence[Token], at: int, out: list[Token], frame: _Frame) -> int:
    """`{d '…'}` is its literal, and a backslash with an N is NULL."""
    glued = at + 1 < len(tokens) and tokens[at].end == tokens[at + 1].start
    if sign_at(tokens, at) == "\\" and glued and tokens[at + 1].kind is Kind.WORD and tokens[at + 1].text == "N":
        out.append(Token(Kind.WORD, "NULL", tokens[at].start, tokens[at + 1].end, spaced=True))
        return at + 2
    escape = sign_at(tokens, at) == "{" and word_at(tokens, at + 1) in _ESCAPES
    if escape and kind_at(tokens, at + 2) is Kind.STRING and sign_at(tokens, at + 3) == "}":
        out.append(tokens[at + 2])
        return at + 4
    return 0


def _select(tokens: Sequence[Token], at: int, out: list[Token], frame: _Frame) -> int:
    """SELECT with its modifiers, which may stand in any order with DISTINCT."""
    if word_at(tokens, at) != "select" or word_at(tokens, at + 1) not in _MODIFIERS | _DISTINCT:
        return 0
    end, distinct, plain = at + 1, None, True
    while (word := word_at(tokens, end)) in _MODIFIERS | _DISTINCT:
        if word in _MODIFIERS and (sign_at(tokens, end + 1) in (",", ".", ")") or word_at(tokens, end + 1) == "from"):
            break  # a column of that name
        if word in _DISTINCT:
            if distinct is not None:
                return 0
            distinct = tokens[end]
        else:
            plain = False
        end += 1
    if plain:
        return 0
    out.append(tokens[at])
    if distinct is not None:
        out.append(distinct)
    frame.grouping = False
    return end


def _sorted_group(tokens: Sequence[Token], at: int, out: list[Token], frame: _Frame) -> int:
    return (
        at + 1 if frame.grouping and word_at(tokens, at) in ("asc", "desc") and sign_at(out, len(out) - 1) != "." else 0
    )


def _limits(tokens: Sequence[Token], at: int, out: list[Token], frame: _Frame) -> int:
    """`ROWS EXAMINED 100`, and `LIMIT 3` behind the separator of GROUP_CONCAT."""
    if [word_at(tokens, at), word_at(tokens, at + 1)] == ["rows", "examined"] and kind_at(
        tokens, at + 2
    ) is Kind.NUMBER:
        if word_at(out, len(out) - 1) == "limit":
            out.pop()
        return at + 3
    behind = len(out) > 1 and out[-1].kind is Kind.STRING and word_at(out, len(out) - 2) == "separator"
    if frame.name == "group_concat" and behind and word_at(tokens, at) == "limit":
        end = at + 1
        while kind_at(tokens, end) is Kind.NUMBER or sign_at(tokens, end) == "," or word_at(tokens, end) == "offset":
            end += 1
        return end
    return 0


def _types(tokens: Sequence[Token], at: int, out: list[Token], frame: _Frame) -> int:
    """Types of CAST that the parser does not know, and the length in WEIGHT_STRING."""
    word = word_at(tokens, at)
    before = word_at(out, len(out) - 1) or sign_at(out, len(out) - 1)
    if word in _TYPES and (frame.name, before) in (("cast", "as"), ("convert", ",")):
        out.append(Token(Kind.WORD, "char", tokens[at].start, tokens[at].end, spaced=True))
        return at + 1
    length = frame.name == "weight_string" and word == "as" and word_at(tokens, at + 1) in ("char", "binary")
    if length and sign_at(tokens, at + 2) == "(" and kind_at(tokens, at + 3) is Kind.NUMBER:
        return at + 5 if sign_at(tokens, at + 4) == ")" else 0
    return 0


def _match(tokens: Sequence[Token], at: int, out: list[Token], frame: _Frame) -> int:
    """`MATCH a, b AGAINST` is `MATCH (a, b) AGAINST`."""
    if word_at(tokens, at) != "match" or sign_at(tokens, at + 1) == "(":
        return 0
    end = at + 1
    while end < min(len(tokens), at + _LONGEST_MATCH) and word_at(tokens, end) != "against":
        if kind_at(tokens, end) not in (Kind.WORD, Kind.QUOTED) and sign_at(tokens, end) not in (",", "."):
            return 0
        end += 1
    if word_at(tokens, end) != "against" or end == at + 1:
        return 0
    out += [tokens[at], _sign("(", tokens[at]), *tokens[at + 1 : end], _sign(")", tokens[end])]
    return end


def _missing(tokens: Sequence[Token], at: int, out: list[Token], frame: _Frame) -> int:
    """What JSON_TABLE does with a missing value: `DEFAULT '0' ON EMPTY`, `NULL ON ERROR`, `EXISTS` before PATH."""
    word = word_at(tokens, at)
    if word == "exists" and word_at(tokens, at + 1) == "path":
        return at + 1
    literal = word == "default" and kind_at(tokens, at + 1) in (Kind.STRING, Kind.NUMBER)
    on = at + 2 if literal else at + 1 if word in ("null", "error") else 0
    return on + 2 if on and word_at(tokens, on) == "on" and word_at(tokens, on + 1) in ("empty", "error") else 0


def _cycle(tokens: Sequence[Token], at: int, out: list[Token], frame: _Frame) -> int:
    """`CYCLE a, b RESTRICT` of a WITH."""
    if word_at(tokens, at) != "cycle" or sign_at(tokens, at - 1) != ")":
        return 0
    end = at + 1
    while kind_at(tokens, end) in (Kind.WORD, Kind.QUOTED) and sign_at(tokens, end + 1) == ",":
        end += 2
    return end + 2 if word_at(tokens, end + 1) == "restrict" else 0


def _sign(text: str, at: Token) -> Token:
    return Token(Kind.OP, text, at.start, at.end, spaced=True)


_LOOKS: tuple[Callable[[Sequence[Token], int, list[Token], _Frame], int], ...] = (
    _escape, _select, _sorted_group, _limits, _types, _match, _missing, _cycle,
)  # fmt: skip
"""Each looks at one place and gives the index after what it has dealt with; 0 where it has nothing to do."""
