"""The type of a column from the shapes of all of its values, and the SQL that converts it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from tabulaflow_core.data.files.clocks import ClockForm, clock_form
from tabulaflow_core.data.files.report import Certainty, ColumnType
from tabulaflow_core.data.files.values import WORDED, date_shape, is_missing, number_shape
from tabulaflow_core.data.files.words import BOOLEANS, CURRENCIES, MISSING, YEN_OF_JAPAN


@dataclass(frozen=True, slots=True)
class Shape:
    """How many values of a column have one shape.

    Attributes:
        text: The value with digits as `9`.
        zeros: Among them, values that begin with a zero before another digit.
        foreign: Among them, values with digits or signs of another script.
    """

    text: str
    count: int
    zeros: int = 0
    foreign: int = 0


@dataclass(slots=True)
class Finding:
    """What the shapes of one column say.

    Attributes:
        kind: What it most likely is; `text` when no other kind fits.
        total: Values that are there and no missing word.
        fits: Values that fit the kind.
        points: Values that are numbers only with a decimal point.
        commas: The same for a decimal comma.
        forms: Date forms, as `values.date_shape` gives them, with counts.
        fine: Times have more than six decimals.
        formulas: Values such as `="00123"`, by which spreadsheets keep digits as text.
        clocks: Forms of times and durations, with counts.
        foreign: Some of its values have digits or signs of another script than ASCII's.
        why: Why it is text though it looks like something else.
    """

    kind: ColumnType
    total: int = 0
    fits: int = 0
    points: int = 0
    commas: int = 0
    plain: int = 0
    numbers: list[Shape] = field(default_factory=list)
    forms: Counter[tuple[str, str, str, bool, bool]] = field(default_factory=Counter)
    strays: list[Shape] = field(default_factory=list)
    missing: dict[str, int] = field(default_factory=dict)
    formulas: int = 0
    fine: bool = False
    clocks: Counter[ClockForm] = field(default_factory=Counter)
    foreign: bool = False
    certainty: Certainty = "certain"
    why: str = ""

    @property
    def misfits(self) -> int:
        """Values that do not fit the kind."""
        return self.total - self.fits


def examine(shapes: Iterable[Shape], *, missing: frozenset[str] = MISSING) -> Finding:
    """Decide what a column is from the shapes of all of its values."""
    numbers: list[Shape] = []
    dates: Counter[tuple[str, str, str, bool, bool]] = Counter()
    booleans: Counter[str] = Counter()
    clocks: Counter[ClockForm] = Counter()
    strays: list[Shape] = []
    words: dict[str, int] = {}
    total = date_count = formulas = 0
    fine = foreign = False
    for shape in shapes:
        foreign = foreign or shape.foreign > 0
        if is_missing(shape.text, missing):
            word = shape.text.strip().replace("/9!", "/0!")  # #DIV/0! is the one such word with a digit
            words[word] = words.get(word, 0) + shape.count
            continue
        total += shape.count
        if _FORMULA.fullmatch(shape.text):
            formulas += shape.count
            strays.append(shape)
        elif form := date_shape(shape.text):
            fine = fine or _FINE.search(shape.text) is not None
            dates[form] += shape.count
            date_count += shape.count
        elif number_shape(shape.text, ".") or number_shape(shape.text, ","):
            numbers.append(shape)
        elif shape.text.casefold() in BOOLEANS:
            booleans[shape.text.casefold()] += shape.count
        elif clock := clock_form(shape.text):
            fine = fine or _FINE.search(shape.text) is not None
            clocks[clock] += shape.count
        else:
            strays.append(shape)
    if not total:
        return Finding("text", missing=words, why="it holds no values" if words else "it is empty")
    number_count, clock_count, boolean_count = sum(s.count for s in numbers), clocks.total(), booleans.total()
    if clock_count > max(number_count, date_count, boolean_count):
        finding = Finding("other", total, clock_count)
    elif number_count >= max(date_count, boolean_count):
        finding = _numbers(numbers, total)
    elif date_count >= boolean_count:
        finding = Finding("datetime" if any(f[3] for f in dates) else "date", total, date_count, forms=dates)
    else:
        finding = Finding("boolean", total, boolean_count)
    finding.clocks, finding.foreign = clocks, foreign
    finding.missing, finding.strays, finding.formulas, finding.fine = words, strays, formulas, fine
    return _judge(finding)


_FINE = re.compile(r"[.,]9{7}")
#: What the values of a column of each kind are called.
PLURAL: dict[ColumnType, str] = {
    "integer": "whole numbers",
    "number": "numbers",
    "text": "texts",
    "boolean": "true or false",
    "date": "dates",
    "datetime": "dates",
    "other": "times",
}
#: A cell that is a formula whose value is a text, as spreadsheets export it.
_FORMULA = re.compile(r'="[^"]*"')


def _numbers(numbers: list[Shape], total: int) -> Finding:
    finding = Finding("number", total, sum(s.count for s in numbers), numbers=numbers)
    for shape in numbers:
        point, comma = number_shape(shape.text, "."), number_shape(shape.text, ",")
        if point and comma:
            finding.plain += shape.count
        elif point:
            finding.points += shape.count
        else:
            finding.commas += shape.count
    return finding


def _judge(finding: Finding) -> Finding:
    """Turn a finding into text when too much does not fit, or when its numbers are codes."""
    misfits = finding.misfits
    if finding.formulas:
        return _as_text(finding, f'{finding.formulas} of its values are texts of a spreadsheet (="…")')
    mostly = finding.fits >= finding.total * 0.5  # else it is text, and needs no reason
    if finding.kind in ("number", "integer") and mostly and (why := _codes(finding)):
        return _as_text(finding, why)
    if finding.kind in ("date", "datetime") and finding.fits < 3 and all(_prose(f) for f in finding.forms):
        return _as_text(finding, "its values look like dates in words, but they are too few to be sure")
    if not misfits:
        return finding
    # Digits in what does not fit, or values of another kind, hold something that an empty cell would lose.
    coded = any("9" in s.text for s in finding.strays) or sum(s.count for s in finding.strays) < misfits
    few = misfits <= max(1, finding.total * 0.05) and finding.total >= 5 and misfits <= 200
    if finding.kind == "boolean" or not few or (coded and finding.kind == "number"):
        if not mostly:
            return _as_text(finding, "")
        return _as_text(finding, f"{misfits} of its {finding.total} values are not {PLURAL[finding.kind]}")
    finding.certainty = "likely"
    return finding


def _prose(form: tuple[str, str, str, bool, bool]) -> bool:
    """True for a date in words such as `3 April 2026`; `3-Apr-26`, or a time behind it, is how programs write."""
    return form[0] in WORDED and form[1] not in ("-", "/") and not form[3]


def _codes(finding: Finding) -> str:
    """Why these numbers are codes and no amounts; empty when they are amounts."""
    zeros = sum(s.zeros for s in finding.numbers)
    digits_only = sum(s.count for s in finding.numbers if not s.text.strip("9"))
    if zeros and digits_only >= finding.fits * 0.9:
        return f"{zeros} of its numbers begin with a zero, so they are codes"
    if any(s.zeros and not s.text.strip("9" + _GAPS) and s.text.strip("9") for s in finding.numbers):
        return "some of its groups of digits begin with a zero, so they are codes"
    coded = [s for s in finding.numbers if _E_CODE.fullmatch(s.text)]
    alike = len({len(s.text) for s in finding.numbers}) == 1 and not any(s.text.strip("9eE") for s in finding.numbers)
    if coded and (len(coded) == len(finding.numbers) or (alike and len(coded[0].text) > 3)):
        those = "some of its values" if finding.strays else "its values"
        return f"{those} are digits around an E, as in codes; read it as number if 1E5 is to be 100000"
    phones = sum(
        s.count
        for s in finding.numbers
        if s.text.startswith("+") and not s.text.strip("+9" + _GAPS) and s.text.count("9") > 7
    )
    if phones == finding.fits > 0:
        return "its values look like telephone numbers"
    bare = sum(s.count for s in finding.numbers if not unit_of(s.text) and s.text != "9")
    units = {unit_of(s.text) for s in finding.numbers} - {""}
    if units == {YEN_OF_JAPAN} and all(s.text.count("9") < 3 for s in finding.numbers):
        return "its values are a backslash and a few digits, as in patterns"
    if "%" in units and bare > finding.fits * 0.1:
        return "some of its values carry a percent sign and others do not"
    return f"its values have different units ({', '.join(sorted(units))})" if len(units) > 1 else ""


def _as_text(finding: Finding, why: str) -> Finding:
    finding.kind, finding.why, finding.fits = "text", why, finding.total
    finding.certainty = "likely"
    return finding


def grouping(finding: Finding, mark: str) -> set[str]:
    """The signs that part groups of digits, when this is the decimal mark."""
    signs = {c for s in finding.numbers for c in _GROUPED.findall(s.text.split(mark)[0])}
    return signs - {mark}


_GROUPED = re.compile(r"(?<=9)([.,'’ \u00a0\u2007\u2009\u202f])(?=9)")
_EXPONENT = re.compile(r"(?<=[9.,])[eE][+-]?9+")
#: A code, or a power of ten: `1E5`; programs write such a number with a point or a sign.
_E_CODE = re.compile(r"9+[eE]9+")
_GAPS = " \u00a0\u2007\u2009\u202f"


@lru_cache(maxsize=20_000)
def unit_of(shape: str) -> str:
    """The currency, percent or per mille sign of a number's shape."""
    text = _EXPONENT.sub("", shape)
    if not text.strip("9+-−–.,()'’" + _GAPS):
        return ""
    return next((w for w in (*CURRENCIES, "%", "‰") if w in text), "")


