"""The usage page: tokens, requests, seconds and cost by question, by model and by day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import streamlit as st

from pages.ui import state, wording
from tabulaflow_core.runtime import UsageRow, get_runtime

_PERIODS: Final[dict[str, int | None]] = {"Today": 1, "7 days": 7, "30 days": 30, "All": None}


def draw() -> None:
    """Draw the page."""
    st.title("Usage")
    period = st.segmented_control("Period", list(_PERIODS), default="30 days", key="usage-period") or "All"
    rows = get_runtime().usage(state.principal(), since=_since(_PERIODS[period]))
    if not rows:
        st.info("No question was asked in this period. Each one is counted here, with what it cost.")
        return
    _draw_totals(rows)
    by_question, by_model, by_day = st.tabs(["By question", "By model", "By day"])
    with by_question:
        columns = {
            "When": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss"),
            "Question": st.column_config.TextColumn(width="medium"),
        }
        st.dataframe([_question(row) for row in rows], hide_index=True, column_config=columns, key="usage-questions")
    with by_model:
        st.dataframe(_grouped(rows, "Model", lambda row: row.model), hide_index=True, key="usage-models")
    with by_day:
        days = _grouped(rows, "Day", lambda row: row.started_at.astimezone().date().isoformat())
        st.dataframe(days, hide_index=True, key="usage-days")


def _since(days: int | None) -> datetime | None:
    if days is None:
        return None
    midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - timedelta(days=days - 1)).astimezone(UTC)


def _draw_totals(rows: Sequence[UsageRow]) -> None:
    tokens_in, tokens_out = sum(row.input_tokens for row in rows), sum(row.output_tokens for row in rows)
    figures = {
        "Questions": f"{len(rows):,}",
        "Model calls": f"{sum(row.api_requests for row in rows):,}",
        "Tokens in": f"{tokens_in:,}",
        "Tokens out": f"{tokens_out:,}",
        "Cost": wording.total_cost([(row.api_cost_usd, row.price_source) for row in rows]),
    }
    with st.container(horizontal=True):
        for name, figure in figures.items():
            st.metric(name, figure, width="content")


def _figures(rows: Sequence[UsageRow]) -> dict[str, str | int | float]:
    return {
        "Cost": wording.total_cost([(row.api_cost_usd, row.price_source) for row in rows]),
        "Model calls": sum(row.api_requests for row in rows),
        "Tokens in": sum(row.input_tokens for row in rows),
        "of these cached": sum(row.cached_input_tokens for row in rows),
        "Tokens out": sum(row.output_tokens for row in rows),
        "of these reasoning": sum(row.reasoning_tokens for row in rows),
        "Seconds": round(sum(row.seconds for row in rows), 1),
    }


def _question(row: UsageRow) -> dict[str, str | int | float | datetime]:
    asked = {"When": row.started_at.astimezone().replace(tzinfo=None), "Question": row.question}
    return {**asked, **_figures([row]), "Model": row.model or "none", "Conversation": row.conversation_title}


def _grouped(rows: Sequence[UsageRow], name: str, key: Callable[[UsageRow], str]) -> list[dict[str, str | int | float]]:
    groups: dict[str, list[UsageRow]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    ordered = sorted(groups.items(), reverse=name == "Day")
    return [{name: value or "none", "Questions": len(members), **_figures(members)} for value, members in ordered]
