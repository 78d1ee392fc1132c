"""How figures are written on the page."""

from __future__ import annotations

from collections.abc import Iterable

from tabulaflow_core.agents.events import UsageReport


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 row`, `1,298 rows`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def seconds(value: float, *, places: int = 1) -> str:
    """`0.4 s`, `12 s`, `2 min 5 s`."""
    if value < 10:
        return f"{value:.{places}f} s"
    if value < 100:
        return f"{value:.0f} s"
    return f"{int(value) // 60} min {int(value) % 60} s"


def size(number: float) -> str:
    """Bytes as `1.1 GB`; decimal units, as download pages write them."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    raise AssertionError("the loop returns")


def cost(usd: float | None, price_source: str) -> str:
    """Dollars, `price unknown`, or that it ran here: never a bare zero for a model that costs money."""
    if price_source == "local":
        return "free, runs here"
    if usd is None:
        return "price unknown"
    return f"${usd:,.4f}" if usd < 1 else f"${usd:,.2f}"


def total_cost(costs: Iterable[tuple[float | None, str]]) -> str:
    """The sum of several costs; what is unknown is said, not counted as zero."""
    known, unknown, paid, number = 0.0, 0, False, 0
    for usd, source in costs:
        number += 1
        if source != "local":
            paid = True
        if usd is None:
            unknown += 1
        else:
            known += usd
    if not paid:
        return "free, runs here"
    text = cost(known, "table")
    if not unknown:
        return text
    if unknown == number:
        return cost(None, "unknown")
    return f"{text} + {unknown} of unknown price" if known else f"{unknown} of unknown price"


def usage_line(usage: UsageReport | None) -> str:
    """One line on what a turn used."""
    if usage is None:
        return "No model was called."
    cached = f" ({usage.cached_input_tokens:,} cached)" if usage.cached_input_tokens else ""
    reasoning = f" ({usage.reasoning_tokens:,} reasoning)" if usage.reasoning_tokens else ""
    about = "about " if usage.estimated else ""
    return (
        f"{usage.model} · {count(usage.api_requests, 'model call')} · {about}{usage.input_tokens:,} tokens in{cached}, "
        f"{usage.output_tokens:,} out{reasoning} · {seconds(usage.seconds)} · "
        f"{cost(usage.api_cost_usd, usage.price_source)}"
    )


def running_cost(costs: Iterable[tuple[float | None, str]], *, tokens: int) -> str:
    """What a conversation has used so far, in a few words: `3 questions · 4,120 tokens · $0.0132`."""
    costs = list(costs)
    return f"{count(len(costs), 'question')} · {tokens:,} tokens · {total_cost(costs)}"
