"""The guard against its own cases: one a line, `verdict<TAB>sql`, `\\n` for a line break, one file a dialect."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabulaflow_core.data.guard import Allowed, Refused, check_statement

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
    assert verdicts.count("hostile") >= 400
    assert verdicts.count("harmless") >= 300
    assert set(verdicts) == {"hostile", "harmless"}
    assert len(set(ALL)) == len(ALL)


@pytest.mark.parametrize(("dialect", "verdict", "sql"), ALL)
def test_verdict(dialect: str, verdict: str, sql: str) -> None:
    result = check_statement(sql, dialect=dialect)
    if verdict == "harmless":
        assert isinstance(result, Allowed), result
        assert result.sql == sql.rstrip("; ") or sql.startswith(result.sql)
    else:
        assert isinstance(result, Refused), result
        assert result.reason.endswith((".", "…"))
        assert len(result.reason) < 300
