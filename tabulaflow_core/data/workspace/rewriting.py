"""The text that runs: in the one source that a query needs, or in the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.data.statements import named_by
from tabulaflow_core.data.workspace.naming import Found, Reading

if TYPE_CHECKING:
    from sqlglot import exp


def known(dialect: str) -> str | None:
    """The dialect for sqlglot's writers, which call an engine that is not known None."""
    return None if dialect in ("", "ansi") else dialect


def alone(sql: str, reading: Reading, dialect: str) -> str:
    """The text for a query of one source: as given, or without the alias before its tables."""
    from sqlglot import exp

    if not any(len(f.node.parts) > 1 for f in reading.found):
        return sql
    tree, nodes = _copied(reading)
    changed = False
    for found, node in zip(reading.found, nodes, strict=True):
        parts = [part.name.casefold() for part in node.parts]
        if len(parts) == 1 or parts[0] != found.alias.casefold():
            continue
        changed = True
        _bare_columns(tree, node, found)
        named_by(node, [exp.to_identifier(part, quoted=True) for part in found.table.path])
    written: str = tree.sql(dialect=known(dialect))
    return written if changed else sql


def joined(sql: str, reading: Reading) -> str:
    """The query as the workspace runs it: as given when it can be."""
    from sqlglot import exp

    if reading.dialect == "duckdb" and all(found.as_written for found in reading.found):
        return sql
    tree, nodes = _copied(reading)
    for found, node in zip(reading.found, nodes, strict=True):
        if found.as_written:
            continue
        _bare_columns(tree, node, found)
        if not node.alias:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(node.name, quoted=True)))
        node.set("catalog", None)
        node.set("db", exp.to_identifier(found.alias, quoted=True))
        node.set("this", exp.to_identifier(found.place, quoted=True))
    written: str = tree.sql(dialect="duckdb")
    return written


def _copied(reading: Reading) -> tuple[exp.Expr, list[exp.Table]]:
    """A copy of the tree, and the tables of the reading in it."""
    from sqlglot import exp

    tree = reading.tree.copy()
    places = {id(node): i for i, node in enumerate(reading.tree.find_all(exp.Table))}
    tables = list(tree.find_all(exp.Table))
    return tree, [tables[places[id(found.node)]] for found in reading.found]


def _bare_columns(tree: exp.Expr, node: exp.Table, found: Found) -> None:
    """`alias.table.column` becomes `table.column`."""
    from sqlglot import exp

    qualifiers = [part.name.casefold() for part in node.parts]
    for column in tree.find_all(exp.Column):
        named = [part.name.casefold() for part in column.parts[:-1]]
        if len(named) > 1 and named == qualifiers:
            column.set("catalog", None)
            column.set("db", None)
