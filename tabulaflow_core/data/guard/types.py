"""The types of a user that a PostgreSQL statement casts to, for the look that the engine's lock takes at them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.guard.verdict import Refusal

if TYPE_CHECKING:
    from sqlglot import exp

BUILT_IN_TYPES = name_set(
    """
    aclitem anyarray anyelement bit bool box bpchar bytea char cid cidr circle citext cstring date datemultirange
    daterange float4 float8 geography geometry halfvec hstore inet information_schema.sql_identifier int2 int2vector
    int4 int4multirange int4range int8 int8multirange int8range interval json jsonb jsonpath line lseg ltree macaddr
    macaddr8 money name numeric nummultirange numrange oid oidvector path pg_lsn pg_snapshot point polygon record
    refcursor regclass regcollation regconfig regdictionary regnamespace regoper regoperator regproc regprocedure
    regrole regtype text tid time timestamp timestamptz timetz tsmultirange tsquery tsrange tstzmultirange tstzrange
    tsvector txid_snapshot unknown uuid varbit varchar vector void xid xid8 xml
    """
)
"""PostgreSQL's own types and those of its usual extensions, which take a text without running code of a user."""
_MAY_CAST = ("::", "as", "columns")


def type_name(node: exp.Expr) -> str:
    """The name in a type node as PostgreSQL reads it: unquoted parts folded, quoted parts in quotes."""
    from sqlglot import exp

    written = node.args.get("kind")
    if isinstance(written, exp.Dot):
        parts = [written.this, written.expression]
        return ".".join(_part(part) for part in parts)
    return _part(written) if isinstance(written, exp.Expr) else str(written or "").lower()


def _part(node: exp.Expr) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Identifier) and node.args.get("quoted"):
        plain = node.name.isidentifier() and node.name == node.name.lower()
        return node.name if plain else '"' + node.name.replace('"', '""') + '"'
    if isinstance(node, exp.Dot):
        return f"{_part(node.this)}.{_part(node.expression)}"
    return node.name.lower()


@lru_cache(maxsize=64)
def cast_types(sql: str) -> tuple[str, ...]:
    """The types of a user in a statement that the guard allowed, sorted; none where it cannot be read.

    Whether the guard allowed it is not asked again: functions of the user are no matter here.
    """
    from sqlglot import exp

    from tabulaflow_core.data.guard import forms, words
    from tabulaflow_core.data.guard.condense import condense
    from tabulaflow_core.data.guard.context import Context
    from tabulaflow_core.data.guard.heads import read_head
    from tabulaflow_core.data.guard.lexer import Lexer, render
    from tabulaflow_core.data.guard.lexicon import LEX_RULES
    from tabulaflow_core.data.guard.parse import parse

    lowered = sql.lower()
    if not any(sign in lowered for sign in _MAY_CAST):
        return ()
    rules = LEX_RULES["postgres"]
    try:
        tokens = Lexer(sql, rules).tokens()
        rest = read_head(tokens, Context("postgres"))
        tokens = tokens[rest.at :] if rest is not None else tokens
        if not tokens:
            return ()
        tokens = Lexer(condense(sql, tokens), rules).tokens()
        root = parse(render(words.plain_operators(forms.plain_postgres(tokens)), rules), "postgres")
    except Refusal:
        return ()
    found = {type_name(node) for node in root.find_all(exp.DataType) if is_user_type(node)}
    return tuple(sorted(found - BUILT_IN_TYPES))


def is_user_type(node: exp.Expr) -> bool:
    """Whether a type is none that the parser knows."""
    return getattr(node.this, "name", "") == "USERDEFINED"
