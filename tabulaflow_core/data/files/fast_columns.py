"""Columns whose values are all in the one form that their type gives back: checked by comparing the two texts.

`12`, `-3.50` and `2026-01-31 08:00:00` are such values. A cell that equals the text of its own value is converted
without any doubt, and its text can be had again from the value: so nothing else needs to be kept or looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from tabulaflow_core.data.files import convert
from tabulaflow_core.data.files.infer import Shape
from tabulaflow_core.data.files.storage import Workbench
from tabulaflow_core.data.files.values import ALWAYS_MISSING

#: Values on which a column's own expression and the plain cast must agree before the cast may stand for it.
_PROBES: Final = {
    "BIGINT": ("0", "7", "-12", "1234", "123456", "-1234567890123"),
    "DECIMAL": ("0.{0}", "-3.{0}", "7.{0}", "1234.{0}", "-1234567.{0}"),
    "DOUBLE": ("0.5", "-12.25", "7.125", "1234.125", "-123456.0625", "3.0"),
    "DATE": ("2026-01-02", "1999-12-31", "2024-02-29"),
    "TIMESTAMP": ("2026-01-02 03:04:05", "1999-12-31 23:59:59", "2024-02-29 00:00:00", "2026-01-02 03:04:05.25"),
}
_EXPONENTS: Final = ("1e-05", "-2.5e-07", "1.25e+20")


class Described(Protocol):
    """What is known of a column (`columns.Column`)."""

    @property
    def source(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def engine_type(self) -> str: ...
    @property
    def expression(self) -> str: ...


@dataclass(frozen=True, slots=True)
class BlockSigns:
    """What stands anywhere in a block of lines, so that cells need not be searched for what does not."""

    quotes: bool
    backslashes: bool
    edges: str  # those of `convert.TRIMMED` that a cell may end with


def canonical(source: str, engine_type: str, *, exponents: bool = False, value: str = "") -> str:
    """SQL that is true for a cell in the one form of its type, and else false or NULL.

    Args:
        value: SQL that gives the cell's value, when that was computed already.
    """
    value = value or f"TRY_CAST({source} AS {engine_type})"
    same = f"CAST({value} AS VARCHAR) = {source}"
    if engine_type == "DOUBLE":
        return f"({same} AND isfinite({value}))" if exponents else f"({same} AND NOT contains({source}, 'e'))"
    if engine_type == "DATE":  # `infinity` and years before our era come back too
        return f"({same} AND strlen({source}) = 10 AND {source} >= '1')"
    if engine_type == "TIMESTAMP":
        exact = f"(strlen({source}) = 19 OR (strlen({source}) BETWEEN 21 AND 26 AND substr({source}, 20, 1) = '.'))"
        return f"({same} AND {exact} AND {source} >= '1')"
    return f"({same})"


def castable(bench: Workbench, column: Described, *, exponents: bool = False) -> bool:
    """Whether the plain cast gives for canonical values what the column's expression gives.

    Args:
        exponents: Ask also for numbers such as `1e-05`.
    """
    base, _, scale = column.engine_type.partition("(")
    probes = _PROBES.get(base, ())
    if base == "DECIMAL":
        places = int(scale.rstrip(")").split(",")[1])
        probes = tuple(p.format("1234567890123456789"[:places]) for p in probes)
        if not column.engine_type.startswith("DECIMAL(18,") or places > 9:
            return False
    if not probes:
        return False
    if base == "DOUBLE":
        probes += _EXPONENTS if exponents else ()
    values = ", ".join(f"({convert.literal(p)})" for p in probes)
    cast = f"TRY_CAST({column.source} AS {column.engine_type})"
    (agree,) = bench.one(
        f"SELECT bool_and({canonical(column.source, column.engine_type, exponents=exponents)} "
        f"AND ({column.expression}) IS NOT DISTINCT FROM {cast}) FROM (VALUES {values}) AS t({column.source})"
    )
    return agree is True


def hastened(bench: Workbench, column: Described) -> str:
    """The column's expression, that is asked only for cells which are not canonical."""
    cast = f"TRY_CAST({column.source} AS {column.engine_type})"
    if len(column.expression) < 2 * len(cast) + 20 or not castable(bench, column):
        return column.expression
    known = canonical(column.source, column.engine_type)
    return f"CASE WHEN {known} THEN {cast} ELSE {column.expression} END"


