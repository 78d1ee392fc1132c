"""What changed between two results of one query: values up or down, rows new and gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal

from tabulaflow_core.counting import counted
from tabulaflow_core.output.cells import cell_text, column_values
from tabulaflow_core.output.columns import describe_columns
from tabulaflow_core.output.results import StoredResult

ChangeKind = Literal["new", "gone", "up", "down", "changed"]

#: Of each kind of change the largest ones are listed; all of them are counted.
LISTED: Final = 20
#: Rows that are compared one by one; beyond, only their number is.
_MOST_ROWS: Final = 10_000
_KEY_CHARACTERS: Final = 120


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that is new, gone or has other values, told apart by its labels.

    Attributes:
        key: The labels that name the row, such as `Bern · 2026-03`; empty where there is one row only.
        kind: `changed` where the two values cannot be compared as numbers.
        column: The measure that changed; empty for a row that is new or gone.
        before: Exact, as text; empty where there is none.
        after: Likewise.
    """

    key: str
    kind: ChangeKind
    column: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed.

    Attributes:
        sentence: All of it in one line for a person.
        rows: Some of the changes; `counts` has all of them by kind.
    """

    sentence: str
    rows: tuple[RowChange, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


def compare(before: StoredResult, after: StoredResult) -> Changes:
    """What changed from `before` to `after`.

    Rows are the same when their labels are: dates, categories and ids, all columns but the measures. Where labels
    repeat, the rows that have them are compared in their order. Numbers are compared exactly.
    """
    old, new = before.table.column_names, after.table.column_names
    if old != new:
        gone = [name for name in old if name not in new]
        fresh = [name for name in new if name not in old]
        parts = [f"{label}: {', '.join(names)}" for label, names in (("new", fresh), ("gone", gone)) if names]
        return Changes(f"Other columns than before ({'; '.join(parts) or 'in another order'}).")
    if max(before.table.num_rows, after.table.num_rows) > _MOST_ROWS:
        return Changes(_row_counts(before, after) + " Their values were not compared: there are too many.")
    changes = _Compared(before, after).changes()
    counts: Counter[str] = Counter(change.kind for change in changes)
    sentence = _sentence(changes, counts)
    if before.truncated or after.truncated:
        sentence += " Only the rows that were kept are compared: the result was cut."
    shown = [change for kind in ("up", "down", "changed", "new", "gone") for change in _largest(changes, kind)]
    return Changes(sentence, tuple(shown), dict(counts))


class _Compared:
    """Two results of the same columns."""

    def __init__(self, before: StoredResult, after: StoredResult) -> None:
        self._names = after.table.column_names
        self._measures = sorted(_measures(before) | _measures(after))  # one of them may hold nothing there
        if len(self._measures) == len(self._names) and max(before.table.num_rows, after.table.num_rows) > 1:
            self._measures = []  # nothing names the rows: they are the same only when all of their values are
        self._old = _rows(before)
        self._new = _rows(after)

    def changes(self) -> list[RowChange]:
        """All of them, in the order of the rows."""
        found: list[RowChange] = []
        old, new = self._keyed(self._old), self._keyed(self._new)
        for key, row in new.items():
            if key not in old:
                found.append(RowChange(self._label(row), "new", after=self._values(row)))
                continue
            for at in self._measures:
                if (kind := _kind(old[key][at], row[at])) is not None:
                    texts = cell_text(old[key][at], grouped=True), cell_text(row[at], grouped=True)
                    found.append(RowChange(self._label(row), kind, self._names[at], *texts))
        for key, row in old.items():
            if key not in new:
                found.append(RowChange(self._label(row), "gone", before=self._values(row)))
        return found

    def _keyed(self, rows: Sequence[tuple[object, ...]]) -> dict[tuple[object, ...], tuple[object, ...]]:
        keyed: dict[tuple[object, ...], tuple[object, ...]] = {}
        seen: Counter[tuple[object, ...]] = Counter()
        measures = set(self._measures)
        for row in rows:
            labels = tuple(cell_text(value) for at, value in enumerate(row) if at not in measures)
            keyed[(*labels, seen[labels])] = row
            seen[labels] += 1
        return keyed

    def _label(self, row: tuple[object, ...]) -> str:
        texts = [cell_text(value, max_chars=60) for at, value in enumerate(row) if at not in self._measures]
        return " · ".join(texts)[:_KEY_CHARACTERS]

    def _values(self, row: tuple[object, ...]) -> str:
        return ", ".join(cell_text(row[at], grouped=True) for at in self._measures)


def _measures(result: StoredResult) -> set[int]:
    return {column.index for column in describe_columns(result.table) if column.role == "measure"}


def _rows(result: StoredResult) -> list[tuple[object, ...]]:
    return list(zip(*(column_values(column) for column in result.table.columns), strict=True))


def _kind(before: object, after: object) -> ChangeKind | None:
    """How a value changed; None when it did not."""
    if cell_text(before) == cell_text(after):
        return None
    old, new = _number(before), _number(after)
    if old is None or new is None or old == new:
        return None if old is not None and old == new else "changed"
    return "up" if new > old else "down"


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    exact = Decimal(value)
    return exact if exact.is_finite() else None


def _largest(changes: Sequence[RowChange], kind: str) -> list[RowChange]:
    """The largest changes of a kind; those that have no size in the order of the rows."""
    own = [change for change in changes if change.kind == kind]
    if kind in ("up", "down"):
        own.sort(key=_size, reverse=True)
    return own[:LISTED]


def _size(change: RowChange) -> Decimal:
    old, new = Decimal(change.before.replace(",", "")), Decimal(change.after.replace(",", ""))
    return abs(new - old)


def _sentence(changes: Sequence[RowChange], counts: Mapping[str, int]) -> str:
    if not changes:
        return "No change."
    if len(changes) == 1:
        (only,) = changes
        name = only.key or only.column
        if only.kind in ("new", "gone"):
            return f"1 row {only.kind}: {name}." if name else f"1 row {only.kind}."
        direction = {"up": "up", "down": "down"}.get(only.kind, "changed")
        return f"{name} {direction}: {only.before} → {only.after}."
    parts = []
    for kind in ("up", "down", "changed"):
        if counts.get(kind):
            parts.append(f"{counted(counts[kind], 'value')} {kind}")
    for kind in ("new", "gone"):
        if counts.get(kind):
            parts.append(f"{counted(counts[kind], 'row')} {kind}")
    return ", ".join(parts) + "."


def _row_counts(before: StoredResult, after: StoredResult) -> str:
    old, new = before.table.num_rows, after.table.num_rows
    return f"{old:,} rows before, {new:,} now." if old != new else f"{new:,} rows, as before."
