"""Small helpers over a parsed statement."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from sqlglot import exp

from tabulaflow_core.data.schema import SourceSchema, TableSchema


def folded(name: str) -> str:
    """Return `name` without case, accents, spaces and punctuation: what a model that retypes it keeps."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return re.sub(r"[^a-z0-9]", "", plain) or plain


def identifier(name: str, dialect: str) -> exp.Identifier:
    """Return `name` as an identifier, quoted where the dialect needs it."""
    from tabulaflow_core.agents.schema_text import quoted

    return exp.to_identifier(name, quoted=quoted(name, dialect) != name)


def cte_names(tree: exp.Expr) -> set[str]:
    """Return the names of the statement's CTEs, without case."""
    return {cte.alias_or_name.casefold() for cte in tree.find_all(exp.CTE)}


def tables_in(tree: exp.Expr) -> Iterator[exp.Table]:
    """Yield the tables read, CTEs left out."""
    ctes = cte_names(tree)
    for table in tree.find_all(exp.Table):
        if table.name and (table.db or table.name.casefold() not in ctes):
            yield table


def schemas_in(tree: exp.Expr, schema: SourceSchema) -> dict[str, TableSchema]:
    """Return what is read, by alias or name without case; unknown tables are left out."""
    found: dict[str, TableSchema] = {}
    for table in tables_in(tree):
        known = schema.table(f"{table.db}.{table.name}" if table.db else table.name)
        if known is not None:
            found[table.alias_or_name.casefold()] = known
    return found


def owner_of(column: exp.Column, tables: dict[str, TableSchema]) -> TableSchema | None:
    """Return which of `tables`, by alias without case, has `column`; None when none or several do."""
    named = [tables[column.table.casefold()]] if column.table.casefold() in tables else list(tables.values())
    if column.table and len(named) != 1:
        return None
    having = [t for t in named if any(folded(c.name) == folded(column.name) for c in t.columns)]
    return having[0] if len(having) == 1 else None


def made_names(tree: exp.Expr) -> set[str]:
    """Return names that the statement itself makes: aliases of columns, tables and CTEs, without case."""
    names = {a.alias.casefold() for a in tree.find_all(exp.Alias)}
    names |= {t.alias.casefold() for t in tree.find_all(exp.TableAlias) if t.name} | cte_names(tree)
    for alias in tree.find_all(exp.TableAlias):
        names |= {column.name.casefold() for column in alias.args.get("columns") or ()}
    return names


def outer_select(tree: exp.Expr) -> exp.Select | None:
    """Return the statement's outermost SELECT, None for a set operation."""
    return tree if isinstance(tree, exp.Select) else None


def conjuncts(select: exp.Select) -> list[exp.Expr]:
    """Return the conditions of WHERE, split at AND."""
    where = select.args.get("where")
    if where is None:
        return []
    condition = where.this
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]
