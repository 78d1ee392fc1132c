"""Every fault of a wire, through a whole turn over HTTP: a right answer or a sentence, and a talk that goes on."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tabulaflow_core.errors import ModelError, ModelProtocolError, ModelRejected, ModelUnavailable, RequestTooLong
from tabulaflow_core.models.openai import client as client_module
from tabulaflow_core.models.openai import quirks as quirks_module
from tests.agents.helpers import BELOW, usable
from tests.agents.wires import WIRES, talk
from tests.modelserver import (
    call,
    delay,
    drop,
    empty_first,
    end_early,
    error_event,
    finish,
    hang,
    no_finish,
    no_id,
    no_index,
    no_usage,
    raw_call,
    raw_event,
    refuse,
    status,
    text,
    thinking,
)

QUERY = (call("run_query", sql=BELOW),)
SAID = (text("HDMI cable has 12, USB-C dock 3."),)
GOOD = (QUERY, SAID)
HALF = text("The two that")
CUT_SQL = '{"sql": "SELECT product, on_hand FROM inv'


@dataclass(frozen=True)
class Fault:
    """What the server plays in the first turn, and what must come of it.

    Attributes:
        answers: One tuple of steps for each request.
        charged: Answers that a provider would charge for; the turn must count each.
        error: What is raised, None when the right answer comes.
        says: Part of the sentence, of the answer's text or of what is told beside it.
        outcome: Of a turn that ended.
        queries: What ran; by default the one right query.
        estimated: Some of the tokens were not counted by the server.
        wires: Where this can happen.
    """

    answers: tuple[tuple[object, ...], ...]
    charged: int = 2
    error: type[ModelError] | None = None
    says: str = ""
    outcome: str = "answered"
    queries: tuple[str, ...] = (BELOW,)
    estimated: bool = False
    wires: tuple[str, ...] = field(default=WIRES)


def failing(*steps: object, charged: int, error: type[ModelError], says: str, times: int = 1) -> Fault:
    return Fault((steps,) * times, charged, error, says, queries=(), estimated=charged > 0)


FAULTS = {
    "429, then well": Fault(((status(429),), *GOOD)),
    "429 with Retry-After": Fault(((status(429, retry_after=0.05),), *GOOD)),
    "429 in the middle of a turn": Fault((QUERY, (status(429),), SAID)),
    "429 for long": failing(
        status(429, retry_after=90), charged=0, error=ModelUnavailable, says="Ask again in 90 seconds"
    ),
    "429 always": failing(status(429), charged=0, error=ModelUnavailable, says="Ask again in a moment", times=4),
    "500": Fault(((status(500),), *GOOD)),
    "500 always": failing(status(500), charged=0, error=ModelUnavailable, says="fault on its side (500)", times=4),
    "503": Fault(((status(503),), (status(503),), *GOOD)),
    "401": failing(status(401), charged=0, error=ModelRejected, says="does not accept the key"),
    "dropped before": Fault(((drop(),), *GOOD), charged=3, estimated=True),
    "dropped always": failing(drop(), charged=4, error=ModelUnavailable, says="does not answer", times=4),
    "dropped after its first sign": Fault(((thinking(""), drop()), *GOOD), charged=3, estimated=True),
    "dropped in the middle": failing(HALF, drop(), charged=1, error=ModelUnavailable, says="broke its answer off"),
    "ended without an end": failing(HALF, end_early(), charged=1, error=ModelUnavailable, says="broke its answer off"),
    "a fault told in the stream": failing(
        HALF, error_event("overloaded"), charged=1, error=ModelUnavailable, says="fault of its own"
    ),
    "dropped in the middle of a later step": Fault(
        (QUERY, (HALF, drop())), 2, ModelUnavailable, "broke its answer off", estimated=True
    ),
    "hang": failing(hang(), charged=1, error=ModelUnavailable, says="did not answer in time"),
    "hang in the middle": failing(HALF, hang(), charged=1, error=ModelUnavailable, says="did not answer in time"),
    "slow drip": Fault((QUERY, tuple(s for w in SAID[0].text.split() for s in (delay(0.05), text(f" {w}"))))),
    "not JSON": failing(raw_event("{not json"), charged=1, error=ModelProtocolError, says="cannot be read"),
    "malformed tool JSON": Fault(((raw_call("run_query", "{oops"),), *GOOD), 3),
    "truncated tool JSON": Fault(((raw_call("run_query", CUT_SQL), finish("length")), *GOOD), 3),
    "truncated SQL in a fence": Fault(
        ((text("```sql\nSELECT product, on_hand FROM inventory"), finish("length")), *GOOD), 3
    ),
    "tool JSON cut three times": Fault(
        ((raw_call("run_query", CUT_SQL), finish("length")),) * 3 + ((text("I could not ask."),),),
        4,
        says="I could not ask.",
        outcome="cannot_answer",
        queries=(),
    ),
    "a wrong tool name": Fault(((call("execute_sql", query=BELOW),), *GOOD), 3),
    "several calls in one step": Fault(
        ((call("run_query", sql="SELECT 1 AS one"), *QUERY), SAID), queries=("SELECT 1 AS one", BELOW)
    ),
    "an empty answer": Fault((QUERY, (), SAID), 3),
    "empty answers": Fault(((), ()), 2, says="gave no answer", outcome="cannot_answer", queries=()),
    "empty arguments": Fault(((raw_call("run_query", ""),), *GOOD), 3),
    "the answer is cut": Fault((QUERY, (*SAID, finish("length"))), says="cut at the model's output limit"),
    "content filter": Fault(
        ((finish("content_filter"),),), 1, says="content filter", outcome="cannot_answer", queries=()
    ),
    "content filter after some words": Fault(
        ((text("One must"), finish("content_filter")),), 1, says="One must", outcome="cannot_answer", queries=()
    ),
    "content filter as a refusal": failing(
        status(400, "The prompt was filtered", error_code="content_filter"),
        charged=0,
        error=ModelRejected,
        says="The prompt was filtered",
    ),
    "refusal": Fault(
        ((refuse("I cannot help with that."),),), 1, says="I cannot help", outcome="cannot_answer", queries=()
    ),
    "reasoning": Fault(((thinking("Stock is low where…"), *QUERY), SAID)),
    "no usage": Fault(((*QUERY, no_usage()), (*SAID, no_usage())), estimated=True),
    "a first chunk without choices": Fault(((empty_first(), *QUERY), (empty_first(), *SAID)), wires=("chat",)),
    "no index": Fault(((no_index(), *QUERY), SAID), wires=("chat",)),
    "neither index nor id": Fault(((no_index(), no_id(), *QUERY), SAID), wires=("chat",)),
    "no finish_reason": Fault(
        (QUERY, (*SAID, no_finish())), 2, ModelUnavailable, "broke its answer off", estimated=True, wires=("chat",)
    ),
    "too long": failing(
        status(400, "too long", error_code="context_length_exceeded"), charged=0, error=RequestTooLong, says="too long"
    ),
}  # fmt: skip
CASES = [pytest.param(wire, fault, id=f"{name}-{wire}") for name, fault in FAULTS.items() for wire in fault.wires]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry at once, and start without anything learnt."""
    monkeypatch.setattr(client_module, "_FIRST_WAIT_SECONDS", 0.001)
    monkeypatch.setattr(quirks_module, "_learnt", {})


