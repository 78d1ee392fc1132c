"""Questions of a set, asked as a person would, and what was seen of each answer."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tabulaflow_core.agents import ChatSession, TurnResult
from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.evaluation.grading import grade
from tabulaflow_core.cli.evaluation.questions import Dialogue, Question
from tabulaflow_core.cli.sources import open_sources, prepare
from tabulaflow_core.data.contracts import QueryFailure
from tabulaflow_core.errors import NotFound, TabulaflowError
from tabulaflow_core.models import Usage
from tabulaflow_core.output.specs import ChartSpec, TableSpec
from tabulaflow_core.output.tables import rows_json, table_json
from tabulaflow_core.principal import LOCAL_USER

if TYPE_CHECKING:
    from tabulaflow_core.config import Settings
    from tabulaflow_core.data import DataConnectorRegistry
    from tabulaflow_core.models.contracts import ChatModel

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """How a set is asked.

    Attributes:
        jobs: Conversations at once.
        rows: Rows of a table that are kept at most.
    """

    model: ChatModel
    model_name: str
    settings: Settings
    jobs: int = 1
    rows: int = 1000


def fingerprint(question: Question) -> str:
    """Eight hex digits of a question's words, so that a changed question is asked again."""
    return hashlib.sha256(question.text.encode()).hexdigest()[:8]


async def ask_all_async(dialogues: list[Dialogue], run: Run, console: Console) -> AsyncIterator[list[Answer]]:
    """Ask every conversation, `run.jobs` at once; yields the answers of one as soon as it is through.

    What fails is an answer with its `error`; nothing but a stop ends the run.
    """
    waiting = list(reversed(dialogues))
    running: set[asyncio.Task[list[Answer]]] = set()
    try:
        while waiting or running:
            while waiting and len(running) < run.jobs:
                running.add(asyncio.create_task(_ask_async(waiting.pop(), run, console)))
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _ask_async(dialogue: Dialogue, run: Run, console: Console) -> list[Answer]:
    answers: list[Answer] = []
    async with AsyncExitStack() as stack:
        try:
            prepared = await _enter_in_thread_async(stack, lambda: prepare(dialogue.sources, run.settings, console))
            registry = await stack.enter_async_context(open_sources(prepared, console))
        except TabulaflowError as error:
            return [_failed(dialogue, turn, error, run) for turn in range(len(dialogue.questions))]
        session = ChatSession(registry=registry, model=run.model, settings=run.settings)
        await stack.enter_async_context(session)
        for turn, question in enumerate(dialogue.questions):
            try:
                result = await session.run(question.text)
            except TabulaflowError as error:
                answers.append(_failed(dialogue, turn, error, run))
                continue
            answer = _named(dialogue, turn, run) | await _seen_async(session, result, run.rows)
            answers.append(answer | {"right": await _grade_async(question, answer, registry)})
    return answers


async def _enter_in_thread_async(stack: AsyncExitStack, make: Callable[[], Any]) -> Any:
    """Enter a context whose beginning reads files, without holding up the other conversations."""
    context = make()
    entered = await asyncio.to_thread(context.__enter__)
    stack.push(context.__exit__)
    return entered


def _named(dialogue: Dialogue, turn: int, run: Run) -> Answer:
    question = dialogue.questions[turn]
    return {
        "id": dialogue.id,
        **({"turn": turn} if dialogue.told else {}),
        "kind": question.kind,
        "difficulty": question.difficulty,
        "question": fingerprint(question),
        "model": run.model_name,
        "asked_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _failed(dialogue: Dialogue, turn: int, error: TabulaflowError, run: Run) -> Answer:
    said = {"error": type(error).__name__, "text": error.user_message, "refused": False, "asked": False}
    graded = dialogue.questions[turn].gold or dialogue.questions[turn].gold_sql
    return _named(dialogue, turn, run) | said | {"right": False if graded else None}


async def _seen_async(session: ChatSession, result: TurnResult, rows: int) -> Answer:
    """What a person sees at the end of the turn, and what it took."""
    tables = [spec for spec in result.artifacts if isinstance(spec, TableSpec)]
    charts = [spec for spec in result.artifacts if isinstance(spec, ChartSpec)]
    seen: Answer = {
        "text": result.text,
        "outcome": result.outcome,
        "refused": result.outcome == "cannot_answer",
        "asked": result.outcome == "needs_clarification",
        "assumptions": list(result.assumptions),
    }
    shown = [spec.id for spec in tables] or [
        spec.table_id for spec in result.artifacts if not isinstance(spec, TableSpec)
    ]
    try:
        if shown:
            table = table_json(await session.results.get_async(LOCAL_USER, shown[-1]), rows=rows)
            seen |= {key: table[key] for key in ("sql", "columns", "rows", "row_count")}
        if charts:
            drawn = await session.results.get_async(LOCAL_USER, charts[-1].table_id)
            seen["chart"] = {"type": charts[-1].type, "rows": rows_json(drawn.table, rows=rows)}
    except NotFound as error:
        seen["error"] = error.user_message
    usage = result.usage.model_dump() if result.usage else asdict(Usage())
    return seen | {"usage": usage, "seconds": round(result.seconds, 3)}


async def _grade_async(question: Question, answer: Answer, registry: DataConnectorRegistry) -> bool | None:
    if question.gold is not None:
        return grade(question.gold, answer)
    if not question.gold_sql or len(registry.aliases) != 1:
        return None
    verdicts = []
    for sql in question.gold_sql:
        outcome = await registry.get(registry.aliases[0]).run_query_async(sql)
        if isinstance(outcome, QueryFailure):
            continue
        verdicts.append(grade({"type": "rows", "rows": rows_json(outcome.table)}, answer))
    return any(verdicts) if verdicts else None
