"""What code can put right in a small model's SQL without asking it again; each change is said to the person.

Rules work on the parsed statement and the schema. None invents a condition: names become the nearest real ones, filters
are carried over where the question refers back, and foreign functions become the engine's own.
"""

from __future__ import annotations

from tabulaflow_core.agents.mend.apply import Mended, mend, mend_rejected, unknown_names

__all__ = ["Mended", "mend", "mend_rejected", "unknown_names"]
