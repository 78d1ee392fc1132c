"""Names that do not exist become the nearest that do: retyped, unquoted, or slightly misspelt."""

from __future__ import annotations

import difflib
import re
from typing import Final

from sqlglot import exp

from tabulaflow_core.agents.mend.tree import folded, identifier, made_names, schemas_in, tables_in
from tabulaflow_core.agents.schema_text import RESERVED, quoted
from tabulaflow_core.data.schema import SourceSchema

#: Below this likeness a name is another word, and taking it would answer another question.
_LIKENESS: Final = 0.82


def quote_spaced(sql: str, schema: SourceSchema, dialect: str) -> str:
    """Quote names with spaces or marks that stand bare in the text; the statement would not parse otherwise."""
    names = {n for t in schema.tables for n in (t.name, *(c.name for c in t.columns)) if re.search(r"\W", n)}
    for name in sorted(names, key=len, reverse=True):
        pattern = re.compile(rf"(?<![\w\"'`.\[]){re.escape(name)}(?![\w\"'`\]])", re.IGNORECASE)
        parts = re.split(r"('(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`)", sql)
        sql = "".join(p if i % 2 else pattern.sub(lambda _, n=name: quoted(n, dialect), p) for i, p in enumerate(parts))
    return sql


def quote_reserved(sql: str, schema: SourceSchema, dialect: str) -> str:
    """Quote real names that are also words of SQL; for a statement that does not parse without."""
    for name in {n for t in schema.tables for n in (t.name, *(c.name for c in t.columns))}:
        if re.fullmatch(r"\w+", name) and quoted(name, dialect) != name and name.casefold() in RESERVED:
            pattern = re.compile(rf"(?<![\w\"'`]){name}(?![\w\"'`])(?!\s+by\b)", re.IGNORECASE)
            sql = pattern.sub(quoted(name, dialect), sql)
    return sql


def mend_names(tree: exp.Expr, schema: SourceSchema, dialect: str) -> list[str]:
    """Change the names in `tree`; return what to tell."""
    notes = _mend_tables(tree, schema, dialect)
    tables = schemas_in(tree, schema)
    have = {c.name for t in tables.values() for c in t.columns}
    if not have:
        return notes
    made = made_names(tree)
    exact = {name.casefold(): name for name in have}
    plain = {folded(name): name for name in have}
    for column in list(tree.find_all(exp.Column)):
        name = column.name
        if not name or isinstance(column.this, exp.Star):
            continue
        owner = tables.get(column.table.casefold()) if column.table else None
        if owner is not None:
            exact_here = {c.name.casefold(): c.name for c in owner.columns}
            plain_here = {folded(c.name): c.name for c in owner.columns}
        else:
            exact_here, plain_here = exact, plain
        if name in exact_here.values() and (column.this.args.get("quoted") or quoted(name, dialect) == name):
            continue
        if name.casefold() in made and name.casefold() not in exact_here:
            continue
        real = exact_here.get(name.casefold()) or plain_here.get(folded(name)) or _near(name, exact_here)
        if real is None:
            continue
        column.set("this", identifier(real, dialect))
        if real.casefold() != name.casefold() and folded(real) != folded(name):
            notes.append(f"column {name!r} read as {real!r}")
    return notes


def _mend_tables(tree: exp.Expr, schema: SourceSchema, dialect: str) -> list[str]:
    notes = []
    by_fold = {folded(t.name): t for t in schema.tables}
    names = {t.name.casefold(): t for t in schema.tables}
    for table in list(tables_in(tree)):
        known = schema.table(f"{table.db}.{table.name}" if table.db else table.name) or schema.table(table.name)
        if known is None:
            near = _near(table.name, {n: n for n in names})
            known = by_fold.get(folded(table.name)) or (names[near] if near else None)
        if known is None:
            continue
        if folded(known.name) != folded(table.name):
            notes.append(f"table {table.name!r} read as {known.name!r}")
        if known.name != table.name or quoted(known.name, dialect) != known.name:
            if not table.alias:
                _requalify(tree, table.name, known.name, dialect)
            table.set("this", identifier(known.name, dialect))
        if not known.schema and table.db:
            table.set("db", None)
    return notes


def _requalify(tree: exp.Expr, old: str, new: str, dialect: str) -> None:
    for column in tree.find_all(exp.Column):
        if column.table and column.table.casefold() == old.casefold():
            column.set("table", identifier(new, dialect))


def _near(name: str, candidates: dict[str, str]) -> str | None:
    """Return the candidate that `name` is a misspelling of, or its singular or plural."""
    match = difflib.get_close_matches(name.casefold(), list(candidates), n=2, cutoff=_LIKENESS)
    return candidates[match[0]] if match else None
