"""The counts of the last run on each engine, kept beside the cases so that a page can show them without a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final

from tabulaflow_core.data.matrix.cases import Verdict
from tabulaflow_core.data.matrix.report import Count, EngineReport

RECORD: Final = Path(__file__).with_name("record.json")


@dataclass(frozen=True, slots=True)
class Recorded:
    """One engine's counts.

    Attributes:
        engine: Name and version.
        day: Of the run, ISO.
        hostile: By technique: statements that were stopped, and all of them.
        harmless: By what analysts write: statements that were answered as the engine answers, and all of them.
    """

    engine: str
    day: str
    hostile: dict[str, tuple[int, int]]
    harmless: dict[str, tuple[int, int]]


def write_record(reports: Sequence[EngineReport], *, today: date, path: Path = RECORD) -> None:
    """Put the counts of `reports` in the place of those of the same engines; the others stay."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for report in reports:
        kept[report.dialect] = {
            "engine": report.engine,
            "day": today.isoformat(),
            **{
                verdict.value: {name: _counted(count, verdict) for name, count in report.counts(verdict).items()}
                for verdict in Verdict
            },
        }
    text = json.dumps(kept, indent=1, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")
    read_record.cache_clear()


@lru_cache(maxsize=1)
def read_record(path: Path = RECORD) -> dict[str, Recorded]:
    """The counts by dialect; empty where none were kept."""
    if not path.exists():
        return {}
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {
        dialect: Recorded(
            engine=one["engine"],
            day=one["day"],
            hostile={name: (good, all_of_them) for name, (good, all_of_them) in one["hostile"].items()},
            harmless={name: (good, all_of_them) for name, (good, all_of_them) in one["harmless"].items()},
        )
        for dialect, one in kept.items()
    }


def _counted(count: Count, verdict: Verdict) -> list[int]:
    if verdict is Verdict.HARMLESS:
        return [count.equal, count.cases - count.not_here]
    return [count.refused + count.stopped, count.cases]
