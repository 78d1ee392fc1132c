"""Records of JSON into a table: their columns first, then their cells, typed as those of a text file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import pyarrow as pa

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.columns import Column, Typing, type_columns, write_table
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.formats.json_found import Found
from tabulaflow_core.data.files.formats.json_gather import Columns, gather
from tabulaflow_core.data.files.formats.json_typed import JsonRows
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
from tabulaflow_core.data.files.report import ColumnChoice, Decision, ReadingReport
from tabulaflow_core.errors import FileUnreadable

#: Cells of one batch, at most.
_BATCH_CELLS: Final = 400_000
_MOST_ROWS: Final = 100_000
_LOOK_EVERY: Final = 2_000


class _Mapping(Exception):
    """An object has so many keys that they are data: begin again with it as one column."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.place = place


@dataclass(slots=True)
class Seen:
    """What a column holds."""

    numbers: int = 0
    texts: int = 0
    blank: int = 0
    booleans: int = 0
    nested: int = 0

    def add(self, values: list[Value]) -> None:
        """Count values."""
        kinds = Counter(map(type, values))
        self.numbers += kinds[Number]
        self.texts += kinds[str]
        self.blank += values.count("") if kinds[str] else 0
        self.booleans += kinds[bool]
        self.nested += kinds[list] + (sum(1 for v in values if v and isinstance(v, dict)) if kinds[dict] else 0)

    def add_typed(self, kind: str, count: int, blank: int) -> None:
        """Count values that went into the table in their types."""
        self.numbers += count if kind in ("integer", "number") else 0
        self.booleans += count if kind == "boolean" else 0
        self.texts += count if kind not in ("integer", "number", "boolean") else 0
        self.blank += blank

    @property
    def anything(self) -> bool:
        """Whether there is any value."""
        return bool(self.numbers or self.texts or self.booleans or self.nested)


class Staging:
    """Collects records column by column in `stage`, which grows as columns are met."""

    def __init__(self, job: ReadJob, whole: set[Place]) -> None:
        self.job = job
        self.whole = whole
        self.places: list[Place] = []
        self.seen: list[Seen] = []
        self.rows = 0
        self.index: dict[Place, int] = {}
        self._index: dict[Place, list[Value]] = {}
        self._below: dict[Place, int] = {}
        self._lines: list[int] = []
        self._stored = 0
        job.bench.renew()
        job.bench.execute("CREATE OR REPLACE TEMP TABLE stage (line BIGINT)")

    @property
    def total(self) -> int:
        """The rows so far."""
        return self.rows + len(self._lines)

    def count_typed(self, rows: int) -> None:
        """Count rows that went into the table without being staged."""
        self.rows += rows
        self.job.watch.advance("reading", self.total)

    def add_all(self, batches: Iterable[Sequence[tuple[int, dict[str, Value]]]]) -> None:
        """Take all records.

        Raises:
            FileUnreadable: They have too many columns.
            _Mapping: An object is to stay together.
        """
        for several in batches:
            for start in range(0, len(several), _LOOK_EVERY):
                self._add(several[start : start + _LOOK_EVERY])
        self.flush()

    def _add(self, batch: Sequence[tuple[int, dict[str, Value]]]) -> None:
        numbers, several = zip(*batch, strict=True)
        columns = gather(several, self._index, self.whole)
        if columns is None:
            self._add_one_by_one(numbers, several)
        else:
            self._add_columns(numbers, columns)
        self._look()

    def add_columns(self, columns: Columns) -> None:
        """Take rows that lie column by column, without objects among their values.

        Raises:
            FileUnreadable: They have too many columns.
        """
        count = len(next(iter(columns.values())))
        for start in range(0, count, _LOOK_EVERY):
            end = min(start + _LOOK_EVERY, count)
            self._add_columns(range(start + 1, end + 1), {place: v[start:end] for place, v in columns.items()})
            self._look()
        self.flush()

    def _look(self) -> None:
        self.job.watch.advance("reading", self.rows + len(self._lines))
        if len(self._lines) >= _MOST_ROWS or len(self._lines) * len(self._index) >= _BATCH_CELLS:
            self.flush()

    def _add_columns(self, numbers: Sequence[int], columns: Columns) -> None:
        row = len(self._lines)
        self._lines.extend(numbers)
        for place, values in columns.items():
            column = self._index.get(place)
            if column is None:
                column = self._new(place)
            column.extend([None] * (row - len(column)))  # the records before have no such key
            column.extend(values)

    def _add_one_by_one(self, numbers: Sequence[int], records: Sequence[dict[str, Value]]) -> None:
        index, whole = self._index, self.whole
        for number, record in zip(numbers, records, strict=True):
            row = len(self._lines)
            self._lines.append(number)
            for place, value in flat(record, whole):
                column = index.get(place)
                if column is None:
                    column = self._new(place)
                if len(column) < row:
                    column.extend([None] * (row - len(column)))
                column.append(value)

    def add_column(self, place: Place) -> None:
        """A column that is known before any record."""
        self._new(place)

    def _new(self, place: Place) -> list[Value]:
        keys = (place,) if isinstance(place, str) else place
        for level in range(1, len(keys)):
            above: Place = keys[0] if level == 1 else keys[:level]
            self._below[above] = self._below.get(above, 0) + 1
            if self._below[above] > MOST_FLAT:
                raise _Mapping(above)
        bound = self.job.watch.bounds.columns
        if len(self.places) >= bound:
            raise FileUnreadable(
                f"{self.job.name} has more than {bound:,} columns, the most that a table may have. "
                "Export fewer, or raise the bound (columns)."
            )
        self.index[place] = len(self.places)
        self.places.append(place)
        self.seen.append(Seen())
        column = self._index[place] = []
        return column

    def flush(self) -> None:
        """Send what waits to the table."""
        while self._stored < len(self.places):
            self.job.bench.execute(f"ALTER TABLE stage ADD COLUMN c{self._stored} VARCHAR")
            self._stored += 1
        count = len(self._lines)
        if not count:
            return
        arrays = [pa.array(self._lines, pa.int64())]
        for column, seen in zip(self._index.values(), self.seen, strict=True):
            column.extend([None] * (count - len(column)))
            seen.add(column)
            arrays.append(_texts(column, self.job.watch.bounds.nesting))
            column.clear()
        batch = pa.table(arrays, names=["line", *(f"c{i}" for i in range(len(self.places)))])
        self.job.bench.connection.register("batch", batch)
        self.job.bench.connection.execute("INSERT INTO stage SELECT * FROM batch").fetchall()
        self.job.bench.connection.unregister("batch")
        self.rows += count
        self._lines = []

    def kept(self) -> list[int]:
        """The columns that stay: not those of an object that only some records have, whose nulls say nothing."""
        return [
            i
            for i, (place, seen) in enumerate(zip(self.places, self.seen, strict=True))
            if seen.anything or place not in self._below or place in self.whole
        ]


