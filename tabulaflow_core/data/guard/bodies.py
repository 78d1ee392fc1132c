"""Functions of the user whose own text shows that they only read: they need not be allowed by name.

A function that is one expression or one query is checked as if its text stood in the statement. Everything else (code
with branches, other languages, text that cannot be seen) is not known to be harmless, and stays refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from tabulaflow_core.data.guard.check import check_statement
from tabulaflow_core.data.guard.verdict import Allowed

_WORD = re.compile(r"\w+")
_CALL = re.compile(r'"((?:[^"]|"")+)"\s*\(|`([^`]+)`\s*\(|(\w+)\s*\(')
_MOST_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class StoredFunction:
    """One function or macro of a database; a name may have several, by their arguments.

    Attributes:
        name: As the database has it.
        schema: Where it lives; empty where the engine has one place only.
        body: What it runs, as one query; None when that is not known, or is more than a query.
    """

    name: str
    schema: str
    body: str | None


def names_called(sql: str) -> tuple[str, ...]:
    """The names that stand before a parenthesis in a text, lower case, sorted; some of them may be no calls."""
    found = {next(part for part in match.groups() if part) for match in _CALL.finditer(sql[:_MOST_CHARACTERS])}
    return tuple(sorted(name.replace('""', '"').lower() for name in found))


def reading_functions(
    found: Sequence[StoredFunction], *, dialect: str, closed: Collection[str] = (), tables: bool = True
) -> tuple[str, ...]:
    """The names of those that may be called: `name` and `schema.name`, lower case, sorted.

    A name counts only when all functions of that name do, in whatever schema: which one a call takes depends on its
    arguments and on the session.

    Args:
        found: Every function of each name.
        dialect: The engine.
        closed: Relations that must not be read, `name` or `schema.name` in lower case.
        tables: False leaves out those that read a table.
    """
    by_name: dict[str, list[StoredFunction]] = {}
    for function in found:
        by_name.setdefault(function.name.lower(), []).append(function)
    shut = {name.rpartition(".")[2] for name in closed}
    safe: dict[str, set[str]] = {}
    while more := {
        name: _names(group)
        for name, group in by_name.items()
        if name not in safe
        and all(_only_reads(f, by_name.keys() - safe.keys(), safe.values(), dialect, shut, tables) for f in group)
    }:
        safe |= more
    return tuple(sorted(name for names in safe.values() for name in names))


def _names(group: Iterable[StoredFunction]) -> set[str]:
    plain = {function.name.lower() for function in group}
    return plain | {f"{function.schema}.{function.name}".lower() for function in group if function.schema}


def _only_reads(
    function: StoredFunction,
    unknown: Collection[str],
    safe: Iterable[set[str]],
    dialect: str,
    closed: set[str],
    tables: bool,
) -> bool:
    from tabulaflow_core.data.guard.types import row_fields

    body = function.body
    if body is None or len(body) > _MOST_CHARACTERS:
        return False
    # One that bears the name of a built-in function may be what its neighbours call: words, not calls, are compared.
    if not unknown_words(body, unknown):
        verdict = check_statement(body, dialect=dialect, functions=[name for names in safe for name in names])
        if isinstance(verdict, Allowed) and verdict.kind in ("select", "values"):
            # What an engine's lock looks up in the statement, such as a domain, it does not see inside a function.
            looked_up = verdict.types or (dialect == "postgres" and row_fields(body))
            read = {name.rpartition(".")[2].lower() for name in verdict.tables}
            return not looked_up and not read & closed and (tables or not read)
    return False


def unknown_words(body: str, unknown: Collection[str]) -> set[str]:
    """Which of these names, in lower case, a text holds as a word."""
    return {word.lower() for word in _WORD.findall(body)} & set(unknown)
