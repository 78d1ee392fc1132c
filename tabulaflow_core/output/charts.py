"""The chart or the number that a result is shown as, right without being asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

import pyarrow as pa

from tabulaflow_core.counting import counted
from tabulaflow_core.output.cells import number_text, rounded
from tabulaflow_core.output.clocks import as_drawn
from tabulaflow_core.output.columns import Column, describe_columns
from tabulaflow_core.output.figure import figure_json
from tabulaflow_core.output.plan import Plan, Wish, plan_chart
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.series import Drawing, Series, draw
from tabulaflow_core.output.specs import ChartOrder, ChartSpec, ChartType, MetricSpec
from tabulaflow_core.output.words import chart_wish


def choose_chart(
    result: StoredResult,
    *,
    question: str = "",
    type: ChartType | None = None,
    x: str | None = None,
    y: Sequence[str] | None = None,
    color: str | None = None,
    order: ChartOrder | None = None,
    title: str = "",
) -> ChartSpec | MetricSpec | None:
    """What best shows `result`: a metric, a chart, or None when the table says it all.

    Args:
        question: As asked, in any of English, German, Spanish and French; "as a bar chart" in it is honoured.
        type: The kind asked for, before the question's.
        x: Name of the column on the axis. A name that is not there is passed over.
        y: Names of the measures.
        color: Name of the column that splits the series.
        order: In which order labels stand, before the one that suits them.
        title: The chart's title; made from the columns when empty.
    """
    table = result.table
    wish = type or chart_wish(question)
    if not table.num_rows or not table.num_columns or wish == "none":
        return None
    columns = describe_columns(table)
    if table.num_rows == 1 and table.num_columns == 1:
        return metric(result, columns[0], title)
    columns = as_drawn(columns)
    plan = plan_chart(columns, table.num_rows, Wish(question=question, kind=wish, x=x, y=tuple(y or ()), color=color))
    if plan is None:
        return None
    drawing = draw(replace(plan, order=order))
    if not any(value is not None for series in drawing.series for value in series.y):
        return None
    if result.truncated:
        drawing.notes.append("the result was cut")
    title = title or _title(plan)
    return ChartSpec(
        id=f"c_{uuid4().hex[:16]}",
        table_id=result.id,
        type=plan.type,
        title=title,
        x=plan.x.index,
        y=tuple(c.index for c in plan.y),
        color=plan.color.index if plan.color else None,
        summary=_summary(plan, drawing),
        plotly=figure_json(plan, drawing, title),
    )


def metric(result: StoredResult, column: Column, title: str) -> MetricSpec | None:
    """The first cell of a column as a number for a person; None where it is none."""
    value = column.values[0]
    is_number = column.role == "measure" or column.unit in ("year", "number")
    if not is_number or value is None or isinstance(value, (bool, str)):
        return None
    if isinstance(value, float):  # the digits behind a division's result say nothing
        value = rounded(value)
    text = number_text(value, grouped=column.role == "measure")  # type: ignore[arg-type]
    return MetricSpec(table_id=result.id, label=title or column.label, value=text)


def _title(plan: Plan) -> str:
    if plan.type == "histogram":
        return _capital(f"distribution of {plan.y[0].label}")
    if plan.type == "scatter":
        return _capital(f"{plan.y[0].label} against {plan.x.label}")
    measures = ", ".join(c.label for c in plan.y[:3])
    split = f" and {plan.color.label}" if plan.color else ""
    axis = f"{plan.coarse.label} and {plan.x.label}" if plan.coarse else plan.x.label
    return _capital(f"{measures} by {axis}{split}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_NAMES = {
    "bar": "Bar chart",
    "line": "Line chart",
    "scatter": "Scatter chart",
    "pie": "Pie chart",
    "area": "Area chart",
    "histogram": "Histogram",
}


def _summary(plan: Plan, drawing: Drawing) -> str:
    """The chart in one line, for those who do not see it."""
    head = f"{_NAMES[plan.type]}: {_title(plan)}"
    facts = [_extent(plan, drawing), *drawing.notes]
    return " ".join(f"{head}. {'; '.join(fact for fact in facts if fact)}.".split())


def _extent(plan: Plan, drawing: Drawing) -> str:
    series = drawing.series
    if len(series) > 1:
        if plan.type == "scatter":
            return f"{len(series)} series with {counted(sum(len(s.x) for s in series), 'point')}"
        return f"{len(series)} series over {counted(len({x for s in series for x in s.x}), 'place')}"
    only: Series = series[0]
    known = [(value, place) for place, value in zip(only.x, only.y, strict=True) if value is not None]
    (high, high_at), (low, low_at) = max(known, key=lambda p: p[0]), min(known, key=lambda p: p[0])
    if plan.type == "pie":  # what is put together is no part that could be the largest
        known = [pair for pair in known if pair[1] != drawing.rest] or known
        (high, high_at), (low, low_at) = max(known, key=lambda p: p[0]), min(known, key=lambda p: p[0])
    count = counted(len(only.x), {"bar": "bar", "histogram": "bar", "pie": "part"}.get(plan.type, "point"))
    if plan.x.role == "time" and plan.type in ("line", "area"):
        count += f" from {_place(plan, only.x[0])} to {_place(plan, only.x[-1])}"
    if plan.type == "scatter":
        return count
    most, least = _figure(plan, high), _figure(plan, low)
    if len(known) == 1:
        return f"{count}; {_place(plan, high_at)} with {most}"
    return f"{count}; highest {_place(plan, high_at)} with {most}, lowest {_place(plan, low_at)} with {least}"


def _figure(plan: Plan, value: float) -> str:
    """The number with the digits that the table shows: those of its column's scale."""
    kind = plan.y[0].data.type
    if pa.types.is_decimal(kind) and kind.scale > 0 and plan.type != "histogram" and plan.combine != "mean":
        return format(value, f",.{kind.scale}f")
    return number_text(rounded(value))


_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def _place(plan: Plan, place: str | float) -> str:
    if isinstance(place, float):
        return format(place, ".15g")
    if plan.x.grain == "month" and place[:4].isdigit():
        return f"{_MONTHS[int(place[5:7]) - 1]} {place[:4]}"
    return place[:10] if plan.x.grain == "day" else place[:60]
