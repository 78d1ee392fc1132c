"""Records of JSON into a table: their columns first, then their cells, typed as those of a text file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

import pyarrow as pa

from tabulaflow_core.data.files.columns import Typing, type_columns, write_table
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.formats.json_shapes import Found
from tabulaflow_core.data.files.formats.json_values import (
    MOST_FLAT,
    Number,
    Place,
    Value,
    cell,
    flat,
    sound,
    title,
    too_deep,
)
from tabulaflow_core.data.files.naming import clean_header, column_names
from tabulaflow_core.data.files.report import ColumnType, Decision, ReadingReport
from tabulaflow_core.data.files.values import looks_like
from tabulaflow_core.errors import FileUnreadable

#: Cells of one batch, at most; and characters, so that long texts do not fill the memory.
_BATCH_CELLS: Final = 400_000
_BATCH_CHARS: Final = 16_000_000
_TELL_EVERY: Final = 5_000


@dataclass(slots=True)
class _Seen:
    """What a column holds."""

    numbers: int = 0
    texts: int = 0
    blank: int = 0
    booleans: int = 0
    nested: int = 0
    coded: bool = False

    def add(self, value: Value) -> None:
        if value is None:
            return
        if isinstance(value, Number):
            self.numbers += 1
        elif isinstance(value, str):
            self.texts += 1
            if not value:
                self.blank += 1
            elif not self.coded and len(value) <= 60 and any(c.isdigit() for c in value):
                self.coded = looks_like(value) == "number"
        elif isinstance(value, bool):
            self.booleans += 1
        elif value or isinstance(value, list):
            self.nested += 1

    @property
    def kept_as_text(self) -> bool:
        """Lists, and texts that look like numbers: codes, since JSON has numbers."""
        return bool(self.nested) or (self.coded and not self.numbers and not self.booleans)

    @property
    def anything(self) -> bool:
        return bool(self.numbers or self.texts or self.booleans or self.nested)


@dataclass(slots=True)
class _Columns:
    """The places of all records, in the order in which they are met."""

    job: ReadJob
    seen: dict[Place, _Seen] = field(default_factory=dict)
    whole: set[Place] = field(default_factory=set)
    rows: int = 0
    _below: dict[Place, int] = field(default_factory=dict)

    def look(self, records: Iterable[tuple[int, dict[str, Value]]]) -> None:
        """Find all columns.

        Raises:
            FileUnreadable: There are too many.
        """
        seen = self.seen
        for _, record in records:
            self.rows += 1
            if self.rows % _TELL_EVERY == 0:
                self.job.watch.advance("finding types", self.rows)
            for place, value in flat(record, self.whole):
                found = seen.get(place)
                if found is None:
                    found = self._new(place)
                found.add(value)
        for place in list(seen):
            # An object that is there in some records only: its column of nulls says nothing.
            if not seen[place].anything and place in self._below and place not in self.whole:
                del seen[place]

    def _new(self, place: Place) -> _Seen:
        keys = (place,) if isinstance(place, str) else place
        for level in range(1, len(keys)):
            above: Place = keys[0] if level == 1 else keys[:level]
            self._below[above] = self._below.get(above, 0) + 1
            if self._below[above] > MOST_FLAT:
                return self._together(above, keys[:level])
        if len(self.seen) >= self.job.watch.bounds.columns:
            raise FileUnreadable(
                f"{self.job.name} has more than {self.job.watch.bounds.columns:,} columns, the most that a table may "
                "have. Export fewer, or raise the bound (columns)."
            )
        return self.seen.setdefault(place, _Seen())

    def _together(self, above: Place, keys: tuple[str, ...]) -> _Seen:
        """Too many columns from one object: its keys are data, so it stays together."""
        self.whole.add(above)
        for place in [p for p in self.seen if isinstance(p, tuple) and p[: len(keys)] == keys and p != above]:
            del self.seen[place]
        found = self.seen.setdefault(above, _Seen())
        found.nested += 1
        return found


def write_records(
    job: ReadJob, table: str, found: Found, decisions: Iterable[Decision], part: str
) -> tuple[WrittenTable, ReadingReport]:
    """Write one table of the document; its report.

    Raises:
        FileUnreadable: It has no columns or too many, or is nested too deep.
    """
    columns = _Columns(job)
    try:
        columns.look(found.records())
        places = list(columns.seen)
        if not places:
            raise FileUnreadable(f"{job.name} holds only empty records. Export it again, or choose another file.")
        header = [title(place) for place in places]
        names = column_names(header, len(header))
        _stage(job, found, columns, places)
    except RecursionError:
        raise too_deep(job.name, job.watch.bounds.nesting) from None
    job.watch.advance("finding types", columns.rows, columns.rows)
    seen = [columns.seen[p] for p in places]
    typing = _typed(job, names, header, seen)
    job.watch.advance("writing", 0, columns.rows)
    count = write_table(job.bench, table, typing)
    report = ReadingReport(
        "json",
        decisions=(*decisions, *_header_decision(found), *typing.decisions),
        columns=tuple(c.report() for c in typing.columns),
        misfits=tuple(m for c in typing.columns for m in c.misfits),
        misfit_count=sum(c.misfit_count for c in typing.columns),
        rows_in_file=columns.rows + bool(found.header),
        rows_in_table=count,
        notices=(*found.notes, *typing.notices, *_notices(found, columns, places, header, names, typing)),
    )
    return WrittenTable(table, tuple(names), tuple(c.kind for c in typing.columns), count, part=part), report


def _stage(job: ReadJob, found: Found, columns: _Columns, places: list[Place]) -> None:
    """All cells as text into `stage`, as `type_columns` wants them."""
    width = len(places)
    declared = ", ".join(f"c{i} VARCHAR" for i in range(width))
    job.bench.execute(f"CREATE OR REPLACE TEMP TABLE stage (line BIGINT, {declared})")
    index = {place: i for i, place in enumerate(places)}
    levels = job.watch.bounds.nesting
    lines: list[int] = []
    cells: list[list[str | None]] = [[] for _ in places]
    chars = 0
    most = max(1, min(120_000, _BATCH_CELLS // width))
    for number, record in found.records() if columns.rows else ():
        if found.count == 0 and found.layout == "columns":
            break  # names of columns without a row
        lines.append(number)
        row: list[str | None] = [None] * width
        for place, value in flat(record, columns.whole):
            at = index.get(place)
            if at is not None:
                text = row[at] = cell(value, levels=levels)
                chars += len(text) if text else 0
        for column, text in zip(cells, row, strict=True):
            column.append(text)
        if len(lines) >= most or chars > _BATCH_CHARS:
            job.watch.advance("reading", len(lines), columns.rows)
            _send(job, lines, cells)
            lines, cells, chars = [], [[] for _ in places], 0
    _send(job, lines, cells)


def _send(job: ReadJob, lines: list[int], cells: list[list[str | None]]) -> None:
    if not lines:
        return
    arrays = [pa.array(lines, pa.int64()), *map(_texts, cells)]
    batch = pa.table(arrays, names=["line", *(f"c{i}" for i in range(len(cells)))])
    job.bench.connection.register("batch", batch)
    job.bench.connection.execute("INSERT INTO stage SELECT * FROM batch").fetchall()
    job.bench.connection.unregister("batch")


def _texts(column: list[str | None]) -> pa.Array:
    try:
        return pa.array(column, pa.string())
    except UnicodeEncodeError:
        return pa.array([c if c is None else sound(c) for c in column], pa.string())


def _typed(job: ReadJob, names: list[str], header: list[str], seen: list[_Seen]) -> Typing:
    told: dict[str, ColumnType] = {n: "text" for n, s in zip(names, seen, strict=True) if s.kept_as_text}
    told.update(job.options.types)
    # The decimal mark of JSON is a point, and no guess.
    options = replace(job.options, types=told, decimal=job.options.decimal or ".")
    typing = type_columns(job.bench, names, header, options, ",")
    if job.options.decimal is None:
        typing.decisions = [d for d in typing.decisions if d.name != "decimal_mark"]
    for column in typing.columns:
        if column.kind == "text":  # as it is written, blanks and empty texts too
            column.expression = column.source
    return typing


def _header_decision(found: Found) -> list[Decision]:
    if found.header is None:
        return []
    why = "the first row holds names" if found.header else "the first row is like the others"
    value = "true" if found.header else "false"
    return [Decision("header", value, "certain" if found.sure else "guess", why, "header", ("true", "false"))]


def _notices(
    found: Found, columns: _Columns, places: list[Place], header: list[str], names: list[str], typing: Typing
) -> list[str]:
    notices = []
    nested = [n for n, p in zip(names, places, strict=True) if columns.seen[p].nested]
    if nested:
        more = f" and {len(nested) - 5} more" if len(nested) > 5 else ""
        notices.append(f"Nested values are kept as JSON text in {', '.join(nested[:5])}{more}.")
    apart = [p for p in places if isinstance(p, tuple)]
    if apart:
        keys = list(dict.fromkeys(p[0] for p in apart))
        more = f" and {len(keys) - 5} more" if len(keys) > 5 else ""
        notices.append(
            f"Objects in {', '.join(keys[:5])}{more} became columns of their own, such as “{title(apart[0])}”."
        )
    renamed = [f"“{h}” is “{n}”" for h, n in zip(header, names, strict=True) if clean_header(h) != n]
    if renamed:
        notices.append(f"{len(renamed)} column name(s) were changed: {', '.join(renamed[:5])}.")
    for column, place in zip(typing.columns, places, strict=True):
        seen = columns.seen[place]
        if column.kind == "text":
            kinds = [(seen.texts, "text"), (seen.numbers, "numbers"), (seen.booleans, "true or false")]
            there = [f"{word} ({n})" for n, word in kinds if n]
            if len(there) > 1 and not seen.nested:
                notices.append(f"Column “{column.name}” holds {' and '.join(there)}, so it was kept as text.")
        elif seen.blank:
            notices.append(f"{seen.blank} empty text(s) of column “{column.name}” were read as no value.")
        if column.kind in ("integer", "number") and seen.texts > seen.blank:
            notices.append(f"{seen.texts - seen.blank} value(s) of column “{column.name}” are written as text.")
    if found.header is not None and not found.sure:
        notices.append("Whether the first row names the columns is a guess; it was taken for names.")
    if not found.count and not columns.rows:
        notices.append("The table has names of columns but no rows.")
    return notices
