"""What is remembered of tables: within a bound of time, by turns, and only as long as they stay what they were."""

from __future__ import annotations

import pytest

from tabulaflow_core.data import profile
from tabulaflow_core.data.profile import Candidate, Profile, Profiles


def _table(name: str, shape: str = "a INTEGER") -> Candidate:
    return Candidate(name, shape)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(profile.time, "monotonic", lambda: now[0])
    return now


def _look(profiles: Profiles, tables: list[Candidate], clock: list[float], seconds: float = 0.4) -> list[object]:
    seen = []
    for table in profiles.due(tables):
        clock[0] += seconds
        profiles.remember(table, Profile(rows=len(seen)))
        seen.append(table.key)
    return seen


def test_those_that_waited_longest_come_first(clock: list[float]) -> None:
    profiles = Profiles()
    tables = [_table(f"t{n}") for n in range(6)]
    assert _look(profiles, tables, clock) == ["t0", "t1", "t2", "t3"]
    assert profiles.of(tables[5]) is None
    assert _look(profiles, tables, clock) == ["t4", "t5", "t0", "t1"]
    assert profiles.of(tables[3]) == Profile(rows=3)
    assert _look(profiles, tables, clock) == ["t2", "t3", "t4", "t5"]


def test_a_large_schema_gets_less_time(clock: list[float]) -> None:
    assert len(_look(Profiles(), [_table(f"t{n}") for n in range(10_000)], clock, seconds=0.1)) <= 5


def test_other_columns_make_it_useless(clock: list[float]) -> None:
    profiles = Profiles()
    _look(profiles, [_table("t")], clock)
    assert profiles.of(_table("t")) is not None
    assert profiles.of(_table("t", "a INTEGER, b TEXT")) is None


def test_tables_that_are_gone_are_forgotten(clock: list[float]) -> None:
    profiles = Profiles()
    _look(profiles, [_table("a"), _table("b")], clock)
    _look(profiles, [_table("b")], clock)
    assert profiles.of(_table("a")) is None
    assert profiles.of(_table("b")) is not None


def test_memory_is_bounded(clock: list[float]) -> None:
    profiles = Profiles()
    tables = [_table(f"t{n}") for n in range(6_000)]
    _look(profiles, tables, clock, seconds=0.0)
    assert sum(profiles.of(table) is not None for table in tables) == 5_000
