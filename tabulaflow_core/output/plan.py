"""Which chart a result gets: the columns on its axes, by what they are and what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tabulaflow_core.output.columns import Column, holds_years, is_unique
from tabulaflow_core.output.specs import ChartOrder, ChartType
from tabulaflow_core.output.words import ChartWish, asks_distribution, asks_relation, asks_shares, asks_stack

MAX_SERIES: Final = 8
#: Beyond this many values a column no longer tells lines apart, even when only the largest are drawn.
_MAX_SPLIT: Final = 60
#: Bars of keys, such as order numbers, say something for a short list only.
_MAX_KEYS: Final = 50
_MAX_PIE_PARTS: Final = 6
_SHARE_NAME: Final = re.compile(r"share|percent|pct|anteil|prozent|porcentaje|pourcentage|%", re.IGNORECASE)
_FIRST_NAME: Final = re.compile(r"first|vorname|nombre|pr[eé]nom|given", re.IGNORECASE)
_LAST_NAME: Final = re.compile(r"last|nachname|apellido|surname|family|nom", re.IGNORECASE)
_MEAN_NAME: Final = re.compile(
    r"avg|average|mean|median|rate|ratio|price|temp|score|percent|pct|share|%|schnitt", re.IGNORECASE
)


@dataclass(frozen=True)
class Plan:
    """A chart to draw.

    Attributes:
        coarse: A column before `x` on the same axis: the year of a month, so that 2024 and 3 read 2024-03; the first
            name before the last.
        combine: How rows with the same place on the axis are put together, None when there are none.
        order: In which order labels stand, None for the one that suits them.
        stacked: The bars of one place stand on each other, as parts of a whole.
    """

    type: ChartType
    x: Column
    y: tuple[Column, ...]
    color: Column | None = None
    coarse: Column | None = None
    combine: str | None = None
    order: ChartOrder | None = None
    stacked: bool = False


@dataclass(frozen=True)
class Wish:
    """What was asked of the chart; column names are matched without case."""

    question: str
    kind: ChartWish | None
    x: str | None = None
    y: tuple[str, ...] = ()
    color: str | None = None

    @property
    def forced(self) -> bool:
        """A chart was asked for in so many words."""
        return self.kind is not None or self.x is not None or bool(self.y)


def plan_chart(columns: Sequence[Column], rows: int, wish: Wish) -> Plan | None:
    """The chart for these columns, None when none would help.

    Rules, in order: a stated wish when the columns allow it; time on a line; labels as bars; two measures against
    each other; one measure's spread when asked. A single row, a listing of records and text alone get none.
    """
    measures = _named(columns, wish.y) or [c for c in columns if c.role == "measure"]
    x_named = _named(columns, [wish.x] if wish.x else [])
    measures = [c for c in measures if c not in x_named] or measures
    if not measures or (rows < 2 and not wish.forced):
        return None
    axes = _Axes(columns, measures, x_named, _named(columns, [wish.color] if wish.color else []))
    plan = _wished(axes, rows, wish) or _automatic(axes, rows, wish)
    if plan is None:
        return None
    if not wish.forced and len(_left_over(columns, plan)) >= 2:
        return None  # a listing of records, not a summary
    return plan


def _named(columns: Sequence[Column], names: Iterable[str]) -> list[Column]:
    found = []
    for name in names:
        fold = name.strip().casefold()
        match = [c for c in columns if c.name == name] or [
            c for c in columns if fold in (c.name.casefold(), c.label.casefold())
        ]
        found += match[:1]
    return found


def _left_over(columns: Sequence[Column], plan: Plan) -> list[Column]:
    used = {plan.x.index, *(c.index for c in plan.y)} | {c.index for c in (plan.color, plan.coarse) if c}
    return [c for c in columns if c.index not in used and c.role != "measure" and c.distinct > 1]


class _Axes:
    """The columns sorted into what they can be on a chart."""

    def __init__(
        self, columns: Sequence[Column], measures: list[Column], x_named: list[Column], color_named: list[Column]
    ) -> None:
        self.measures = measures
        self.x_named = x_named
        self.color_named = color_named
        taken = {c.index for c in measures} | {c.index for c in color_named}
        free = [c for c in columns if c.index not in taken]
        self.times = [c for c in free if c.role == "time"]
        self.labels = [c for c in free if c.role == "category"]
        self.ids = [c for c in free if c.role == "id"]

    def label(self) -> Column | None:
        """The column whose cells name the bars: most different values first, ids last."""
        if self.x_named:
            return self.x_named[0]
        if self.labels:
            return max(self.labels, key=lambda c: c.distinct)
        return self.ids[0] if self.ids else None

    def time(self) -> tuple[Column | None, Column | None]:
        """The time column for the axis and a year that stands before it."""
        if self.x_named:
            return (self.x_named[0], None) if self.x_named[0].role == "time" else (None, None)
        years = [c for c in self.times if holds_years(c)]
        rest = [c for c in self.times if c not in years]
        finer = [c for c in rest if c.unit in ("number", "month_name") or (c.unit == "text" and c.distinct <= 12)]
        if years and finer and not [c for c in self.times if c.unit == "date"]:
            return finer[0], (years[0] if years[0].distinct > 1 else None)
        return (max(self.times, key=lambda c: c.distinct), None) if self.times else (None, None)


def _wished(axes: _Axes, rows: int, wish: Wish) -> Plan | None:
    kind = wish.kind
    label = axes.label()
    time, _ = axes.time()
    if kind == "histogram" and not (label and is_unique(label)) and not time:
        return Plan("histogram", axes.measures[0], (axes.measures[0],))
    if kind == "scatter":
        if axes.x_named and axes.x_named[0].role in ("measure", "time", "id"):
            return Plan("scatter", axes.x_named[0], tuple(axes.measures[:1]), color=_split_any(axes))
        if len(axes.measures) >= 2:
            return Plan("scatter", axes.measures[0], (axes.measures[1],), color=_split_any(axes))
        if time:
            return Plan("scatter", time, (axes.measures[0],), color=_split_any(axes))
    if kind == "pie" and (part := label or time):
        measure = _main_measure(axes.measures, wish.question)
        if all(v is None or v >= 0 for v in measure.numbers):
            return Plan("pie", part, (measure,), combine=_combine(measure, [part]))
    if kind in ("line", "area"):
        return _along_time(axes, rows, wish, kind) or _along_numbers(axes, kind) or _bars(axes, wish, kind)
    if kind in ("bar", "histogram"):
        return _bars(axes, wish, "bar") or _along_time(axes, rows, wish, "bar")
    return None


def _automatic(axes: _Axes, rows: int, wish: Wish) -> Plan | None:
    if plan := _along_time(axes, rows, wish, None):
        return plan
    label = axes.label()
    relation = len(axes.measures) >= 2 and rows >= 3
    if relation and (asks_relation(wish.question) or not label) and not axes.x_named:
        return Plan("scatter", axes.measures[0], (axes.measures[1],), color=_split_any(axes))
    if asks_distribution(wish.question) and rows >= 8 and not (label and is_unique(label)):
        return Plan("histogram", axes.measures[0], (axes.measures[0],))
    if not label:
        wide = wish.kind == "any" and rows >= 8 and not axes.times
        return Plan("histogram", axes.measures[0], (axes.measures[0],)) if wide else None
    if label.role == "id" and rows > _MAX_KEYS and not wish.forced:
        return None
    if label.role == "measure":
        return Plan("scatter", label, tuple(axes.measures[:1]))
    if label.role in ("category", "id") and _clear_shares(axes.measures[0], rows, wish.question) and is_unique(label):
        return Plan("pie", label, (axes.measures[0],))
    return _bars(axes, wish, "bar")


def _along_time(axes: _Axes, rows: int, wish: Wish, kind: ChartType | None) -> Plan | None:
    time, coarse = axes.time()
    if time is None or time.distinct < (1 if wish.forced else 2):
        return None
    axis = [time] if coarse is None else [coarse, time]
    color = axes.color_named[0] if axes.color_named else None
    if color is None and not is_unique(*axis):
        few = [c for c in axes.labels if 1 < c.distinct <= _MAX_SPLIT]
        few += [c for c in axes.ids if 1 < c.distinct <= MAX_SERIES]
        color = next((c for c in few if is_unique(*axis, c)), None)
    keyed = [*axis, color] if color else axis
    unique = is_unique(*keyed)
    if not unique and not wish.forced:
        return None
    places = time.distinct * (coarse.distinct if coarse else 1)
    if not wish.forced and color is None and axes.labels and _label_heavy(axes, time):
        return None
    if kind is None:
        kind = "bar" if places <= 2 or time.unit == "weekday" else "line"
    if kind == "bar" and places > 60:
        kind = "line"
    measures = _drawn_measures(axes.measures, wish, most=1 if color else 4)
    return Plan(kind, time, measures, color=color, coarse=coarse, combine=_combine(measures[0], keyed))


def _label_heavy(axes: _Axes, time: Column) -> bool:
    """Every row has its own label and its time is only a fact about it, such as a name and its year of birth."""
    return any(is_unique(label) and label.distinct > time.distinct for label in axes.labels)


def _along_numbers(axes: _Axes, kind: ChartType) -> Plan | None:
    x = axes.x_named[0] if axes.x_named else axes.measures[0] if len(axes.measures) >= 2 and not axes.label() else None
    rest = tuple(c for c in axes.measures if c is not x)[:4]
    return Plan(kind, x, rest) if x and x.role in ("measure", "id") and rest else None


def _bars(axes: _Axes, wish: Wish, kind: ChartType) -> Plan | None:
    label = axes.label()
    if label is None:
        return None
    color = axes.color_named[0] if axes.color_named else None
    if color is None and not is_unique(label):
        others = [c for c in (*axes.labels, *axes.times) if c is not label and 1 < c.distinct <= MAX_SERIES]
        color = next((c for c in others if is_unique(label, c)), None)
    keyed = [label, color] if color else [label]
    coarse = None if color or axes.x_named else _first_half(axes.labels)
    if coarse is not None:
        label = axes.labels[1]
        keyed = [coarse, label]
    if not wish.forced and (not is_unique(*keyed) or label.distinct < 2):
        return None
    measures = _drawn_measures(axes.measures, wish, most=1 if color else 3)
    combine = _combine(measures[0], keyed)
    stacked = kind == "bar" and color is not None and _are_parts(measures[0], combine, wish.question)
    return Plan(kind, label, measures, color=color, coarse=coarse, combine=combine, stacked=stacked)


def _are_parts(measure: Column, combine: str | None, question: str) -> bool:
    """The colours of one bar make up a whole: by the measure's name, or because shares or a stack were asked for."""
    adds_up = combine != "mean" and all(value is None or value >= 0 for value in measure.numbers)
    return adds_up and (bool(_SHARE_NAME.search(measure.name)) or asks_shares(question) or asks_stack(question))