def has_exponent(shape: str) -> bool:
    """True for numbers such as `1.5e3`."""
    return _EXPONENT.search(shape) is not None


def decimal_mark(findings: list[Finding], delimiter: str) -> tuple[str, Certainty, str]:
    """The decimal mark of the whole file: what its columns prove, else what its delimiter suggests."""
    points = sum(f.points for f in findings if f.kind == "number")
    commas = sum(f.commas for f in findings if f.kind == "number")
    if points and not commas:
        return ".", "certain", "some numbers can only be read so"
    if commas and not points:
        return ",", "certain", "some numbers can only be read so"
    if points or commas:
        return ("." if points >= commas else ","), "guess", "some columns use a point, others a comma"
    if delimiter == ";":
        return ",", "guess", "files with semicolons mostly use a decimal comma"
    return ".", "guess", "no number in the file shows it"


def column_mark(finding: Finding, file_mark: str) -> tuple[str | None, Certainty]:
    """The decimal mark of one column, None when its values contradict each other."""
    if finding.points and finding.commas:
        most, least = max(finding.points, finding.commas), min(finding.points, finding.commas)
        if least > most * 0.02:
            return None, "guess"
        return ("." if finding.points > finding.commas else ","), "likely"
    if finding.points or finding.commas:
        return ("." if finding.points else ","), "certain"
    if not any(c in s.text for s in finding.numbers for c in ".,"):
        return file_mark, "certain"
    return _ambiguous_mark(finding, file_mark)


def _ambiguous_mark(finding: Finding, file_mark: str) -> tuple[str, Certainty]:
    """Every mark stands before exactly three digits: thousands in one reading, decimals in the other.

    Numbers of four digits without a mark rule grouping out. A point in a file of points, and a comma in a
    file of commas, are decimals only when all values carry one.
    """
    mark = "." if any("." in s.text for s in finding.numbers) else ","
    other = "," if mark == "." else "."
    bare_long = any(len(s.text.strip("+-−")) > 3 and s.text.strip("+-−9") == "" for s in finding.numbers)
    if bare_long:
        return mark, "likely"
    if mark == file_mark:
        all_marked = all(mark in s.text for s in finding.numbers)
        zero = sum(s.zeros for s in finding.numbers) > 0
        return (mark, "guess") if all_marked or zero or (mark == "." and file_mark == ".") else (other, "guess")
    return other, "guess"
