"""PostgreSQL's list of roles: names and rights may be read, the settings kept for a role may not.

`ALTER ROLE … SET app.key = '…'` is where some keep secrets; `pg_roles` shows them in one of its columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

if TYPE_CHECKING:
    from sqlglot import exp

_KEPT = {"pg_roles": "rolconfig", "pg_user": "useconfig"}
"""Of each list of roles, the column with their settings."""


def check_roles(root: exp.Expr) -> None:
    """Raises `Refusal` if a statement reads pg_roles in a way that could show the settings of a role."""
    from sqlglot import exp

    tables = [table for table in root.find_all(exp.Table) if table.name.lower() in _KEPT]
    if not tables:
        return
    rows = {*_KEPT} | {table.alias_or_name.lower() for table in tables}
    if any(table.args.get("alias") and table.args["alias"].args.get("columns") for table in tables):
        raise _kept()
    for star in root.find_all(exp.Star):
        if not (isinstance(star.parent, exp.Anonymous) and star.parent.name.lower() == "count"):
            raise _kept()
    for name in root.find_all(exp.Identifier):
        if name.name.lower() in _KEPT.values():
            raise _kept()
    for column in root.find_all(exp.Column):
        if column.name.lower() in rows:
            raise _kept()


def _kept() -> Refusal:
    return Refusal(
        RefusalCode.CATALOG,
        "The list of roles also holds the settings kept for each, which may be secrets. Name the columns that are "
        "needed, such as rolname.",
    )
