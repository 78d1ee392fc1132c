"""Sentences on what a person should know of the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.report import DateOrder, ReadOptions

if TYPE_CHECKING:
    from tabulaflow_core.data.files.columns import Column, Typing

#: What a column of the type `other` is called.
_NAMES: Final = {"TIME": "time", "INTERVAL": "duration"}


def tell(typing: Typing, order: DateOrder) -> None:
    """Sentences on what a person should know of the columns."""
    columns = typing.columns
    for column in columns:
        if column.misfit_count:
            first = column.misfits[0]
            kind = _NAMES.get(column.engine_type, column.kind)
            is_ = agreed(column.misfit_count, "is", "are")
            typing.notices.append(
                f"{counted(column.misfit_count, 'value')} of column “{column.name}” "
                f"{is_} no {kind} and {is_} empty in the table, the first on line {first.line}: "
                f"“{first.value[:60]}”. Read the column as text to keep them."
            )
    doubtful = [c.name for c in columns if c.kind in ("date", "datetime") and c.certainty == "guess"]
    if doubtful:
        typing.notices.append(
            f"The dates of {_listed(doubtful)} do not show whether day or month comes first; "
            f"they were read {'day' if order == 'dmy' else 'month'} first."
        )
    marked = [c for c in columns if "decimals or as thousands" in c.note]
    for whole, words in ((True, "whole numbers"), (False, "decimals")):
        if names := [c.name for c in marked if (c.kind == "integer") == whole]:
            typing.notices.append(
                f"The numbers of {_listed(names)} can be read with decimals or with thousands marks; "
                f"they were read as {words}."
            )
    for column in columns:
        if column.kind == "text" and column.note and "it is empty" not in column.note:
            typing.notices.append(f"Column “{column.name}” was kept as text: {column.note}.")
    typing.notices += tell_of_absent(columns)


def tell_of_absent(columns: Sequence[Column]) -> list[str]:
    """Sentences on the words that were read as no value."""
    absent: dict[str, list[str]] = {}
    for column in columns:
        if column.absent:
            words = ", ".join(f"“{w}” ({n:,})" for w, n in list(column.absent.items())[:5])
            absent.setdefault(words, []).append(column.name)
    return [
        f"In {'column' if len(names) == 1 else 'columns'} {_listed(names)} these words were read as no value: {words}."
        for words, names in absent.items()
    ]


def _listed(names: list[str]) -> str:
    """Names for a person, the first twelve of them."""
    shown = ", ".join(f"“{n}”" for n in names[:12])
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"


def tell_of_told(typing: Typing, options: ReadOptions) -> None:
    """Sentences on types that were asked for and could not be given."""
    kinds = {column.name: _NAMES.get(column.engine_type, column.kind) for column in typing.columns}
    for name, told in options.types.items():
        if name not in kinds:
            known = ", ".join(f"“{n}”" for n in list(kinds)[:20])
            typing.notices.append(f"There is no column “{name}” to read as {told}; the columns are {known}.")
        elif kinds[name] != told and (told, kinds[name]) != ("number", "integer"):
            typing.notices.append(
                f"Column “{name}” cannot be read as {told}: its values are of another kind. "
                f"It was read as {kinds[name]}."
            )
