"""What is different between the columns of two versions of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

#: Columns named in one sentence; the rest is counted.
_NAMED: Final = 8
#: How alike two names, or two sets of values, must be for one column to be the other under a new name.
_ALIKE: Final = 0.6
_SAME_VALUES: Final = 0.5


@dataclass(frozen=True, slots=True)
class ColumnShape:
    """One column as far as a comparison needs it.

    Attributes:
        type: Its kind of value, such as `integer`; empty when it holds no value that could tell.
        values: Some of its values as text, by which a renamed column is known again; empty when not looked at.
    """

    name: str
    type: str
    values: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Drift:
    """How the columns of a table changed; false when they did not.

    Attributes:
        renamed: Name before and name after.
        retyped: Name, type before, type after.
    """

    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    retyped: tuple[tuple[str, str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.gone or self.renamed or self.retyped)

    def sentences(self) -> tuple[str, ...]:
        """The changes in words, the ones that break queries first."""
        said = []
        if self.gone:
            one = len(self.gone) == 1
            said.append(
                f"{'One column is' if one else f'{len(self.gone)} columns are'} missing compared with before: "
                f"{_listed(self.gone)}."
            )
        said += [f"“{before}” seems to be called “{after}” now." for before, after in self.renamed[:_NAMED]]
        said += [f"“{name}” was {before} and is {after} now." for name, before, after in self.retyped[:_NAMED]]
        for changed, what in ((self.renamed, "called otherwise"), (self.retyped, "of another type")):
            if len(changed) > _NAMED:
                said.append(f"{len(changed) - _NAMED} more columns are {what}.")
        if self.new:
            one = len(self.new) == 1
            said.append(f"{'One column is' if one else f'{len(self.new)} columns are'} new: {_listed(self.new)}.")
        return tuple(said)


def compare(before: Sequence[ColumnShape], after: Sequence[ColumnShape]) -> Drift:
    """What changed from `before` to `after`. Names are equal without case, as in SQL.

    A column is taken for a renamed one when it has the same type and place, and a similar name or the same values.
    """
    old = {column.name.casefold(): column for column in before}
    now = {column.name.casefold(): column for column in after}
    gone = [column for key, column in old.items() if key not in now]
    new = [column for key, column in now.items() if key not in old]
    renamed: list[tuple[ColumnShape, ColumnShape]] = []
    for column in gone:
        found = next((c for c in new if c not in {n for _, n in renamed} and _renamed(column, c, before, after)), None)
        if found is not None:
            renamed.append((column, found))
    left, come = {c for c, _ in renamed}, {c for _, c in renamed}
    return Drift(
        new=tuple(c.name for c in new if c not in come),
        gone=tuple(c.name for c in gone if c not in left),
        renamed=tuple((a.name, b.name) for a, b in renamed),
        retyped=tuple((now[k].name, c.type, now[k].type) for k, c in old.items() if _retyped(c, now.get(k))),
    )


def _retyped(old: ColumnShape, new: ColumnShape | None) -> bool:
    return new is not None and bool(old.type) and bool(new.type) and old.type != new.type


def _renamed(old: ColumnShape, new: ColumnShape, before: Sequence[ColumnShape], after: Sequence[ColumnShape]) -> bool:
    if old.type != new.type or not _same_place(old, new, before, after):
        return False
    return _alike_names(old.name, new.name) or _overlap(old.values, new.values) >= _SAME_VALUES


def _same_place(
    old: ColumnShape, new: ColumnShape, before: Sequence[ColumnShape], after: Sequence[ColumnShape]
) -> bool:
    """The same position, or between the same neighbours."""
    at, now = list(before).index(old), list(after).index(new)
    if at == now:
        return True
    left = (before[at - 1].name if at else "", after[now - 1].name if now else "")
    right = (before[at + 1].name if at + 1 < len(before) else "", after[now + 1].name if now + 1 < len(after) else "")
    return any(a and a.casefold() == b.casefold() for a, b in (left, right))


def _alike_names(one: str, other: str) -> bool:
    a, b = (re.sub(r"[\W_]+", "", name.casefold()) for name in (one, other))
    if not a or not b:
        return False
    return a in b or b in a or SequenceMatcher(None, a, b).ratio() >= _ALIKE


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown
