"""The usage page: tokens, requests, seconds and cost by question, conversation, model, source and day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

import pyarrow as pa
import streamlit as st

from pages.ui import safe, state, wording
from tabulaflow_core.output import csv_bytes
from tabulaflow_core.runtime import UsageRow, get_runtime

if TYPE_CHECKING:
    from streamlit.elements.lib.column_types import ColumnConfig

_PERIODS: Final[dict[str, int | None]] = {"Today": 1, "7 days": 7, "30 days": 30, "All": None}
_OWN: Final = "Days of your choice"
#: Left out of the questions where no question has any; the CSV has them always.
_IF_ANY: Final = ("of these cached", "of these reasoning", "Verdict")
#: Pixels.
_WIDTHS: Final = {
    "Questions": 80,
    "Cost": 100,
    "Model calls": 90,
    "Tokens in": 80,
    "of these cached": 110,
    "Tokens out": 85,
    "of these reasoning": 125,
    "Seconds": 75,
    "Model": 130,
    "Source": 70,
    "Verdict": 75,
    "Conversation": 180,
}
_Cell: TypeAlias = str | int | float | datetime


def draw() -> None:
    """Draw the page."""
    st.title("Usage")
    since, until = _period()
    rows = get_runtime().usage(state.principal(), since=since, until=until)
    if not rows:
        st.info("No question was asked in this period. Each one is counted here, with what it cost.")
        return
    rows = _of_one_conversation(rows)
    _draw_totals(rows)
    by_question, by_conversation, by_model, by_source, by_day = st.tabs(
        ["By question", "By conversation", "By model", "By source", "By day"], key="usage-tabs"
    )
    with by_question:
        columns = {
            "When": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", width=130),
            "Question": st.column_config.TextColumn(width=205),
        }
        _draw_rows(without_idle([_question(row) for row in rows]), key="usage-questions", columns=columns)
    with by_conversation:
        titles = {row.conversation_id: row.conversation_title or "deleted" for row in rows}
        groups = _grouped(rows, "Conversation", lambda row: row.conversation_id)
        for group in groups:
            group["Conversation"] = titles.get(str(group["Conversation"]), "none")
        _draw_rows(groups, key="usage-conversations")
    with by_model:
        _draw_rows(_grouped(rows, "Model", lambda row: row.model), key="usage-models")
    with by_source:
        groups = _grouped(rows, "Source", lambda row: row.sources)
        _draw_rows(groups, key="usage-sources")
        st.caption(
            "A question that needed two sources stands under both together, so that the lines add up. "
            "*none*: no query ran, or the question is older than this count."
        )
    with by_day:
        days = _grouped(rows, "Day", lambda row: row.started_at.astimezone().date().isoformat())
        _draw_rows(days, key="usage-days")
    st.download_button(
        "CSV of these questions",
        data=lambda: csv_bytes(usage_table(rows), bom=True),
        file_name="usage.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        key="usage-csv",
    )


def _draw_rows(
    rows: Sequence[Mapping[str, _Cell]], *, key: str, columns: Mapping[str, ColumnConfig] | None = None
) -> None:
    """A table of figures whose columns all fit beside the open sidebar of a usual screen."""
    narrow = {name: st.column_config.Column(width=width) for name, width in _WIDTHS.items()}
    st.dataframe(rows, hide_index=True, placeholder="", column_config={**narrow, **(columns or {})}, key=key)


def without_idle(rows: Sequence[Mapping[str, _Cell]]) -> list[dict[str, _Cell]]:
    """`rows` without those columns of lesser weight in which nobody has anything: the others need the room."""
    idle = {name for name in _IF_ANY if not any(row.get(name) for row in rows)}
    return [{name: cell for name, cell in row.items() if name not in idle} for row in rows]


def _period() -> tuple[datetime | None, datetime | None]:
    """The moments between which questions are counted."""
    choices = [*_PERIODS, _OWN]
    chosen = st.segmented_control("Period", choices, default="30 days", key="usage-period") or "All"
    if chosen != _OWN:
        return _since(_PERIODS[chosen]), None
    today = date.today()
    days = st.date_input("From and to", value=(today, today), max_value=today, key="usage-days-own")
    first, last = (days[0], days[-1]) if isinstance(days, tuple) and days else (today, today)
    return _midnight(first), _midnight(last + timedelta(days=1))


def _since(days: int | None) -> datetime | None:
    return None if days is None else _midnight(date.today() - timedelta(days=days - 1))


def _midnight(day: date) -> datetime:
    """The beginning of a local day."""
    return datetime.combine(day, time()).astimezone(UTC)


def _of_one_conversation(rows: Sequence[UsageRow]) -> Sequence[UsageRow]:
    """The rows of the conversation that is chosen, all when none is."""
    titles = {row.conversation_id: row.conversation_title or "deleted" for row in rows}
    if len(titles) < 2:
        return rows
    chosen = st.selectbox(
        "Conversation",
        list(titles),
        index=None,
        format_func=lambda conversation: safe.label(titles.get(conversation, "deleted")),
        placeholder="All conversations",
        key="usage-conversation",
    )
    return [row for row in rows if row.conversation_id == chosen] if chosen in titles else rows


def usage_table(rows: Sequence[UsageRow]) -> pa.Table:
    """The rows as they are taken away: one a question, an unknown cost empty and marked."""
    columns: dict[str, list[object]] = {
        "started_at": [row.started_at for row in rows],
        "question": [row.question for row in rows],
        "conversation": [row.conversation_title for row in rows],
        "conversation_id": [row.conversation_id for row in rows],
        "model": [row.model for row in rows],
        "model_calls": [row.api_requests for row in rows],
        "input_tokens": [row.input_tokens for row in rows],
        "cached_input_tokens": [row.cached_input_tokens for row in rows],
        "output_tokens": [row.output_tokens for row in rows],
        "reasoning_tokens": [row.reasoning_tokens for row in rows],
        "seconds": [round(row.seconds, 3) for row in rows],
        "cost_usd": [row.api_cost_usd for row in rows],
        "sources": [row.sources for row in rows],
        "verdict": [row.feedback.verdict if row.feedback else "" for row in rows],
        "reason": [row.feedback.reason if row.feedback else "" for row in rows],
        "price": ["unknown" if row.api_cost_usd is None else row.price_source for row in rows],
    }
    return pa.table(columns)


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
    return {
        **asked,
        **_figures([row]),
        "Model": row.model or "none",
        "Source": row.sources or "none",
        "Verdict": _verdict(row),  # the conversation has a tab and a box of its own: here it would be cut off
    }


def _verdict(row: UsageRow) -> str:
    """The thumb with the reason, as it was given."""
    if row.feedback is None:
        return ""
    return f"{'👍' if row.feedback.verdict == 'up' else '👎'} {row.feedback.reason}".rstrip()


def _grouped(rows: Sequence[UsageRow], name: str, key: Callable[[UsageRow], str]) -> list[dict[str, str | int | float]]:
    groups: dict[str, list[UsageRow]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    ordered = sorted(groups.items(), reverse=name == "Day")
    return [{name: value or "none", "Questions": len(members), **_figures(members)} for value, members in ordered]
