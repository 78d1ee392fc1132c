"""How each dialect's scanner reads quotes, comments and prefixes.

Sources: the PostgreSQL manual §4.1, the SQLite tokenizer's documentation, the MySQL manual §11.1 and §11.7 with
MariaDB's comment syntax page, the DuckDB manual's pages on literals. The MySQL rules are those of the default SQL mode:
a connector must keep `ANSI_QUOTES` and `NO_BACKSLASH_ESCAPES` off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from tabulaflow_core.data.guard.names import name_set


@dataclass(frozen=True, slots=True)
class LexRules:
    """One dialect's lexical rules."""

    name_quotes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({'"': '"'}))
    string_quotes: str = ""
    backslash: bool = False
    prefixes: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({"n": False}))
    """Letters that may stand before a literal, and whether backslashes escape in it."""
    nested_comments: bool = False
    hash_comments: bool = False
    slash_comments: bool = False
    dash_needs_space: bool = False
    executable_comments: bool = False
    hints: frozenset[str] = frozenset()
    dollar_quotes: bool = False
    unicode_escapes: bool = False
    unicode_space: bool = False
    triple_quotes: bool = False
    digit_names: bool = False
    line_ends: str = "\n"
    write_quote: str = '"'
    doubled_quotes: bool = True
    """Whether a quote within a literal may be written twice."""
    cautious: bool = False
    """Whether a backslash escapes, and comments nest, depends on a setting or is not known: both are then refused where
    it would matter."""
    open_comments: bool = False
    """Whether a comment that is never closed goes on to the end of the text."""
    refused: str = ""
    """Characters that must not stand outside literals and quoted names."""


_BACKTICK = MappingProxyType({"`": "`"})
_HARMLESS_HINTS = name_set(
    """
    batched_key_access bka block_nested_loop bnl derived_condition_pushdown group_index hash_join index index_merge
    join_fixed_order join_index join_order join_prefix join_suffix merge mrr no_bka no_bnl
    no_derived_condition_pushdown no_group_index no_hash_join no_icp no_index no_index_merge no_join_index no_merge
    no_mrr no_order_index no_range_optimization no_semijoin no_skip_scan order_index qb_name semijoin skip_scan subquery
    """
)

LEX_RULES: Mapping[str, LexRules] = MappingProxyType(
    {
        "sqlite": LexRules(
            name_quotes=MappingProxyType({'"': '"', "`": "`", "[": "]"}),
            prefixes=MappingProxyType({"x": False}),
            open_comments=True,
        ),
        "duckdb": LexRules(
            prefixes=MappingProxyType({"e": True, "x": False, "b": False}),
            nested_comments=True,
            dollar_quotes=True,
            unicode_space=True,
            line_ends="\n\r",
        ),
        "postgres": LexRules(
            prefixes=MappingProxyType({"e": True, "x": False, "b": False, "n": False}),
            nested_comments=True,
            dollar_quotes=True,
            unicode_escapes=True,
            line_ends="\n\r",
        ),
        "mysql": LexRules(
            name_quotes=_BACKTICK,
            string_quotes='"',
            backslash=True,
            prefixes=MappingProxyType({"x": False, "b": False, "n": True}),
            hash_comments=True,
            dash_needs_space=True,
            executable_comments=True,
            hints=_HARMLESS_HINTS,
            digit_names=True,
            write_quote="`",
        ),
        "tsql": LexRules(name_quotes=MappingProxyType({'"': '"', "[": "]"}), nested_comments=True),
        "snowflake": LexRules(
            backslash=True, slash_comments=True, dollar_quotes=True, prefixes=MappingProxyType({"x": False})
        ),
        "bigquery": LexRules(
            name_quotes=_BACKTICK,
            string_quotes='"',
            backslash=True,
            hash_comments=True,
            triple_quotes=True,
            doubled_quotes=False,
            prefixes=MappingProxyType({"r": False, "b": True}),
            write_quote="`",
        ),
        "trino": LexRules(prefixes=MappingProxyType({"x": False})),
        "oracle": LexRules(prefixes=MappingProxyType({"n": False}), refused="@"),
        "databricks": LexRules(
            name_quotes=_BACKTICK,
            string_quotes='"',
            backslash=True,
            prefixes=MappingProxyType({"x": False}),
            nested_comments=True,
            doubled_quotes=False,
            cautious=True,
            write_quote="`",
        ),
        "clickhouse": LexRules(
            name_quotes=MappingProxyType({'"': '"', "`": "`"}),
            backslash=True,
            prefixes=MappingProxyType({"x": False, "b": False}),
            cautious=True,
            refused="#$@{}",
        ),
        "redshift": LexRules(backslash=True, nested_comments=True, cautious=True, prefixes=MappingProxyType({})),
        # An engine that is not known by name: only what every engine reads the same way.
        "": LexRules(prefixes=MappingProxyType({}), cautious=True, refused="`#$\\[]{}@?^&~:"),
    }
)
