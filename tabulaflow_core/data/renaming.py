"""A query whose tables or columns were renamed, with the names that are most likely meant now.

Names are only ever proposed: whoever asks runs the proposal, compares what it gives, and lets a person decide.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.derived.clauses import spelled_out
from tabulaflow_core.data.derived.tables import Cut, cut_text, names_cte, parsed, quoted, span_of, tables_of
from tabulaflow_core.data.schema import SourceSchema, TableSchema

if TYPE_CHECKING:
    from sqlglot import exp

#: Least likeness of two names, from 0 to 1: `amount` and `total_amount` have 0.8, `region` and `reason` 0.5.
_ALIKE: Final = 0.6
#: Candidates for one name, and proposals in all.
_CANDIDATES: Final = 3
_MOST: Final = 6
_WORDS: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A statement with other names.

    Attributes:
        sql: The whole statement; columns that it shows keep the names that they had.
        names: What is called otherwise, old name and new, in the order of the statement.
    """

    sql: str
    names: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Missing:
    """A name that the schema has not, where it stands, and what may be meant."""

    name: str
    places: tuple[tuple[int, int, str], ...]  # begin, end, and what is to stand behind the new name
    candidates: tuple[str, ...]


def proposals(sql: str, schema: SourceSchema, dialect: str) -> tuple[Proposal, ...]:
    """Statements in which names that `schema` has not are replaced by the nearest ones, the likeliest first.

    Args:
        sql: A statement that the guard allows.
        schema: As it is now.
        dialect: The engine's.

    Returns:
        None where every name is there, where the statement cannot be read, and where no name is near.
    """
    text = spelled_out(sql, dialect)
    tree = parsed(text, dialect)
    if tree is None:
        return ()
    nodes = [node for node in tables_of(tree) if not names_cte(node)]
    found = {id(node): _table(schema, node) for node in nodes}
    gone = [node for node in nodes if found[id(node)] is None]
    if not gone:
        known = [table for table in found.values() if table is not None]
        return tuple(_filled(text, _missing_columns(tree, known, text), (), dialect))
    out: list[Proposal] = []
    for table in _near_tables(gone, tree, schema):
        cuts = _table_cuts(gone, table, text, dialect)
        if cuts is None or len({node.name.casefold() for node in gone}) > 1:
            return ()  # of two missing tables, which is which is a guess on a guess
        known = [*(t for t in found.values() if t is not None), table]
        named = (gone[0].name, table.qualified_name)
        missing = _missing_columns(tree, known, text)
        out += [Proposal(p.sql, (named, *p.names)) for p in _filled(text, missing, cuts, dialect)]
        if not missing:
            out.append(Proposal(cut_text(text, cuts), (named,)))
    return tuple(out[:_MOST])


def _filled(text: str, missing: Sequence[_Missing], cuts: Sequence[Cut], dialect: str) -> Iterator[Proposal]:
    """Each missing name by its likeliest candidate, then one of them by another."""
    if not missing or any(not each.candidates for each in missing):
        return
    first = [each.candidates[0] for each in missing]
    choices = [first]
    for at, each in enumerate(missing):
        choices += [[*first[:at], other, *first[at + 1 :]] for other in each.candidates[1:]]
    for choice in islice(choices, _MOST):
        made = [
            (begin, end, f"{quoted(new, dialect)}{behind}")
            for each, new in zip(missing, choice, strict=True)
            for begin, end, behind in each.places
        ]
        pairs = tuple((each.name, new) for each, new in zip(missing, choice, strict=True))
        yield Proposal(cut_text(text, [*cuts, *made]), pairs)


def _table(schema: SourceSchema, node: exp.Table) -> TableSchema | None:
    return schema.table(".".join(part.name for part in node.parts)) or schema.table(node.name)


