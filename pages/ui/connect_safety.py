"""What keeps a database safe, in plain words, where one is about to connect it."""

from __future__ import annotations

from typing import Final

import streamlit as st

from tabulaflow_core.runtime.engine_forms import LOCKS
from tabulaflow_core.runtime.safety import read_record

_LAYERS: Final = """
**TabulaFlow only reads.** Four layers see to it, each by itself:

1. **Each query is read before it runs.** It must be one question that only reads. What is on no list of allowed parts
   is refused, also when it is new: changes, locks, files, the network, passwords of the catalogue.
2. **The database itself is locked** for the time of the query: a read-only connection or transaction, where it has one.
3. **The role is looked at.** A superuser is pointed out. Best is a role that may only read.
4. **Time, rows and size are capped**, and Stop ends the query in the database.

The password is kept encrypted and is never shown again, nor told to a model.
"""


#: The command that makes the counts anew.
_COMMAND: Final = "tabulaflow matrix -s ALIAS=URL --record"
_DIALECTS: Final = {"sqlite": "sqlite", "duckdb": "duckdb", "postgresql": "postgres", "mysql": "mysql"}


def draw_popover(engine: str) -> None:
    """Draw the button and what it opens.

    Args:
        engine: The form's engine, whose counts are shown.
    """
    with st.popover("How safe is this?", icon=":material/shield:", key="how-safe"):
        st.markdown(_LAYERS)
        rows = [f"| {name} | {lock} | {tried} |" for name, lock, tried in LOCKS]
        st.markdown("\n".join(["| Engine | Lock of its own | Tried with a real one |", "|---|---|---|", *rows]))
        st.markdown(matrix_text(engine))


def matrix_text(engine: str) -> str:
    """The counts of the last trial of statements on an engine, as markdown; a sentence where there was none."""
    recorded = read_record().get(_DIALECTS.get(engine, ""))
    if recorded is None:
        tried = "SQLite, DuckDB, PostgreSQL and MariaDB"
        return f"**Statements tried.** None on this engine yet; hundreds are tried on {tried}."
    lines = [
        f"**Statements tried on {recorded.engine}, {recorded.day}.** By hand: `{_COMMAND}`",
        "| What would do harm | Stopped |",
        "|---|---|",
        *_rows(recorded.hostile),
        "",
        "| What analysts write | Answered as the engine does |",
        "|---|---|",
        *_rows(recorded.harmless),
    ]
    return lines[0] + "\n\n" + "\n".join(lines[1:])


def _rows(counts: dict[str, tuple[int, int]]) -> list[str]:
    good, tried = (sum(column) for column in zip(*counts.values(), strict=True))
    rows = [f"| {name} | {right} of {of} |" for name, (right, of) in counts.items()]
    return [f"| **All** | **{good} of {tried}** |", *rows]
