"""What a reader decided about a file, and what a person may decide instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = dict[str, JsonValue]

ColumnType = Literal["integer", "number", "text", "boolean", "date", "datetime", "other"]
Certainty = Literal["certain", "likely", "guess", "told"]
DateOrder = Literal["dmy", "mdy", "ymd"]

#: How many lines of one kind a report lists; the counts stay true beyond it.
LISTED = 200


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Choices of a person that replace the reader's own; None leaves the choice to the reader.

    Attributes:
        encoding: A Python codec name.
        delimiter: One character.
        quote: One character, empty for no quoting.
        header: Whether the first row of the table names the columns.
        skip_lines: Lines of the file to leave out at its start.
        decimal: The decimal mark.
        date_order: How `03/04/2026` is meant.
        types: The type of a column by its name; `text` keeps it as written.
        missing: Words that mean "no value", in place of the built-in ones.
        keep_totals: Keep rows of totals and notes below the table as data.
    """

    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    skip_lines: int | None = None
    decimal: Literal[".", ","] | None = None
    date_order: DateOrder | None = None
    types: Mapping[str, ColumnType] = field(default_factory=dict)
    missing: tuple[str, ...] | None = None
    keep_totals: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice: what was chosen, how sure the reader is, and on what grounds."""

    name: str
    value: str
    certainty: Certainty
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line of the file that is not a row of the table."""

    line: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Misfit:
    """A value that did not fit its column, or a cell that has no column (`column` is then empty)."""

    line: int
    column: str
    value: str


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """How one column was read.

    Attributes:
        name: Its name in the table.
        header: The header cell as it stands in the file.
        type: The kind of value.
        engine_type: The type it is stored in.
        note: Decimal mark, date order, unit, or why it stayed text.
        missing: Words that were read as "no value", with their counts.
        misfits: Values that did not fit, all of them counted.
    """

    name: str
    header: str
    type: ColumnType
    engine_type: str
    certainty: Certainty = "certain"
    note: str = ""
    missing: Mapping[str, int] = field(default_factory=dict)
    misfits: int = 0


@dataclass(frozen=True, slots=True)
class ReadingReport:
    """Everything that was decided while one file was read.

    Attributes:
        rows_in_file: Records in the file that hold anything, the header and skipped ones among them.
        rows_in_table: Rows that can be queried.
        notices: Sentences for a person; empty when there was nothing to tell.
    """

    format: str
    decisions: tuple[Decision, ...] = ()
    columns: tuple[ColumnReport, ...] = ()
    skipped: tuple[SkippedLine, ...] = ()
    skipped_count: int = 0
    misfits: tuple[Misfit, ...] = ()
    misfit_count: int = 0
    blank_lines: int = 0
    rows_in_file: int = 0
    rows_in_table: int = 0
    notices: tuple[str, ...] = ()

    def decision(self, name: str) -> Decision | None:
        """The decision of that name, such as `encoding` or `delimiter`."""
        return next((d for d in self.decisions if d.name == name), None)

    def to_json(self) -> JsonObject:
        """Plain values for `json.dumps`."""
        return {key: _plain(value) for key, value in asdict(self).items()}


def _plain(value: object) -> JsonValue:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return str(value)


@dataclass(frozen=True, slots=True)
class ReadTable:
    """One stored table of a file.

    Attributes:
        types: One of the kinds for each column.
        database: The immutable DuckDB file that holds it.
        table: Its name in that file.
    """

    name: str
    columns: tuple[str, ...]
    types: tuple[ColumnType, ...]
    row_count: int
    database: Path
    table: str


@dataclass(frozen=True, slots=True)
class FileReading:
    """What became of one file."""

    file: str
    tables: tuple[ReadTable, ...]
    report: ReadingReport
