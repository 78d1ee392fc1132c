"""The columns of a read table: their types, each to be changed in place, and what is known of them."""

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
#: Columns in one editor; who has more finds the rest by a word.
_MOST: Final = 300


def draw(of: Scope, table: TableSchema) -> None:
    """Draw the columns of `table` with an editable type."""
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
    key = f"types-{of.key}-{table.name}"
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
    st.data_editor(
        pa.table(shown),
        key=key,
        hide_index=True,
        height=min(35 * (len(columns) + 1) + 3, 528),
        disabled=[name for name in shown if name != "Type"],
        column_config={
            "Type": st.column_config.SelectboxColumn(
                options=[_AUTOMATIC, *_TYPES, *sorted({_type(c) for c in columns} - set(_TYPES))],
                required=True,
                help="Click twice to choose another type; “automatic” leaves it to the reader again.",
            ),
            "Remark": st.column_config.TextColumn(width="large"),
        },
        on_change=_changed,
        args=(of, key, names),
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


def _changed(of: Scope, key: str, names: Sequence[str]) -> None:
    edits = st.session_state.get(key, {}).get("edited_rows", {})
    types = with_edits(_told(of), edits, names)
    rereading.want(of, {"types": cast(JsonValue, types)})


def with_edits(
    told: Mapping[str, JsonValue], edits: Mapping[int, Mapping[str, object]], names: Sequence[str]
) -> dict[str, JsonValue]:
    """The types that a person chose, after edits in the list of columns.

    Args:
        told: Type by column, as chosen before.
        edits: By row, what was written into its cells.
        names: The columns of the rows.
    """
    types = dict(told)
    for row, change in edits.items():
        if "Type" not in change or not 0 <= int(row) < len(names):
            continue
        if change["Type"] == _AUTOMATIC:
            types.pop(names[int(row)], None)
        else:
            types[names[int(row)]] = str(change["Type"])
    return types
