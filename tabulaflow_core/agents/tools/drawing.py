"""From a chart as a model asks for it, by column names, to a spec over a stored result."""

from __future__ import annotations

from pydantic import field_validator

from tabulaflow_core.agents.tools.protocol import ToolArgs
from tabulaflow_core.output.charts import choose_chart
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.specs import ChartSpec, ChartType, MetricSpec


class ChartArgs(ToolArgs):
    """A chart as asked for; `y` may be one name or several."""

    type: ChartType
    x: str | None = None
    y: tuple[str, ...] = ()
    title: str = ""

    @field_validator("y", mode="before")
    @classmethod
    def _several(cls, value: object) -> object:
        if value is None:
            return ()
        return (value,) if isinstance(value, str) else value


def drawn(stored: StoredResult, chart: ChartArgs, *, question: str) -> tuple[ChartSpec | MetricSpec | None, str]:
    """Return the chart, or None and why not."""
    names = stored.table.column_names
    if not stored.table.num_rows:
        return None, "the result has no rows."
    for name in (chart.x, *chart.y):
        if name and name.casefold() not in (n.casefold() for n in names):
            return None, f"there is no result column {name!r}; the columns are {', '.join(map(repr, names))}."
    spec = choose_chart(stored, question=question, type=chart.type, x=chart.x, y=chart.y or None, title=chart.title)
    return spec, "" if spec is not None else f"these columns do not make a {chart.type} chart."
