"""A model's query with each table that has hidden columns replaced by one that has them not.

`FROM customers c` becomes `FROM (SELECT id, name FROM customers) c`. The hidden columns then do not exist for the
query, so that the engine itself keeps them out of `*`, of joins by common names and of whole rows; nothing has to be
guessed about which table a name belongs to. The text is otherwise left as it was. What is not sure to be found as a
table is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.guard import Allowed
from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.hiding.clauses import around, spelled_out
from tabulaflow_core.data.hiding.sight import Sight

if TYPE_CHECKING:
    from sqlglot import exp

#: What a model writes is far shorter; the parser takes its time with more.
_LONGEST: Final = 30_000
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


#: Where a text begins and ends, and what stands in its place.
_Cut = tuple[int, int, str]


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
    tree = _tree(sql, dialect)
    if tree is None:
        return Withheld(_UNREADABLE)
    if reason := _telling(tree, verdict, sight):
        return Withheld(reason)
    cuts: list[_Cut] = []
    bare: set[tuple[str, ...]] = set()
    nodes = _tables(tree)
    for node in nodes:
        if _is_cte(node):
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
    shortened = _shortened(tree, bare, sql)
    if shortened is None:
        return Withheld(_UNREADABLE)
    for begin, end, text in sorted(cuts + shortened, reverse=True):
        sql = sql[:begin] + text + sql[end:]
    return Rewritten(sql)


def _replaced(node: exp.Table, sight: Sight, sql: str, dialect: str) -> list[_Cut] | Withheld:
    """What stands in the place of a table that has hidden columns; nothing where it has none."""
    parts = tuple(part.name for part in node.parts)
    name = ".".join(parts)
    places = sight.places(parts)
    if not places:
        return Withheld(f"{name} is not one of this source's tables. {_LISTED}")
    if not any(p in sight.hidden or p in sight.closed for p in places):
        return []
    place = places[0] if len(places) == 1 else _exact(node, places, sight, dialect)
    if place is None:
        return Withheld(f"{name} may mean more than one table; write its schema before it.")
    if place in sight.closed:
        return Withheld(f"{name} shows columns that are hidden from the model. Ask other tables.")
    if place not in sight.hidden:
        return []
    span = _span(node.parts, sql)
    if span is None:
        return Withheld(_UNREADABLE)
    columns = [c.name for c in sight.full.tables[place].columns if c.name not in sight.hidden[place]]
    listed = ", ".join(_quoted(column, dialect) for column in columns)
    alias = "" if node.alias else f" {_last(node, sql)}"
    place_of = around(sql, span, dialect)
    cut = (place_of.begin, place_of.end, f"(SELECT {listed} FROM {place_of.inner}){alias}")
    return [cut, *((begin, end, "") for begin, end in place_of.moved)]


def _tree(sql: str, dialect: str) -> exp.Expr | None:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    if len(sql) > _LONGEST:
        return None
    try:
        trees = sqlglot.parse(sql, read=None if dialect in ("", "ansi") else dialect)
    except (SqlglotError, RecursionError):
        return None
    tree = trees[0] if len(trees) == 1 else None
    # DuckDB's PIVOT and UNPIVOT as statements.
    readable = (exp.Query, exp.Values, exp.Pivot) if dialect == "duckdb" else (exp.Query, exp.Values)
    if not isinstance(tree, readable) or any(True for _ in tree.find_all(exp.Command)):
        return None
    return tree


def _tables(tree: exp.Expr) -> list[exp.Table]:
    from sqlglot import exp

    return [n for n in tree.find_all(exp.Table) if isinstance(n.this, exp.Identifier) and n.arg_key != "indexed"]


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


def _is_cte(node: exp.Table) -> bool:
    """Whether the name is that of a WITH that holds where it stands."""
    from sqlglot import exp

    if node.db:
        return False
    child: exp.Expr = node
    while (parent := child.parent) is not None:
        clause = parent.args.get("with_")
        if isinstance(clause, exp.With) and clause is not child:
            if any(cte.alias_or_name.casefold() == node.name.casefold() for cte in clause.expressions):
                return True
        elif isinstance(parent, exp.With):
            before = parent.expressions if parent.recursive else parent.expressions[: child.index or 0]
            if any(cte.alias_or_name.casefold() == node.name.casefold() for cte in before):
                return True
        child = parent
    return False


def _exact(node: exp.Table, places: list[int], sight: Sight, dialect: str) -> int | None:
    """The one of several tables that the engine would take for this name, when that is sure."""
    *path, last = node.parts
    name = last.name
    if not last.args.get("quoted"):
        name = name.lower() if dialect in ("postgres", "redshift") else name
    found = [p for p in places if sight.full.tables[p].name == name]
    if not path:
        found = [p for p in found if sight.full.tables[p].schema is None]
    return found[0] if len(found) == 1 else None


def _span(parts: list[exp.Expr], sql: str) -> tuple[int, int] | None:
    """Where the parts of a name stand in the text; None when that is not known."""
    places = [_place(part, sql) for part in parts]
    if any(place is None for place in places):
        return None
    known = [place for place in places if place is not None]
    return min(known)[0], max(known)[1]


def _place(part: exp.Expr, sql: str) -> tuple[int, int] | None:
    begin, end = part.meta.get("start"), part.meta.get("end")
    if begin is None or end is None:
        return None
    written = sql[begin : end + 1]
    for mark in ('""', "``", "]]"):
        written = written.replace(mark, mark[0])
    return (begin, end + 1) if part.name and part.name in written else None


def _last(node: exp.Table, sql: str) -> str:
    begin, end = node.this.meta["start"], node.this.meta["end"]
    return sql[begin : end + 1]


def _quoted(name: str, dialect: str) -> str:
    from sqlglot import exp

    written: str = exp.to_identifier(name, quoted=True).sql(dialect=None if dialect in ("", "ansi") else dialect)
    return written


def _shortened(tree: exp.Expr, bare: set[tuple[str, ...]], sql: str) -> list[_Cut] | None:
    """The cuts that make `sales.customers.name` into `customers.name`, where that table was replaced."""
    from sqlglot import exp

    cuts: list[_Cut] = []
    for column in tree.find_all(exp.Column) if bare else ():
        *path, _ = column.parts
        if tuple(part.name.casefold() for part in path) not in bare:
            continue
        begin, table = _place(path[0], sql), _place(path[-1], sql)
        if begin is None or table is None:
            return None
        cuts.append((begin[0], table[0], ""))
    return cuts


def _mentioned(tree: exp.Expr, sight: Sight) -> str:
    """Why a query is refused that names a hidden column; empty when each such name may be another's."""
    from sqlglot import exp

    hidden: dict[str, str] = {}
    seen: set[str] = set()
    for node in _tables(tree):
        for place in [] if _is_cte(node) else sight.places(tuple(part.name for part in node.parts)):
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
