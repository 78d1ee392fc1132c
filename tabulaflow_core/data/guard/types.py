"""The types of a user that a PostgreSQL statement casts to, for the look that the engine's lock takes at them."""

from __future__ import annotations

import re
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
_ROW_FIELD = re.compile(r"[)\]]\s*(?:\.|--|/\*)")
"""What a statement holds that takes a field of a row."""


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


def cast_types(sql: str) -> tuple[str, ...]:
    """The types of a user in a statement that the guard allowed, sorted; none where it cannot be read.

    Whether the guard allowed it is not asked again: functions of the user are no matter here.
    """
    from sqlglot import exp

    lowered = sql.lower()
    root = _tree(sql) if any(sign in lowered for sign in _MAY_CAST) else None
    found = {type_name(node) for node in root.find_all(exp.DataType) if is_user_type(node)} if root else set()
    return tuple(sorted(found - BUILT_IN_TYPES))


def row_fields(sql: str, *, of_tables: bool = False) -> tuple[str, ...]:
    """What is taken of a row, as `f` in `(o).f`, in a statement that the guard allowed, sorted.

    Where o has no column of that name, PostgreSQL calls the function f(o).

    Args:
        sql: The statement.
        of_tables: Only of whole rows of tables, `(o).f` and `(o.*).f` of a table or alias o; else of any value.
    """
    from sqlglot import exp

    root = _tree(sql) if _ROW_FIELD.search(sql) else None
    if root is None:
        return ()
    tables = {t.alias_or_name.lower() for t in root.find_all(exp.Table)}
    tables |= {alias.name.lower() for alias in root.find_all(exp.TableAlias)}
    found = set()
    for node in root.find_all(exp.Dot):
        inner, named = node.this.unnest(), node.expression
        if not isinstance(named, exp.Identifier) or isinstance(inner, exp.Identifier):
            continue
        star = isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)
        if not of_tables or star or (isinstance(inner, exp.Column) and inner.name.lower() in tables):
            found.add(str(named.name if named.args.get("quoted") else named.name.lower()))
    return tuple(sorted(found))


@lru_cache(maxsize=64)
def _tree(sql: str) -> exp.Expr | None:
    from tabulaflow_core.data.guard import forms, forms_json, words
    from tabulaflow_core.data.guard.condense import condense
    from tabulaflow_core.data.guard.context import Context
    from tabulaflow_core.data.guard.heads import read_head
    from tabulaflow_core.data.guard.lexer import Lexer, render
    from tabulaflow_core.data.guard.lexicon import LEX_RULES
    from tabulaflow_core.data.guard.parse import parse

    rules = LEX_RULES["postgres"]
    try:
        tokens = Lexer(sql, rules).tokens()
        rest = read_head(tokens, Context("postgres"))
        tokens = tokens[rest.at :] if rest is not None else tokens
        if not tokens:
            return None
        tokens = Lexer(condense(sql, tokens), rules).tokens()
        tokens = forms.plain_postgres(forms_json.plain_json(tokens))
        return parse(render(words.plain_operators(tokens), rules), "postgres")
    except Refusal:
        return None


def is_user_type(node: exp.Expr) -> bool:
    """Whether a type is none that the parser knows."""
    return getattr(node.this, "name", "") == "USERDEFINED"
