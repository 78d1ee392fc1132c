"""What a dashboard's tiles show, to its owner and to those whom it is shared with."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output.cells import cell_text, column_values
from tabulaflow_core.output.charts import choose_chart, metric
from tabulaflow_core.output.columns import describe_columns
from tabulaflow_core.output.dashboards import QueryTile
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.specs import ChartSpec, MetricSpec
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.dashboards import filtering
from tabulaflow_core.runtime.dashboards.book import fault_for_viewers, runner_of
from tabulaflow_core.runtime.dashboards.live import OWN, LiveRead, Look
from tabulaflow_core.runtime.dashboards.views import TileData
from tabulaflow_core.store.dashboard_records import DashboardRecord, TileRecord

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

#: Drawings that are kept, of at most 2,000 points each.
_DRAWN: Final = 256
_UNDRAWN: Final = {
    "chart": "These rows do not allow the chart that was pinned; here they are as a table.",
    "metric": "These rows hold no such number; here they are as a table.",
    "table": "",
}


class Drawings:
    """What was drawn of tiles last: a page asks for all of its tiles at each of its runs, and draws the same again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], ChartSpec | MetricSpec | None] = OrderedDict()

    def of(self, content: QueryTile, result: StoredResult) -> ChartSpec | MetricSpec | None:
        """See `drawn`."""
        key = (result.id, content.model_dump_json())
        if key not in self._kept:
            self._kept[key] = drawn(content, result)
            while len(self._kept) > _DRAWN:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]


async def tiles_data_async(
    services: Services,
    principal: Principal,
    board: DashboardRecord,
    tiles: Sequence[TileRecord],
    *,
    chosen: Mapping[str, Sequence[str]] | None = None,
    seconds: float = 0.0,
) -> tuple[TileData, ...]:
    """What tiles show: their last good rows, or those of a choice and of a viewer's own sources, which are read now.

    Args:
        chosen: Texts by a filter's id.
        seconds: How long to wait for what is read now; what is not there then is waiting.
    """
    values = filtering.values_of(board, chosen)
    runner = runner_of(board, principal)
    own = runner.id != board.owner
    looks: dict[str, tuple[Principal, Look, QueryTile]] = {}
    for tile in tiles:
        content = tile.content
        if isinstance(content, QueryTile):
            wanted = filtering.wanted_of(board, content, values)
            if wanted or own:
                version = OWN if own else tile.result_id
                look = Look(runner.id, tile.id, version, content.source, content.sql, wanted)
                looks[tile.id] = (runner, look, content)
    reads = dict(zip(looks, await services.live_reads.ask_async(list(looks.values()), seconds=seconds), strict=True))
    used = [each for each in board.filters if values[each.id].test is not None]
    out = []
    for tile in tiles:
        read = reads.get(tile.id)
        asked = {each.filter_id for each in looks[tile.id][1].wanted} if tile.id in looks else set()
        missed = {each.label: "" for each in used if each.id not in asked}
        if read is not None and read.done:
            missed |= {each.label: read.untaken[each.id] for each in used if each.id in read.untaken}
        applied = asked - read.untaken.keys() if read is not None else set()
        if read is not None and (own or applied):
            data = await _live_async(services, board, tile, read, own=own, filtered=bool(applied))
        else:
            data = await _kept_async(services, principal, board, tile)
        if isinstance(tile.content, QueryTile):
            data = replace(data, unapplied=_unapplied(board, missed))
        out.append(data)
    return tuple(out)


def _hides(board: DashboardRecord) -> bool:
    """Whether the one who looks may see neither queries nor what an engine says of them."""
    return board.role != "owner" and not board.sharing.show_sql


def _unapplied(board: DashboardRecord, missed: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"{label} does not apply here. {'' if _hides(board) else why}".strip() for label, why in missed.items()
    )


