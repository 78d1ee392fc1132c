"""The columns of a read table: their types, each to be changed, and what is known of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

import pyarrow as pa
import streamlit as st
from pydantic import JsonValue

from pages.ui import report, rereading
from pages.ui.rereading import Scope
from tabulaflow_core.data.schema import TableSchema

_AUTOMATIC: Final = "automatic"
_SURE: Final = {"certain": "yes", "guess": "a guess", "told": "your choice"}
_TYPES: Final = ("text", "integer", "number", "date", "datetime", "time", "duration", "boolean")
#: What columns of times are called; their type is “other”.
_CLOCKS: Final = {"TIME": "time", "INTERVAL": "duration"}
#: Columns in one list; who has more finds the rest by a word.
_MOST: Final = 300


def draw(of: Scope, table: TableSchema) -> None:
    """Draw the columns of `table`, and a choice of another type for one of them."""
    columns = report.objects(of.report.get("columns"))
    if not columns:
        rows = [{"Column": c.name, "Type": c.type, "Remark": c.comment} for c in table.columns[:_MOST]]
        st.dataframe(rows, hide_index=True, key=f"columns-{of.key}-{table.name}")
        return
    if len(columns) > _MOST:
        word = st.text_input("Find a column", key=f"find-{of.file}-{table.name}", placeholder="Part of its name")
        columns = [c for c in columns if word.casefold() in report.text(c, "name").casefold()]
        if len(columns) > _MOST:
            st.caption(f"The first {_MOST} of {len(columns):,} columns.")
            columns = columns[:_MOST]
    told = _told(of)
    names = [report.text(c, "name") for c in columns]
    sures = [(report.text(c, "name"), report.text(c, "certainty")) for c in columns]
    shown: dict[str, pa.Array] = {
        "Column": pa.array(names, pa.string()),
        "Type": pa.array([_type(c) for c in columns], pa.string()),
        "Sure": pa.array(["your choice" if n in told else _SURE.get(s, s) for n, s in sures], pa.string()),
    }
    if any(report.number(c, "misfits") for c in columns):
        shown["Did not fit"] = pa.array([report.number(c, "misfits") or None for c in columns], pa.int64())
    shown["Remark"] = pa.array([_remark(c) for c in columns], pa.string())
    st.dataframe(
        pa.table(shown),
        key=f"types-{of.key}-{table.name}",
        hide_index=True,
        height=min(35 * (len(columns) + 1) + 3, 528),
        column_config={"Remark": st.column_config.TextColumn(width="large")},
    )
    _draw_choice(of, table.name, columns, told)


def _draw_choice(of: Scope, table: str, columns: Sequence[dict[str, JsonValue]], told: Mapping[str, JsonValue]) -> None:
    """Two lists, the column and its type: one key or click opens them, on a phone too, as no cell of a grid does."""
    which, what = st.columns(2)
    names = [report.text(c, "name") for c in columns]
    # Kept over a reading, so that what was changed stands there to be changed back.
    place = f"column-{of.file}-{of.part}-{table}"
    if st.session_state.get(place) not in names:
        st.session_state.pop(place, None)
    name = which.selectbox("Change the type of", names, index=None, placeholder="a column", key=place)
    if name is None:
        return
    read_as = _type(columns[names.index(name)])
    options = [_AUTOMATIC, *_TYPES, *({read_as} - set(_TYPES))]
    key = f"type-{of.key}-{table}-{name}"
    what.selectbox(
        "Its type",
        options,
        index=options.index(read_as if name in told else _AUTOMATIC),
        format_func=lambda kind: f"{read_as} · auto" if kind == _AUTOMATIC and name not in told else str(kind),
        help="“automatic” leaves it to the reader again.",
        key=key,
        on_change=_changed,
        args=(of, key, name),
    )


def _type(column: dict[str, JsonValue]) -> str:
    """The type by the name under which it can be chosen."""
    return _CLOCKS.get(report.text(column, "engine_type"), report.text(column, "type"))


def _told(of: Scope) -> dict[str, JsonValue]:
    types = of.told.get("types")
    return dict(types) if isinstance(types, dict) else {}


def _remark(column: dict[str, JsonValue]) -> str:
    """What is known of a column: its header in the file, how it was read, words taken for no value."""
    header, name, note = (report.text(column, key) for key in ("header", "name", "note"))
    missing = column.get("missing")
    pieces = [note]
    if header and header != name:
        pieces.append(f"“{' '.join(header.split())}” in the file")
    if isinstance(missing, dict) and missing:
        words = ", ".join(f"“{word}” ({times})" for word, times in list(missing.items())[:5])
        pieces.append(f"no value: {words}")
    return "; ".join(piece for piece in pieces if piece)


def _changed(of: Scope, key: str, name: str) -> None:
    rereading.want(of, {"types": cast(JsonValue, with_type(_told(of), name, str(st.session_state[key])))})


def with_type(told: Mapping[str, JsonValue], name: str, kind: str) -> dict[str, JsonValue]:
    """The types that a person chose, with another one for a column; `automatic` leaves it to the reader.

    Args:
        told: Type by column, as chosen before.
    """
    others = {column: chosen for column, chosen in told.items() if column != name}
    return others if kind == _AUTOMATIC else {**others, name: kind}
