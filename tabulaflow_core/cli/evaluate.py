"""`tabulaflow eval`: a question set, asked and counted."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.exits import FAILED, OK, UsageError
from tabulaflow_core.cli.numbers import count
from tabulaflow_core.cli.sources import add_source_option, parse_sources

if TYPE_CHECKING:
    from tabulaflow_core.cli.evaluation.answers import AnswerFile
    from tabulaflow_core.cli.evaluation.asking import Answer, Run

_DESCRIPTION = (
    "Ask every question of a set and count what came of it: right ones where the set holds the right answer, model "
    "calls, tokens, seconds and cost, by kind and difficulty. A line of the set is a question, "
    '{"id", "question", "context", "kind", "difficulty", "gold", "gold_sql"}, or a conversation with its "turns". '
    "Every answer is written at once; the same command goes on where a run was ended."
)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("eval", help="ask a question set and count what is right", description=_DESCRIPTION)
    parser.add_argument("questions", type=Path, metavar="QUESTIONS.jsonl", help="the set, one question a line")
    add_source_option(parser)
    parser.add_argument("-m", "--model", metavar="MODEL", help="provider:model, such as openai:gpt-5.6-sol or local")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="ANSWERS.jsonl", help="where the answers are kept"
    )
    parser.add_argument("--jobs", type=count, default=1, metavar="N", help="conversations at once (default 1)")
    parser.add_argument("--kind", action="append", default=[], metavar="KIND", help="only these kinds; repeatable")
    parser.add_argument("--first", type=count, metavar="N", help="only the first N conversations")
    parser.add_argument(
        "--against", type=Path, metavar="EARLIER.jsonl", help="answers of an earlier run to compare with"
    )
    parser.add_argument("--rows", type=count, default=1000, metavar="N", help="rows kept of a table (default 1000)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line: answers, then the report")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    import asyncio

    from tabulaflow_core.cli.evaluation.answers import AnswerFile, read_answers
    from tabulaflow_core.cli.evaluation.asking import Run
    from tabulaflow_core.cli.evaluation.questions import load_questions
    from tabulaflow_core.cli.evaluation.report import print_report, report
    from tabulaflow_core.config import Settings
    from tabulaflow_core.models import resolve_model

    if not args.jobs:
        raise UsageError("--jobs must be at least 1")
    dialogues = load_questions(args.questions, parse_sources(args.source))
    if args.kind:
        dialogues = [d for d in dialogues if any(q.kind in args.kind for q in d.questions)]
    dialogues = dialogues[: args.first]
    if not dialogues:
        raise UsageError("no question is left to ask")
    earlier = read_answers(args.against) if args.against else None
    settings = Settings.from_env()
    model = resolve_model(args.model, settings=settings)
    file = AnswerFile(args.output, model.facts.name, dialogues)
    answers = list(file.kept)
    if file.kept:
        console.note(f"{len(file.kept)} answers stand in {args.output.name}; {len(file.waiting)} are asked.")
    how = Run(model, model.facts.name, settings, jobs=args.jobs, rows=args.rows)
    asyncio.run(_ask_async(how, file, answers, console))
    made = report(answers, earlier)
    if args.json:
        console.end({"kind": "report", "report": made})
    else:
        print_report(made, console)
    return FAILED if all("error" in answer for answer in answers) else OK


async def _ask_async(how: Run, file: AnswerFile, answers: list[Answer], console: Console) -> None:
    from tabulaflow_core.cli.evaluation.asking import ask_all_async

    through, whole = 0, len(file.waiting)
    try:
        async for more in ask_all_async(file.waiting, how, console):
            file.add(more)
            answers += more
            through += 1
            for answer in more:
                if console.as_json:
                    console.json({"kind": "answer", "answer": answer})
                else:
                    console.note(f"{through}/{whole} {_line(answer)}")
    finally:
        await how.model.close_async()


def _line(answer: Answer) -> str:
    verdict = {True: "right", False: "wrong", None: "not graded"}[answer["right"]]
    if "error" in answer:
        verdict = f"failed: {answer['text']}"
    turn = f"/{answer['turn']}" if "turn" in answer else ""
    return f"{answer['id']}{turn}: {verdict}" + (f", {answer['seconds']:.1f} s" if "seconds" in answer else "")
