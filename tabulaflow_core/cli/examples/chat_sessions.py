"""Two turns over a DataFrame, as a program would have them.

Run it with `tabulaflow examples run chat-sessions`; `--model scripted` needs no key and no download.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tabulaflow_core.cli.console import Console
from tabulaflow_core.counting import counted

if TYPE_CHECKING:
    import pandas as pd

    from tabulaflow_core.agents.events import TurnResult

FIRST: Final = "Which products are below their reorder point?"
SECOND: Final = "How many units of each should I order to reach those levels?"


def inventory() -> pd.DataFrame:
    """An invented stock list: two of the five products are below their reorder point."""
    import pandas as pd

    return pd.DataFrame(
        {
            "product": ["HDMI cable", "USB-C dock", "Monitor arm", "Keyboard", "Webcam"],
            "category": ["cables", "docks", "mounts", "input", "video"],
            "on_hand": [12, 8, 31, 45, 27],
            "reorder_point": [20, 15, 10, 40, 25],
        }
    )


async def run_async(console: Console, *, model: str | None = None) -> None:
    """Ask both questions and print what came back.

    Args:
        model: `provider:model`; None for the default model.
    """
    from tabulaflow_core.agents import ChatSession
    from tabulaflow_core.data import DataConnectorRegistry, SQLConnector

    async with DataConnectorRegistry() as registry:
        stock = await SQLConnector.from_url_async("sqlite+aiosqlite:///:memory:", read_only=False)
        registry.register("stock", stock)
        await stock.write_dataframe_async(inventory(), "inventory")

        async with ChatSession(registry=registry, model=model, reasoning="low") as session:
            result = await session.run(FIRST)
            _print(console, FIRST, result)
            async for event in session.run_stream(SECOND):
                if event.kind == "tool_started":
                    console.note(f"· {event.title}")
                elif event.kind == "turn_finished":
                    result = event.result
            _print(console, SECOND, result)


def _print(console: Console, question: str, result: TurnResult) -> None:
    queries = [artifact.sql for artifact in result.artifacts if artifact.kind == "table"]
    if console.as_json:
        usage = result.usage.model_dump() if result.usage else None
        console.json({"question": question, "text": result.text, "sql": queries, "usage": usage})
        return
    console.out(question, style="bold")
    console.out(result.text)
    for sql in queries:
        console.out(f"  {' '.join(sql.split())}", style="cyan")
    if result.usage is not None:
        used = result.usage
        cost = "price unknown" if used.api_cost_usd is None else f"{used.api_cost_usd:.4f} USD"
        console.out(
            f"  {counted(used.api_requests, 'model call')}, {used.input_tokens:,} + {used.output_tokens:,} tokens, "
            f"{cost}\n",
            style="dim",
        )
