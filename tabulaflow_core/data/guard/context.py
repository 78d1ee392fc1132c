"""What a check carries along: the dialect, the user-defined functions allowed, the tables found."""

from __future__ import annotations

from dataclasses import dataclass, field

from tabulaflow_core.data.guard import functions
from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

_BUILT_IN_SCHEMAS = {"postgres": {"pg_catalog"}}
_DEFAULT_SCHEMAS = {"public", "main", "dbo"}
_GRAMMAR_FUNCTIONS = name_set(
    """
    all any array cast coalesce current_date current_time current_timestamp exists greatest grouping least localtime
    localtimestamp nullif row some treat xmlattributes
    """
)


@dataclass(slots=True)
class Context:
    """One check's state.

    Attributes:
        dialect: The engine.
        user_functions: Names the source allows besides the built-in ones, lower case, `name` or `schema.name`.
        tables: The relations named so far.
        ctes: The names of all common table expressions of the statement, lower case.
        types: Types of a user that are cast to, as PostgreSQL reads their names.
        marks: How many marks for bound values the statement holds; those of a person's statement are refused.
    """

    dialect: str
    user_functions: frozenset[str] = frozenset()
    tables: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    ctes: frozenset[str] = frozenset()
    marks: int = 0

    def check_function(self, name: str, *, qualifiers: tuple[str, ...] = (), quoted: bool, in_from: bool) -> None:
        """Raises `Refusal` unless this function only computes.

        Args:
            name: As written.
            qualifiers: The schema, or catalog and schema, before it.
            quoted: Whether the name stands in quotes, which keeps capitals in PostgreSQL.
            in_from: Whether it stands in FROM.
        """
        lowered = name.lower()
        path = tuple(part.lower() for part in qualifiers)
        shown = ".".join((*qualifiers, name))
        if ".".join((*path, lowered)) in self.user_functions:
            return
        if lowered in self.user_functions and set(path) <= _DEFAULT_SCHEMAS:
            return
        known = functions.table_functions(self.dialect) if in_from else functions.scalars(self.dialect)
        # A quoted "Lower" or "coalesce" is never the built-in: the one keeps its capital, the other is grammar.
        shadowed = quoted and self.dialect == "postgres" and (name != lowered or name in _GRAMMAR_FUNCTIONS)
        # DuckDB writes `name.upper()` for `upper(name)`, so what stands before the dot may be a column.
        built_in = not path or self.dialect == "duckdb" or set(path) <= _BUILT_IN_SCHEMAS.get(self.dialect, set())
        if lowered in known and name.isascii() and not shadowed and built_in:
            return
        raise Refusal(
            RefusalCode.FUNCTION,
            f"The function {shown} is not on the list of functions that only compute. "
            "One of your own runs by itself where its text is a single query that only reads; another is allowed by "
            "name: --function on the command line, functions= in a program.",
        )
