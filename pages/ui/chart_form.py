"""A chart of one's own choice: its kind, its columns and its order, drawn from the stored rows without a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

import pyarrow as pa
import streamlit as st
from pydantic import JsonValue, TypeAdapter, ValidationError

from pages.ui import changes, state
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output import ChartOrder, ChartSpec, ChartType, choose_chart
from tabulaflow_core.runtime import Place, get_runtime

_TYPES: Final[dict[ChartType, str]] = {
    "bar": "Bars",
    "line": "Line",
    "area": "Area",
    "scatter": "Points",
    "pie": "Pie",
    "histogram": "Distribution",
}
_ORDERS: Final[dict[ChartOrder, str]] = {
    "largest": "Largest first",
    "smallest": "Smallest first",
    "name": "By name",
    "rows": "As in the table",
}
_AUTOMATIC: Final = "As it suits"


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person chose of a chart; empty and None are left to the program."""

    type: ChartType
    x: str | None = None
    y: tuple[str, ...] = ()
    color: str | None = None
    order: ChartOrder | None = None


_CHOICE: Final = TypeAdapter(Choice)


def choice_of(kept: Mapping[str, JsonValue] | None) -> Choice | None:
    """A choice that was kept; None for the chart as it was answered, and for what another version kept."""
    if kept is None:
        return None
    try:
        return _CHOICE.validate_python(dict(kept))
    except ValidationError:
        return None


def redrawn(table_id: str, choice: Choice) -> ChartSpec | str:
    """The chart of a stored result as chosen, or why it cannot be drawn."""
    try:
        result = get_runtime().result(state.principal(), table_id)
    except TabulaflowError as error:
        return error.user_message
    spec = choose_chart(result, type=choice.type, x=choice.x, y=choice.y, color=choice.color, order=choice.order)
    if isinstance(spec, ChartSpec) and spec.type == choice.type:
        return spec
    return f"These columns cannot be drawn as {_TYPES[choice.type].lower()}. Choose other columns or another kind."


def draw(
    table_id: str,
    columns: tuple[str, ...],
    *,
    key: str,
    shown: ChartSpec | None,
    choice: Choice | None,
    place: Place,
) -> None:
    """The form behind a button.

    Args:
        shown: The chart as it stands; None offers to draw a table that has none.
        choice: What holds here.
        place: Where a new choice is kept.
    """
    label = "Change" if shown else "Draw"
    with st.popover(label, icon=":material/tune:", key=f"{key}-form", on_change="rerun") as opened:
        if not opened.open:
            return
        now = choice or _as_shown(shown, columns)
        names = list(dict.fromkeys(columns))
        numbers = _numbers(table_id) or names
        fields = {name: f"{key}-{name}" for name in ("type", "x", "y", "color", "order")}
        st.selectbox(
            "Kind", list(_TYPES), list(_TYPES).index(now.type), format_func=_TYPES.__getitem__, key=fields["type"]
        )
        st.selectbox("Along the axis", names, _at(names, now.x), key=fields["x"])
        st.multiselect(
            "Measures",
            numbers,
            [name for name in now.y if name in numbers],
            key=fields["y"],
        )
        st.selectbox("Colour by", names, _at(names, now.color), key=fields["color"], placeholder="Nothing")
        st.selectbox(
            "Order",
            list(_ORDERS),
            list(_ORDERS).index(now.order) if now.order else None,
            format_func=_ORDERS.__getitem__,
            key=fields["order"],
            placeholder=_AUTOMATIC,
        )
        with st.container(horizontal=True):
            st.button("Draw", key=f"{key}-apply", type="primary", on_click=_apply, args=(place, fields))
            if choice is not None:
                st.button("As answered", key=f"{key}-reset", type="tertiary", on_click=changes.keep, args=(place, None))


def _as_shown(shown: ChartSpec | None, columns: tuple[str, ...]) -> Choice:
    if shown is None:
        return Choice("bar")
    return Choice(
        shown.type,
        x=columns[shown.x],
        y=tuple(columns[at] for at in shown.y),
        color=None if shown.color is None else columns[shown.color],
    )


def _numbers(table_id: str) -> list[str]:
    """The columns that can be measured."""
    try:
        schema = get_runtime().result(state.principal(), table_id).table.schema
    except TabulaflowError:
        return []
    return list(dict.fromkeys(field.name for field in schema if _is_number(field.type)))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _at(names: list[str], name: str | None) -> int | None:
    return names.index(name) if name in names else None


def _apply(place: Place, fields: dict[str, str]) -> None:
    values = {name: st.session_state.get(field) for name, field in fields.items()}
    choice = Choice(values["type"], values["x"], tuple(values["y"] or ()), values["color"], values["order"])
    changes.keep(place, {**asdict(choice), "y": list(choice.y)})
