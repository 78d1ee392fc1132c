"""Columns whose values are all in the one form that their type gives back: checked by comparing the two texts.

`12`, `-3.50` and `2026-01-31 08:00:00` are such values. A cell that equals the text of its own value is converted
without any doubt, and its text can be had again from the value: so nothing else needs to be kept or looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from tabulaflow_core.data.files import convert
from tabulaflow_core.data.files.fast_shapes import typed_shapes
from tabulaflow_core.data.files.infer import Shape
from tabulaflow_core.data.files.storage import Workbench
from tabulaflow_core.data.files.values import ALWAYS_MISSING


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write the values of a type.

    Attributes:
        cast: SQL that tries to convert the cell `{c}` to the type `{t}`.
        text: SQL that writes the value `{v}` so again.
        test: SQL that must hold besides.
        shape: What becomes of the shape of DuckDB's own text.
        probes: Cells on which a column's own expression and `cast` must agree before this may stand for it.
    """

    cast: str
    text: str
    test: str
    probes: tuple[str, ...]
    shape: tuple[str, str] = ("", "")

    def canonical(self, source: str, engine_type: str, value: str = "", *, exponents: bool = False) -> str:
        """SQL that is true for a cell in this form, and else false or NULL.

        Args:
            value: SQL that gives the cell's value, when that was computed already.
            exponents: Whether numbers such as `1e-05` are among them.
        """
        value = value or self.value(source, engine_type)
        test = self.test.format(c=source, v=value)
        if engine_type == "DOUBLE":
            test = f"isfinite({value})" if exponents else f"NOT contains({source}, 'e')"
        return f"({self.text.format(v=value)} = {source}{' AND ' if test else ''}{test})"

    def value(self, source: str, engine_type: str) -> str:
        """SQL that tries to convert a cell."""
        return self.cast.format(c=source, t=engine_type)


_CAST: Final = "TRY_CAST({c} AS {t})"
_TEXT: Final = "CAST({v} AS VARCHAR)"
_COMMA_CAST: Final = "TRY_CAST(replace({c}, ',', '.') AS {t})"
_COMMA_TEXT: Final = "replace(CAST({v} AS VARCHAR), '.', ',')"
_EXACT: Final = "(strlen({c}) = 19 OR (strlen({c}) BETWEEN 21 AND 26 AND substr({c}, 20, 1) = '.')) AND {c} >= '1'"
_INTEGERS: Final = ("0", "7", "-12", "1234", "123456", "-1234567890123")
_DECIMALS: Final = ("0.{0}", "-3.{0}", "7.{0}", "1234.{0}", "-1234567.{0}")
_DOUBLES: Final = ("0.5", "-12.25", "7.125", "1234.125", "-123456.0625", "3.0")
_EXPONENTS: Final = ("1e-05", "-2.5e-07", "1.25e+20")
_TIMES: Final = ("2026-01-02 03:04:05", "1999-12-31 23:59:59", "2024-02-29 00:00:00", "2026-01-02 03:04:05.25")
_CLOCKS: Final = ("03:04:05", "23:59:59", "00:00:00", "12:30:15.25")


