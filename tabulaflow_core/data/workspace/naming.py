"""Which source each table of a query belongs to."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabulaflow_core.data.schema import ForeignKey, SourceSchema, TableSchema

if TYPE_CHECKING:
    from sqlglot import exp

_MOST_NAMED = 12
#: Comparing takes a tenth of a second for so many names.
_MOST_COMPARED = 2000


@dataclass(frozen=True, slots=True)
class Found:
    """One table of the query.

    Attributes:
        alias: Its source.
        place: Its name in the schema that the workspace has for the source.
        as_written: The query already calls it by a name that the workspace understands.
    """

    node: exp.Table
    alias: str
    table: TableSchema
    place: str
    as_written: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A query with all its tables found.

    Attributes:
        dialect: The sqlglot name in which it was parsed.
    """

    tree: exp.Expr
    dialect: str
    found: tuple[Found, ...]

    @property
    def aliases(self) -> tuple[str, ...]:
        """The sources it reads, in the order in which it names them."""
        return tuple(dict.fromkeys(f.alias for f in self.found))


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Why the tables cannot be found; a sentence each for the fault and for what would help."""

    message: str
    hint: str = ""


def place_of(table: TableSchema) -> str:
    """The name of `table` in the workspace: `orders`, or `archive__orders` where it needs its schema."""
    return f"{table.schema}__{table.name}" if table.schema else table.name


def joint_schema(schemas: Mapping[str, SourceSchema]) -> SourceSchema:
    """All tables of the sources, each in a schema called like its source."""
    from dataclasses import replace

    return SourceSchema(
        tuple(
            replace(
                t,
                name=place_of(t),
                schema=alias,
                catalog=None,
                foreign_keys=tuple(_key(k, alias) for k in t.foreign_keys),
            )
            for alias, schema in schemas.items()
            for t in schema.tables
        )
    )


def _key(key: ForeignKey, alias: str) -> ForeignKey:
    target = f"{key.target_schema}__{key.target_table}" if key.target_schema else key.target_table
    return ForeignKey(key.columns, target, key.target_columns, alias)


def resolve(sql: str, schemas: Mapping[str, SourceSchema], *, dialect: str) -> Reading | Unresolved:
    """Parse `sql` and find its tables: `alias.table`, `alias.schema.table`, or a name that one source alone has."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        trees = [t for t in sqlglot.parse(sql, read=dialect) if t is not None]
    except (SqlglotError, RecursionError):
        return Unresolved("The query cannot be read.", "Write one SELECT in DuckDB's SQL.")
    if len(trees) != 1:
        return Unresolved("Only one statement may be sent at a time.")
    found: list[Found] = []
    for node in _tables(trees[0]):
        parts = tuple(part.name for part in node.parts)
        matches = _matches(parts, schemas)
        if not matches:
            return _unknown(".".join(parts), schemas)
        if len(matches) > 1:
            names = [f"{alias}.{place_of(table)}" for alias, table, _ in matches]
            return Unresolved(
                f"The table {parts[-1]!r} is in more than one source.", f"Write {' or '.join(names)} in the query."
            )
        alias, table, as_written = matches[0]
        found.append(Found(node, alias, table, place_of(table), as_written))
    return Reading(trees[0], dialect, tuple(found))


def _tables(tree: exp.Expr) -> Iterator[exp.Table]:
    """The tables that are no CTE and no function."""
    from sqlglot import exp

    ctes = {cte.alias_or_name.casefold() for cte in tree.find_all(exp.CTE)}
    for node in tree.find_all(exp.Table):
        if not isinstance(node.this, exp.Identifier):
            continue
        if not node.db and node.name.casefold() in ctes and not _names_itself(node):
            continue
        yield node


def _names_itself(node: exp.Table) -> bool:
    """`WITH orders AS (SELECT … FROM orders)` reads the real table, unless it is recursive."""
    from sqlglot import exp

    cte = node.find_ancestor(exp.CTE)
    while cte is not None:
        if cte.alias_or_name.casefold() == node.name.casefold():
            return not (isinstance(cte.parent, exp.With) and cte.parent.recursive)
        cte = cte.find_ancestor(exp.CTE)
    return False


def _matches(parts: tuple[str, ...], schemas: Mapping[str, SourceSchema]) -> list[tuple[str, TableSchema, bool]]:
    if len(parts) > 1:
        folded = parts[0].casefold()
        for alias in sorted(schemas, key=lambda a: (a != parts[0], a.casefold() != folded)):
            if alias.casefold() == folded and (table := _in(schemas[alias], parts[1:])) is not None:
                return [(alias, table, len(parts) == 2 and parts[1].casefold() == place_of(table).casefold())]
    matches = [(alias, _in(schema, parts)) for alias, schema in schemas.items()]
    return [
        (alias, table, len(parts) == 1 and parts[0].casefold() == place_of(table).casefold())
        for alias, table in matches
        if table is not None
    ]


def _in(schema: SourceSchema, parts: tuple[str, ...]) -> TableSchema | None:
    if (table := schema.table(".".join(parts))) is not None:
        return table
    if len(parts) == 1:
        return next((t for t in schema.tables if place_of(t).casefold() == parts[0].casefold()), None)
    return None


def _unknown(name: str, schemas: Mapping[str, SourceSchema]) -> Unresolved:
    names = [f"{alias}.{place_of(table)}" for alias, schema in schemas.items() for table in schema.tables]
    folded = {n.casefold(): n for n in names[:_MOST_COMPARED]}
    near = [folded[n] for n in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.5)]
    shown = near or names[:_MOST_NAMED]
    return Unresolved(
        f"No source has a table {name!r}.", f"There are: {', '.join(shown)}." if shown else "The sources have no table."
    )
