"""The guard against its own cases: one a line, `verdict<TAB>sql`, `\\n` for a line break, one file a dialect."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabulaflow_core.data.guard import Allowed, Refused, check_statement
from tabulaflow_core.data.guard.types import row_fields

CASES = Path(__file__).parent / "cases"


def _cases() -> list[tuple[str, str, str]]:
    found = []
    for path in sorted(CASES.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            verdict, _, sql = line.partition("\t")
            found.append((path.stem, verdict, sql.replace("\\n", "\n")))
    return found


ALL = _cases()


def test_there_are_enough_cases_of_both_kinds() -> None:
    verdicts = [verdict for _, verdict, _ in ALL]
    assert verdicts.count("hostile") >= 600
    assert verdicts.count("harmless") >= 450
    assert set(verdicts) == {"hostile", "harmless"}
    assert len(set(ALL)) == len(ALL)


@pytest.mark.parametrize("dialect", sorted({dialect for dialect, _, _ in ALL}))
def test_harmless_ones_are_allowed(dialect: str) -> None:
    for sql in (sql for of, verdict, sql in ALL if (of, verdict) == (dialect, "harmless")):
        result = check_statement(sql, dialect=dialect)
        assert isinstance(result, Allowed), (sql, result)
        assert result.sql == sql.rstrip("; ") or sql.startswith(result.sql), sql


@pytest.mark.parametrize("dialect", sorted({dialect for dialect, _, _ in ALL}))
def test_hostile_ones_are_refused_with_a_sentence(dialect: str) -> None:
    for sql in (sql for of, verdict, sql in ALL if (of, verdict) == (dialect, "hostile")):
        result = check_statement(sql, dialect=dialect)
        if isinstance(result, Allowed) and (result.types or row_fields(sql)):
            continue  # what the engine's lock looks at: tests/data/connectors/test_postgres_types.py
        assert isinstance(result, Refused), (sql, result)
        assert result.reason.endswith((".", "…")), result
        assert len(result.reason) < 300, result
