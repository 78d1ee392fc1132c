"""Whether an answer is right: the rows that were expected, in whatever columns and order they come."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

_DAY: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)?")
_FIGURE: Final = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")
#: Rows that may stand in words instead of a table.
_IN_WORDS: Final = 6
_TOLERANCE: Final = 1e-4

Rows = Sequence[Sequence[object]]


def grade(gold: Mapping[str, Any], answer: Mapping[str, Any]) -> bool | None:
    """Whether `answer` is right.

    Args:
        gold: `{"type": "rows", "rows": […], "alternatives": [[…], …]}`: these rows, in any order, among any columns;
            numbers to four significant digits, text without regard to case. `{"type": "list", "items": […]}`: every
            item in the words or the cells. `{"type": "unanswerable"}`: declined. `{"type": "ambiguous", "readings":
            [{"words", "rows"}]}`: every reading shown or named, or asked back.
        answer: A line as `tabulaflow eval` writes it.

    Returns:
        None for a type of gold that cannot be graded here.
    """
    match gold.get("type"):
        case "rows":
            wanted = [gold["rows"], *gold.get("alternatives", ())]
            return any(_has_rows(rows, answer) for rows in wanted)
        case "list":
            return _has_items(gold["items"], answer)
        case "unanswerable":
            return bool(answer.get("refused"))
        case "ambiguous":
            return _tells_readings(gold["readings"], answer)
        case _:
            return None


def _has_rows(wanted: Rows, answer: Mapping[str, Any]) -> bool:
    got: Rows = answer.get("rows") or []
    if not wanted:
        return not got and not answer.get("refused")
    if got:
        return same_rows(wanted, got)
    cells = [cell for row in wanted for cell in row]
    return len(wanted) <= _IN_WORDS and not answer.get("refused") and _has_items(cells, answer)


def same_rows(wanted: Rows, got: Rows) -> bool:
    """The rows of `wanted` are those of `got` in some choice of its columns; order does not count."""
    if len(wanted) != len(got):
        return False
    width, given = len(wanted[0]), max(map(len, got))
    columns = [Counter(_key(row[i]) for row in wanted) for i in range(width)]
    offered = [Counter(_key(row[i]) if i < len(row) else _key(None) for row in got) for i in range(given)]
    fits = [[j for j in range(given) if offered[j] == column] for column in columns]
    target = Counter(tuple(_key(cell) for cell in row) for row in wanted)
    return _assign(fits, (), target, got)


def _assign(fits: Sequence[Sequence[int]], chosen: tuple[int, ...], target: Counter[Any], got: Rows) -> bool:
    if len(chosen) == len(fits):
        return Counter(tuple(_key(row[j]) if j < len(row) else _key(None) for j in chosen) for row in got) == target
    free = [j for j in fits[len(chosen)] if j not in chosen]
    return any(_assign(fits, (*chosen, j), target, got) for j in free)


def _key(cell: object) -> object:
    """What is equal has one key: numbers by four significant digits or as whole ones, days without a midnight."""
    if cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell)):
        return None
    value = _number(cell)
    if value is not None:
        return value if value == int(value) and abs(value) < 1e15 else float(f"{value:.4g}")
    text = " ".join(str(cell).split()).casefold()
    day = _DAY.fullmatch(text.upper())
    return day[1] if day else text


def _number(cell: object) -> float | None:
    if isinstance(cell, (bool, int, float)):
        return float(cell)
    try:
        value = float(str(cell).replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _has_items(items: Sequence[object], answer: Mapping[str, Any]) -> bool:
    words = str(answer.get("text") or "").casefold()
    cells = {_key(cell) for row in answer.get("rows") or () for cell in row}
    figures = [float(text.replace(",", "")) for text in _FIGURE.findall(words)]
    for item in items:
        value = _number(item)
        if _key(item) in cells:
            continue
        if value is None and str(item).casefold() in words:
            continue
        if value is not None and any(abs(f - value) <= max(_TOLERANCE * abs(value), 1e-9) for f in figures):
            continue
        return False
    return True


def _tells_readings(readings: Sequence[Mapping[str, Any]], answer: Mapping[str, Any]) -> bool:
    said = " ".join([str(answer.get("text") or ""), *map(str, answer.get("columns") or ())])
    named = all(any(re.search(word, said, re.IGNORECASE) for word in one.get("words", ())) for one in readings)
    if named and (answer.get("asked") or answer.get("rows")):
        return True
    return all(_has_items([cell for row in one.get("rows", ()) for cell in row], answer) for one in readings)