def _near_tables(gone: Sequence[exp.Table], tree: exp.Expr, schema: SourceSchema) -> list[TableSchema]:
    """Tables with a like name, or with all columns that the statement names."""
    from sqlglot import exp

    made = _made_names(tree)
    wanted = {column.name.casefold() for column in tree.find_all(exp.Column)} - made
    scored = []
    for table in schema.tables:
        columns = {column.name.casefold() for column in table.columns}
        likeness = alike(gone[0].name, table.name)
        held = len(wanted & columns) / len(wanted) if wanted else 0.0
        if likeness >= _ALIKE or (wanted and held == 1.0):
            scored.append((held + likeness, table))
    return [table for _, table in sorted(scored, key=lambda pair: -pair[0])[:_CANDIDATES]]


def _table_cuts(gone: Sequence[exp.Table], table: TableSchema, text: str, dialect: str) -> list[Cut] | None:
    cuts: list[Cut] = []
    for node in gone:
        span = span_of(node.parts, text)
        if span is None:
            return None
        alias = "" if node.alias else f" {quoted(node.name, dialect)}"
        cuts.append((*span, ".".join(quoted(part, dialect) for part in table.path) + alias))
    return cuts


def _made_names(tree: exp.Expr) -> set[str]:
    from sqlglot import exp

    made = {node.alias.casefold() for node in tree.find_all(exp.Alias, exp.TableAlias, exp.CTE) if node.alias}
    return made | {i.name.casefold() for alias in tree.find_all(exp.TableAlias) for i in alias.columns}


def _missing_columns(tree: exp.Expr, known: Sequence[TableSchema], text: str) -> list[_Missing]:
    from sqlglot import exp

    there = {column.name.casefold() for table in known for column in table.columns}
    made = _made_names(tree)
    used = {column.name.casefold() for column in tree.find_all(exp.Column)}
    free = [column.name for table in known for column in table.columns if column.name.casefold() not in used]
    found: dict[str, list[tuple[int, int, str]]] = {}
    for column in tree.find_all(exp.Column):
        name = column.name
        if isinstance(column.this, exp.Star) or name.casefold() in there | made | _given(column, tree):
            continue
        span = span_of([column.this], text)
        if span is None:
            return []
        # What is shown keeps its name: a chart is bound to it, and so is whoever reads the rows.
        shown = column.arg_key == "expressions" and isinstance(column.parent, exp.Select)
        found.setdefault(name, []).append((*span, f" AS {text[span[0] : span[1]]}" if shown else ""))
    missing = []
    for name, places in found.items():
        scored = sorted(((alike(name, other), other) for other in dict.fromkeys(free)), key=lambda pair: -pair[0])
        near = tuple(other for score, other in scored if score >= _ALIKE)[:_CANDIDATES]
        missing.append(_Missing(name, tuple(places), near))
    return missing


def _given(column: exp.Expr, tree: exp.Expr) -> set[str]:
    """The names that queries in FROM, and those of WITH, give to the SELECT in which a column stands."""
    from sqlglot import exp

    select = column.find_ancestor(exp.Select)
    if select is None:
        return set()
    clauses = [select.args.get("from_"), *(select.args.get("joins") or [])]
    names: set[str] = set()
    for source in [clause.this for clause in clauses if clause is not None]:
        if isinstance(source, exp.Subquery):
            names |= set(source.named_selects)
        elif isinstance(source, exp.Table) and names_cte(source):
            for cte in tree.find_all(exp.CTE):
                if cte.alias_or_name.casefold() == source.name.casefold() and isinstance(cte.this, exp.Query):
                    names |= set(cte.this.named_selects)
    return {name.casefold() for name in names}


def alike(one: str, other: str) -> float:
    """How alike two names are, from 0 to 1: by their letters, or by words that one has of the other."""
    first, second = (_WORDS.findall(_HUMP.sub("_", name).casefold()) for name in (one, other))
    letters = difflib.SequenceMatcher(None, "".join(first), "".join(second)).ratio()
    few, many = sorted((set(first), set(second)), key=len)
    return max(letters, 0.8 if few and few <= many else 0.0)
