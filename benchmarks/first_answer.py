"""What the first answer costs: import time, prompt tokens, processor time of a turn, seconds on the embedded model.

    python -m benchmarks.first_answer [--only import,tokens,cpu,local] [--json]

Runs from the repository's root. Nothing leaves the machine: the model behind `cpu` is the tests' scripted server, and
`tokens` and `local` need the embedded model's weights (`tabulaflow model pull`). Parts that cannot run say why.
Every figure stands beside its target and beside the figure of a comparable program that it has to beat.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tabulaflow_core.models.contracts import ModelRequest
    from tabulaflow_core.models.scripted import Step

ROOT = Path(__file__).resolve().parent.parent
IMPORT_RUNS = 7
WARM_TURNS = 100
WARM_UP = 5
QUESTION = "Which products are below their reorder point?"
FOLLOW_UP = "How many units of each should I order to reach those levels?"
QUERIES = (
    "SELECT product FROM inventory WHERE on_hand < reorder_point",
    "SELECT product, reorder_point - on_hand AS missing FROM inventory WHERE on_hand < reorder_point",
    "SELECT count(*) AS n FROM inventory WHERE on_hand < reorder_point",
)
# Seconds, tokens (standard, compact), milliseconds: what is aimed at, and what another program of the kind takes.
TARGETS = {
    "import_s": 0.5,
    "import_session_s": 0.5,
    "standard_tokens": 1200,
    "compact_tokens": 700,
    "turn_cpu_ms": 10.0,
}
TO_BEAT = {"import_s": 2.7, "import_session_s": 2.7, "standard_tokens": 12_269, "turn_cpu_ms": 49.0}


async def _inventory() -> Any:
    """A registry with one source of one table."""
    import pandas as pd

    from tabulaflow_core.data import DataConnectorRegistry, SQLConnector

    stock = await SQLConnector.from_url_async("sqlite+aiosqlite:///:memory:", read_only=False)
    await stock.write_dataframe_async(
        pd.DataFrame(
            {
                "product": ["Desk lamp", "Office chair", "Paper A4", "Stapler"],
                "category": ["Lighting", "Furniture", "Stationery", "Stationery"],
                "on_hand": [12, 4, 15, 55],
                "reorder_point": [20, 6, 60, 40],
                "unit_price": [8.5, 79.9, 3.1, 4.2],
            }
        ),
        "inventory",
    )
    registry = DataConnectorRegistry()
    registry.register("stock", stock)
    return registry


def measure_import() -> dict[str, float]:
    """Wall seconds of fresh processes, the median of several; files are in the system's cache."""

    def seconds(code: str) -> float:
        runs = []
        for _ in range(IMPORT_RUNS + 1):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
            runs.append(time.perf_counter() - began)
        return statistics.median(runs[1:])

    bare = seconds("pass")
    own = seconds("import tabulaflow_core.agents")
    session = seconds("from tabulaflow_core.agents import ChatSession")
    peer = seconds("import openai")
    return {
        "import_s": own,
        "import_session_s": session,
        "bare_python_s": bare,
        "import_openai_s": peer,
        "ratio_to_bare": own / bare,
        "ratio_to_openai": own / peer,
    }


async def measure_tokens() -> dict[str, float]:
    """Tokens of the first request, by the embedded model's tokenizer: system, tools, schema and question."""
    import dataclasses

    from tabulaflow_core.agents import ChatSession
    from tabulaflow_core.models.local import LocalModel
    from tabulaflow_core.models.scripted import DEMO, ScriptedModel, text

    counter = LocalModel()
    figures: dict[str, float] = {}
    for profile in ("standard", "compact"):
        facts = dataclasses.replace(DEMO, profile=profile, tools="native" if profile == "standard" else "text")
        model = ScriptedModel(rule=lambda _: [text("```sql\nSELECT 1 AS one\n```")], facts=facts)
        async with await _inventory() as registry, ChatSession(registry=registry, model=model) as session:
            try:
                await session.run(QUESTION)
            except Exception as error:
                if not model.requests:
                    raise
                print(f"  (the {profile} turn ended with {type(error).__name__}; its first request counts)")
        request = model.requests[0]
        tools = [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in request.tools]
        told = "\n".join(message.text for message in request.messages)
        figures[f"{profile}_tokens"] = await counter.count_tokens(told + (json.dumps(tools) if tools else ""))
        figures[f"{profile}_tool_tokens"] = await counter.count_tokens(json.dumps(tools)) if tools else 0
    await counter.close_async()
    return figures


