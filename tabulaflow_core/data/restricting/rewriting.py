"""A query with each table that is restricted replaced by the rows of it that pass.

`FROM sales s` becomes `FROM (SELECT * FROM sales WHERE "day" >= $1) s`, wherever the statement names the table. The
guard sees the statement twice: as it was given, where a mark for a value is refused, and as it will run, where the
marks are those that were put there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.derived.clauses import spelled_out
from tabulaflow_core.data.derived.tables import (
    TABLE,
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
from tabulaflow_core.data.guard import Allowed, check_statement
from tabulaflow_core.data.hiding.patterns import DEFAULT_SCHEMAS
from tabulaflow_core.data.restricting.columns import kind_of
from tabulaflow_core.data.restricting.conditions import ENGINES, VALUE, Condition, condition, takes
from tabulaflow_core.data.restricting.row_tests import Restriction
from tabulaflow_core.data.schema import SourceSchema

if TYPE_CHECKING:
    from sqlglot import exp

_KINDS: Final = frozenset({"select", "table"})
#: More than anybody chooses, and far fewer than each engine binds.
_MOST_VALUES: Final = 500
_LONGEST_VALUE: Final = 10_000
#: Columns that only a table itself has; of a query SQLite takes `rowid` for NULL without a word.
_OF_TABLES: Final = frozenset({"_rowid_", "cmax", "cmin", "ctid", "oid", "rowid", "tableoid", "xmax", "xmin"})
#: Each is looked for in the whole text.
_MOST_USES: Final = 50
_NUMBERED: Final = frozenset({"duckdb", "postgres"})


@dataclass(frozen=True, slots=True)
class Restricted:
    """The query that may run.

    Attributes:
        values: For its marks, in their order.
    """

    verdict: Allowed
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Untaken:
    """A query that cannot be restricted so.

    Attributes:
        restriction: The first that it cannot take.
        reason: Why: a sentence.
    """

    restriction: Restriction
    reason: str


@dataclass(frozen=True, slots=True)
class _Planned:
    """The conditions on one table of the schema."""

    conditions: tuple[Condition, ...]
    restrictions: tuple[Restriction, ...]


def restricted(
    verdict: Allowed,
    restrictions: Sequence[Restriction],
    *,
    schema: SourceSchema,
    dialect: str,
    functions: Collection[str] = (),
) -> Restricted | Untaken:
    """Put restrictions into a query that the guard allows.

    Args:
        verdict: The guard's, on the query as it was given.
        restrictions: At least one; several on one table all hold.
        schema: The source's, in which their tables and columns are looked for.
        dialect: The engine's.
        functions: Functions of the user that the guard let pass.
    """
    first = restrictions[0]
    if dialect not in ENGINES:
        return Untaken(first, "Values cannot be bound in this engine's statements here.")
    sql = spelled_out(verdict.sql, dialect)
    tree = parsed(sql, dialect) if verdict.kind in _KINDS else None
    if tree is None:
        return Untaken(first, "The query is no plain SELECT whose tables can be told.")
    plan: dict[int, _Planned] = {}
    for restriction in restrictions:
        reason = _plan(plan, restriction, schema, dialect)
        if reason:
            return Untaken(restriction, reason)
    if sum(len(c.values) for planned in plan.values() for c in planned.conditions) > _MOST_VALUES:
        return Untaken(first, f"More than {_MOST_VALUES} values cannot be chosen at once.")
    return _rewritten(tree, sql, verdict, plan, schema, dialect, functions)


def _plan(plan: dict[int, _Planned], restriction: Restriction, schema: SourceSchema, dialect: str) -> str:
    """Add one restriction; why it cannot be had, empty when it can."""
    places = [p for p, t in enumerate(schema.tables) if restriction.table in (t.qualified_name, t.name)]
    exact = [p for p in places if schema.tables[p].qualified_name == restriction.table]
    if len(exact or places) != 1:
        return f"There is no table {restriction.table} any more." if not places else "More than one table is meant."
    (place,) = exact or places
    column = next((c for c in schema.tables[place].columns if c.name == restriction.column), None)
    if column is None:
        return f"{restriction.table} has no column {restriction.column} any more."
    kind = kind_of(column, dialect)
    if not takes(kind, type(restriction.test)):
        return f"{restriction.column} is of the type {column.type}, which cannot be tested so."
    made = condition(f"{TABLE}.{quoted(column.name, dialect)}", kind, restriction.test, dialect)
    if VALUE in column.name or TABLE in column.name or any(not _is_bindable(value) for value in made.values):
        return "A value holds a character that no text of a database has, or it is too long."
    before = plan.get(place, _Planned((), ()))
    plan[place] = _Planned((*before.conditions, made), (*before.restrictions, restriction))
    return ""


def _is_bindable(value: str) -> bool:
    return len(value) <= _LONGEST_VALUE and not any(c == "\0" or 0xD800 <= ord(c) <= 0xDFFF for c in value)


def _rewritten(
    tree: exp.Expr,
    sql: str,
    verdict: Allowed,
    plan: dict[int, _Planned],
    schema: SourceSchema,
    dialect: str,
    functions: Collection[str],
) -> Restricted | Untaken:
    first = next(iter(plan.values())).restrictions[0]
    cuts: list[Cut] = []
    marked: list[tuple[int, tuple[str, ...]]] = []
    bare: set[tuple[str, ...]] = set()
    used: set[int] = set()
    nodes = tables_of(tree)
    names = {schema.tables[place].name.casefold() for place in plan}
    if reason := _unsure(tree, names, nodes):
        return Untaken(first, reason)
    for node in nodes:
        if names_cte(node):
            continue
        places = _places(node, schema)
        place = places[0] if len(places) == 1 else exact_place(node, places, schema.tables, dialect)
        if place is None:
            if set(places) & plan.keys():
                return Untaken(first, f"{node.name} may mean more than one table of the source.")
            continue
        if place not in plan:
            continue
        conditions = plan[place].conditions
        replaced = replacing(node, sql, dialect, columns="*", condition=" AND ".join(c.sql for c in conditions))
        if replaced is None:
            return Untaken(plan[place].restrictions[0], "The place of its table in the query cannot be told.")
        used.add(place)
        cuts += replaced
        marked.append((replaced[0][0], tuple(value for c in conditions for value in c.values)))
        if not node.alias and node.db:
            bare.add(tuple(part.name.casefold() for part in node.parts))
    for place, planned in plan.items():
        if place not in used:
            return Untaken(planned.restrictions[0], f"The query does not read {schema.tables[place].qualified_name}.")
    found = {node.name.casefold() for node in nodes}
    unseen = {name.rpartition(".")[2].casefold() for name in verdict.tables} - found
    shortened = shortening(tree, bare, sql)
    if unseen or shortened is None or _names_row(tree, [schema.tables[p].columns for p in used]):
        return Untaken(first, "The query uses its table in a way that only a whole table allows.")
    values = tuple(value for _, each in sorted(marked) for value in each)
    text = _with_marks(cut_text(sql, cuts + shortened), dialect)
    again = check_statement(text, dialect=dialect, functions=functions, marks=len(values))
    if not isinstance(again, Allowed):
        return Untaken(first, f"The restricted query is not allowed: {again.reason}")
    return Restricted(again, values)


def _unsure(tree: exp.Expr, names: set[str], nodes: Sequence[exp.Table]) -> str:
    """Why it is not sure which of the names in a statement are the restricted tables; empty when it is.

    Which WITH hides a table from which part is another rule in each engine; SQLite reads a table after IN, and one that
    is called like a function, without FROM naming it.
    """
    from sqlglot import exp

    if any(cte.alias_or_name.casefold() in names for cte in tree.find_all(exp.CTE)):
        return "A WITH of the query is called like its table."
    calls = (table.this.name for table in tree.find_all(exp.Table) if isinstance(table.this, exp.Anonymous))
    read_in = (each.args.get("field") for each in tree.find_all(exp.In))
    if any(name.casefold() in names for name in calls) or any(isinstance(field, exp.Column) for field in read_in):
        return "The query reads a table in another way than by its name in FROM."
    if sum(node.name.casefold() in names for node in nodes) > _MOST_USES:
        return f"The query names its table more than {_MOST_USES} times."
    return ""


def _places(node: exp.Table, schema: SourceSchema) -> list[int]:
    """The tables of the schema that a name may mean, whatever its case."""
    *path, name = (part.name.casefold() for part in node.parts)
    out = []
    for place, table in enumerate(schema.tables):
        if table.name.casefold() != name:
            continue
        own = (table.schema or "").casefold()
        written = ".".join(path)
        if not own and path and path[-1] not in DEFAULT_SCHEMAS:
            continue  # of another database, which this source does not list
        if not path or not own or written == own or own.endswith(f".{written}") or written.endswith(f".{own}"):
            out.append(place)
    return out


def _names_row(tree: exp.Expr, columns: list[tuple[object, ...]]) -> bool:
    """Whether a column is named that is the table's own and not one of its columns."""
    from sqlglot import exp

    named = [{str(getattr(column, "name", "")).casefold() for column in each} for each in columns]
    known = set.intersection(*named) if named else set()
    return any(column.name.casefold() in _OF_TABLES - known for column in tree.find_all(exp.Column))


def _with_marks(text: str, dialect: str) -> str:
    """The statement with the engine's marks; the guard has seen that there is no other NUL in it."""
    parts = text.split(VALUE)
    if dialect not in _NUMBERED:
        return "?".join(parts)
    return parts[0] + "".join(f"${number}{part}" for number, part in enumerate(parts[1:], 1))
