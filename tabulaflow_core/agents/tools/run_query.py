"""Run one query, store its rows, show them, and draw them when asked: all in one call."""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError

from tabulaflow_core.agents.mend.doubts import wrong_way
from tabulaflow_core.agents.sources import TOGETHER, Source, route
from tabulaflow_core.agents.tools.drawing import ChartArgs, drawn
from tabulaflow_core.agents.tools.protocol import ToolArgs, ToolContext, ToolOutcome, failed
from tabulaflow_core.data.contracts import QueryFailure, QueryResult
from tabulaflow_core.data.workspace import AcrossResult
from tabulaflow_core.models.contracts import JsonObject, ToolSpec
from tabulaflow_core.output.cells import cell_text, column_values
from tabulaflow_core.output.charts import choose_chart
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.specs import ArtifactSpec, ChartSpec, MetricSpec, TableSpec
from tabulaflow_core.output.tables import preview_text

#: Longer cells seldom change an answer and are paid for in every later call.
_CELL_CHARS: Final = 160

CHART_SCHEMA: Final[JsonObject] = {
    "type": {"type": "string", "enum": ["bar", "line", "scatter", "pie", "area", "histogram"]},
    "x": {"type": "string"},
    "y": {"type": "array", "items": {"type": "string"}},
    "title": {"type": "string"},
}


class _Args(ToolArgs):
    sql: str
    source: str | None = None
    chart: ChartArgs | None = None


#: One object for all turns, so that what is computed of it can be kept.
_SPEC: Final = ToolSpec(
    "run_query",
    "Run one SQL query. The person sees all rows, and a chart when `chart` is given; you see a preview.",
    {
        "type": "object",
        "properties": {
            "sql": {"type": "string"},
            "source": {
                "type": "string",
                "description": "Source name, when there are several; leave it out to join tables of two",
            },
            "chart": {
                "type": "object",
                "description": "x and y are result columns",
                "properties": CHART_SCHEMA,
                "required": ["type"],
            },
        },
        "required": ["sql"],
    },
)


class RunQuery:
    """The tool `run_query`."""

    @property
    def spec(self) -> ToolSpec:
        """How it is offered."""
        return _SPEC

    def completed(self, args: JsonObject, context: ToolContext) -> JsonObject:
        """The arguments with the source that the statement means, when it is clear."""
        sql, named = args.get("sql"), args.get("source")
        if not isinstance(sql, str):
            return args
        routed = route(context.sources, named if isinstance(named, str) else "", sql)
        return args if routed.source is None else {**args, "source": routed.source.alias}

    def title(self, args: JsonObject) -> str:
        """What a person reads while it runs."""
        source = args.get("source")
        return f"Querying {source}" if isinstance(source, str) and source else "Querying the data"

    async def run(self, args: JsonObject, context: ToolContext) -> ToolOutcome:
        """Run it."""
        try:
            wanted = _Args.model_validate(args)
        except ValidationError as error:
            return failed("; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()))
        routed = route(context.sources, wanted.source or "", wanted.sql)
        if routed.source is None:
            return failed(routed.problem, kind="source")
        outcome = await query(routed.source, wanted.sql, context)
        if isinstance(outcome, QueryFailure):
            return failure_outcome(outcome)
        stored = await keep(routed.source, outcome, context)
        told = (*outcome.notices, *_doubts(routed.source, stored.sql, context.question))
        return _success(stored, wanted.chart, question=context.question, notices=told)


def _doubts(source: Source, sql: str, question: str) -> tuple[str, ...]:
    """Return what the query may have got wrong, for the model to mend before it answers."""
    against = wrong_way(sql, source, question)
    return tuple(f"Check: {said} Send a corrected query if that is not meant." for said in (against,) if said)


async def query(
    source: Source, sql: str, context: ToolContext, *, limit: int | None = None, seconds: float | None = None
) -> QueryResult | QueryFailure:
    """Ask the permit, then run `sql` within the turn's bounds, or within tighter ones.

    Raises:
        NotPermitted: The permit said no.
        SourceUnavailable: The connection is broken.
    """
    for alias in source.alias.split(TOGETHER):
        await context.permit.check_query_async(context.principal, source=alias, sql=sql)
    timeout = min(seconds or context.limits.query_seconds, context.limits.query_seconds, context.seconds_left())
    return await source.connector.run_query_async(sql, limit=limit or context.limits.result_rows, timeout=timeout)


async def keep(source: Source, result: QueryResult, context: ToolContext) -> StoredResult:
    """Put the rows where results go."""
    stored = StoredResult(
        source=source.alias,
        dialect=source.dialect,
        sql=result.sql,
        table=result.table,
        truncated=result.truncated,
        cut_by=result.cut_by,
        seconds=result.seconds,
        notes=(*context.notes, *result.notices, *((result.sentence,) if isinstance(result, AcrossResult) else ())),
    )
    await context.store.put_async(context.principal, stored)
    context.results.append(stored)
    return stored


def table_spec(stored: StoredResult, *, title: str = "") -> TableSpec:
    """Return the spec that shows `stored` as a table."""
    return TableSpec(
        id=stored.id,
        source=stored.source,
        sql=stored.sql,
        columns=tuple(stored.table.column_names),
        row_count=stored.table.num_rows,
        truncated=stored.truncated,
        title=title,
        notes=stored.notes,
        seconds=stored.seconds,
    )


def failure_outcome(failure: QueryFailure) -> ToolOutcome:
    """Return a query's fault as the model and the person see it."""
    return failed(failure.message, hint=failure.hint, kind=failure.kind.value)


def rows_summary(stored: StoredResult) -> str:
    """Return a few words on a result: its size, or its only value."""
    count = stored.table.num_rows
    if count == 1 and stored.table.num_columns == 1:
        return cell_text(column_values(stored.table.column(0))[0], max_chars=60)
    more = " (cut)" if stored.truncated else ""
    return f"{count:,} {'row' if count == 1 else 'rows'}{more}"


def _success(stored: StoredResult, chart: ChartArgs | None, *, question: str, notices: tuple[str, ...]) -> ToolOutcome:
    text = "\n".join([f"result {stored.id}: {preview_text(stored, cell_chars=_CELL_CHARS)}", *notices])
    if TOGETHER in stored.source:
        text += f"\n{stored.notes[-1]}"
    artifacts: list[ArtifactSpec] = [table_spec(stored)]
    spec = metric_of(stored)
    if chart is not None and spec is None:
        spec, problem = drawn(stored, chart, question=question)
        text += f"\nThe chart was not drawn: {problem}" if spec is None else "\nThe chart is drawn."
    if spec is not None:
        artifacts.append(spec)
    return ToolOutcome(text, summary=rows_summary(stored), result_id=stored.id, artifacts=tuple(artifacts))


def metric_of(stored: StoredResult) -> ChartSpec | MetricSpec | None:
    """Return the number that a result of one cell is, else None."""
    single = stored.table.num_rows == 1 and stored.table.num_columns == 1
    return choose_chart(stored) if single else None
