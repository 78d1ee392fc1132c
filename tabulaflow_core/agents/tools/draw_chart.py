"""Draw rows that an earlier query returned."""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError

from tabulaflow_core.agents.tools.drawing import ChartArgs, drawn
from tabulaflow_core.agents.tools.protocol import AsGiven, ToolContext, ToolOutcome, failed
from tabulaflow_core.agents.tools.run_query import CHART_SCHEMA
from tabulaflow_core.errors import NotFound
from tabulaflow_core.models.contracts import JsonObject, ToolSpec


class _Args(ChartArgs):
    result_id: str


#: One object for all turns, so that what is computed of it can be kept.
_SPEC: Final = ToolSpec(
    "draw_chart",
    "Draw an earlier result.",
    {
        "type": "object",
        "properties": {"result_id": {"type": "string"}, **CHART_SCHEMA},
        "required": ["result_id", "type"],
    },
)


class DrawChart(AsGiven):
    """The tool `draw_chart`."""

    @property
    def spec(self) -> ToolSpec:
        """How it is offered."""
        return _SPEC

    def title(self, args: JsonObject) -> str:
        """What a person reads while it runs."""
        return "Drawing a chart"

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Run it."""
        try:
            wanted = _Args.model_validate(args)
        except ValidationError as error:
            return failed("; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()))
        try:
            stored = await context.store.get_async(context.principal, wanted.result_id)
        except NotFound:
            known = ", ".join(r.id for r in context.results) or "none in this turn"
            return failed(f"There is no result {wanted.result_id!r}.", hint=f"results: {known}")
        spec, problem = drawn(stored, wanted, question=context.question)
        if spec is None:
            return failed(f"Not drawn: {problem}", kind="chart")
        return ToolOutcome("Drawn.", summary=f"{wanted.type} chart", result_id=stored.id, artifacts=(spec,))
