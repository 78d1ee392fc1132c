"""The judge of the matrix: each kind of mistake is seen."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tabulaflow_core.data.contracts import QueryResult
from tabulaflow_core.data.guard import Allowed
from tabulaflow_core.data.matrix import (
    Alone,
    Case,
    EngineReport,
    Outcome,
    Result,
    Verdict,
    markdown,
    open_sqlite_async,
    run,
    run_matrix_async,
)
from tabulaflow_core.data.matrix.run import same
from tabulaflow_core.data.matrix.stage import CANARY


def hostile(sql: str, alone: Alone) -> Case:
    return Case("sqlite", "x", Verdict.HOSTILE, sql, alone)


async def _outcomes(folder: Path, *cases: Case) -> list[Result]:
    stage = await open_sqlite_async(folder)
    try:
        return [result async for result in run_matrix_async(stage, cases)]
    finally:
        await stage.close_async()


async def test_a_guard_that_misses_everything_leaves_it_to_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "check_statement", lambda sql, dialect: Allowed(sql, "select", ()))
    monkeypatch.setattr(
        "tabulaflow_core.data.guard.check_statement", lambda sql, *, dialect, functions=(): Allowed(sql, "select", ())
    )
    (stopped,) = await _outcomes(tmp_path, hostile("DELETE FROM sale", Alone.LOCK))
    assert stopped.outcome is Outcome.STOPPED
    assert "not authorized" in stopped.detail


async def test_without_guard_and_lock_it_gets_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sqlite3

    stage = await open_sqlite_async(tmp_path)
    path = tmp_path / "shop.db"

    async def unguarded(sql: str, **_: object) -> QueryResult:
        with sqlite3.connect(path) as connection:
            connection.execute(sql)
        return QueryResult(pa.table({"a": [1]}), sql)

    monkeypatch.setattr(run, "check_statement", lambda sql, dialect: Allowed(sql, "select", ()))
    monkeypatch.setattr(stage.connector, "run_query_async", unguarded)
    cases = (hostile("UPDATE sale SET qty = 99", Alone.LOCK), hostile("SELECT 1", Alone.GUARD))
    first, second = [result async for result in run_matrix_async(stage, cases)]
    assert (first.outcome, second.outcome) == (Outcome.THROUGH, Outcome.STOPPED)
    assert "changed something" in first.detail
    await stage.close_async()


async def test_a_lock_that_fails_behind_the_guard_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = await open_sqlite_async(tmp_path)

    class Fetched:
        table = pa.table({"text": [f"it says {CANARY}"]})

    async def leaking(sql: str, caps: object) -> type[Fetched]:
        return Fetched

    monkeypatch.setattr(stage.adapter, "fetch_async", leaking)
    cases = (hostile("ATTACH 'x' AS y", Alone.LOCK), hostile("ATTACH 'x' AS y", Alone.GUARD))
    first, second = [result async for result in run_matrix_async(stage, cases)]
    assert (first.outcome, second.outcome) == (Outcome.LOCK_FAILED, Outcome.REFUSED)
    assert (first.around, second.around) == (False, False)
    await stage.close_async()


async def test_harmless_ones_are_judged_by_the_engine(tmp_path: Path) -> None:
    def case(sql: str) -> Case:
        return Case("sqlite", "x", Verdict.HARMLESS, sql)

    results = await _outcomes(
        tmp_path, case("SELECT 1"), case("SELECT sqlite_log(1, 'x')"), case("SELECT no_such(1)"),
        case("SELECT count(*) FROM dbstat WHERE false OR 1"), case("SELECT changes()"),
    )  # fmt: skip
    assert [r.outcome for r in results[:1]] == [Outcome.EQUAL]
    assert results[2].outcome is Outcome.NOT_HERE
    assert results[1].outcome in (Outcome.DENIED, Outcome.NOT_HERE)
    assert results[4].outcome is Outcome.EQUAL


def test_answers_are_compared_with_names_types_and_nan() -> None:
    one = pa.table({"a": [float("nan"), 1.0]})
    assert same(one, pa.table({"a": [float("nan"), 1.0]}))
    assert not same(one, pa.table({"a": [float("nan"), 2.0]}))
    assert not same(one, pa.table({"b": [float("nan"), 1.0]}))
    assert not same(pa.table({"a": [1]}), pa.table({"a": [1.0]}))
    assert not same(pa.table({"a": [1, 2]}), pa.table({"a": [1]}))
    far = pa.table({"a": pa.array([-2147483646], pa.int32()).cast(pa.date32())})
    assert same(far, far)


def test_the_table_for_the_page() -> None:
    bad = hostile("DELETE FROM sale", Alone.LOCK)
    good = Case("sqlite", "y", Verdict.HARMLESS, "SELECT 1")
    report = EngineReport("sqlite", "SQLite 3")
    report.results += [Result(bad, Outcome.REFUSED, around=True), Result(bad, Outcome.THROUGH)]
    report.results += [Result(good, Outcome.EQUAL), Result(good, Outcome.NOT_HERE)]
    assert markdown([report], Verdict.HOSTILE).splitlines()[2:] == ["| x | 1/2 (1) |", "| all | 1/2 (1) |"]
    assert markdown([report], Verdict.HARMLESS).splitlines()[2:] == ["| y | 1/1 |", "| all | 1/1 |"]
    assert [r.outcome for r in report.wrong] == [Outcome.THROUGH]


def test_a_statement_that_asks_for_no_order_is_owed_none() -> None:
    one = pa.table({"a": [1, 2, 2], "b": ["x", "y", "z"]})
    turned = one.take([2, 0, 1])
    assert same(one, turned, ordered=False)
    assert not same(one, turned)
    assert not same(one, pa.table({"a": [1, 2, 2], "b": ["y", "x", "z"]}), ordered=False)
    assert not same(one, one.slice(1), ordered=False)
