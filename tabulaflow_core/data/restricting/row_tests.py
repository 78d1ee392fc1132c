"""Which rows of a table a query may see: a test of one column, with values that are only ever bound."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class DateRange:
    """Days from `low` to `high`, both included; of a moment its day counts, in the session's time zone.

    Attributes:
        low: None for no lower end.
        high: None for no upper end.
    """

    low: date | None = None
    high: date | None = None


@dataclass(frozen=True, slots=True)
class NumberRange:
    """Numbers from `low` to `high`, both included and finite; None for an open end."""

    low: Decimal | None = None
    high: Decimal | None = None


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these values, as the engine writes them as text."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contains:
    """The text holds this one, in any case.

    SQLite folds the case of A to Z only: there the text is also looked for as written, in small letters, in capitals
    and with a capital first.
    """

    text: str


RowTest = DateRange | NumberRange | OneOf | Contains


@dataclass(frozen=True, slots=True)
class Restriction:
    """A query sees the rows of `table` only that pass `test`; a row without a value in `column` does not pass.

    Attributes:
        table: As in the source's schema: `name`, or `schema.name`.
        column: As the engine has it, unquoted.
    """

    table: str
    column: str
    test: RowTest
