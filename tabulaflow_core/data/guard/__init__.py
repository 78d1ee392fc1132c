"""Read-only, layer one: a statement is parsed and must be one query of an allowed kind."""

from __future__ import annotations

from tabulaflow_core.data.guard.check import check_statement
from tabulaflow_core.data.guard.verdict import Allowed, RefusalCode, Refused

__all__ = ["Allowed", "RefusalCode", "Refused", "check_statement"]
