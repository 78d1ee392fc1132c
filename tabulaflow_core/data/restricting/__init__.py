"""A query over a part of its tables' rows: conditions with bound values put into the statement, never into its text."""

from tabulaflow_core.data.restricting.row_tests import Contains, DateRange, NumberRange, OneOf, Restriction, RowTest

__all__ = ["Contains", "DateRange", "NumberRange", "OneOf", "Restriction", "RowTest"]
