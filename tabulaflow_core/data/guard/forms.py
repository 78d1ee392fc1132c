"""Forms that the parser does not know, written in others that mean the same to this check.

Each takes away what is known to be harmless by itself; what is left is parsed, and the engine is sent the statement as
it was given.
"""

from __future__ import annotations

from collections.abc import Sequence

from tabulaflow_core.data.guard.lexer import Kind, Token
from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.guard.words import check_operator, is_operator_sign

_TYPES_BEFORE_LITERALS = name_set(
    """
    bit bool box bytea cidr circle daterange float4 float8 inet int2 int4 int4multirange int4range int8 int8range json
    jsonb jsonpath line lseg macaddr macaddr8 money numrange oid pg_lsn point polygon regclass regtype tsquery tsrange
    tstzrange tsvector uuid varbit xml
    """
)
"""PostgreSQL's own types; `path` is left out, since it is a word of XMLTABLE too."""
_XML_WORDS = {
    "xmlparse": ("content", "document"), "xmlserialize": ("content", "document"), "xmlpi": ("name",),
}  # fmt: skip
_ESCAPES = frozenset({"d", "t", "ts"})


def plain_postgres(tokens: Sequence[Token]) -> list[Token]:
    """Takes away `USING <` of ORDER BY, the alias of `JOIN … USING (…) AS j`, a type before a literal such as
    `box '…'`, PASSING of XMLEXISTS, the word that says what XMLPARSE reads, and SIMILAR of SUBSTRING.

    Raises:
        Refusal: ORDER BY sorts by an operator that is not PostgreSQL's own.
    """
    out: list[Token] = []
    i = 0
    in_xmlexists = 0
    in_similar = False
    while i < len(tokens):
        token = tokens[i]
        word = token.text.lower() if token.kind is Kind.WORD else ""
        if word == "using" and (end := _operator_end(tokens, i + 1)) > i + 1:
            i = end
            continue
        if word == "using" and (end := _alias_end(tokens, i + 1)):
            out += tokens[i : end - 2]
            i = end
            continue
        if word in _TYPES_BEFORE_LITERALS and _kind(tokens, i + 1) is Kind.STRING and not (out and out[-1].text == "."):
            i += 1
            continue
        if word in _XML_WORDS.get(_called(out), ()):
            i += 1
            continue
        similar = word == "similar" and _word(tokens, i + 1) != "to"
        if similar or (word == "escape" and in_similar):
            out.append(Token(Kind.OP, ",", token.start, token.end, spaced=True))
            in_similar = similar
            i += 1
            continue
        if word == "xmlexists":
            in_xmlexists = i
        if word == "passing" and in_xmlexists:
            out.append(Token(Kind.OP, ",", token.start, token.end, spaced=True))
            in_xmlexists = 0
            i += 3 if _word(tokens, i + 1) == "by" and _word(tokens, i + 2) in ("ref", "value") else 1
            continue
        out.append(token)
        i += 1
    return out


def plain_mysql(tokens: Sequence[Token]) -> list[Token]:
    """Writes `{d '2025-01-31'}`, `{t '…'}` and `{ts '…'}` as their literals, and takes away what JSON_TABLE does with
    missing values (`DEFAULT '0' ON EMPTY`, `NULL ON ERROR`, `EXISTS` before PATH) and `CYCLE a RESTRICT` of a WITH."""
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        four = tokens[i : i + 4]
        escape = len(four) == 4 and four[0].text == "{" and four[0].kind is Kind.OP and _word(four, 1) in _ESCAPES
        if escape and four[2].kind is Kind.STRING and four[3].kind is Kind.OP and four[3].text == "}":
            out.append(four[2])
            i += 4
        elif end := _missing_end(tokens, i) or _cycle_end(tokens, i):
            i = end
        else:
            out.append(tokens[i])
            i += 1
    return out


def _missing_end(tokens: Sequence[Token], at: int) -> int:
    """The index after what to do with a missing value; 0 where something else stands."""
    word = _word(tokens, at)
    if word == "exists" and _word(tokens, at + 1) == "path":
        return at + 1
    literal = word == "default" and _kind(tokens, at + 1) in (Kind.STRING, Kind.NUMBER)
    on = at + 2 if literal else at + 1 if word in ("null", "error") else 0
    return on + 2 if on and _word(tokens, on) == "on" and _word(tokens, on + 1) in ("empty", "error") else 0


def _cycle_end(tokens: Sequence[Token], at: int) -> int:
    """The index after `CYCLE a, b RESTRICT`; 0 where something else stands."""
    if _word(tokens, at) != "cycle" or _sign(tokens, at - 1) != ")":
        return 0
    end = at + 1
    while _kind(tokens, end) in (Kind.WORD, Kind.QUOTED) and _sign(tokens, end + 1) == ",":
        end += 2
    return end + 2 if _word(tokens, end + 1) == "restrict" else 0


def _called(before: Sequence[Token]) -> str:
    """The word before the parenthesis that opens here, lower case."""
    return _word(before, len(before) - 2) if len(before) > 1 and _sign(before, len(before) - 1) == "(" else ""


def _kind(tokens: Sequence[Token], at: int) -> Kind | None:
    return tokens[at].kind if at < len(tokens) else None


def _word(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text.lower() if _kind(tokens, at) is Kind.WORD else ""


def _sign(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if _kind(tokens, at) is Kind.OP else ""


def _operator_end(tokens: Sequence[Token], at: int) -> int:
    """The index after the operator that begins here, which is checked; `at` itself where none does."""
    if _word(tokens, at) == "operator" and _sign(tokens, at + 1) == "(":
        named = at + 2 < len(tokens) and tokens[at + 2].text.lower() == "pg_catalog" and _sign(tokens, at + 3) == "."
        end = _operator_end(tokens, at + 4) if named else at
        return end + 1 if end > at + 4 and _sign(tokens, end) == ")" else at
    end = at
    while (
        end < len(tokens) and is_operator_sign(tokens[end]) and (end == at or tokens[end].start == tokens[end - 1].end)
    ):
        end += 1
    if end > at:
        check_operator("".join(token.text for token in tokens[at:end]))
    return end


def _alias_end(tokens: Sequence[Token], at: int) -> int:
    """The index after `(a, b) AS name`; 0 where something else stands."""
    if _sign(tokens, at) != "(":
        return 0
    while at < len(tokens) and _sign(tokens, at) != ")":
        at += 1
    named = _word(tokens, at + 1) == "as" and _kind(tokens, at + 2) in (Kind.WORD, Kind.QUOTED)
    return at + 3 if named else 0
