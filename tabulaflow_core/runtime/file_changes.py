"""What a new reading of a file changed, in sentences."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tabulaflow_core.data.files.drift import ColumnShape, Drift, compare
from tabulaflow_core.data.files.profile import ColumnProfile, profile, rows_that_differ
from tabulaflow_core.data.files.report import ReadTable
from tabulaflow_core.runtime.file_details import Details, KeptFile, Reading
from tabulaflow_core.runtime.file_reports import row_count

_log = logging.getLogger(__name__)

#: Sentences of one kind that are said; the rest is counted.
_SAID: Final = 6
#: Rows that are compared one by one where nothing else differs.
_COMPARED: Final = 200_000


@dataclass(frozen=True, slots=True)
class Profiles:
    """The columns of the tables of one reading.

    Attributes:
        tables: Each table with its columns.
    """

    tables: tuple[tuple[ReadTable, tuple[ColumnProfile, ...]], ...]

    def shapes(self, *, alone: bool) -> tuple[ColumnShape, ...]:
        """All columns; under the names of their tables too, unless there is one table."""
        return tuple(
            ColumnShape(c.name if alone else f"{table.name}.{c.name}", c.shape.type, c.values)
            for table, columns in self.tables
            for c in columns
        )


def profiles(reading: Reading, *, file_column: bool = False) -> Profiles:
    """Look at the stored tables of a reading.

    Args:
        file_column: Leave the first column out, which no uploaded file has.
    """
    return Profiles(tuple((table, _profile(table)[1 if file_column else 0 :]) for table in reading.tables))


def _profile(table: ReadTable) -> tuple[ColumnProfile, ...]:
    try:
        return profile(table)
    except OSError:  # gone from the disk, which must not keep a new version out
        _log.warning("a stored table is not there", exc_info=True)
        return ()


def drift(before: Profiles, after: Profiles) -> Drift:
    """How the columns differ."""
    alone = len(before.tables) == len(after.tables) == 1
    return compare(before.shapes(alone=alone), after.shapes(alone=alone))


def changes(before: KeptFile, reading: Reading) -> tuple[str, ...]:
    """What `reading` changes of `before`: rows, columns, types, values that fit or not, and the range of dates."""
    old, new = profiles(before.reading), profiles(reading)
    said = list(_tables(old, new))
    said += _rows(old, new)
    said += drift(old, new).sentences()
    said += _fits(before.reading.report, reading.report, before.reading.reports, reading.reports)
    said += _dates(old, new)
    return tuple(said) or (_values(old, new),)


def _values(old: Profiles, new: Profiles) -> str:
    """What there is to say of tables of the same rows, columns and types."""
    pairs = [(before, after) for (before, _), (after, _) in _paired(old, new)]
    if sum(after.row_count for _, after in pairs) > _COMPARED:
        return "The number of rows, the columns and the types are the same as before."
    differing = sum(rows_that_differ(before, after) for before, after in pairs)
    if not differing:
        return "Nothing changed: the rows, columns and types are the same as before."
    verb = "row is" if differing == 1 else "rows are"
    return f"{differing:,} {verb} not as before; the number of rows, the columns and the types are the same."


def _tables(old: Profiles, new: Profiles) -> list[str]:
    if len(old.tables) == len(new.tables) == 1:
        return []
    before, after = ([table.name for table, _ in each.tables] for each in (old, new))
    said = [f"The table {name} is gone." for name in before if name not in after]
    return [*said, *(f"The table {name} is new." for name in after if name not in before)]


def _paired(
    old: Profiles, new: Profiles
) -> list[tuple[tuple[ReadTable, tuple[ColumnProfile, ...]], tuple[ReadTable, tuple[ColumnProfile, ...]]]]:
    if len(old.tables) == len(new.tables) == 1:
        return [(old.tables[0], new.tables[0])]
    after = {table.name: (table, columns) for table, columns in new.tables}
    return [((t, columns), after[t.name]) for t, columns in old.tables if t.name in after]


def _rows(old: Profiles, new: Profiles) -> list[str]:
    pairs = _paired(old, new)
    return [
        f"{f'{after.name}: ' if len(pairs) > 1 else ''}{row_count(before.row_count)} before, {after.row_count:,} now."
        for (before, _), (after, _) in pairs
        if before.row_count != after.row_count
    ]


def _fits(
    before: Details, after: Details, tables_before: Mapping[str, Details], tables_after: Mapping[str, Details]
) -> list[str]:
    old, new = (_misfits(r, t) for r, t in ((before, tables_before), (after, tables_after)))
    said = []
    for name in dict.fromkeys([*old, *new]):
        was, now = old.get(name, 0), new.get(name, 0)
        if was and not now:
            said.append(f"All values of “{name}” fit now; {was:,} did not before.")
        elif was != now:
            values = "One value" if now == 1 else f"{now:,} values"
            verbs = "does not fit now and is" if now == 1 else "do not fit now and are"
            said.append(f"{values} of “{name}” {verbs} empty; {_before(was)}.")
    return _cut(said, "columns have values that fit otherwise")


def _before(count: int) -> str:
    return f"{count:,} did not before" if count else "all did before"


def _misfits(report: Details, tables: Mapping[str, Details]) -> dict[str, int]:
    out: dict[str, int] = {}
    columns = report.get("columns")
    reports = [report] if columns else list(tables.values())
    for each in reports:
        listed = each.get("columns")
        for column in listed if isinstance(listed, list) else []:
            count = column.get("misfits") if isinstance(column, dict) else None
            if isinstance(column, dict) and isinstance(count, int) and count:
                out[str(column.get("name"))] = out.get(str(column.get("name")), 0) + count
    return out


def _dates(old: Profiles, new: Profiles) -> list[str]:
    said = []
    for (_, before), (_, after) in _paired(old, new):
        known = {column.name.casefold(): column for column in before}
        for column in after:
            was = known.get(column.name.casefold())
            if not column.low or (was is not None and (was.low, was.high) == (column.low, column.high)):
                continue
            now = f"“{column.name}” goes from {column.low} to {column.high}"
            said.append(f"{now}; before, from {was.low} to {was.high}." if was and was.low else f"{now} now.")
    return _cut(said, "columns have other dates")


def _cut(said: Sequence[str], what: str) -> list[str]:
    rest = len(said) - _SAID
    return [*said[:_SAID], *([f"{rest} more {what}."] if rest > 0 else [])]