def _first_half(labels: Sequence[Column]) -> Column | None:
    """The first of two label columns that only together name a row: a first and a last name, a make and a model."""
    if len(labels) != 2:
        return None
    first, last = labels
    person = _FIRST_NAME.search(first.name) and _LAST_NAME.search(last.name)
    apart = not is_unique(first) and not is_unique(last) and is_unique(first, last)
    return first if person or apart else None


def _split_any(axes: _Axes) -> Column | None:
    if axes.color_named:
        return axes.color_named[0]
    return next((c for c in axes.labels if 1 < c.distinct <= MAX_SERIES and not is_unique(c)), None)


def _combine(measure: Column, keyed: Sequence[Column]) -> str | None:
    if is_unique(*keyed):
        return None
    return "mean" if _MEAN_NAME.search(measure.name) else "sum"


def _main_measure(measures: Sequence[Column], question: str) -> Column:
    """The measure the question names, else the one the rows are sorted by, else the first."""
    asked = question.casefold()
    for measure in measures:
        if measure.label.casefold() in asked:
            return measure
    return next((c for c in measures if sorted_by(c.numbers)), measures[0])


def sorted_by(values: Sequence[float | None]) -> bool:
    """The values rise, fall or lose size from row to row, with some difference between them."""
    known = [v for v in values if v is not None]
    if len(known) < 3 or len(set(known)) < 2:
        return False
    falling = all(a >= b for a, b in pairwise(known)) or all(abs(a) >= abs(b) for a, b in pairwise(known))
    return falling or all(a <= b for a, b in pairwise(known))


def _drawn_measures(measures: Sequence[Column], wish: Wish, *, most: int) -> tuple[Column, ...]:
    """The main measure and those that fit on its scale; all of them when they were named."""
    if wish.y:
        return tuple(measures)
    main = _main_measure(measures, wish.question)
    scale = _scale(main)
    fitting = [c for c in measures if c is main or (scale and _scale(c) and 0.1 <= _scale(c) / scale <= 10)]
    return tuple(fitting) if len(fitting) <= most else (main,)


def _scale(column: Column) -> float:
    return max((abs(v) for v in column.numbers if v is not None), default=0.0)


def _clear_shares(measure: Column, rows: int, question: str) -> bool:
    """Two to six positive parts that make up a whole: by their name and sum, or because shares were asked for."""
    values = [v for v in measure.numbers if v is not None]
    if not 2 <= len(values) == rows <= _MAX_PIE_PARTS or any(v < 0 for v in values):
        return False
    whole = any(abs(sum(values) - total) <= 0.011 * total for total in (1, 100))
    return whole and (bool(_SHARE_NAME.search(measure.name)) or asks_shares(question))
