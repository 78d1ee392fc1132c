"""The read-only matrix: statements that would do harm and statements that analysts write, tried on real engines."""

from __future__ import annotations

from tabulaflow_core.data.matrix.cases import Alone, Case, Verdict, dialects, load_cases
from tabulaflow_core.data.matrix.report import EngineReport, markdown, summary
from tabulaflow_core.data.matrix.run import Outcome, Result, run_matrix_async

__all__ = [
    "Alone", "Case", "EngineReport", "Outcome", "Result", "Verdict", "dialects", "load_cases", "markdown",
    "run_matrix_async", "summary",
]  # fmt: skip
