"""Columns that a model must not see: their names, comments and values are kept from it, not from the person."""

from tabulaflow_core.data.hiding.connector import HidingConnector
from tabulaflow_core.data.hiding.patterns import HiddenColumns, patterns_of

__all__ = ["HiddenColumns", "HidingConnector", "patterns_of"]
