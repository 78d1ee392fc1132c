"""What a reader decided about a file, and what a person may decide instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Literal

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = dict[str, JsonValue]

ColumnType = Literal["integer", "number", "text", "boolean", "date", "datetime", "other"]
#: What a person may say of a column: a time or a duration is of the type `other` then.
ColumnChoice = Literal["integer", "number", "text", "boolean", "date", "datetime", "time", "duration", "other"]
Certainty = Literal["certain", "likely", "guess", "told"]
DateOrder = Literal["dmy", "mdy", "ymd"]
PartKind = Literal["sheet", "member", "table"]
#: `off` is a part that was left out by choice or because it is hidden.
PartState = Literal["read", "off", "empty", "unreadable"]

#: How many lines of one kind a report lists; the counts stay true beyond it.
LISTED = 200


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Choices of a person that replace the reader's own; None leaves the choice to the reader.

    Attributes:
        encoding: A Python codec name.
        delimiter: One or more characters; or a word: `comma`, `semicolon`, `tab`, `pipe`, `space`, `blanks` (two or
            more of them), `fixed` (columns at fixed places) or `none` (one column).
        quote: One character; empty or `none` for no quoting.
        header: Whether the first row of the table names the columns.
        skip_lines: Lines of the file to leave out at its start.
        decimal: The decimal mark.
        date_order: How `03/04/2026` is meant.
        types: The type of a column by its name; `text` keeps it as written, `time` reads 8:05 as a time of day, and
            `duration` as 8 hours and 5 minutes.
        missing: Words that mean "no value", in place of the built-in ones and in columns of text too: a cell that holds
            one of them alone is empty, compared without outer blanks and without case. With none of them, every cell
            that is not empty is a value.
        keep_totals: Keep rows of totals and notes below the table as data.
        skip_end: Lines of the file to leave out at its end.
        header_rows: How many rows name the columns; 0 for none. It outranks `header`.
        comment: How comment lines begin; empty or `none` when there are none.
        escape: The character before a quote inside a quoted cell; empty or `none` for doubled quotes.
        parts: The sheets, members of an archive or tables of a database file to read, by their names; None for
            all that are not hidden.
        beside: Whether parts of a sheet with blank columns between them are `one` table or `several`.
        by_part: Choices for one part, by its name; what they leave open is decided by the choices above.
        automatic: Within `by_part`: names of choices above that this part leaves to the reader all the same.
    """

    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None
    skip_lines: int | None = None
    decimal: Literal[".", ","] | None = None
    date_order: DateOrder | None = None
    types: Mapping[str, ColumnChoice] = field(default_factory=dict)
    missing: tuple[str, ...] | None = None
    keep_totals: bool = False
    skip_end: int | None = None
    header_rows: int | None = None
    comment: str | None = None
    escape: str | None = None
    parts: tuple[str, ...] | None = None
    beside: Literal["one", "several"] | None = None
    by_part: Mapping[str, ReadOptions] = field(default_factory=dict)
    automatic: tuple[str, ...] = ()

    def for_part(self, name: str) -> ReadOptions:
        """The choices that hold for one part: its own, then those of the whole file."""
        own = self.by_part.get(name)
        if own is None:
            return self
        blank = ReadOptions()
        told = {f.name: getattr(own, f.name) for f in fields(own) if getattr(own, f.name) != getattr(blank, f.name)}
        return replace(self, **{name: getattr(blank, name) for name in own.automatic} | told)


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice: what was chosen, how sure the reader is, and on what grounds.

    Attributes:
        value: What was chosen, in the words that the option takes (`true` and `false` for yes and no).
        option: The field of `ReadOptions` that replaces the choice; empty when nobody can choose.
        choices: Values to offer, the chosen one among them; empty when any value may be given.
    """

    name: str
    value: str
    certainty: Certainty
    reason: str = ""
    option: str = ""
    choices: tuple[str, ...] = ()


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
class Part:
    """A sheet, a member of an archive or a table of a database file, read or not.

    Attributes:
        name: As the file has it; what `ReadOptions.parts` and `by_part` take.
        hidden: Whether the file hides it.
        tables: Names of the tables that were read from it.
        message: Why it was not read, or what a person should know of it; empty when there is nothing to tell.
    """

    name: str
    kind: PartKind
    state: PartState
    hidden: bool = False
    tables: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class ReadingReport:
    """Everything that was decided while one file, or one table of it, was read.

    A file of one table has one report. A file of several has one for the file, with its parts and what holds
    for all of it, and each table carries its own (`ReadTable.report`).

    Attributes:
        parts: The parts of a file that can hold several tables, those that were left out among them.
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
    parts: tuple[Part, ...] = ()

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
        report: How it was read, when the file holds several tables.
        part: The part of the file that it comes from, empty when the file has no parts.
    """

    name: str
    columns: tuple[str, ...]
    types: tuple[ColumnType, ...]
    row_count: int
    database: Path
    table: str
    report: ReadingReport | None = None
    part: str = ""


@dataclass(frozen=True, slots=True)
class FileReading:
    """What became of one file."""

    file: str
    tables: tuple[ReadTable, ...]
    report: ReadingReport
