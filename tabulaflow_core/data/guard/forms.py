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

_LONG_TYPES = name_set("bit bpchar char character numeric time timestamp timestamptz timetz varbit varchar")
"""Those with a second word or a size between them and the literal."""


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
        if end := _type_end(tokens, i, out) or _written_otherwise(tokens, i, out):
            i = end
            continue
        if word == "using" and (end := _operator_end(tokens, i + 1)) > i + 1:
            i = end
            continue
        if word == "using" and (end := _alias_end(tokens, i + 1)):
            out += tokens[i : end - 2]
            i = end
            continue
        if (
            word in _TYPES_BEFORE_LITERALS
            and kind_at(tokens, i + 1) is Kind.STRING
            and not (out and out[-1].text == ".")
        ):
            i += 1
            continue
        if word in _XML_WORDS.get(called(out), ()):
            i += 1
            continue
        similar = word == "similar" and word_at(tokens, i + 1) != "to"
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
            i += 3 if word_at(tokens, i + 1) == "by" and word_at(tokens, i + 2) in ("ref", "value") else 1
            continue
        out.append(token)
        i += 1
    return out


def _type_end(tokens: Sequence[Token], at: int, out: Sequence[Token]) -> int:
    """The index after `bit varying`, `character varying(3)`, `char(3)` or `timestamp(0)` before a literal; else 0."""
    word = word_at(tokens, at)
    if word not in _LONG_TYPES or sign_at(out, len(out) - 1) in (".", ":") or word_at(out, len(out) - 1) == "as":
        return 0
    end = at + 1 + (word_at(tokens, at + 1) == "varying")
    if sign_at(tokens, end) == "(" and kind_at(tokens, end + 1) is Kind.NUMBER and sign_at(tokens, end + 2) == ")":
        end += 3
    return end if end > at + 1 and kind_at(tokens, end) is Kind.STRING else 0


def _written_otherwise(tokens: Sequence[Token], at: int, out: list[Token]) -> int:
    """Writes `COLLATION FOR (x)`, `AT LOCAL` and the older `name := value` of an argument as the parser knows them.

    Returns:
        The index after what was written, or 0 where nothing was.
    """
    token, two = tokens[at], (word_at(tokens, at), word_at(tokens, at + 1))
    if two == ("collation", "for") and sign_at(tokens, at + 2) == "(":
        out.append(Token(Kind.WORD, "pg_collation_for", token.start, tokens[at + 1].end, spaced=True))
        return at + 2
    if two == ("at", "local"):
        words = [Token(Kind.WORD, w, token.start, token.end, spaced=True) for w in ("at", "time", "zone")]
        out += [*words, Token(Kind.STRING, "UTC", token.start, token.end, spaced=True)]
        return at + 2
    named = sign_at(tokens, at) == ":" and sign_at(tokens, at + 1) == "=" and kind_at(tokens, at - 1) is Kind.WORD
    if named and token.end == tokens[at + 1].start:
        out += [Token(Kind.OP, "=", token.start, token.end, spaced=True)]
        out += [Token(Kind.OP, ">", token.end, token.end + 1)]
        return at + 2
    return 0


def plain_sqlite(tokens: Sequence[Token]) -> list[Token]:
    """Writes the types of CAST, which may be any words (`UNSIGNED BIG INT`, `"my type"`), as one that is known."""
    out: list[Token] = []
    opened = [""]
    i = 0
    while i < len(tokens):
        token = tokens[i]
        out.append(token)
        i += 1
        if token.kind is Kind.OP and token.text == "(":
            opened.append(word_at(out, len(out) - 2))
        elif token.kind is Kind.OP and token.text == ")" and len(opened) > 1:
            opened.pop()
        elif opened[-1] == "cast" and word_at(tokens, i - 1) == "as":
            end = i
            while kind_at(tokens, end) in (Kind.WORD, Kind.QUOTED):
                end += 1
            if end - i > 1 or kind_at(tokens, i) is Kind.QUOTED:
                out.append(Token(Kind.WORD, "numeric", token.end, token.end, spaced=True))
                i = end
    return out


def called(before: Sequence[Token]) -> str:
    """The word before the parenthesis that opens here, lower case."""
    return word_at(before, len(before) - 2) if len(before) > 1 and sign_at(before, len(before) - 1) == "(" else ""


def kind_at(tokens: Sequence[Token], at: int) -> Kind | None:
    """The kind of the token there; None before the beginning and beyond the end."""
    return tokens[at].kind if 0 <= at < len(tokens) else None


def word_at(tokens: Sequence[Token], at: int) -> str:
    """The word there, lower case; empty where none stands."""
    return tokens[at].text.lower() if kind_at(tokens, at) is Kind.WORD else ""


def sign_at(tokens: Sequence[Token], at: int) -> str:
    """The sign there; empty where none stands."""
    return tokens[at].text if kind_at(tokens, at) is Kind.OP else ""


def _operator_end(tokens: Sequence[Token], at: int) -> int:
    """The index after the operator that begins here, which is checked; `at` itself where none does."""
    if word_at(tokens, at) == "operator" and sign_at(tokens, at + 1) == "(":
        named = at + 2 < len(tokens) and tokens[at + 2].text.lower() == "pg_catalog" and sign_at(tokens, at + 3) == "."
        end = _operator_end(tokens, at + 4) if named else at
        return end + 1 if end > at + 4 and sign_at(tokens, end) == ")" else at
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
    if sign_at(tokens, at) != "(":
        return 0
    while at < len(tokens) and sign_at(tokens, at) != ")":
        at += 1
    named = word_at(tokens, at + 1) == "as" and kind_at(tokens, at + 2) in (Kind.WORD, Kind.QUOTED)
    return at + 3 if named else 0
