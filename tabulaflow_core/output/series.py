"""The points of a chart: grouped, sorted, cut to the largest, and thinned to what a browser draws at ease."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from tabulaflow_core.counting import counted
from tabulaflow_core.output.bins import bins_of
from tabulaflow_core.output.cells import cell_text
from tabulaflow_core.output.columns import Column, is_no_time, names_quarters, number, time_key, time_text
from tabulaflow_core.output.plan import MAX_SERIES, Plan, sorted_by
from tabulaflow_core.output.specs import ChartType
from tabulaflow_core.output.thinning import min_max_indexes, sample_indexes

#: More points take a browser seconds to draw as SVG.
MAX_POINTS: Final = 2_000
MAX_BARS: Final = 20
_MAX_SLICES: Final = 8
_LABEL_CHARS: Final = 200

Place = str | float


@dataclass
class Series:
    """One line, one colour of bars, one cloud of points."""

    name: str
    x: list[Place]
    y: list[float | None]


@dataclass
class Drawing:
    """What is drawn and what was left out.

    Attributes:
        notes: Each left-out or combined thing in a few words.
        x_kind: How the axis reads its places.
        rest: The part of a pie in which the small ones are put together.
    """

    series: list[Series]
    x_kind: str
    notes: list[str] = field(default_factory=list)
    rest: str | None = None


def draw(plan: Plan) -> Drawing:
    """The points of `plan`."""
    if plan.type == "histogram":
        return _histogram(plan.y[0])
    if plan.type == "scatter":
        drawing = _scatter(plan)
    elif plan.x.role == "time":
        drawing = _timed(plan)
    elif plan.x.role == "measure":
        drawing = _numeric(plan)
    else:
        drawing = _labelled(plan)
    if plan.combine:
        word = "averaged" if plan.combine == "mean" else "added up"
        drawing.notes.append(f"rows with the same {plan.x.label} are {word}")
    return _thinned(drawing, plan.type)


def _labels(column: Column) -> list[str]:
    labels = ["(none)" if v is None else cell_text(v, max_chars=_LABEL_CHARS) or "(empty)" for v in column.values]
    return _told_apart(column.values, labels)


def _told_apart(things: Sequence[object], labels: Sequence[str]) -> list[str]:
    """The labels with a number behind those that two different things would share: they are no one thing."""
    owner: dict[str, str] = {}
    told: dict[str, str] = {}
    for thing, label in zip(map(repr, things), labels, strict=True):
        if thing in told:
            continue
        fresh, count = label, 2
        while fresh in owner:
            fresh, count = f"{label} ({count})", count + 1
        owner[fresh], told[thing] = thing, fresh
    return [told[repr(thing)] for thing in things]


def _time_labels(plan: Plan) -> list[tuple[tuple[object, ...], Place]]:
    """A sort key and a place for each row; each different time is read once."""
    rows = (
        list(zip(plan.coarse.values, plan.x.values, strict=True)) if plan.coarse else [(None, v) for v in plan.x.values]
    )
    known = {row: _time_label(plan, *row) for row in set(rows)}
    return [known[row] for row in rows]


def _time_label(plan: Plan, coarse: object, fine: object) -> tuple[tuple[object, ...], Place]:
    key = time_key(plan.x, fine)
    if plan.coarse:
        return (time_key(plan.coarse, coarse), key), f"{time_text(coarse)}-{_part(plan.x, fine)}"
    if plan.x.unit in ("year", "number"):
        year = number(fine)
        return (key,), "(none)" if year is None else year
    return (key,), "(none)" if is_no_time(plan.x, fine) else time_text(fine)


def _part(column: Column, value: object) -> str:
    text = time_text(value)
    if not text.isdigit():
        return text
    return f"Q{text}" if names_quarters(column) and len(text) == 1 else text.zfill(2)


def _group(
    plan: Plan, places: Sequence[Place], keys: Sequence[object] | None, notes: list[str]
) -> tuple[list[Place], list[tuple[str, dict[Place, float | None]]]]:
    """The places in order, and for each series its value at each place."""
    order: dict[Place, object] = {}
    for row, place in enumerate(places):
        order.setdefault(place, keys[row] if keys else row)
    series: dict[str, dict[Place, list[float]]] = {}
    if plan.color:
        values = plan.y[0].numbers
        for name, place, value in zip(_color_labels(plan.color), places, values, strict=True):
            cell = series.setdefault(name, {}).setdefault(place, [])
            if value is not None:
                cell.append(value)
    else:
        for place_of in plan.y:
            points = series.setdefault(_fresh(place_of.label, series), {})
            for place, value in zip(places, place_of.numbers, strict=True):
                cell = points.setdefault(place, [])
                if value is not None:
                    cell.append(value)
    combined = [
        (name, {place: _combined(cell, plan.combine) for place, cell in points.items()})
        for name, points in series.items()
    ]
    if plan.combine is None and any(len(cell) > 1 for points in series.values() for cell in points.values()):
        notes.append(f"rows with the same {plan.x.label} are added up")
    ordered = sorted(order, key=lambda place: order[place]) if keys else list(order)  # type: ignore[arg-type,return-value]
    return ordered, combined


def _color_labels(column: Column) -> list[str]:
    if column.role == "time":
        return _told_apart(column.values, ["(none)" if v is None else time_text(v) for v in column.values])
    return _labels(column)


def _fresh(name: str, taken: dict[str, dict[Place, list[float]]]) -> str:
    count = 2
    fresh = name
    while fresh in taken:
        fresh, count = f"{name} ({count})", count + 1
    return fresh


def _combined(cell: list[float], how: str | None) -> float | None:
    if not cell:
        return None
    total = cell[0] if len(cell) == 1 else math.fsum(cell)
    return total / len(cell) if how == "mean" else total


def _fewer_series(
    series: list[tuple[str, dict[Place, float | None]]], notes: list[str]
) -> list[tuple[str, dict[Place, float | None]]]:
    if len(series) <= MAX_SERIES:
        return series
    weight = {name: sum(abs(v) for v in points.values() if v is not None) for name, points in series}
    kept = set(sorted(weight, key=lambda name: -weight[name])[:MAX_SERIES])
    notes.append(f"the {MAX_SERIES} largest of {len(series)} series shown")
    return [pair for pair in series if pair[0] in kept]


def _timed(plan: Plan) -> Drawing:
    keyed = _time_labels(plan)
    notes: list[str] = []
    places, series = _group(plan, [place for _, place in keyed], [key for key, _ in keyed], notes)
    missing = [p for p in places if p == "(none)"]
    if missing:
        lost = sum(place == "(none)" for _, place in keyed)
        notes.append(f"{counted(lost, 'row')} without a time left out")
        places = [p for p in places if p != "(none)"]
    series = _fewer_series(series, notes)
    if plan.type == "pie":
        return _slices(places, series[0][1], notes)
    gaps = plan.color is not None and plan.type in ("bar", "area")
    drawn = []
    for name, points in series:
        x = [p for p in places if gaps or p in points]
        drawn.append(Series(name, x, [points.get(p) for p in x]))
    unit = plan.x.unit if plan.coarse is None else "text"
    kind = {"date": "date", "year": "linear", "number": "linear"}.get(unit or "", "category")
    return Drawing(drawn, kind, notes)


def _labelled(plan: Plan) -> Drawing:
    notes: list[str] = []
    names: list[Place] = list(_labels(plan.x))
    if plan.coarse:
        pairs = list(zip(plan.coarse.values, plan.x.values, strict=True))
        both = [f"{first} {name}" for first, name in zip(_labels(plan.coarse), names, strict=True)]
        names = list(_told_apart(pairs, both))
    places, series = _group(plan, names, None, notes)
    series = _fewer_series(series, notes)
    total: dict[Place, float] = {p: sum(points.get(p) or 0.0 for _, points in series) for p in places}
    if plan.type == "pie":
        return _slices(sorted(places, key=lambda p: -total[p]), total, notes)
    if plan.order is not None:
        return _ordered(plan, places, series, total, notes)
    first = series[0][1]
    given = plan.color is None and not plan.combine and sorted_by([first.get(p) for p in places])
    if not given and all(_starts_with_number(str(p)) for p in places):
        places = sorted(places, key=lambda p: _leading_number(str(p)))
    elif not given and plan.type == "bar":
        places = sorted(places, key=lambda p: -total[p])
    if plan.type == "bar" and len(places) > MAX_BARS:
        if given:
            notes.append(f"the first {MAX_BARS} of {len(places)} shown")
            places = places[:MAX_BARS]
        else:
            notes.append(f"the {MAX_BARS} largest of {len(places)} shown")
            largest = set(sorted(places, key=lambda p: -abs(total[p]))[:MAX_BARS])
            places = [p for p in places if p in largest]
    return Drawing(
        [Series(name, list(places), [points.get(p) for p in places]) for name, points in series], "category", notes
    )


def _ordered(
    plan: Plan,
    places: list[Place],
    series: list[tuple[str, dict[Place, float | None]]],
    total: Mapping[Place, float],
    notes: list[str],
) -> Drawing:
    """The places in the order that was asked for, the first ones when there are too many."""
    if plan.order == "name":
        places = sorted(places, key=lambda p: _leading_number(str(p)) if _starts_with_number(str(p)) else (0.0, str(p)))
    elif plan.order != "rows":
        places = sorted(places, key=lambda p: total[p], reverse=plan.order == "largest")
    if plan.type == "bar" and len(places) > MAX_BARS:
        notes.append(f"the first {MAX_BARS} of {len(places)} shown")
        places = places[:MAX_BARS]
    return Drawing(
        [Series(name, list(places), [points.get(p) for p in places]) for name, points in series], "category", notes
    )


def _starts_with_number(text: str) -> bool:
    return bool(text) and (text[0].isdigit() or (text[0] in "<>+-" and text[1:2].isdigit()))


def _leading_number(text: str) -> tuple[float, str]:
    digits = ""
    for char in text.lstrip("<>+- "):
        if not (char.isdecimal() or (char == "." and "." not in digits)):
            break
        digits += char
    return (float(digits) if digits.strip(".") else 0.0) - (0.5 if text.startswith("<") else 0.0), text


def _slices(places: list[Place], total: Mapping[Place, float | None], notes: list[str]) -> Drawing:
    parts = [(p, v) for p in places if (v := total.get(p))]
    name = None
    if len(parts) > _MAX_SLICES:
        parts.sort(key=lambda part: -part[1])
        rest = parts[_MAX_SLICES - 1 :]
        name = f"Other ({len(rest)})"
        parts = [*parts[: _MAX_SLICES - 1], (name, sum(v for _, v in rest))]
        notes.append(f"the {len(rest)} smallest parts are put together as other")
    return Drawing([Series("", [p for p, _ in parts], [v for _, v in parts])], "category", notes, name)


def _numeric(plan: Plan) -> Drawing:
    xs = plan.x.numbers
    series = []
    for column in plan.y:
        points = sorted((x, y) for x, y in zip(xs, column.numbers, strict=True) if x is not None and y is not None)
        series.append(Series(column.label, [x for x, _ in points], [y for _, y in points]))
    return Drawing(series, "linear")


def _scatter(plan: Plan) -> Drawing:
    dates = plan.x.unit in ("date", "text", "month_name", "weekday")
    xs: list[Place | None] = (
        [None if is_no_time(plan.x, v) else time_text(v) for v in plan.x.values] if dates else list(plan.x.numbers)
    )
    names = _color_labels(plan.color) if plan.color else [plan.y[0].label] * len(xs)
    notes: list[str] = []
    colours = Counter(names)
    if len(colours) > MAX_SERIES:  # more colours than an eye tells apart: the rest shares one
        kept = {name for name, _ in colours.most_common(MAX_SERIES - 1)}
        notes.append(f"{len(colours) - len(kept)} of {len(colours)} series share one colour")
        names = [name if name in kept else "Other" for name in names]
    series: dict[str, Series] = {}
    lost = 0
    for name, x, y in zip(names, xs, plan.y[0].numbers, strict=True):
        if x is None or y is None:
            lost += 1
            continue
        points = series.setdefault(name, Series(name, [], []))
        points.x.append(x)
        points.y.append(y)
    if lost:
        notes.append(f"{counted(lost, 'row')} without both values left out")
    return Drawing(list(series.values()), "date" if plan.x.unit == "date" else "category" if dates else "linear", notes)


def _histogram(column: Column) -> Drawing:
    values = [v for v in column.numbers if v is not None]
    if not values:
        return Drawing([], "category")
    bins = bins_of(values, whole=pa.types.is_integer(column.data.type))
    notes = [f"bins of {bins.width}, each without its upper end"]
    if lost := len(column.numbers) - len(values):
        notes.append(f"{counted(lost, 'row')} without a number left out")
    names: list[Place] = list(_told_apart(range(len(bins.names)), bins.names))
    return Drawing([Series("rows", names, [float(count) for count in bins.counts])], "category", notes)


def _thinned(drawing: Drawing, kind: ChartType) -> Drawing:
    total = sum(len(s.x) for s in drawing.series)
    if total <= MAX_POINTS:
        return drawing
    budget = MAX_POINTS // max(1, len(drawing.series))
    together = _indexes_of_all(drawing.series, budget) if kind == "area" else None
    for series in drawing.series:
        if len(series.x) > budget:
            cloud = kind == "scatter"
            kept = sample_indexes(series.x, series.y, budget) if cloud else min_max_indexes(series.y, budget)
            kept = together or kept
            series.x = [series.x[i] for i in kept]
            series.y = [series.y[i] for i in kept]
    shown = sum(len(s.x) for s in drawing.series)
    how = "taken at random" if kind == "scatter" else "the lowest and highest of each stretch"
    drawing.notes.append(f"{shown:,} of {total:,} points drawn, {how}")
    return drawing


def _indexes_of_all(series: Sequence[Series], budget: int) -> list[int] | None:
    """The same points of every area, by their sum: where one had a point less, the others would fall onto it."""
    if len({tuple(one.x) for one in series}) > 1:
        return None
    sums = [math.fsum(value or 0.0 for value in values) for values in zip(*(one.y for one in series), strict=True)]
    return min_max_indexes(sums, budget)
