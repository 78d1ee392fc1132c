"""Which columns of a source the model does not see."""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import safe, state, wording
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.runtime import SourceInfo, get_runtime
from tabulaflow_core.runtime.safety import HiddenColumns, patterns_of

#: Columns named one by one; of more, their number is told.
_NAMED: Final = 12
_LONGEST: Final = 2_000


def draw_popover(source: SourceInfo) -> None:
    """Draw the button and the field."""
    with st.popover("Hidden columns", icon=":material/visibility_off:", key=f"hide-{source.id}"):
        st.markdown(
            f"Columns of **{safe.label(source.alias)}** that the language model does not see: not their names, not "
            "their values. You still see them, and queries that you write yourself can use them."
        )
        key = f"hidden-{source.id}"
        if key not in st.session_state:
            st.session_state[key] = ", ".join(source.hidden_columns)
        st.text_input(
            "Patterns",
            key=key,
            max_chars=_LONGEST,
            placeholder="email, customers.phone, *salary*",
            help="A column, or table.column, with `*` for any letters and commas between them. "
            "It holds from the next question on; what a conversation showed before stays in it.",
            on_change=_save,
            args=(source.alias, key),
        )
        st.caption(safe.markdown(_found(source)))


def is_hidden(source: SourceInfo, table: TableSchema) -> frozenset[str]:
    """The columns of `table` that the patterns hide, those of the server's settings included."""
    patterns = (*source.hidden_columns, *get_runtime().settings.hidden_columns)
    return HiddenColumns(source.alias, patterns).of(table)


def _found(source: SourceInfo) -> str:
    hidden = [f"{table.qualified_name}.{name}" for table in source.tables for name in sorted(is_hidden(source, table))]
    general = get_runtime().settings.hidden_columns
    also = f" The settings of this server hide {', '.join(general)} in every source." if general else ""
    if not hidden:
        missing = "No column fits these patterns." if source.hidden_columns else "No column is hidden."
        return missing + also
    shown = ", ".join(hidden[:_NAMED])
    more = f" and {len(hidden) - _NAMED:,} more" if len(hidden) > _NAMED else ""
    return f"{wording.count(len(hidden), 'column')} hidden: {shown}{more}, and what views show of them.{also}"


def _save(alias: str, key: str) -> None:
    get_runtime().hide_columns(state.principal(), alias, patterns_of(str(st.session_state.get(key) or "")))