async def _live_async(
    services: Services, board: DashboardRecord, tile: TileRecord, read: LiveRead, *, own: bool, filtered: bool
) -> TileData:
    """The rows of a choice; where these cannot be had, the tile's own stand, unless they are another person's."""
    assert isinstance(tile.content, QueryTile)
    if not read.done:
        return TileData(tile.id, None, waiting=True)
    if read.result is None:
        # That a source of one's own is missing or does not answer is one's own business; the query is not.
        hidden = _hides(board) and (read.by_engine or not own)
        fault = fault_for_viewers(read.fault) if hidden else read.fault
        if own:
            return TileData(tile.id, None, fault=fault)
        data = await _data_async(services, board, tile)
        return replace(data, fault=fault, choice_failed=True)
    data = _drawn_data(services, board, tile.id, tile.content, read.result)
    return replace(data, refreshed_at=read.result.created_at, filtered=filtered)


async def _kept_async(services: Services, principal: Principal, board: DashboardRecord, tile: TileRecord) -> TileData:
    """The last good rows of a tile with what is drawn of them.

    A refresh may take the rows away between the look at the tile and the one at the rows; the tile is then read again.
    """
    data = await _data_async(services, board, tile)
    if data.result is None and tile.result_id:
        board = await services.store.dashboards.get_async(principal, board.id)
        now = next((other for other in board.tiles if other.id == tile.id), tile)
        if now.result_id != tile.result_id:
            return await _data_async(services, board, now)
    return data


async def _data_async(services: Services, board: DashboardRecord, tile: TileRecord) -> TileData:
    if not isinstance(tile.content, QueryTile):
        return TileData(tile.id, None)
    hidden = _hides(board)
    fault = fault_for_viewers(tile.fault) if hidden else tile.fault
    if not tile.result_id:
        return TileData(tile.id, None, fault=fault or "It was not refreshed yet.")
    try:
        result = await services.store.results.get_async(Principal(board.owner, board.owner_name), tile.result_id)
    except TabulaflowError as error:
        return TileData(tile.id, None, fault=fault or error.user_message)
    data = _drawn_data(services, board, tile.id, tile.content, result)
    return replace(data, fault=fault, refreshed_at=tile.refreshed_at)


def _drawn_data(
    services: Services, board: DashboardRecord, tile_id: str, content: QueryTile, result: StoredResult
) -> TileData:
    """Rows with what is drawn of them, without the query for whoever may not see it."""
    spec = services.drawings.of(content, result)
    undrawn = spec is None and content.show != "table" and bool(result.table.num_rows)
    return TileData(
        tile_id,
        replace(result, sql="", notes=()) if _hides(board) else result,
        spec,
        summary=spec.summary if isinstance(spec, ChartSpec) else "",
        undrawn=_UNDRAWN[content.show] if undrawn else "",
    )


def drawn(content: QueryTile, result: StoredResult) -> ChartSpec | MetricSpec | None:
    """What is drawn of a tile's rows; None for the table itself, also where the rows allow no drawing."""
    if content.show == "metric":
        return _metric(content, result)
    if content.show != "chart" or content.chart is None:
        return None
    wanted = content.chart
    spec = choose_chart(
        result,
        question=content.origin.question,
        type=wanted.type,
        x=wanted.x,
        y=wanted.y or None,
        color=wanted.color,
        order=wanted.order,
        title=wanted.title,
    )
    return spec if isinstance(spec, ChartSpec) else None


def _metric(content: QueryTile, result: StoredResult) -> MetricSpec | None:
    names = result.table.column_names
    if not result.table.num_rows or not names:
        return None
    at = names.index(content.label) if content.label in names else 0
    found = metric(result, describe_columns(result.table)[at], content.label)
    if found is not None:  # as the answer showed it
        return found
    value = cell_text(column_values(result.table.column(at).slice(0, 1))[0], grouped=True)
    return MetricSpec(table_id=result.id, label=content.label or names[at], value=value)
