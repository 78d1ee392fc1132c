"""The tables of a parsed statement, where they stand in its text, and a text in which queries stand in their place.

`FROM customers c` becomes `FROM (SELECT id, name FROM customers) c`. Only the names are touched: whoever reads the new
text finds every other character where it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.derived.clauses import around

if TYPE_CHECKING:
    from sqlglot import exp

    from tabulaflow_core.data.schema import TableSchema

#: What people and models write is far shorter; the parser takes its time with more.
_LONGEST: Final = 30_000

#: Stands for the name of a table in a condition on its columns: a bare one may mean another's, or in SQLite a text.
TABLE: Final = "\1"
#: Where a text begins and ends, and what stands in its place.
Cut = tuple[int, int, str]


def parsed(sql: str, dialect: str) -> exp.Expr | None:
    """The tree of one query; None for what is no query, or cannot be read. The guard must have allowed it before."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    if len(sql) > _LONGEST:
        return None
    try:
        trees = sqlglot.parse(sql, read=_known(dialect))
    except (SqlglotError, RecursionError):
        return None
    tree = trees[0] if len(trees) == 1 else None
    # DuckDB's PIVOT and UNPIVOT as statements.
    readable = (exp.Query, exp.Values, exp.Pivot) if dialect == "duckdb" else (exp.Query, exp.Values)
    if not isinstance(tree, readable) or any(True for _ in tree.find_all(exp.Command)):
        return None
    return tree


def tables_of(tree: exp.Expr) -> list[exp.Table]:
    """The tables that are named, those of WITH too."""
    from sqlglot import exp

    return [n for n in tree.find_all(exp.Table) if isinstance(n.this, exp.Identifier) and n.arg_key != "indexed"]


def names_cte(node: exp.Table) -> bool:
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


def exact_place(node: exp.Table, places: Iterable[int], tables: tuple[TableSchema, ...], dialect: str) -> int | None:
    """The one of several tables that the engine would take for this name, when that is sure."""
    *path, last = node.parts
    name = last.name
    if not last.args.get("quoted"):
        name = name.lower() if dialect in ("postgres", "redshift") else name
    found = [p for p in places if tables[p].name == name]
    if not path:
        found = [p for p in found if tables[p].schema is None]
    return found[0] if len(found) == 1 else None


def replacing(node: exp.Table, sql: str, dialect: str, *, columns: str, condition: str = "") -> list[Cut] | None:
    """The cuts that put a query in the place of a table; None where the place of its name is not known.

    Args:
        columns: What stands after SELECT, quoted.
        condition: What stands after WHERE, with `TABLE` for the table's name; empty for all rows.
    """
    span = span_of(node.parts, sql)
    if span is None:
        return None
    name = _last(node, sql)
    alias = "" if node.alias else f" {name}"
    place = around(sql, span, dialect)
    where = f" WHERE {condition.replace(TABLE, name)}" if condition else ""
    cut = (place.begin, place.end, f"(SELECT {columns} FROM {place.inner}{where}){alias}")
    return [cut, *((begin, end, "") for begin, end in place.moved)]


def shortening(tree: exp.Expr, bare: Collection[tuple[str, ...]], sql: str) -> list[Cut] | None:
    """The cuts that make `sales.customers.name` into `customers.name`, where that table was replaced.

    Args:
        bare: The names of those tables with their schema and without an alias, in lower case.
    """
    from sqlglot import exp

    cuts: list[Cut] = []
    for column in tree.find_all(exp.Column) if bare else ():
        *path, _ = column.parts
        if tuple(part.name.casefold() for part in path) not in bare:
            continue
        begin, table = _place(path[0], sql), _place(path[-1], sql)
        if begin is None or table is None:
            return None
        cuts.append((begin[0], table[0], ""))
    return cuts


def cut_text(sql: str, cuts: Iterable[Cut]) -> str:
    """The text after all cuts."""
    for begin, end, text in sorted(cuts, reverse=True):
        sql = sql[:begin] + text + sql[end:]
    return sql


def quoted(name: str, dialect: str) -> str:
    """A name as the engine reads it, whatever it holds."""
    from sqlglot import exp

    written: str = exp.to_identifier(name, quoted=True).sql(dialect=_known(dialect))
    return written


def _known(dialect: str) -> str | None:
    return None if dialect in ("", "ansi") else dialect


def span_of(parts: Sequence[exp.Expr], sql: str) -> tuple[int, int] | None:
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
