"""Look up tables and columns that the prompt had no room for."""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError

from tabulaflow_core.agents.retrieval import ranked
from tabulaflow_core.agents.schema_text import table_line
from tabulaflow_core.agents.sources import Source
from tabulaflow_core.agents.tools.protocol import AsGiven, ToolArgs, ToolContext, ToolOutcome, failed
from tabulaflow_core.models.contracts import JsonObject, ToolSpec

_MOST: Final = 8


class _Args(ToolArgs):
    source: str | None = None
    table: str | None = None


#: One object for all turns, so that what is computed of it can be kept.
_SPEC: Final = ToolSpec(
    "describe_source",
    "Columns, keys and sample values of tables not shown above.",
    {
        "type": "object",
        "properties": {
            "source": {"type": "string"},
            "table": {"type": "string", "description": "Table name, or words to find tables by"},
        },
    },
)


class DescribeSource(AsGiven):
    """The tool `describe_source`."""

    @property
    def spec(self) -> ToolSpec:
        """How it is offered."""
        return _SPEC

    def title(self, args: JsonObject) -> str:
        """What a person reads while it runs."""
        table = args.get("table")
        return f"Looking at {table}" if isinstance(table, str) and table else "Looking at the tables"

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Run it."""
        try:
            wanted = _Args.model_validate(args)
        except ValidationError as error:
            return failed("; ".join(e["msg"] for e in error.errors()))
        chosen = [s for s in context.sources if not wanted.source or s.alias.casefold() == wanted.source.casefold()]
        if not chosen:
            names = ", ".join(repr(s.alias) for s in context.sources)
            return failed(f"There is no source {wanted.source!r}.", hint=f"sources: {names or 'none'}")
        texts = [_described(source, wanted.table or "") for source in chosen]
        count = sum(len(source.schema.tables) for source in chosen)
        return ToolOutcome("\n\n".join(texts), summary=wanted.table or f"{count:,} tables")


def _described(source: Source, wanted: str) -> str:
    exact = source.schema.table(wanted) if wanted else None
    tables = [exact] if exact else ranked(source.schema.tables, wanted)[:_MOST]
    lines = [f"Source {source.alias!r} ({source.dialect}), {len(source.schema.tables)} tables:"]
    for table in tables:
        about = "about " if table.estimated else ""
        rows = f"  -- {about}{table.row_count:,} rows" if table.row_count is not None else ""
        lines.append(table_line(table, source.dialect) + rows)
    return "\n".join(lines)
