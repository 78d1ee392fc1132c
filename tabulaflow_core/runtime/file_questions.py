"""What an upload must ask before it changes anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final, cast

from tabulaflow_core.data.files.drift import Drift
from tabulaflow_core.data.files.naming import table_name
from tabulaflow_core.data.files.profile import same_shape
from tabulaflow_core.data.files.series import alike, common_name
from tabulaflow_core.runtime.file_changes import Profiles, drift
from tabulaflow_core.runtime.file_details import Details, KeptFile
from tabulaflow_core.runtime.file_keeping import free
from tabulaflow_core.runtime.file_reports import row_count
from tabulaflow_core.runtime.views import FileChoice, FileQuestion

#: A table of one column has no shape that would tell it from others.
_LEAST_COLUMNS: Final = 2
_LONGEST_NAME: Final = 60
_APART: Final[tuple[FileChoice, ...]] = ("keep_both", "separate")


def same_name(name: str, held: Profiles, target: KeptFile, there: Profiles, *, told: bool = False) -> FileQuestion:
    """A file of this name is there with other bytes.

    Args:
        held: What the upload holds.
        there: The tables of `target`.
        told: Whether the upload was read with choices that were made for the earlier version.
    """
    choices: list[FileChoice] = ["replace", "keep_both"]
    if len(held.tables) == len(there.tables) == 1:
        choices.insert(1, "append")
    table = ", ".join(t.name for t, _ in there.tables)
    rows, before = (sum(t.row_count for t, _ in each.tables) for each in (held, there))
    part = "" if target.name == name else f" It is one of the files of which {short(target.name)} is made."
    chosen = " It was read with the choices that were made for the earlier version." if told else ""
    return FileQuestion(
        "same_name",
        table,
        (name,),
        drift(there, held),
        tuple(choices),
        f"{short(name)} is here already with another content: this version has {row_count(rows)}, "
        f"the table {table} has {before:,}.{part}{chosen} Replace the earlier version, "
        f"{'add these rows to it, ' if 'append' in choices else ''}or keep both?",
    )


def same_series(
    name: str, sha256: str, held: Profiles, candidates: Sequence[tuple[KeptFile, Profiles]]
) -> tuple[FileQuestion, KeptFile] | None:
    """The table that this upload may be the next part of: of the same columns, and a name of the same series."""
    if not _has_shape(held):
        return None
    for kept, there in reversed(candidates):
        if not any(alike(name, member.name) for member in kept.members) or not _has_shape(there):
            continue
        if not same_shape(there.tables[0][1], held.tables[0][1]):
            continue
        table = there.tables[0][0].name
        repeated = next((m.name for m in kept.members if m.sha256 == sha256), "")
        choices: tuple[FileChoice, ...] = ("keep_both", "append") if repeated else ("append", "keep_both")
        warning = f" Its content is that of {short(repeated)}, so its rows would be there twice." if repeated else ""
        sentence = (
            f"{short(name)} has the same columns as the table {table} "
            f"({row_count(there.tables[0][0].row_count)}).{warning} "
            f"Add its {row_count(held.tables[0][0].row_count)} to that table, or keep it as a table of its own?"
        )
        return FileQuestion("same_shape", table, (name,), Drift(), choices, sentence), kept
    return None


def short(name: str) -> str:
    """A file's name as a sentence can bear it: a very long one without its middle."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 20]}…{name[-19:]}"


def one_shape(
    uploads: Sequence[tuple[str, Profiles]], *, taken: Set[str] = frozenset()
) -> list[tuple[FileQuestion, tuple[int, ...]]]:
    """The groups of uploads that could be one table, each with the places of its files in `uploads`.

    Args:
        taken: Names of tables that are there already.
    """
    groups: list[list[int]] = []
    for at, (_, held) in enumerate(uploads):
        if not _has_shape(held):
            continue
        fitting = next((g for g in groups if same_shape(uploads[g[0]][1].tables[0][1], held.tables[0][1])), None)
        if fitting is None:
            groups.append([at])
        else:
            fitting.append(at)
    out = []
    for group in groups:
        names = tuple(uploads[at][0] for at in group)
        if len(set(names)) < 2 or len(set(names)) < len(names):  # one name twice is a matter of versions
            continue
        table = free(table_name(common_name(names)), taken)
        rows = sum(uploads[at][1].tables[0][0].row_count for at in group)
        shown = ", ".join(short(name) for name in names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        sentence = (
            f"These {len(names)} files have the same columns: {shown}. Make them one table {table} of {rows:,} rows, "
            "with the file of each row in a column, or a table for each file?"
        )
        out.append((FileQuestion("one_shape", table, names, Drift(), ("combine", "separate"), sentence), tuple(group)))
    return out


def settled(question: FileQuestion, choice: FileChoice) -> FileChoice:
    """What an answer given beforehand means for this question: itself, or else what changes nothing that is there."""
    if choice in question.choices:
        return choice
    return next(each for each in question.choices if each in _APART)


def to_json(question: FileQuestion) -> Details:
    """Plain values for the store."""
    return {
        "kind": question.kind,
        "table": question.table,
        "files": list(question.files),
        "choices": list(question.choices),
        "sentence": question.sentence,
        "drift": {
            "new": list(question.drift.new),
            "gone": list(question.drift.gone),
            "renamed": [list(pair) for pair in question.drift.renamed],
            "retyped": [list(change) for change in question.drift.retyped],
        },
    }


def from_json(details: Details) -> FileQuestion:
    """The question of a record."""
    known = cast("dict[str, Any]", details)
    changed: Mapping[str, Any] = known.get("drift", {})
    return FileQuestion(
        known["kind"],
        known["table"],
        tuple(known["files"]),
        Drift(
            tuple(changed.get("new", ())),
            tuple(changed.get("gone", ())),
            tuple((a, b) for a, b in changed.get("renamed", ())),
            tuple((name, a, b) for name, a, b in changed.get("retyped", ())),
        ),
        tuple(known["choices"]),
        known["sentence"],
    )


def _has_shape(held: Profiles) -> bool:
    return len(held.tables) == 1 and len(held.tables[0][1]) >= _LEAST_COLUMNS
