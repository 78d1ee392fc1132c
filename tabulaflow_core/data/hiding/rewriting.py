"""A model's query with each table that has hidden columns replaced by one that has them not.

`FROM customers c` becomes `FROM (SELECT id, name FROM customers) c`. The hidden columns then do not exist for the
query, so that the engine itself keeps them out of `*`, of joins by common names and of whole rows; nothing has to be
guessed about which table a name belongs to. The text is otherwise left as it was. What is not sure to be found as a
table is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.derived.clauses import spelled_out
from tabulaflow_core.data.derived.tables import (
    Cut,
    cut_text,
    exact_place,
    names_cte,
    parsed,
    quoted,
    replacing,
    shortening,
    tables_of,
)
from tabulaflow_core.data.guard import Allowed
from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.hiding.sight import Sight

if TYPE_CHECKING:
    from sqlglot import exp

_KINDS: Final = frozenset({"select", "values", "table"})
#: Functions in FROM that only make rows of what they are given.
_MAKERS: Final = name_set(
    """
    each flatten generate_array generate_date_array generate_series generate_subscripts json_array_elements
    json_array_elements_text json_each json_each_text json_object_keys json_table json_to_record json_to_recordset
    json_tree jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys
    jsonb_path_query jsonb_to_record jsonb_to_recordset jsonb_tree openjson posexplode explode range regexp_matches
    regexp_split_to_table repeat sequence split_to_table string_split string_to_table unnest xmltable
    """
)
_TELLING: Final = ("pg_get_", "has_", "pragma_", "duckdb_", "col_description", "obj_description", "shobj_description")
_LISTED: Final = "While columns are hidden from the model, it may ask the listed tables only."
_UNREADABLE: Final = (
    "While columns are hidden from the model, its queries must be plain SELECTs whose tables can be told; this one "
    "cannot be read so."
)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The query that may run."""

    sql: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """Why the query may not run: one or two sentences."""

    reason: str


def rewrite(verdict: Allowed, sight: Sight, *, dialect: str) -> Rewritten | Withheld:
    """Take the hidden columns out of a query that the guard allows.

    Args:
        verdict: The guard's, whose list of tables must agree with what is found here.
        sight: What is hidden.
        dialect: The engine's.
    """
    sql = spelled_out(verdict.sql, dialect)
    if verdict.kind not in _KINDS:
        return Withheld(f"{verdict.kind.upper()} may tell of columns that are hidden from the model; write a SELECT.")
    tree = parsed(sql, dialect)
    if tree is None:
        return Withheld(_UNREADABLE)
    if reason := _telling(tree, verdict, sight):
        return Withheld(reason)
    cuts: list[Cut] = []
    bare: set[tuple[str, ...]] = set()
    nodes = tables_of(tree)
    for node in nodes:
        if names_cte(node):
            continue
        cut = _replaced(node, sight, sql, dialect)
        if isinstance(cut, Withheld):
            return cut
        if cut:
            cuts += cut
            if not node.alias and node.db:
                bare.add(tuple(part.name.casefold() for part in node.parts))
    if unseen := {name.rpartition(".")[2].casefold() for name in verdict.tables} - {n.name.casefold() for n in nodes}:
        return Withheld(f"{sorted(unseen)[0]} cannot be told as a table of this query. {_LISTED}")
    if reason := _mentioned(tree, sight):
        return Withheld(reason)
    shortened = shortening(tree, bare, sql)
    if shortened is None:
        return Withheld(_UNREADABLE)
    return Rewritten(cut_text(sql, cuts + shortened))


def _replaced(node: exp.Table, sight: Sight, sql: str, dialect: str) -> list[Cut] | Withheld:
    """What stands in the place of a table that has hidden columns; nothing where it has none."""
    parts = tuple(part.name for part in node.parts)
    name = ".".join(parts)
    places = sight.places(parts)
    if not places:
        return Withheld(f"{name} is not one of this source's tables. {_LISTED}")
    if not any(p in sight.hidden or p in sight.closed for p in places):
        return []
    place = places[0] if len(places) == 1 else exact_place(node, places, sight.full.tables, dialect)
    if place is None:
        return Withheld(f"{name} may mean more than one table; write its schema before it.")
    if place in sight.closed:
        return Withheld(f"{name} shows columns that are hidden from the model. Ask other tables.")
    if place not in sight.hidden:
        return []
    columns = [c.name for c in sight.full.tables[place].columns if c.name not in sight.hidden[place]]
    cuts = replacing(node, sql, dialect, columns=", ".join(quoted(column, dialect) for column in columns))
    return Withheld(_UNREADABLE) if cuts is None else cuts


def _telling(tree: exp.Expr, verdict: Allowed, sight: Sight) -> str:
    """Why a query is refused that asks functions or types for what is hidden; empty when it does not."""
    from sqlglot import exp

    for node in tree.find_all(exp.Table):
        if not isinstance(node.this, exp.Identifier) and _called(node.this) not in _MAKERS:
            return f"{_called(node.this) or 'This function'} may tell of hidden columns. {_LISTED}"
    for call in tree.find_all(exp.Func):
        name = _called(call)
        if name.startswith(_TELLING) and (not name.startswith("has_") or name.endswith("_privilege")):
            return f"The function {name} may tell of columns that are hidden from the model."
    for kind in verdict.types:
        parts = tuple(part.strip('"') for part in kind.split("."))
        if sight.places(parts):
            return f"The type {kind} is the row of a table, and columns are hidden from the model."
    return ""


def _called(node: object) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Anonymous):
        return node.name.casefold()
    return node.sql_name().casefold() if isinstance(node, exp.Func) else ""


def _mentioned(tree: exp.Expr, sight: Sight) -> str:
    """Why a query is refused that names a hidden column; empty when each such name may be another's."""
    from sqlglot import exp

    hidden: dict[str, str] = {}
    seen: set[str] = set()
    for node in tables_of(tree):
        for place in [] if names_cte(node) else sight.places(tuple(part.name for part in node.parts)):
            table = sight.full.tables[place]
            gone = sight.hidden.get(place, frozenset())
            hidden |= {name.casefold(): f"{name} of {table.qualified_name}" for name in gone}
            seen |= {column.name.casefold() for column in table.columns if column.name not in gone}
    made = {node.alias.casefold() for node in tree.find_all(exp.Alias, exp.TableAlias, exp.CTE) if node.alias}
    made |= {i.name.casefold() for alias in tree.find_all(exp.TableAlias) for i in alias.columns}
    for column in tree.find_all(exp.Column):
        name = column.name.casefold()
        if name in hidden and name not in seen and name not in made:
            return hidden_reason(hidden[name])
    return ""


def hidden_reason(what: str) -> str:
    """The sentence on a hidden column.

    Args:
        what: Such as `email of customers`.
    """
    return (
        f"The column {what} is hidden from the model. Answer without it, and say so if the question cannot be "
        "answered without it."
    )