def _texts(column: list[Value], levels: int) -> pa.Array:
    if set(map(type, column)) <= {bool, type(None)}:
        return pa.array(column, pa.bool_()).cast(pa.string())
    try:
        return pa.array(column, pa.string())
    except (UnicodeEncodeError, pa.ArrowInvalid, pa.ArrowTypeError):  # lists, truth values, halves of characters
        texts = (cell(v, levels=levels) for v in column)
        return pa.array([t if t is None else sound(t) for t in texts], pa.string())


def write_records(
    job: ReadJob, table: str, found: Found, decisions: Iterable[Decision], part: str
) -> tuple[WrittenTable, ReadingReport]:
    """Write one table of the document; its report.

    Raises:
        FileUnreadable: It has no columns or too many, or is nested too deep.
    """
    try:
        staged = _staged(job, found)
    except RecursionError:
        raise too_deep(job.name, job.watch.bounds.nesting) from None
    kept = staged.kept()
    if not kept:
        raise FileUnreadable(f"{job.name} holds only empty records. Export it again, or choose another file.")
    places, seen = [staged.places[i] for i in kept], [staged.seen[i] for i in kept]
    if len(kept) < len(staged.places):
        columns = ", ".join(f"c{at} AS c{i}" for i, at in enumerate(kept))
        job.bench.execute(f"CREATE OR REPLACE TEMP TABLE kept AS SELECT line, {columns} FROM stage ORDER BY line")
        if job.bench.typed is not None:
            job.bench.typed.drop()
        job.bench.execute("DROP TABLE IF EXISTS stage")
        job.bench.execute("ALTER TABLE kept RENAME TO stage")
    header = [title(place) for place in places]
    names = column_names(header, len(header))
    job.watch.advance("finding types", staged.rows, staged.rows)
    typing = _typed(job, names, header, seen, found.numeric)
    job.watch.advance("writing", 0, staged.rows)
    count = write_table(job.bench, table, typing)
    report = ReadingReport(
        "json",
        decisions=(*decisions, *_header_decision(found), *typing.decisions),
        columns=tuple(c.report() for c in typing.columns),
        misfits=tuple(m for c in typing.columns for m in c.misfits),
        misfit_count=sum(c.misfit_count for c in typing.columns),
        rows_in_file=staged.rows + bool(found.header),
        rows_in_table=count,
        notices=(*found.notes, *typing.notices, *_notices(found, staged.rows, places, seen, header, typing)),
    )
    return WrittenTable(table, tuple(names), tuple(c.kind for c in typing.columns), count, part=part), report