@dataclass(frozen=True, slots=True)
class FastColumn:
    """One column that is checked and converted in one pass.

    Attributes:
        source: Its name in `stage`.
        expression: What gives the same values from text, for cells that are not canonical.
    """

    source: str
    kind: str
    engine_type: str
    expression: str

    @property
    def value(self) -> str:
        """SQL that tries to convert a cell, under the name that `checked` looks at; empty for text."""
        return f"TRY_CAST({self.source} AS {self.engine_type}) AS {self._value}" if self.kind != "text" else ""

    @property
    def _value(self) -> str:
        return f"{self.source}_value"

    def checked(self, signs: BlockSigns) -> str:
        """SQL that gives the value of a canonical cell, NULL of an empty one, and an error for others."""
        if self.kind == "text":
            known, value = self._clean_text(signs), self.source
        else:
            known = canonical(self.source, self.engine_type, exponents=True, value=self._value)
            value = self._value
        return f"CASE WHEN {self.source} IS NULL OR ({known}) THEN {value} ELSE error('doubt') END"

    def _clean_text(self, signs: BlockSigns) -> str:
        cell = self.source
        tests = [f"{cell} >= '!'"]
        for mark in signs.edges:
            sign = f"chr({ord(mark)})"
            tests.append(f"NOT suffix({cell}, {sign})")
            if mark > "!":
                tests.append(f"NOT prefix({cell}, {sign})")
        if signs.quotes:
            tests.append(f"NOT contains({cell}, chr(34))")
        if signs.backslashes:
            words = ", ".join(convert.literal(w) for w in sorted(ALWAYS_MISSING))
            tests.append(f"lower({cell}) NOT IN ({words})")
        return " AND ".join(tests)

    def text(self, column: str) -> str:
        """SQL that gives the text of a typed value again."""
        return column if self.engine_type == "VARCHAR" else f"CAST({column} AS VARCHAR)"

    def shapes(self, bench: Workbench, column: str, rows: str) -> list[Shape]:
        """The shapes of the typed values in `rows`, with their counts."""
        base = self.engine_type.partition("(")[0]
        if base == "DATE":
            (count,) = bench.one(f"SELECT count({column}) FROM {rows}")
            return [Shape("9999-99-99", int(str(count)))] if count else []
        if base == "TIMESTAMP":
            length = f"CASE WHEN epoch_us({column}) % 1000000 = 0 THEN 19 ELSE strlen(CAST({column} AS VARCHAR)) END"
            found = bench.rows(f"SELECT {length} AS n, count(*) FROM {rows} WHERE {column} IS NOT NULL GROUP BY n")
            return [Shape(_clock(int(str(n))), int(str(count))) for n, count in found]
        exponent = "CASE WHEN contains(v, 'e') THEN translate(v, '0123456789', '9999999999') ELSE '' END"
        keys = "CAST(strlen(v) AS UTINYINT) * 2 + CAST(prefix(v, '-') AS UTINYINT) AS n"
        if base == "DOUBLE":
            keys += f", CAST(instr(v, '.') AS UTINYINT) AS point, {exponent} AS odd"
        elif base == "DECIMAL":
            places = self.engine_type.rstrip(")").split(",")[1]
            keys += f", CAST(strlen(v) - {places} AS UTINYINT) AS point, '' AS odd"
        else:
            keys += ", 0::UTINYINT AS point, '' AS odd"
        found = bench.rows(
            f"SELECT {keys}, count(*) FROM (SELECT CAST({column} AS VARCHAR) AS v FROM {rows} "
            f"WHERE {column} IS NOT NULL) GROUP BY n, point, odd"
        )
        return [
            Shape(str(odd) or _digits(int(str(n)) % 2, int(str(n)) // 2, int(str(point))), int(str(count)))
            for n, point, odd, count in found
        ]


def _clock(length: int) -> str:
    whole = "9999-99-99 99:99:99"
    return whole if length == len(whole) else f"{whole}.{'9' * (length - len(whole) - 1)}"


def _digits(minus: int, length: int, point: int) -> str:
    left = (point - 1 if point else length) - minus
    return "-" * minus + "9" * left + ("." + "9" * (length - point) if point else "")


def fast_column(bench: Workbench, column: Described) -> FastColumn | None:
    """The column in its quick form, None when its cells must be looked at one by one."""
    if column.kind == "text":
        plain = column.expression == convert.text_expression(column.source)
        escaped = all("\\" in word for word in ALWAYS_MISSING)
        if not plain or not escaped:
            return None
    elif not castable(bench, column):
        return None
    return FastColumn(column.source, column.kind, column.engine_type, column.expression)
