"""What is committed when, and what happens when the store stays away or the lease is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tabulaflow_core.agents.events import AnswerDelta, Event, TurnFinished, TurnResult, TurnStarted
from tabulaflow_core.errors import NotFound, StoreUnavailable, TabulaflowError
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import event_writer
from tabulaflow_core.runtime.event_writer import EventWriter
from tabulaflow_core.store.turns import Turns

FINISHED = TurnFinished(result=TurnResult(text="x", outcome="answered"))


class Paper(Turns):
    """A store of turns that writes everything down and fails on demand."""

    def __init__(self) -> None:
        self.rows: dict[int, Event] = {}
        self.commits = 0
        self.fault: TabulaflowError | None = None
        self.stop = False

    def _write(self, first: int, new: Sequence[Event]) -> None:
        if self.fault is not None:
            raise self.fault
        for seq, event in enumerate(new, first):
            assert seq not in self.rows
            self.rows[seq] = event
        self.commits += 1

    async def append_async(
        self, principal: Principal, turn_id: str, *, runner: str, first: int, new: Sequence[Event] = ()
    ) -> bool:
        await asyncio.sleep(0.01)
        self._write(first, new)
        return self.stop

    async def finish_async(  # type: ignore[override]
        self, principal: Principal, turn_id: str, *, first: int, new: Sequence[Event], **more: object
    ) -> int:
        self._write(first, new)
        return 7

    def text(self) -> str:
        assert sorted(self.rows) == list(range(len(self.rows))), "no gap"
        return "".join(row.content for _, row in sorted(self.rows.items()) if isinstance(row, AnswerDelta))


class Told:
    """What the writer told its turn."""

    def __init__(self) -> None:
        self.stops = 0
        self.faults: list[TabulaflowError] = []

    def stop(self) -> None:
        self.stops += 1


def writer_on(paper: Paper, told: Told) -> EventWriter:
    return EventWriter(paper, LOCAL_USER, "t_1", runner="here", on_stop=told.stop, on_fault=told.faults.append)


async def until(reached: object) -> None:
    async with asyncio.timeout(30):
        while not reached():  # type: ignore[operator]  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_deltas_wait_and_everything_else_does_not() -> None:
    paper, told = Paper(), Told()
    writer = writer_on(paper, told)
    for _ in range(50):
        writer.add(AnswerDelta(step=1, content="a"))
    await asyncio.sleep(0.1)
    assert paper.commits == 0
    writer.add(TurnStarted(question="?", model="m"))
    await until(lambda: paper.commits == 1)
    assert len(paper.rows) == 2, "the deltas came along, joined"
    writer.add(AnswerDelta(step=2, content="b"))
    async with asyncio.timeout(30):
        await until(lambda: paper.commits == 2)
    assert await writer.finish_async(FINISHED, state="finished", history=None) == 7
    assert paper.text() == "a" * 50 + "b"


async def test_a_store_that_is_away_for_a_moment_loses_nothing() -> None:
    paper, told = Paper(), Told()
    writer = writer_on(paper, told)
    paper.fault = StoreUnavailable("Away.")
    for word in ("a", "b", "c"):
        writer.add(AnswerDelta(step=1, content=word))
        writer.add(TurnStarted(question="?", model="m"))
        await asyncio.sleep(0.05)
    assert paper.rows == {}
    paper.fault = None
    await until(lambda: paper.commits)
    await writer.finish_async(FINISHED, state="finished", history=None)
    assert paper.text() == "abc"
    assert told.faults == []


async def test_a_store_that_stays_away_ends_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_writer, "_PATIENCE_SECONDS", 0.1)
    paper, told = Paper(), Told()
    writer = writer_on(paper, told)
    paper.fault = StoreUnavailable("Away.")
    writer.add(AnswerDelta(step=1, content="a"))
    await until(lambda: told.faults)
    with pytest.raises(StoreUnavailable):
        await writer.finish_async(FINISHED, state="finished", history=None)


async def test_a_lost_lease_ends_the_turn() -> None:
    paper, told = Paper(), Told()
    writer = writer_on(paper, told)
    paper.fault = NotFound("Ended by another process.")
    writer.add(TurnStarted(question="?", model="m"))
    await until(lambda: told.faults)
    assert isinstance(told.faults[0], NotFound)


async def test_the_heartbeat_brings_the_wish_to_stop() -> None:
    paper, told = Paper(), Told()
    writer = writer_on(paper, told)
    paper.stop = True
    await until(lambda: told.stops)
    await writer.finish_async(FINISHED, state="finished", history=None)