def _commas(probes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(p.replace(".", ",") for p in probes)


def _day(form: str, *probes: str) -> Form:
    shape = form.replace("%Y", "9999").replace("%m", "99").replace("%d", "99")
    cast = f"CAST(try_strptime({{c}}, '{form}') AS DATE)"
    return Form(cast, f"strftime({{v}}, '{form}')", "{v} >= DATE '1000-01-01'", probes, ("9999-99-99", shape))


#: The forms of each type; the first one that agrees with a column's expression stands for it.
_FORMS: Final[dict[str, tuple[Form, ...]]] = {
    "BIGINT": (Form(_CAST, _TEXT, "", _INTEGERS),),
    "DECIMAL": (
        Form(_CAST, _TEXT, "", _DECIMALS),
        Form(_COMMA_CAST, _COMMA_TEXT, "", _commas(_DECIMALS), (".", ",")),
    ),
    "DOUBLE": (
        Form(_CAST, _TEXT, "", _DOUBLES),
        Form(_COMMA_CAST, _COMMA_TEXT, "", _commas(_DOUBLES), (".", ",")),
    ),
    "DATE": (
        # `infinity` and years before our era come back too
        Form(_CAST, _TEXT, "strlen({c}) = 10 AND {c} >= '1'", ("2026-01-02", "1999-12-31", "2024-02-29")),
        _day("%d.%m.%Y", "02.01.2026", "31.12.1999", "29.02.2024"),
        _day("%d/%m/%Y", "02/01/2026", "31/12/1999", "29/02/2024"),
        _day("%m/%d/%Y", "01/02/2026", "12/31/1999", "02/29/2024"),
        _day("%d-%m-%Y", "02-01-2026", "31-12-1999", "29-02-2024"),
        _day("%Y/%m/%d", "2026/01/02", "1999/12/31", "2024/02/29"),
    ),
    "TIME": (Form(_CAST, _TEXT, "strlen({c}) >= 8 AND {c} < '24'", _CLOCKS),),
    "TIMESTAMP": (
        Form(_CAST, _TEXT, _EXACT, _TIMES),
        Form(
            _CAST,
            "replace(CAST({v} AS VARCHAR), ' ', 'T')",
            _EXACT,
            tuple(t.replace(" ", "T") for t in _TIMES),
            (" ", "T"),
        ),
    ),
}


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


def form_of(bench: Workbench, column: Described, *, exponents: bool = False, like: Form | None = None) -> Form | None:
    """The form whose values the column's expression converts as its cast does; None when there is none.

    Args:
        exponents: Ask also for numbers such as `1e-05`.
        like: Ask only for this form.
    """
    base, _, scale = column.engine_type.partition("(")
    digits = ""
    if base == "DECIMAL":
        places = int(scale.rstrip(")").split(",")[1])
        if not column.engine_type.startswith("DECIMAL(18,") or places > 9:
            return None
        digits = "1234567890123456789"[:places]
    for form in _FORMS.get(base, ()):
        if like is not None and form is not like:
            continue
        probes = [p.format(digits) for p in form.probes]
        if base == "DOUBLE" and exponents:
            probes += _EXPONENTS if form.cast == _CAST else _commas(_EXPONENTS)
        values = ", ".join(f"({convert.literal(p)})" for p in probes)
        known = form.canonical(column.source, column.engine_type, exponents=exponents)
        cast = form.value(column.source, column.engine_type)
        (agree,) = bench.one(
            f"SELECT bool_and({known} AND ({column.expression}) IS NOT DISTINCT FROM {cast}) "
            f"FROM (VALUES {values}) AS t({column.source})"
        )
        if agree is True:
            return form
    return None


def hastened(bench: Workbench, column: Described) -> str:
    """The column's expression, that is asked only for cells which are not canonical."""
    if column.kind == "text" or len(column.expression) < 100:  # quick already
        return column.expression
    form = form_of(bench, column)
    if form is None:
        return column.expression
    known = form.canonical(column.source, column.engine_type)
    return f"CASE WHEN {known} THEN {form.value(column.source, column.engine_type)} ELSE {column.expression} END"


@dataclass(frozen=True, slots=True)
class FastColumn:
    """One column that is checked and converted in one pass.

    Attributes:
        source: Its name in `stage`.
        expression: What gives the same values from text, for cells that are not canonical.
        form: How its values are written; None for text.
    """

    source: str
    kind: str
    engine_type: str
    expression: str
    form: Form | None = None

    @property
    def value(self) -> str:
        """SQL that tries to convert a cell, under the name that `checked` looks at; empty for text."""
        return f"{self.form.value(self.source, self.engine_type)} AS {self._value}" if self.form else ""

    @property
    def _value(self) -> str:
        return f"{self.source}_value"

    def checked(self, signs: BlockSigns) -> str:
        """SQL that gives the value of a canonical cell, NULL of an empty one, and an error for others."""
        if self.form is None:
            known, value = self._clean_text(signs), self.source
        else:
            known = self.form.canonical(self.source, self.engine_type, self._value, exponents=True)
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
        return self.form.text.format(v=column) if self.form else column

    def shapes(self, bench: Workbench, column: str, rows: str) -> list[Shape]:
        """The shapes of the typed values in `rows`, with their counts."""
        own, written = self.form.shape if self.form else ("", "")
        found = typed_shapes(bench, self.engine_type, column, rows)
        return [Shape(s.text.replace(own, written) if own else s.text, s.count) for s in found]


def fast_column(bench: Workbench, column: Described) -> FastColumn | None:
    """The column in its quick form, None when its cells must be looked at one by one."""
    form = None
    if column.kind == "text":
        plain = column.expression == convert.text_expression(column.source)
        escaped = all("\\" in word for word in ALWAYS_MISSING)
        if not plain or not escaped:
            return None
    else:
        form = form_of(bench, column)
        if form is None:
            return None
    return FastColumn(column.source, column.kind, column.engine_type, column.expression, form)
