"""What pages tell of the safety of a source: the statements tried on its engine, and the columns no model sees."""

from __future__ import annotations

from tabulaflow_core.data.hiding import HiddenColumns, patterns_of
from tabulaflow_core.data.matrix.record import Recorded, read_record

__all__ = ["HiddenColumns", "Recorded", "patterns_of", "read_record"]