def measure_cpu() -> dict[str, float]:
    """Processor time of this process for a warm turn of four model calls and three queries, on both wires.

    Beside it the floor: what any program pays that sends these requests over this HTTP client. The ratio is one of
    minima, which another program's load disturbs least.
    """
    command = [sys.executable, "-m", "benchmarks.first_answer", "--serve"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"] = url, "none"
            os.environ["TABULAFLOW_BASE_URL"], os.environ["TABULAFLOW_API_KEY"] = url, "none"
            figures: dict[str, float] = {}
            for wire, name in (("", "openai:gpt-5.6-sol"), ("_chat", "compatible:scripted-model")):
                cpu, wall = asyncio.run(_turns(name))
                floor = asyncio.run(_floor(name, url))
                figures |= {
                    f"turn_cpu_ms{wire}": 1000 * statistics.median(cpu),
                    f"turn_cpu_min_ms{wire}": 1000 * min(cpu),
                    f"turn_wall_ms{wire}": 1000 * statistics.median(wall),
                    f"floor_cpu_ms{wire}": 1000 * statistics.median(floor),
                    f"floor_cpu_min_ms{wire}": 1000 * min(floor),
                    f"ratio_to_floor{wire}": min(cpu) / min(floor),
                }
        finally:
            server.terminate()
    return figures


async def _turns(name: str) -> tuple[list[float], list[float]]:
    """Processor and wall seconds of warm turns."""
    from tabulaflow_core.agents import ChatSession

    spent = []
    async with await _inventory() as registry, ChatSession(registry=registry, model=name) as session:
        for _ in range(WARM_TURNS + WARM_UP):
            session.reset_conversation()
            began, wall = time.process_time(), time.perf_counter()
            result = await session.run(QUESTION)
            spent.append((time.process_time() - began, time.perf_counter() - wall))
            assert result.usage is not None
            assert result.usage.api_requests == 4, f"{result.usage.api_requests} model calls, not four"
    cpu, walls = zip(*spent[WARM_UP:], strict=True)
    return list(cpu), list(walls)


async def _floor(name: str, url: str) -> list[float]:
    """Processor seconds of the same four requests sent by a bare HTTP client that decodes each event, and no more."""
    import httpx2

    from tabulaflow_core.agents import ChatSession
    from tests.modelserver.server import ModelServer

    with ModelServer(rule=_rule) as recorder:
        for provider in ("OPENAI", "TABULAFLOW"):
            os.environ[f"{provider}_BASE_URL"] = recorder.url
        try:
            async with await _inventory() as registry, ChatSession(registry=registry, model=name) as session:
                await session.run(QUESTION)
        finally:
            for provider in ("OPENAI", "TABULAFLOW"):
                os.environ[f"{provider}_BASE_URL"] = url
    sent = [(f"{url}{request.path.removeprefix('/v1')}", request.body) for request in recorder.requests]
    assert len(sent) == 4
    spent = []
    async with httpx2.AsyncClient(trust_env=False) as client:
        for _ in range(WARM_TURNS + WARM_UP):
            began = time.process_time()
            for address, body in sent:
                async with client.stream("POST", address, json=body) as response:
                    async for line in response.aiter_lines():
                        if line.startswith("data: {"):
                            json.loads(line[6:])
            spent.append(time.process_time() - began)
    return spent[WARM_UP:]


def _rule(request: ModelRequest) -> list[Step]:
    """Three queries, then an answer."""
    from tabulaflow_core.models.scripted import call, text

    answered = sum(message.kind == "tool" for message in request.messages)
    if answered < len(QUERIES):
        return [call("run_query", source="stock", sql=QUERIES[answered])]
    return [text("Three products are below their reorder point.")]


def serve() -> None:
    """The scripted server of `measure_cpu`."""
    import threading

    from tests.modelserver.server import ModelServer

    with ModelServer(rule=_rule) as server:
        print(server.url, flush=True)
        threading.Event().wait()


async def measure_local() -> dict[str, float]:
    """Seconds on the embedded model: loading, a first question with nothing read, then with the prompt kept."""
    from tabulaflow_core.agents import ChatSession
    from tabulaflow_core.models.contracts import ModelRequest, UserMessage
    from tabulaflow_core.models.local import LocalModel

    figures: dict[str, float] = {}
    model = LocalModel()
    began = time.perf_counter()
    async for _ in model.stream(ModelRequest((UserMessage("hi"),), max_output_tokens=1)):
        pass
    figures["load_s"] = time.perf_counter() - began
    async with await _inventory() as registry, ChatSession(registry=registry, model=model) as session:
        for label, question in (("cold", QUESTION), ("follow_up", FOLLOW_UP), ("warm", QUESTION)):
            if label == "warm":
                session.reset_conversation()
            began, first = time.perf_counter(), None
            async for event in session.run_stream(question):
                if first is None and event.kind not in ("turn_started", "compaction_started", "compaction_finished"):
                    first = time.perf_counter() - began
                if event.kind == "turn_finished":
                    figures[f"{label}_first_s"] = first or 0.0
                    figures[f"{label}_answer_s"] = time.perf_counter() - began
                    figures[f"{label}_input_tokens"] = event.result.usage.input_tokens if event.result.usage else 0
                    print(f"  {label}: {question} -> {event.result.text!r}")
    await model.close_async()
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="import,tokens,cpu,local", help="parts, comma-separated")
    parser.add_argument("--json", action="store_true", help="one JSON object at the end")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    parts: dict[str, Callable[[], dict[str, float] | Awaitable[dict[str, float]]]] = {
        "import": measure_import,
        "tokens": measure_tokens,
        "cpu": measure_cpu,
        "local": measure_local,
    }
    # Weights and settings are the person's; what a turn would keep is not.
    os.environ["TABULAFLOW_DATA_DIR"] = tempfile.mkdtemp(prefix="tabulaflow-bench-")
    figures: dict[str, float] = {}
    for name in options.only.split(","):
        print(f"{name}:", flush=True)
        try:
            got = parts[name]()
            found = got if isinstance(got, dict) else asyncio.run(_awaited(got))
        except Exception as error:
            print(f"  cannot run: {type(error).__name__}: {error}")
            continue
        figures |= found
        for key, value in found.items():
            beside = [f"target {TARGETS[key]:g}"] if key in TARGETS else []
            beside += [f"to beat {TO_BEAT[key]:g}"] if key in TO_BEAT else []
            print(f"  {key:22} {value:10.3f}   {', '.join(beside)}", flush=True)
    if options.json:
        print(json.dumps(figures))


async def _awaited(figures: Awaitable[dict[str, float]]) -> dict[str, float]:
    return await figures


if __name__ == "__main__":
    main()