@pytest.mark.parametrize(("wire", "fault"), CASES)
async def test_a_turn_survives(wire: str, fault: Fault) -> None:
    async with talk(wire, silence_seconds=0.4) as t:
        for steps in fault.answers:
            t.server.enqueue(*steps)  # type: ignore[arg-type]
        if fault.error is None:
            result = await t.ask()
            assert result.outcome == fault.outcome
            assert fault.says in f"{result.text} {' '.join(result.assumptions)}"
            if fault.outcome == "answered":
                assert result.text == SAID[0].text
                tables = [a for a in result.artifacts if a.kind == "table"]
                assert (tables[-1].sql, tables[-1].row_count) == (BELOW, 2)
        else:
            with pytest.raises(fault.error) as caught:
                await t.ask()
            assert fault.says in caught.value.user_message
        assert tuple(t.stock.queries) == fault.queries
        assert t.server.pending == 0, "asked as often as was meant"
        used = t.session.last_result.usage if t.session.last_result else None
        assert used is not None
        assert used.api_requests == max(fault.charged, 1)
        assert used.estimated is fault.estimated
        assert (used.input_tokens > 0) is (fault.charged > 0)
        assert (used.api_cost_usd is None) is fault.estimated, "what a lost request cost is unknown, never nothing"
        assert len(t.ledger.settled) == len(t.ledger.reserved)
        # The next turn works, and the model is told of the one before in an order that every provider takes.
        assert not t.session.history or usable(t.session)
        t.server.enqueue(*QUERY).enqueue(*SAID)
        again = await t.ask("And which again?")
        assert (again.outcome, again.text) == ("answered", SAID[0].text)
        assert usable(t.session)