def _staged(job: ReadJob, found: Found) -> Staging:
    whole: set[Place] = set()
    while True:
        staged = Staging(job, whole)
        for name in found.names:
            staged.add_column(name)
        columns: Columns = dict(found.columns().items()) if found.columns else {}
        try:
            if columns and not any(dict in set(map(type, values)) for values in columns.values()):
                staged.add_columns(columns)
            elif found.batches:
                quick = JsonRows(staged, lambda s=staged: _decided(s))  # type: ignore[misc]
                quick.usable = job.options.missing is None  # words of a person are looked for in the text of cells
                staged.add_all(found.batches(quick.take))
                quick.close()
            else:
                staged.add_all(_batches(found.records()))
            return staged
        except _Mapping as mapping:
            whole.add(mapping.place)


def _batches(records: Iterable[tuple[int, dict[str, Value]]]) -> Iterator[list[tuple[int, dict[str, Value]]]]:
    waiting = iter(records)
    while batch := list(islice(waiting, _LOOK_EVERY)):
        yield batch


def _decided(staged: Staging) -> Typing:
    header = [title(place) for place in staged.places]
    return _typed(staged.job, column_names(header, len(header)), header, staged.seen, frozenset())


def _typed(
    job: ReadJob, names: list[str], header: list[str], seen: list[Seen], called_numbers: frozenset[str]
) -> Typing:
    told: dict[str, ColumnChoice] = {n: "text" for n, s in zip(names, seen, strict=True) if s.nested}
    told.update(job.options.types)
    # The decimal mark of JSON is a point, and no guess.
    options = replace(job.options, types=told, decimal=job.options.decimal or ".")
    typing = type_columns(job.bench, names, header, options, ",")
    if job.options.decimal is None:
        typing.decisions = [d for d in typing.decisions if d.name != "decimal_mark"]
    for column, held in zip(typing.columns, seen, strict=True):
        numeric = column.kind in ("integer", "number")
        codes = held.texts and not held.numbers and column.header not in called_numbers
        if numeric and codes and column.name not in job.options.types:
            _keep_as_text(typing, column)
        if column.kind == "text":  # as it is written, blanks and empty texts too
            column.expression = column.source
    return typing


def _keep_as_text(typing: Typing, column: Column) -> None:
    """Digits in quotes are codes: JSON has numbers."""
    column.kind, column.engine_type, column.certainty = "text", "VARCHAR", "likely"
    column.note = "its digits are written as text"
    column.misfits, column.misfit_count = [], 0
    mine = f"“{column.name}”"
    typing.notices = [n for n in typing.notices if mine not in n or (column.exact and "read as no value" in n)]
    typing.notices.append(
        f"The numbers of column “{column.name}” are written as text, so they were kept as text. "
        "Read the column as number to count with them."
    )


def _header_decision(found: Found) -> list[Decision]:
    if found.header is None:
        return []
    why = "the first row holds names" if found.header else "the first row is like the others"
    value = "true" if found.header else "false"
    return [Decision("header", value, "certain" if found.sure else "guess", why, "header", ("true", "false"))]


def _notices(
    found: Found, rows: int, places: list[Place], held: list[Seen], header: list[str], typing: Typing
) -> list[str]:
    notices = []
    names = [c.name for c in typing.columns]
    nested = [n for n, s in zip(names, held, strict=True) if s.nested]
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
        notices.append(
            f"{counted(len(renamed), 'column name')} "
            f"{agreed(len(renamed), 'was', 'were')} changed: {', '.join(renamed[:5])}."
        )
    for column, seen in zip(typing.columns, held, strict=True):
        if column.kind == "text":
            kinds = [(seen.texts, "text"), (seen.numbers, "numbers"), (seen.booleans, "true or false")]
            there = [f"{word} ({n})" for n, word in kinds if n]
            if len(there) > 1 and not seen.nested:
                notices.append(f"Column “{column.name}” holds {' and '.join(there)}, so it was kept as text.")
        elif seen.blank:
            notices.append(
                f"{counted(seen.blank, 'empty text')} of column “{column.name}” "
                f"{agreed(seen.blank, 'was', 'were')} read as no value."
            )
        if column.kind in ("integer", "number") and seen.texts > seen.blank:
            notices.append(
                f"{counted(seen.texts - seen.blank, 'value')} of column “{column.name}” "
                f"{agreed(seen.texts - seen.blank, 'is', 'are')} written as text."
            )
    if found.header is not None and not found.sure:
        notices.append("Whether the first row names the columns is a guess; it was taken for names.")
    if not found.count and not rows:
        notices.append("The table has names of columns but no rows.")
    return notices
