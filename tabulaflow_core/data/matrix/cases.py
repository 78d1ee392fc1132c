"""The cases that come with the package: one a line in `cases/<dialect>.jsonl`, over the tables of `<dialect>.sql`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent / "cases"
#: Where the tables' script is cut; a body of a function may hold semicolons.
_CUT: Final = ";\n"


class Verdict(StrEnum):
    """What a statement is."""

    HOSTILE = "hostile"
    HARMLESS = "harmless"


class Alone(StrEnum):
    """What stops a hostile statement when the guard has missed it."""

    LOCK = "lock"
    """The engine, as this product opens it."""
    LIMITS = "limits"
    """The bounds on time, rows and bytes."""
    GUARD = "guard"
    """Nothing that is sure, or it is no statement at all: the guard and the rights of the role must hold."""


@dataclass(frozen=True, slots=True)
class Case:
    """One statement.

    Attributes:
        dialect: `sqlite`, `duckdb`, `postgres` or `mysql`.
        technique: The family it belongs to, in plain words.
        sql: The text; `{folder}` stands for a folder with files that nobody may read, `{database}` for the name of
            the database.
        alone: What stops it without the guard; None for a harmless one.
    """

    dialect: str
    technique: str
    verdict: Verdict
    sql: str
    alone: Alone | None = None


def dialects() -> tuple[str, ...]:
    """The dialects that have cases."""
    return ("sqlite", "duckdb", "postgres", "mysql")


@lru_cache(maxsize=4)
def load_cases(dialect: str) -> tuple[Case, ...]:
    """The cases of a dialect, in the order of the file."""
    found = []
    for line in (_FOLDER / f"{dialect}.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        alone = Alone(entry["alone"]) if "alone" in entry else None
        found.append(Case(dialect, entry["technique"], Verdict(entry["verdict"]), entry["sql"], alone))
    return tuple(found)


def table_statements(dialect: str) -> tuple[str, ...]:
    """The statements that make the tables of a dialect's cases."""
    text = (_FOLDER / f"{dialect}.sql").read_text(encoding="utf-8")
    return tuple(part.strip() for part in text.split(_CUT) if part.strip())
