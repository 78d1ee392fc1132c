"""Header rows: groups of columns over their names, units below them, and one name made of several."""

from __future__ import annotations

import re
from collections import Counter

from tabulaflow_core.data.files.naming import clean_header
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.values import looks_like
from tabulaflow_core.data.files.words import UNITS

#: A label of a group that is longer is a sentence: it would make names that nobody can type.
_LONGEST_LABEL = 40
_BRACKETS = re.compile(r"[(\[{].{1,20}[)\]}]")
#: Widths and kinds of fields, as hydrological services write them below the header.
_FORMAT = re.compile(r"[0-9]{1,3}[sdnfSDNF]")
_TYPES = frozenset(
    re.split(
        r"\|",
        "int|integer|bigint|smallint|tinyint|int32|int64|long|string|str|text|varchar|char|character|float|double|real|"
        "number|numeric|decimal|date|datetime|timestamp|time|bool|boolean|factor|object|categorical|float64",
    )
)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


def group_row(records: list[Record], top: int, width: int) -> bool:
    """True when the record at `top` names groups of columns whose own names, below it, repeat from group to group."""
    if top < 0 or top + 2 >= len(records):
        return False
    labels = [clean_header(c) for c in records[top].cells[:width]]
    names = [clean_header(c) for c in records[top + 1].cells[:width]]
    count = sum(map(bool, labels))
    if count < 2 or len(labels) < 3 or count > len(labels) - 1 or max(map(len, labels)) > _LONGEST_LABEL:
        return False
    if any(looks_like(n) in ("number", "date") for n in names) or sum(map(bool, names)) <= count:
        return False
    return _repeats(names) and not any(looks_like(c) == "number" and not _YEAR.fullmatch(c) for c in labels if c)


def _repeats(names: list[str]) -> bool:
    return any(n > 1 for name, n in Counter(names).items() if name)


def joined_names(rows: list[list[str]], width: int, *, told: bool) -> tuple[list[str], str]:
    """One name a column from several header rows, and how it was made, in words.

    A label of an upper row holds for the blank cells at its right. When the lower names repeat from group to
    group the two are joined, as in `2024 / Units`; else the lower row only fills what the upper leaves blank,
    or names all columns itself.
    """
    cleaned = [[clean_header(c) for c in row[:width]] + [""] * (width - len(row)) for row in rows]
    last = cleaned[-1]
    uppers = [_carried(row, last) for row in cleaned[:-1]]
    short = all(len(label) <= _LONGEST_LABEL for row in cleaned[:-1] for label in row)
    complete = not any(cleaned[0][i] and not last[i] for i in range(width))
    periods = any(_YEAR.search(label) for label in cleaned[0])
    if told or (short and (_repeats(last) or (complete and periods))):
        names = []
        for index in range(width):
            parts = [p for p in (*(row[index] for row in uppers), last[index]) if p]
            names.append(" / ".join(dict.fromkeys(parts)))
        return names, "the names of the first were put before those of the last"
    if complete:
        return last, "the last one names the columns, the first their groups"
    names = [next((row[i] for row in cleaned if row[i]), "") for i in range(width)]
    return names, "the second named the columns that the first leaves blank"


def _carried(row: list[str], below: list[str]) -> list[str]:
    """The row with each label repeated over the blank cells at its right that have a name below them."""
    label, result = "", []
    for cell, name in zip(row, below, strict=True):
        label = cell or (label if name else "")
        result.append(label)
    return result


def units(cells: list[str], kinds: list[str]) -> list[str]:
    """The units in a row below the header; empty when the row holds values.

    Args:
        kinds: The kind of each column below.
    """
    found = [""] * len(kinds)
    for index, (cell, kind) in enumerate(zip(cells, kinds, strict=False)):
        text = clean_header(cell)
        if not text or text in "-–":
            continue
        bare = text.strip("()[]{} ").casefold()
        if kind == "text" and not _BRACKETS.fullmatch(text):
            return []
        if not _BRACKETS.fullmatch(text) and not _is_unit(bare):
            return []
        found[index] = text.strip("()[]{} ")
    typed = sum(bool(f) and k in ("number", "date") for f, k in zip(found, kinds, strict=True))
    return found if typed else []


def _is_unit(text: str) -> bool:
    """True for a unit, or for one by another such as `m3/s`."""
    return text in UNITS or all(part.strip("^-0123456789²³ ") in UNITS for part in text.split("/", 2))


def names_blanks(names: list[str], cells: list[str]) -> bool:
    """True when the row names the columns of several groups, whose names stand above the first column of each.

    `Units` and `EUR` would be units of measure too.
    """
    blank = sum(bool(cell.strip()) and not clean_header(name) for name, cell in zip(names, cells, strict=False))
    return blank > 1 and _repeats([clean_header(cell) for cell in cells])


def is_format_row(cells: list[str]) -> bool:
    """True for a row such as `5s, 15s, 20d` or `int, string` that tells the widths or the types of fields."""
    texts = [c.strip().casefold() for c in cells if c.strip()]
    if len(texts) > 1 and all(t.split("(")[0] in _TYPES for t in texts):
        return True
    return len(texts) > 2 and all(_FORMAT.fullmatch(t) for t in texts)
