"""A chart as a still picture: SVG text made from the figure's points, for documents that run no script."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, Final

from tabulaflow_core.output import direction

WIDTH: Final = 760
HEIGHT: Final = 340
COLORS: Final = ("#0f766e", "#d97706", "#4f46e5", "#be123c", "#0284c7", "#65a30d", "#a21caf", "#475569")
_LEFT: Final = 84
_RIGHT: Final = 16
_TOP: Final = 36
_BOTTOM: Final = 52
#: Of a bar with its gap, and what a day takes below the axis.
_THINNEST: Final = 2.0
_LABEL_ROOM: Final = 62.0
_WIDE_LEFT: Final = 200  # where the labels of horizontal bars stand
_TICKS: Final = 5
_LABEL_CHARS: Final = 26
_MOST_LABELS: Final = 14
_LEGEND_ROW: Final = 16
#: A fifth of it is still a float of full precision.
_LEAST: Final = 1e-300

_Trace = dict[str, Any]
_Scale = Callable[[Any], float]


def chart_svg(plotly: str, *, title: str = "") -> str:
    """The figure of `ChartSpec.plotly` as one `<svg>` element: text and shapes only, every label escaped.

    Args:
        title: Read out in place of the picture.
    """
    figure = json.loads(plotly)
    traces: list[_Trace] = figure["data"]
    layout: dict[str, Any] = figure["layout"]
    named = len(traces) > 1 and traces[0]["type"] != "pie"
    legend = _legend([str(t.get("name", "")) for t in traces]) if named else ""
    body = _pie(traces[0]) if traces and traces[0]["type"] == "pie" else _plot(traces, layout)
    heading = _text(WIDTH / 2, 20, _plain(layout.get("title", {}).get("text", "")), anchor="middle", size=14)
    height = HEIGHT + (_LEGEND_ROW * math.ceil(len(traces) / 4) if named else 0)
    label = html.escape(title or _plain(layout.get("title", {}).get("text", "")), quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">'
        f"{heading}{body}{legend}</svg>"
    )


def _plain(text: object) -> str:
    """A label of the figure, whose marks were made harmless for plotly."""
    return html.unescape(str(text))


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 11, turn: bool = False) -> str:
    turned = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turn else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="currentColor"{turned}>'
        f"{html.escape(_short(text))}</text>"
    )


def _short(text: str, most: int = 90) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _plot(traces: Sequence[_Trace], layout: dict[str, Any]) -> str:
    lying = any(trace.get("orientation") == "h" for trace in traces)
    left, right, top, bottom = (_WIDE_LEFT if lying else _LEFT), WIDTH - _RIGHT, _TOP, HEIGHT - _BOTTOM
    places_key, values_key = ("y", "x") if lying else ("x", "y")
    piled = layout.get("barmode") == "stack"
    stacked = _stacked(traces, values_key, places_key, all_of_them=piled)
    values = [v for trace in stacked for v in trace[values_key] if v is not None]
    bars_stand = any(trace["type"] == "bar" for trace in traces)
    low, high = _range(values, from_zero=bars_stand or any("fill" in t or "stackgroup" in t for t in traces))
    kind = layout[f"{places_key}axis"].get("type", "category")
    places = list(dict.fromkeys(p for trace in traces for p in trace[places_key] if p is not None))
    along = (top, bottom) if lying else (left, right)
    step = (along[1] - along[0]) / max(1, len(places))
    place_of = _places(kind, places, *along, inset=step / 2 if bars_stand else 12)
    if bars_stand and kind != "category":  # moments and numbers stand at unequal distances
        spots = sorted(place_of(place) for place in places)
        step = max(_THINNEST, min([step, *(after - before for before, after in pairwise(spots))]))
    value_of = _linear(low, high, left, right) if lying else _linear(low, high, bottom, top)
    frame = [_ticks(low, high, value_of, lying=lying, left=left, right=right, top=top, bottom=bottom)]
    frame.append(_labels(kind, places, place_of, lying=lying, left=left, bottom=bottom))
    titles = {axis: _plain(layout[f"{axis}axis"].get("title", {}).get("text", "")) for axis in ("x", "y")}
    frame.append(_text((left + right) / 2, HEIGHT - 8, titles["x"], anchor="middle"))
    frame.append(_text(14, (top + bottom) / 2, titles["y"], anchor="middle", turn=True))
    for at, trace in reversed(list(enumerate(stacked))) if piled else enumerate(stacked):
        color = COLORS[at % len(COLORS)]
        points = [(p, v) for p, v in zip(trace[places_key], trace[values_key], strict=True) if p is not None]
        if trace["type"] == "bar":
            width = step * 0.8 / (1 if piled else len(traces))
            shift = 0.0 if piled else (at - (len(traces) - 1) / 2) * width
            frame.append(_bars(points, place_of, value_of, color, width=width, shift=shift, lying=lying))
        else:
            frame.append(_line(trace, points, place_of, value_of, color))
    return "".join(frame)


def _stacked(traces: Sequence[_Trace], values: str, places: str, *, all_of_them: bool) -> list[_Trace]:
    """Bars and areas that stand on each other, with the heights of those below added."""
    base: dict[object, float] = {}
    out = []
    for trace in traces:
        if all_of_them or "stackgroup" in trace:
            for place, value in zip(trace[places], trace[values], strict=True):
                base[place] = base.get(place, 0.0) + (value or 0.0)
            trace = trace | {values: [base[place] for place in trace[places]]}
        out.append(trace)
    return out


def _range(values: Sequence[float], *, from_zero: bool) -> tuple[float, float]:
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low <= max(1e-12 * max(abs(low), abs(high)), _LEAST):  # nothing that a picture could tell apart
        room = max(1.0, 1e-3 * abs(high))
        low, high = low - room, high + room
    step = _step(low, high)
    return math.floor(low / step) * step, math.ceil(high / step) * step


def _step(low: float, high: float) -> float:
    raw = (high - low) / _TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)


def _linear(low: float, high: float, begin: float, end: float) -> _Scale:
    return lambda value: begin + (float(value) - low) / (high - low) * (end - begin)


def _places(kind: str, places: Sequence[Any], begin: float, end: float, *, inset: float) -> _Scale:
    """Where on the axis each place is.

    Args:
        inset: Room at both ends, so that a bar or a point there is not cut.
    """
    if kind == "linear" and places:
        low, high = _range([float(p) for p in places], from_zero=False)
        return _linear(low, high, begin + inset, end - inset)
    if kind == "date" and places:
        moments = [_moment(p) for p in places]
        low, high = min(moments), max(moments)
        scale = _linear(low, high if high > low else low + 1.0, begin + inset, end - inset)
        return lambda place: scale(_moment(place))
    step = (end - begin) / max(1, len(places))
    middle = {place: begin + step * (at + 0.5) for at, place in enumerate(places)}
    return lambda place: middle[place]


def _moment(text: object) -> float:
    """Seconds from 1970 on; a month is its first day."""
    day = str(text)
    moment = datetime.fromisoformat(f"{day}-01" if len(day) == len("2026-01") else day)
    return (moment.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()


def _number(value: float) -> str:
    return f"{value:,.10g}"


def _ticks(
    low: float, high: float, value_of: _Scale, *, lying: bool, left: float, right: float, top: float, bottom: float
) -> str:
    step, parts = _step(low, high), []
    for at in range(round((high - low) / step) + 1):
        value = low + at * step
        place = value_of(value)
        line = (place, top, place, bottom) if lying else (left, place, right, place)
        ends = 'x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"'.format(*line)
        parts.append(f'<line {ends} stroke="currentColor" stroke-opacity="0.15"/>')
        where = (place, bottom + 16, "middle") if lying else (left - 6, place + 4, "end")
        parts.append(_text(where[0], where[1], _number(round(value, 10)), anchor=where[2]))
    return "".join(parts)


def _labels(kind: str, places: Sequence[Any], place_of: _Scale, *, lying: bool, left: float, bottom: float) -> str:
    most = len(places) if lying else _MOST_LABELS if kind == "category" else 7
    every = max(1, math.ceil(len(places) / max(1, most)))
    parts, last = [], -math.inf
    for place in sorted(places)[::every] if kind != "category" else places[::every]:
        if kind != "category" and not lying:
            if place_of(place) - last < _LABEL_ROOM:
                continue
            last = place_of(place)
        text = _number(place) if kind == "linear" and abs(place) >= 10_000 else str(place)
        text = _short(_plain(text)[:10] if kind == "date" else _plain(text), _LABEL_CHARS if lying else 12)
        where = (left - 6, place_of(place) + 4, "end") if lying else (place_of(place), bottom + 16, "middle")
        parts.append(_text(where[0], where[1], text, anchor=where[2], size=10))
    return "".join(parts)


def _bars(
    points: Sequence[tuple[Any, Any]],
    place_of: _Scale,
    value_of: _Scale,
    color: str,
    *,
    width: float,
    shift: float,
    lying: bool,
) -> str:
    parts = []
    for place, value in points:
        if value is None:
            continue
        start, end = sorted((value_of(0.0), value_of(value)))
        across = place_of(place) + shift - width / 2
        x, y, w, h = (start, across, end - start, width) if lying else (across, start, width, end - start)
        parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="{color}"/>')
    return "".join(parts)


def _line(trace: _Trace, points: Sequence[tuple[Any, Any]], place_of: _Scale, value_of: _Scale, color: str) -> str:
    parts = []
    mode = str(trace.get("mode", "lines"))
    runs = _runs([None if value is None else (place_of(place), value_of(value)) for place, value in points])
    for known in runs if "lines" in mode else ():
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in known)
        if "fill" in trace or "stackgroup" in trace:
            floor = value_of(0.0)
            closed = f"{known[0][0]:.1f},{floor:.1f} {path} {known[-1][0]:.1f},{floor:.1f}"
            parts.append(f'<polygon points="{closed}" fill="{color}" fill-opacity="0.3"/>')
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
    if "markers" in mode:
        dots = [dot for known in runs for dot in known]
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}" fill-opacity="0.8"/>' for x, y in dots]
    return "".join(parts)


def _runs(points: Sequence[tuple[float, float] | None]) -> list[list[tuple[float, float]]]:
    """The points between two gaps: a line over a gap would state values that no row has."""
    runs: list[list[tuple[float, float]]] = [[]]
    for point in points:
        if point is not None:
            runs[-1].append(point)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _pie(trace: _Trace) -> str:
    values = [max(0.0, float(value or 0.0)) for value in trace["values"]]
    total = math.fsum(values) or 1.0
    x, y, radius = 190.0, (_TOP + HEIGHT) / 2, (HEIGHT - _TOP) / 2 - 20
    angle, parts = -math.pi / 2, []
    for at, (label, value) in enumerate(zip(trace["labels"], values, strict=True)):
        color, share = COLORS[at % len(COLORS)], value / total
        if share >= 0.9999:
            parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{color}"/>')
        else:
            end = angle + share * 2 * math.pi
            first = f"{x + radius * math.cos(angle):.1f} {y + radius * math.sin(angle):.1f}"
            last = f"{x + radius * math.cos(end):.1f} {y + radius * math.sin(end):.1f}"
            large = int(share > 0.5)
            path = f"M {x} {y} L {first} A {radius} {radius} 0 {large} 1 {last} Z"
            parts.append(f'<path d="{path}" fill="{color}"/>')
            angle = end
        row = _TOP + 30 + at * 22
        parts.append(f'<rect x="400" y="{row - 10}" width="12" height="12" fill="{color}"/>')
        parts.append(_text(420, row, f"{direction.name(_short(_plain(label), 34))}: {_number(value)} ({share:.1%})"))
    return "".join(parts)


def _legend(names: Sequence[str]) -> str:
    parts = []
    for at, name in enumerate(names):
        x, y = _LEFT + (at % 4) * 165, HEIGHT + 8 + (at // 4) * _LEGEND_ROW
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{COLORS[at % len(COLORS)]}"/>')
        parts.append(_text(x + 15, y, _short(_plain(name), 22)))
    return "".join(parts)
