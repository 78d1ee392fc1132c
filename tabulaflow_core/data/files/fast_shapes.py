"""Shapes of typed numbers and times from the values themselves, without writing each of them as text.

The text of a value in its usual form is known by its sign, the digits before its point and those behind it. Counting
how many values reach each power of ten costs a tenth of what the texts cost.
"""

from __future__ import annotations

from typing import Final

from tabulaflow_core.data.files.infer import Shape
from tabulaflow_core.data.files.storage import Workbench

#: Decimals of doubles that are found by arithmetic; the sizes between which these and their texts are sure.
_PLACES: Final = 6
_WHOLE: Final = {"TIMESTAMP": "9999-99-99 99:99:99", "TIME": "99:99:99"}
_SMALL, _LARGE = "1e-4", "1e8"


def typed_shapes(bench: Workbench, engine_type: str, column: str, rows: str) -> list[Shape]:
    """The shapes of DuckDB's own texts of the values, with their counts.

    Args:
        engine_type: BIGINT, DECIMAL(18,s), DOUBLE, DATE, TIME or TIMESTAMP.
        rows: What stands behind FROM.
    """
    base, _, scale = engine_type.partition("(")
    if base == "DATE":
        (count,) = bench.one(f"SELECT count({column}) FROM {rows}")
        return [Shape("9999-99-99", int(str(count)))] if count else []
    if base in ("TIMESTAMP", "TIME"):
        whole = len(_WHOLE[base])
        length = f"CASE WHEN epoch_us({column}) % 1000000 = 0 THEN {whole} ELSE strlen(CAST({column} AS VARCHAR)) END"
        found = bench.rows(f"SELECT {length} AS n, count(*) FROM {rows} WHERE {column} IS NOT NULL GROUP BY n")
        return [Shape(_clock(_WHOLE[base], int(str(n))), int(str(count))) for n, count in found]
    if base == "DOUBLE":
        return _doubles(bench, column, rows)
    places = int(scale.rstrip(")").split(",")[1]) if scale else 0
    return _exact(bench, engine_type, column, rows, places)


def _exact(bench: Workbench, engine_type: str, column: str, rows: str, places: int) -> list[Shape]:
    """The shapes of numbers that all have as many decimals."""
    least, most = bench.one(f"SELECT trunc(min({column})), trunc(max({column})) FROM {rows}")
    if most is None:
        return []
    signs = [("", ">=", "", _digits(most)), ("-", "<=", "-", _digits(least))]
    counts = [f"count_if({column} >= 0), count_if({column} < 0)"]
    for _, test, minus, digits in signs:
        counts += [f"count_if({column} {test} CAST('{minus}1{'0' * i}' AS {engine_type}))" for i in range(1, digits)]
    whole, negative, *reach = _integers(bench.one(f"SELECT {', '.join(counts)} FROM {rows}"))
    tail = "." + "9" * places if places else ""
    shapes = []
    for (minus, _, _, digits), count in zip(signs, (whole, negative), strict=True):
        reached, reach = reach[: digits - 1], reach[digits - 1 :]
        shapes += [Shape(f"{minus}{'9' * n}{tail}", c) for n, c in _by_digits(count, reached)]
    return shapes


def _doubles(bench: Workbench, column: str, rows: str) -> list[Shape]:
    """The shapes of doubles.

    A double below `_LARGE` is the one nearest to a decimal r / 10^k of at most 15 digits if and only if that
    division, both of whose sides are exact, gives it. The least such k is that of its shortest text.
    """
    steps = " ".join(f"WHEN round(a * 1e{k}) / 1e{k} = a THEN {k}" for k in range(1, _PLACES + 1))
    sure = f"(a >= {_SMALL} AND a < {_LARGE}) OR a = 0"
    known = f"(SELECT abs({column}) AS a, signbit({column}) AS minus, {column} AS v FROM {rows})"
    keyed = f"SELECT a, v, minus, CAST(CASE WHEN NOT ({sure}) THEN 0 {steps} ELSE 0 END AS UTINYINT) AS k FROM {known}"
    reach = ", ".join(f"count_if(a >= 1e{i})" for i in range(1, 8))
    found = bench.rows(f"SELECT minus, k, count(*), {reach} FROM ({keyed} WHERE v IS NOT NULL) GROUP BY minus, k")
    shapes = []
    for minus, k, *counts in found:
        if k:
            count, *reached = _integers(counts)
            left = "-" if minus else ""
            shapes += [Shape(f"{left}{'9' * n}.{'9' * int(str(k))}", c) for n, c in _by_digits(count, reached)]
    if any(k == 0 for _, k, *_ in found):
        texts = f"SELECT CAST(v AS VARCHAR) AS v FROM ({keyed}) WHERE k = 0 AND v IS NOT NULL"
        digits = "translate(v, '0123456789', '9999999999')"
        odd = bench.rows(f"SELECT {digits} AS shape, count(*) FROM ({texts}) GROUP BY shape")
        by_text = {s.text: s for s in shapes}
        for text, times in odd:
            same = by_text.get(str(text), Shape(str(text), 0))
            by_text[same.text] = Shape(same.text, same.count + int(str(times)))
        shapes = list(by_text.values())
    return shapes


def _by_digits(count: int, reached: list[int]) -> list[tuple[int, int]]:
    """How many values have how many digits before the point, given how many reach 10, 100, …"""
    steps = [count, *reached, 0]
    return [(n + 1, steps[n] - steps[n + 1]) for n in range(len(steps) - 1) if steps[n] > steps[n + 1]]


def _digits(value: object) -> int:
    return len(str(value).lstrip("-").partition(".")[0])


def _integers(row: tuple[object, ...] | list[object]) -> list[int]:
    return [int(str(n)) for n in row]


def _clock(whole: str, length: int) -> str:
    return whole if length == len(whole) else f"{whole}.{'9' * (length - len(whole) - 1)}"
