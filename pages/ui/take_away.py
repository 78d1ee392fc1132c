"""What a person can take away of a result: files made when they are asked for."""

from __future__ import annotations

from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import state
from tabulaflow_core.output import csv_bytes, provenance, xlsx_bytes
from tabulaflow_core.runtime import get_runtime

_XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def draw(result_id: str, source: str, *, key: str, extent: str) -> DeltaGenerator:
    """One button a format, and how much there is in words; the row comes back, for what stands beside them."""
    name = f"{source}-{result_id[-6:]}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "CSV",
            data=lambda: _csv(result_id),
            file_name=f"{name}.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
            key=f"{key}-csv",
        )
        st.download_button(
            "Excel",
            data=lambda: _xlsx(result_id),
            file_name=f"{name}.xlsx",
            mime=_XLSX,
            icon=":material/table_view:",
            on_click="ignore",
            key=f"{key}-xlsx",
        )
        beside = st.container(horizontal=True, width="content")
        st.caption(extent, width="content")
    return beside


def _csv(result_id: str) -> bytes:
    return csv_bytes(get_runtime().result(state.principal(), result_id).table, bom=True)  # spreadsheets need the mark


def _xlsx(result_id: str) -> bytes:
    result = get_runtime().result(state.principal(), result_id)
    return xlsx_bytes(result.table, about=[("Rows", provenance(result).text), ("Query", result.sql)])
