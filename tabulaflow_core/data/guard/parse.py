"""Parses a statement with sqlglot so that every function keeps the name it was written with.

sqlglot's own tables turn `LOG(…)` of any dialect into one node and so hide which function the server will call: a
user's function whose name happens to be in those tables would look like a built-in. Here the tables are emptied; what
is left is syntax that no function of a user can have (`CAST(x AS t)`, `EXTRACT(y FROM x)`).
"""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.parser import Parser

_SYNTAX = {
    "sqlite": {"CAST"},
    "duckdb": {"CAST", "EXTRACT", "POSITION", "SUBSTRING", "TRIM", "TRY_CAST", "OVERLAY"},
    "postgres": {"CAST", "EXTRACT", "JSON_OBJECT", "JSON_TABLE", "JSON_VALUE", "OVERLAY", "POSITION", "SUBSTRING",
                 "TRIM", "XMLELEMENT", "XMLTABLE"},
    "mysql": {"CAST", "CHAR", "CONVERT", "EXTRACT", "GROUP_CONCAT", "JSON_TABLE", "JSON_VALUE", "MATCH", "POSITION",
              "SUBSTR", "SUBSTRING", "TRIM", "VALUES"},
    "tsql": {"CAST", "CONVERT", "STRING_AGG", "TRIM", "TRY_CAST", "TRY_CONVERT", "JSON_ARRAYAGG"},
    "snowflake": {"CAST", "EXTRACT", "LISTAGG", "POSITION", "TRY_CAST"},
    "bigquery": {"ARRAY", "CAST", "EXTRACT", "SAFE_CAST", "STRING_AGG", "TRIM"},
    "": {"CAST", "EXTRACT", "POSITION", "SUBSTRING", "TRIM"},
    "clickhouse": {"CAST", "EXTRACT", "QUANTILE", "SUBSTRING", "TRIM"},
    "databricks": {"CAST", "EXTRACT", "LISTAGG", "OVERLAY", "POSITION", "SUBSTRING", "TRIM", "TRY_CAST"},
    "oracle": {"CAST", "EXTRACT", "JSON_EXISTS", "JSON_TABLE", "JSON_VALUE", "LISTAGG", "TRIM", "XMLTABLE"},
    "redshift": {"CAST", "EXTRACT", "POSITION", "SUBSTRING", "TRIM", "TRY_CAST"},
    "trino": {"CAST", "EXTRACT", "JSON_QUERY", "JSON_TABLE", "JSON_VALUE", "LISTAGG", "POSITION", "SUBSTRING", "TRIM",
              "TRY_CAST"},
}  # fmt: skip
_SYNTAX_WITHOUT_PAREN = {"@", "ANY", "CASE", "MAP", "NEXT", "PRIOR", "VARIADIC"}


_STEPS_A_TOKEN = 60
_STEPS_AT_LEAST = 10_000
"""The parser tries readings and steps back; twisted nesting would make it do so for hours. Plain SQL takes under ten
steps a token."""


class _Bounded:
    """Counts the steps of a parser and stops it when they are used up; reads `json_object('{a,1}')` as a plain call."""

    steps_left = _STEPS_AT_LEAST

    def _advance(self, times: int = 1) -> None:
        self.steps_left -= 1
        if self.steps_left < 0:
            raise Refusal(RefusalCode.TOO_DEEP, "The statement is nested in a way that takes too long to check.")
        super()._advance(times)  # type: ignore[misc]

    def _parse_column_def(self, this: exp.Expr | None, computed_column: bool = True) -> exp.Expr | None:
        """`o FOR ORDINALITY` of XMLTABLE without the argument that sqlglot gives a node which does not know it."""
        from sqlglot import exp

        parser: Any = self
        if parser._match_text_seq("FOR", "ORDINALITY"):
            name = this.this if isinstance(this, exp.Column) else this
            return exp.ColumnDef(this=name)
        column: exp.Expr | None = super()._parse_column_def(this, computed_column)  # type: ignore[misc]
        return column

    def _parse_json_object(self, agg: bool = False) -> exp.Expr:
        from sqlglot import exp

        parser: Any = self
        start = parser._index
        values = [] if agg else parser._try_parse(lambda: parser._parse_csv(parser._parse_bitwise))
        if values and parser._curr and parser._curr.text == ")":
            return exp.Anonymous(this="json_object", expressions=values)
        parser._retreat(start)
        pairs: exp.Expr = super()._parse_json_object(agg)  # type: ignore[misc]
        return pairs


@lru_cache(maxsize=16)
def _parser_class(dialect: str) -> type[Parser]:
    from sqlglot.dialects.dialect import Dialect

    # It warns of statements that it takes whole; such a statement is refused here, and nobody needs the warning.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    base = Dialect.get_or_raise(dialect).parser_class
    keep = _SYNTAX[dialect]
    return type(
        f"Named{base.__name__}",
        (_Bounded, base),
        {
            "FUNCTIONS": {},
            "FUNCTION_PARSERS": {k: v for k, v in base.FUNCTION_PARSERS.items() if k in keep},
            "NO_PAREN_FUNCTION_PARSERS": {
                k: v for k, v in base.NO_PAREN_FUNCTION_PARSERS.items() if k in _SYNTAX_WITHOUT_PAREN
            },
        },
    )


def parse(text: str, dialect: str) -> exp.Expr:
    """The tree of exactly one statement.

    Raises:
        Refusal: It cannot be parsed, it is nested too deeply, or it is not one statement.
    """
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.errors import ErrorLevel, SqlglotError

    try:
        known = Dialect.get_or_raise(dialect)
        parser: Any = _parser_class(dialect)(error_level=ErrorLevel.IMMEDIATE, dialect=known)
        tokens = known.tokenize(text)
        parser.steps_left = _STEPS_AT_LEAST + _STEPS_A_TOKEN * len(tokens)
        trees: list[exp.Expr] = [t for t in parser.parse(tokens, text) if t is not None]
    except RecursionError:
        raise Refusal(RefusalCode.TOO_DEEP, "The statement is nested too deeply to be checked.") from None
    except (SqlglotError, ValueError, KeyError, TypeError, AttributeError, IndexError, AssertionError) as fault:
        raise Refusal(
            RefusalCode.UNREADABLE, f"The statement cannot be parsed as {dialect or 'plain'} SQL{_where(fault)}."
        ) from None
    if len(trees) != 1:
        raise Refusal(RefusalCode.SEVERAL_STATEMENTS, "Only one statement may be sent at a time.")
    return trees[0]


def _where(fault: Exception) -> str:
    from sqlglot.errors import ParseError

    if isinstance(fault, ParseError) and fault.errors:
        first = fault.errors[0]
        near = str(first.get("highlight") or "").strip()
        if near:
            return f", near {near[:40]!r}"
    return ""
