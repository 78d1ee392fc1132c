"""Counts over the results, as rows for people, for programs and for the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from tabulaflow_core.data.matrix.cases import Verdict
from tabulaflow_core.data.matrix.run import Outcome, Result


@dataclass(slots=True)
class Count:
    """Results of one technique on one engine.

    Attributes:
        cases: All of them.
        refused: Hostile ones that the guard refused.
        stopped: Hostile ones that the lock or a limit stopped after the guard.
        around: Hostile ones that the lock alone stopped, handed to it past the guard.
        equal: Harmless ones answered as the engine answers.
        not_here: Harmless ones that this version of the engine does not take.
        wrong: All that must not happen.
    """

    cases: int = 0
    refused: int = 0
    stopped: int = 0
    around: int = 0
    equal: int = 0
    not_here: int = 0
    wrong: int = 0

    def as_dict(self) -> dict[str, int]:
        """For programs."""
        return asdict(self)

    def add(self, result: Result) -> None:
        """Count one more."""
        self.cases += 1
        self.around += result.around
        self.wrong += result.outcome.wrong
        match result.outcome:
            case Outcome.REFUSED:
                self.refused += 1
            case Outcome.STOPPED:
                self.stopped += 1
            case Outcome.EQUAL:
                self.equal += 1
            case Outcome.NOT_HERE:
                self.not_here += 1


@dataclass(slots=True)
class EngineReport:
    """All results of one engine.

    Attributes:
        dialect: Of the cases.
        engine: Name and version.
    """

    dialect: str
    engine: str
    results: list[Result] = field(default_factory=list)

    def counts(self, verdict: Verdict) -> dict[str, Count]:
        """By technique, in the order of the cases."""
        found: dict[str, Count] = {}
        for result in self.results:
            if result.case.verdict is verdict:
                found.setdefault(result.case.technique, Count()).add(result)
        return found

    def total(self, verdict: Verdict) -> Count:
        """Over all techniques."""
        count = Count()
        for result in self.results:
            if result.case.verdict is verdict:
                count.add(result)
        return count

    @property
    def wrong(self) -> list[Result]:
        """What must not happen."""
        return [result for result in self.results if result.outcome.wrong]


def cell(count: Count | None, verdict: Verdict) -> str:
    """`12/12 (9)`: twelve of twelve stopped, nine of them also by the lock alone; `7/7`: seven answered alike."""
    if count is None:
        return ""
    if verdict is Verdict.HARMLESS:
        return f"{count.equal}/{count.cases - count.not_here}"
    around = f" ({count.around})" if count.around else ""
    return f"{count.refused + count.stopped}/{count.cases}{around}"


def summary(reports: Sequence[EngineReport], verdict: Verdict) -> list[list[str]]:
    """A row for each technique and one for the total: its name, then a cell for each engine."""
    by_engine = [report.counts(verdict) for report in reports]
    rows = [[name, *(cell(c.get(name), verdict) for c in by_engine)] for name in _techniques(by_engine)]
    return [*rows, ["all", *(cell(report.total(verdict), verdict) for report in reports)]]


def _techniques(by_engine: Iterable[Mapping[str, Count]]) -> list[str]:
    return list(dict.fromkeys(name for counts in by_engine for name in counts))


def markdown(reports: Sequence[EngineReport], verdict: Verdict) -> str:
    """The summary as a table for the documentation, without versions, which change from machine to machine."""
    names = {"sqlite": "SQLite", "duckdb": "DuckDB", "postgres": "PostgreSQL", "mysql": "MariaDB"}
    head = ["technique" if verdict is Verdict.HOSTILE else "what analysts write", *(names[r.dialect] for r in reports)]
    lines = [head, ["---"] * len(head), *summary(reports, verdict)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
