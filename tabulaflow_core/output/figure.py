"""Plotly figures as plain JSON: SVG traces, data in arrays, no template, every label escaped."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Final

from tabulaflow_core.output import direction
from tabulaflow_core.output.plan import Plan
from tabulaflow_core.output.series import Drawing, Place, Series

_TICK_CHARS: Final = 28
_TITLE_CHARS: Final = 44  # an upright title has the height of the chart
_LONG_LABEL: Final = 12
_MANY_BARS: Final = 8
#: Pixels: of what stands around lying bars, and of one of them with its label.
_FRAME: Final = 110
_ROW: Final = 20
_ROWS_THAT_FIT: Final = 10

_Json = dict[str, object]


def escape(text: str) -> str:
    """A label for plotly, which reads a few HTML tags, entities and, between dollars, formulas."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("$", "&#36;") if text.count("$") > 1 else text


def figure_json(plan: Plan, drawing: Drawing, title: str) -> str:
    """The figure, readable by `plotly.io.from_json`."""
    horizontal = plan.type == "bar" and drawing.x_kind == "category" and _needs_width(drawing)
    layout: _Json = {
        "title": {"text": escape(title)},
        "margin": {"t": 48, "r": 16, "b": 16, "l": 16},
        "showlegend": plan.type == "pie" or len(drawing.series) > 1,
    }
    if plan.type == "pie":
        return _dump({"data": [_pie(drawing.series[0])], "layout": layout})
    x_axis, y_axis = _place_axis(plan, drawing, horizontal=horizontal), _value_axis(plan, drawing)
    layout["xaxis"], layout["yaxis"] = (y_axis, x_axis) if horizontal else (x_axis, y_axis)
    if horizontal and (rows := len({x for s in drawing.series for x in s.x})) > _ROWS_THAT_FIT:
        layout["height"] = _FRAME + _ROW * rows  # or plotly leaves out every second label
    if plan.type == "bar":
        layout["barmode"] = "stack" if plan.stacked else "group"
    if plan.type == "histogram":
        layout["bargap"] = 0.03
    if len(drawing.series) > 1 and plan.color is not None:
        layout["legend"] = {"title": {"text": escape(plan.color.label)}}
    data = [_trace(plan, series, drawing, horizontal=horizontal) for series in drawing.series]
    return _dump({"data": data, "layout": layout})


def _dump(figure: _Json) -> str:
    return json.dumps(figure, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _needs_width(drawing: Drawing) -> bool:
    labels = {str(x) for s in drawing.series for x in s.x}
    return len(labels) > _MANY_BARS or max(map(len, labels), default=0) > _LONG_LABEL


def _places(series: Series, drawing: Drawing) -> list[Place]:
    if drawing.x_kind == "linear":
        return [_whole(x) if isinstance(x, float) else x for x in series.x]
    return [escape(str(x)) for x in series.x]


def _whole(value: float) -> float | int:
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def _values(series: Series) -> list[float | None]:
    return [None if v is None else _whole(v) for v in series.y]


def _trace(plan: Plan, series: Series, drawing: Drawing, *, horizontal: bool) -> _Json:
    places, values = _places(series, drawing), _values(series)
    place = _hover_place("y" if horizontal else "x", places)
    hover = f"{place}: %{{x:,}}" if horizontal else f"{place}: %{{y:,}}"
    trace: _Json = {"name": escape(series.name), "hovertemplate": f"{hover}<extra></extra>"}
    if len(drawing.series) > 1:
        trace["hovertemplate"] = f"{hover}<extra>%{{fullData.name}}</extra>"
    if plan.type in ("bar", "histogram"):
        trace["type"] = "bar"
        if horizontal:
            return trace | {"orientation": "h", "x": values, "y": places}
        return trace | {"x": places, "y": values}
    # never scattergl: a browser keeps about 16 WebGL contexts, and the charts beyond them go blank
    trace |= {"type": "scatter", "x": places, "y": values}
    if plan.type == "scatter":
        return trace | {"mode": "markers", "marker": {"opacity": 0.75}}
    trace["mode"] = "lines+markers" if len(places) <= 40 else "lines"
    if plan.type == "area":
        trace |= {"stackgroup": "one"} if len(drawing.series) > 1 else {"fill": "tozeroy"}
    return trace


def _hover_place(variable: str, places: Sequence[Place]) -> str:
    """Where the pointer is; a name from right to left must not draw the number behind it to its other side."""
    mark = direction.MARKS if any(direction.has_right_to_left(str(place)) for place in places) else ("", "")
    return f"{mark[0]}%{{{variable}}}{mark[1]}"


def _pie(series: Series) -> _Json:
    place = _hover_place("label", series.x)
    return {
        "type": "pie",
        "labels": [escape(str(x)) for x in series.x],
        "values": _values(series),
        "sort": False,
        "textinfo": "percent",
        "hovertemplate": f"{place}: %{{value:,}} (%{{percent}})<extra></extra>",
    }


def _place_axis(plan: Plan, drawing: Drawing, *, horizontal: bool) -> _Json:
    axis: _Json = {
        "title": {"text": escape(_short(_axis_title(plan), _TITLE_CHARS))},
        "type": drawing.x_kind,
        "automargin": True,
    }
    if drawing.x_kind == "linear":
        if plan.x.unit in ("year", "number"):
            axis["tickformat"] = "d"
            spread = {x for s in drawing.series for x in s.x if isinstance(x, float)}
            if spread and max(spread) - min(spread) <= 24:
                axis["dtick"] = 1
        else:
            axis["tickformat"] = ","
    if drawing.x_kind == "category":
        labels = list(dict.fromkeys(str(x) for s in drawing.series for x in s.x))
        axis |= {"categoryorder": "array", "categoryarray": [escape(t) for t in labels]}
        if any(len(t) > _TICK_CHARS for t in labels):
            axis |= {"tickvals": [escape(t) for t in labels], "ticktext": list(map(escape, _told_apart(labels)))}
    if horizontal:
        axis["autorange"] = "reversed"  # the first bar on top
    return axis


def _axis_title(plan: Plan) -> str:
    zone = getattr(plan.x.data.type, "tz", None) if plan.x.unit == "date" else None
    if plan.coarse is not None:
        return f"{plan.coarse.label} and {plan.x.label}"
    return f"{plan.x.label} ({zone})" if zone else plan.x.label


def _short(text: str, most: int = _TICK_CHARS) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _told_apart(labels: Sequence[str]) -> list[str]:
    """The labels cut to what fits, at the end or, where that would leave several alike, in the middle."""
    short = [_short(text) for text in labels]
    seen = Counter(short)
    half = _TICK_CHARS // 2
    return [
        f"{text[: half - 1].rstrip()}…{text[-half:].lstrip()}" if seen[cut] > 1 and cut != text else cut
        for text, cut in zip(labels, short, strict=True)
    ]


def _value_axis(plan: Plan, drawing: Drawing) -> _Json:
    one = plan.type == "histogram" or bool(plan.color) or len(drawing.series) == 1
    title = "rows" if plan.type == "histogram" else plan.y[0].label if one else ""
    return {"title": {"text": escape(_short(title, _TITLE_CHARS))}, "tickformat": ",", "automargin": True}
