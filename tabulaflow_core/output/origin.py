"""Where a result came from, in words that stand under every table, chart and number."""

from __future__ import annotations

from dataclasses import dataclass

from tabulaflow_core.output.results import StoredResult


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of one result.

    Attributes:
        seconds: Wall time of the statement.
        text: All of it in one line for a person.
    """

    source: str
    sql: str
    seconds: float
    row_count: int
    notes: tuple[str, ...]
    text: str


def provenance(result: StoredResult) -> Provenance:
    """The origin of `result`."""
    rows = result.table.num_rows
    parts = [f"{rows:,} row{'' if rows == 1 else 's'} from {result.source} in {_seconds(result.seconds)}"]
    if result.truncated:
        cap = "size" if result.cut_by == "bytes" else "number of rows"
        parts.append(f"cut at the limit on {cap}, there are more")
    parts += [note.rstrip(".") for note in result.notes]
    return Provenance(
        source=result.source,
        sql=result.sql,
        seconds=result.seconds,
        row_count=rows,
        notes=result.notes,
        text="; ".join(parts) + ".",
    )


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
