"""What a run came to, by kind and difficulty, and how it differs from an earlier one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import Any

from tabulaflow_core.cli.console import Console
from tabulaflow_core.cli.evaluation.asking import Answer


def summary(answers: Sequence[Answer]) -> dict[str, Any]:
    """Figures of a run.

    Returns:
        `questions`, `graded`, `right`, `failed` (ended in an error), `declined`, `asked_back`; means a question of
        `model_calls`, `input_tokens`, `cached_input_tokens`, `output_tokens`; `seconds` as `median` and `most`; and
        `cost_usd`, the sum, None when a price is unknown.
    """
    usages = [a["usage"] for a in answers if "usage" in a]
    costs = [u["api_cost_usd"] for u in usages]
    seconds = [a["seconds"] for a in answers if "seconds" in a]
    return {
        "questions": len(answers),
        "graded": sum(a.get("right") is not None for a in answers),
        "right": sum(a.get("right") is True for a in answers),
        "failed": sum("error" in a for a in answers),
        "declined": sum(bool(a.get("refused")) for a in answers),
        "asked_back": sum(bool(a.get("asked")) for a in answers),
        "model_calls": _mean(usages, "api_requests"),
        "input_tokens": _mean(usages, "input_tokens"),
        "cached_input_tokens": _mean(usages, "cached_input_tokens"),
        "output_tokens": _mean(usages, "output_tokens"),
        "seconds": {"median": round(median(seconds), 3), "most": round(max(seconds), 3)} if seconds else None,
        "cost_usd": None if None in costs else sum(costs),
    }


def grouped(answers: Sequence[Answer], key: Callable[[Answer], str]) -> dict[str, dict[str, Any]]:
    """`summary` of each group, in the order in which they come."""
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(key(answer), []).append(answer)
    return {name: summary(members) for name, members in groups.items()}


def difference(answers: Sequence[Answer], earlier: Sequence[Answer]) -> dict[str, Any]:
    """What changed on the questions that both runs graded.

    Returns:
        `shared`, `gained` and `lost` (names of questions), and the change of the means of calls and tokens.
    """
    before = {_name(a): a for a in earlier if a.get("right") is not None}
    shared = [a for a in answers if a.get("right") is not None and _name(a) in before]
    then = summary([before[_name(a)] for a in shared])
    now = summary(shared)
    return {
        "shared": len(shared),
        "gained": [_name(a) for a in shared if a["right"] and not before[_name(a)]["right"]],
        "lost": [_name(a) for a in shared if not a["right"] and before[_name(a)]["right"]],
        "model_calls": round(now["model_calls"] - then["model_calls"], 3),
        "input_tokens": round(now["input_tokens"] - then["input_tokens"], 1),
        "output_tokens": round(now["output_tokens"] - then["output_tokens"], 1),
    }


def report(answers: Sequence[Answer], earlier: Sequence[Answer] | None = None) -> dict[str, Any]:
    """The whole report as data."""
    made: dict[str, Any] = {
        "all": summary(answers),
        "by_kind": grouped(answers, lambda a: str(a["kind"])),
        "by_difficulty": grouped(answers, lambda a: str(a["difficulty"])),
    }
    return made if earlier is None else made | {"difference": difference(answers, earlier)}


def print_report(made: dict[str, Any], console: Console) -> None:
    """The report for people."""
    columns = ["", "questions", "right", "%", "declined", "asked back", "failed", "calls", "tokens in", "out", "s"]
    groups = [*made["by_kind"].items(), *made["by_difficulty"].items(), ("all", made["all"])]
    console.table(columns, [_row(name, figures) for name, figures in groups if name])
    whole = made["all"]
    cost = "unknown" if whole["cost_usd"] is None else f"${whole['cost_usd']:.4f}"
    console.out(f"Of the tokens in, {whole['cached_input_tokens']:,.0f} a question came from a cache. Cost: {cost}.")
    if difference := made.get("difference"):
        console.out(
            f"Against the earlier run, on {difference['shared']} questions: gained {len(difference['gained'])}, lost "
            f"{len(difference['lost'])}; {difference['model_calls']:+.2f} calls and {difference['input_tokens']:+,.0f} "
            "tokens in a question."
        )
        for word in ("gained", "lost"):
            if difference[word]:
                console.out(f"{word}: {', '.join(difference[word])}")


def _row(name: str, figures: dict[str, Any]) -> list[object]:
    graded = figures["graded"]
    return [
        name,
        figures["questions"],
        figures["right"] if graded else "–",
        f"{100 * figures['right'] / graded:.0f}" if graded else "–",
        figures["declined"],
        figures["asked_back"],
        figures["failed"],
        f"{figures['model_calls']:.2f}",
        f"{figures['input_tokens']:,.0f}",
        f"{figures['output_tokens']:,.0f}",
        f"{figures['seconds']['median']:.1f}" if figures["seconds"] else "–",
    ]


def _name(answer: Answer) -> str:
    return f"{answer['id']}/{answer['turn']}" if "turn" in answer else str(answer["id"])


def _mean(usages: Sequence[dict[str, Any]], key: str) -> float:
    return round(fmean(usage[key] for usage in usages), 3) if usages else 0.0
