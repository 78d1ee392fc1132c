"""Which columns of a view show hidden columns of the tables under it, also by another name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.schema import TableSchema

if TYPE_CHECKING:
    from sqlglot import exp

#: A view that a person wrote is far shorter.
_LONGEST: Final = 50_000

#: The table that a name in a view means, its hidden columns, and whether nothing of it may be seen.
Known = tuple[TableSchema, frozenset[str], bool]


def hidden_in_view(
    view: TableSchema, text: str, *, dialect: str, find: Callable[[tuple[str, ...]], list[Known] | None]
) -> frozenset[str] | None:
    """The columns of `view` that show what is hidden; None when the view as a whole must be kept from the model.

    Args:
        text: Its query, or the statement that made it; empty when it is not known.
        find: The tables that a name may mean; None when it names no table of the source.
    """
    tree, named = _query(text, dialect)
    if tree is None:
        return None
    below: list[Known] = []
    for parts in _names(tree):
        found = find(parts)
        if found is None:
            return None
        below += found
    if any(closed for _, _, closed in below):
        return None
    secret = frozenset(name.casefold() for _, hidden, _ in below for name in hidden)
    if not secret:
        return frozenset()
    return _shown(view, tree, below, secret, named)


def _query(text: str, dialect: str) -> tuple[exp.Expr | None, bool]:
    """The view's query, and whether the statement gives its columns names of their own."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    if not text or len(text) > _LONGEST:
        return None, False
    try:
        trees = sqlglot.parse(text, read=dialect or None)
    except (SqlglotError, RecursionError):
        return None, False
    if len(trees) != 1 or trees[0] is None:
        return None, False
    tree = trees[0]
    if isinstance(tree, exp.Create):
        named = isinstance(tree.this, exp.Schema)
        query = tree.expression
        return (query if isinstance(query, exp.Query) else None), named
    return (tree if isinstance(tree, exp.Query) else None), False


def _names(tree: exp.Expr) -> list[tuple[str, ...]]:
    from sqlglot import exp

    ctes = {cte.alias_or_name.casefold() for cte in tree.find_all(exp.CTE)}
    return [
        tuple(part.name for part in table.parts)
        for table in tree.find_all(exp.Table)
        if isinstance(table.this, exp.Identifier) and (table.db or table.name.casefold() not in ctes)
    ]


def _shown(
    view: TableSchema, tree: exp.Expr, below: list[Known], secret: frozenset[str], named: bool
) -> frozenset[str] | None:
    from sqlglot import exp

    whole = {table.name.casefold() for table, _, _ in below}
    whole |= {alias.name.casefold() for alias in tree.find_all(exp.TableAlias)}
    if not isinstance(tree, exp.Select) or _natural(tree):
        return None
    if any(True for _ in tree.find_all(exp.Subquery, exp.CTE, exp.Pivot, exp.Lateral)):
        return None
    if tree.is_star:
        plain = len(below) == 1 and not named and not tree.args.get("joins") and len(tree.expressions) == 1
        same = plain and [c.name for c in view.columns] == [c.name for c in below[0][0].columns]
        return frozenset(below[0][1]) if same and isinstance(tree.expressions[0], exp.Star) else None
    if len(tree.expressions) != len(view.columns):
        return None
    out = set()
    for shown, column in zip(tree.expressions, view.columns, strict=True):
        used = {name.name.casefold() for name in shown.find_all(exp.Identifier)}
        stars = any(not isinstance(star.parent, exp.Count) for star in shown.find_all(exp.Star))
        rows = {c.name.casefold() for c in shown.find_all(exp.Column) if not isinstance(c.this, exp.Star)} & whole
        if used & secret or stars or rows:
            out.add(column.name)
    return frozenset(out)


def _natural(tree: exp.Expr) -> bool:
    from sqlglot import exp

    return any(join.args.get("method") == "NATURAL" for join in tree.find_all(exp.Join))
