"""A conversation about a tile: its rows stand as the first answer, so that a question can go on from them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from tabulaflow_core.agents.events import Artifact, TurnFinished, TurnResult
from tabulaflow_core.agents.history import messages_to_json
from tabulaflow_core.errors import ConfigurationError
from tabulaflow_core.models.contracts import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from tabulaflow_core.output.dashboards import QueryTile, TextTile
from tabulaflow_core.output.filter_values import said
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.specs import ArtifactSpec, TableSpec
from tabulaflow_core.output.tables import preview_text
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards.filtering import pairs_of
from tabulaflow_core.runtime.dashboards.reading import tiles_data_async
from tabulaflow_core.runtime.dashboards.views import TileData
from tabulaflow_core.store.dashboard_records import DashboardRecord, TileRecord
from tabulaflow_core.store.records import ConversationInfo

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

#: What stands in the place of a model's name: none answered.
_ANSWERED_BY: Final = "dashboard"
_CELL_CHARACTERS: Final = 60
#: Seconds to wait for the rows of a choice; on the page they are there already.
_CHOICE_SECONDS: Final = 10.0
_NO_ROWS: Final = "This tile has no rows to ask about yet. Refresh it first."


async def ask_about_async(
    services: Services,
    principal: Principal,
    dashboard_id: str,
    tile_id: str,
    chosen: Mapping[str, Sequence[str]] | None = None,
) -> ConversationInfo:
    """Begin a conversation of the principal's own that knows the rows of a tile; see `Runtime.ask_about_tile`."""
    store = services.store
    board = await store.dashboards.get_async(principal, dashboard_id)
    tile = next((tile for tile in board.tiles if tile.id == tile_id), None)
    if tile is None or (tile.removed_at is not None and board.role != "owner"):
        raise ConfigurationError(_NO_ROWS)
    (data,) = await tiles_data_async(services, principal, board, [tile], chosen=chosen, seconds=_CHOICE_SECONDS)
    if data.result is None:
        raise ConfigurationError(_NO_ROWS)
    # A copy of one's own: the tile's goes with its next refresh.
    own = replace(data.result, id=f"r_{uuid4().hex[:16]}")
    if data.filtered:  # a model could not run a statement again whose values stand beside it
        own = replace(own, sql="")
    filters = [said(each, value) for each, value in pairs_of(board, chosen)] if data.filtered else []
    question = f"What does “{tile.title or 'this tile'}” on the dashboard “{board.title}” show?"
    text = _text(board, tile, data, [words for words in filters if words])
    return await begin_async(services, principal, question, text, own, tile.content, title=tile.title)


async def begin_async(
    services: Services,
    principal: Principal,
    question: str,
    text: str,
    own: StoredResult,
    content: QueryTile | TextTile,
    *,
    title: str = "",
) -> ConversationInfo:
    """A conversation whose first answer are rows that are there already; no model is called.

    Args:
        own: The rows, under an id of their own.
        content: What is drawn of them.
    """
    store = services.store
    await store.results.put_async(principal, own)
    conversation = await store.conversations.create_async(principal)
    turn = await store.turns.start_async(
        principal, conversation.id, question=question, model=_ANSWERED_BY, runner=services.runner
    )
    spec = TableSpec(
        id=own.id,
        source=own.source,
        sql=own.sql,
        columns=tuple(own.table.column_names),
        row_count=own.table.num_rows,
        truncated=own.truncated,
        title=title,
        notes=own.notes,
        seconds=own.seconds,
    )
    shown = services.drawings.of(content, own) if isinstance(content, QueryTile) else None
    specs: tuple[ArtifactSpec, ...] = (spec,) if shown is None else (spec, shown)
    answer = TurnResult(text=text, outcome="answered", artifacts=specs)
    await store.turns.finish_async(
        principal,
        turn.id,
        runner=services.runner,
        first=0,
        new=[*(Artifact(spec=each) for each in specs), TurnFinished(result=answer)],
        state="finished",
        history=messages_to_json(_messages(question, text, own)),
    )
    return await store.conversations.get_async(principal, conversation.id)


def _text(board: DashboardRecord, tile: TileRecord, data: TileData, filters: Sequence[str]) -> str:
    asked = tile.content.origin.question if isinstance(tile.content, QueryTile) and board.role == "owner" else ""
    refreshed = f", refreshed {data.refreshed_at:%Y-%m-%d %H:%M} UTC" if data.refreshed_at else ""
    lines = [f"The rows of “{tile.title or 'this tile'}”{refreshed}."]
    if filters:
        lines.append(f"Only those with {'; '.join(filters)}.")
    if asked:
        lines.append(f"They answer: {asked}")
    return "\n\n".join(lines)


def _messages(question: str, text: str, result: StoredResult) -> list[Message]:
    """What a model remembers of it: as if it had asked the query itself; of a hidden one the rows only."""
    rows = f"result {result.id}: {preview_text(result, cell_chars=_CELL_CHARACTERS)}"
    if not result.sql:
        return [UserMessage(question), AssistantMessage(f"{text}\n\n{rows}")]
    arguments = {"source": result.source, "sql": result.sql}
    call = ToolCall("call_tile", "run_query", {**arguments}, json.dumps(arguments))
    return [
        UserMessage(question),
        AssistantMessage(tool_calls=(call,)),
        ToolMessage(call.id, call.name, rows),
        AssistantMessage(text),
    ]
