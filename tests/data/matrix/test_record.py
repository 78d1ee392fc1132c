"""The kept counts are those of the cases, engine by engine."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from tabulaflow_core.data.matrix import EngineReport, Outcome, Result, Verdict, load_cases
from tabulaflow_core.data.matrix.record import read_record, write_record


def test_the_record_is_about_all_cases_of_each_engine() -> None:
    for dialect, recorded in read_record().items():
        for verdict, counts in ((Verdict.HOSTILE, recorded.hostile), (Verdict.HARMLESS, recorded.harmless)):
            assert set(counts) <= {case.technique for case in load_cases(dialect) if case.verdict is verdict}
            assert all(right == of for right, of in counts.values())


def test_a_new_run_replaces_its_own_engine_alone(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    for dialect, day in (("sqlite", 1), ("duckdb", 2), ("sqlite", 3)):
        case = next(case for case in load_cases(dialect) if case.verdict is Verdict.HOSTILE)
        report = EngineReport(dialect, f"{dialect} 1", [Result(case, Outcome.REFUSED)])
        write_record([report], today=date(2026, 1, day), path=path)
    found = read_record(path)
    assert {dialect: recorded.day for dialect, recorded in found.items()} == {
        "sqlite": "2026-01-03",
        "duckdb": "2026-01-02",
    }
    assert list(found["sqlite"].hostile.values()) == [(1, 1)]
    read_record.cache_clear()
