"""A turn as it runs: events as JSON lines, or as text and status for a person."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tabulaflow_core.agents.events import (
    AnswerDelta,
    CompactionStarted,
    Narration,
    SessionEvent,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnFinished,
    TurnResult,
    TurnStarted,
)
from tabulaflow_core.cli.console import Console
from tabulaflow_core.counting import counted
from tabulaflow_core.output.specs import ChartSpec, MetricSpec, TableSpec

if TYPE_CHECKING:
    from tabulaflow_core.agents import ChatSession
    from tabulaflow_core.errors import TabulaflowError
    from tabulaflow_core.output.results import StoredResult

_PEOPLE_ROWS: Final = 20


class AnswerView:
    """Shows one turn.

    Args:
        rows: Rows of a table at most; None for all with JSON and for 20 else.
    """

    def __init__(self, console: Console, session: ChatSession, *, rows: int | None = None) -> None:
        self._console = console
        self._session = session
        self._rows = rows
        self._streamed: dict[int, str] = {}

    async def show_async(self, event: SessionEvent) -> None:
        """Show the next event."""
        if self._console.as_json:
            if isinstance(event, TurnFinished):
                self._console.end({"kind": event.kind, "result": await self.result_json_async(event.result)})
            else:
                self._console.raw_json(event.model_dump_json())
        elif isinstance(event, TurnFinished):
            await self._finish_async(event.result)
        else:
            self._say(event)

    async def interrupted_async(self) -> None:
        """Show what there is of a turn that was stopped."""
        result = self._session.last_result or TurnResult(text="", outcome="interrupted")
        if self._console.as_json:
            made = await self.result_json_async(result)
            self._console.end({"kind": "turn_interrupted", "result": made, "reason": "Ctrl-C"})
        else:
            self._end_streamed()
            self._console.error("Stopped.")

    def failed(self, error: TabulaflowError) -> None:
        """Show why the turn failed."""
        if self._console.as_json:
            said = {"type": type(error).__name__, "user_message": error.user_message}
            self._console.end({"kind": "turn_failed", "error": said})
        else:
            self._end_streamed()
        self._console.error(error.user_message)

    async def result_json_async(self, result: TurnResult) -> dict[str, Any]:
        """The result with the rows of every table and the figure of every chart."""
        from tabulaflow_core.output.tables import table_json

        stored = await self._stored_async(result)
        return {
            "text": result.text,
            "outcome": result.outcome,
            "tables": [table_json(one, rows=self._rows) for one in stored.values()],
            "charts": [
                {"type": c.type, "title": c.title, "table_id": c.table_id, "plotly": json.loads(c.plotly or "{}")}
                for c in result.artifacts
                if isinstance(c, ChartSpec)
            ],
            "assumptions": list(result.assumptions),
            "usage": result.usage.model_dump() if result.usage else None,
        }

    async def _stored_async(self, result: TurnResult) -> dict[str, StoredResult]:
        """Every result that the answer shows or draws, in that order."""
        from tabulaflow_core.errors import NotFound
        from tabulaflow_core.principal import LOCAL_USER

        found: dict[str, StoredResult] = {}
        for spec in result.artifacts:
            result_id = spec.id if isinstance(spec, TableSpec) else spec.table_id
            if result_id not in found:
                try:
                    found[result_id] = await self._session.results.get_async(LOCAL_USER, result_id)
                except NotFound as error:
                    self._console.note(error.user_message)
        return found

    def _say(self, event: SessionEvent) -> None:
        console = self._console
        match event:
            case TurnStarted(model=model):
                console.status(f"Asking {model} …")
            case CompactionStarted():
                console.status("Shortening the conversation …")
            case ThinkingDelta():
                console.status("Thinking …")
            case AnswerDelta(step=step, content=content):
                if console.streams:
                    console.out(content, end="")
                    self._streamed[step] = self._streamed.get(step, "") + content
            case Narration(step=step):
                if self._streamed.pop(step, ""):
                    console.out()
            case ToolStarted(title=title):
                console.status(f"{title} …")
            case ToolProgress(message=message):
                console.status(message)
            case ToolFinished(ok=True, summary=summary, seconds=seconds):
                console.note(f"· {summary} ({seconds:.2f} s)")
            case ToolFinished(summary=summary, error=error):
                console.note(f"· {error or summary}", style="yellow")
            case _:
                return

    def _end_streamed(self) -> None:
        if self._streamed:
            self._console.out()
            self._streamed.clear()

    async def _finish_async(self, result: TurnResult) -> None:
        console = self._console
        shown = "".join(self._streamed.values())
        self._end_streamed()
        if result.text and shown.strip() != result.text.strip():
            console.out(result.text)
        stored = await self._stored_async(result)
        for spec in result.artifacts:
            if isinstance(spec, TableSpec) and spec.id in stored:
                self._show_table(stored[spec.id])
            elif isinstance(spec, ChartSpec):
                console.note(spec.summary or spec.title)
            elif isinstance(spec, MetricSpec):
                console.out(f"{spec.label}: {spec.value}", style="bold")
        for assumption in result.assumptions:
            console.note(f"Assumed: {assumption}")
        if result.usage is not None:
            console.note(_usage_line(result))

    def _show_table(self, stored: StoredResult) -> None:
        from tabulaflow_core.cli.tables import print_table
        from tabulaflow_core.output.origin import provenance

        self._console.out()
        print_table(self._console, stored.table, rows=_PEOPLE_ROWS if self._rows is None else self._rows)
        self._console.out(" ".join(stored.sql.split()), style="cyan")
        self._console.note(provenance(stored).text)


def _usage_line(result: TurnResult) -> str:
    usage = result.usage
    assert usage is not None
    cost = "price unknown" if usage.api_cost_usd is None else f"${usage.api_cost_usd:.4f}"
    if usage.price_source == "local":
        cost = "nothing left this machine"
    calls = counted(usage.api_requests, "model call")
    about = "about " if usage.estimated else ""
    tokens = f"{about}{usage.input_tokens:,} + {usage.output_tokens:,} tokens"
    return f"{calls}, {tokens}, {cost}, {result.seconds:.1f} s"
