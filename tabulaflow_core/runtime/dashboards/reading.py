"""What a dashboard's tiles show, to its owner and to those whom it is shared with."""

from __future__ import annotations

from collections import OrderedDict
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
from tabulaflow_core.runtime.dashboards.book import fault_for_viewers
from tabulaflow_core.runtime.dashboards.views import TileData
from tabulaflow_core.store.dashboard_records import DashboardRecord, TileRecord

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

#: Drawings that are kept, of at most 2,000 points each.
_DRAWN: Final = 256


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


async def tile_data_async(
    services: Services, principal: Principal, board: DashboardRecord, tile: TileRecord
) -> TileData:
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
    hidden = board.role != "owner" and not board.sharing.show_sql
    fault = fault_for_viewers(tile.fault) if hidden else tile.fault
    if not tile.result_id:
        return TileData(tile.id, None, fault=fault or "It was not refreshed yet.")
    try:
        result = await services.store.results.get_async(Principal(board.owner, board.owner_name), tile.result_id)
    except TabulaflowError as error:
        return TileData(tile.id, None, fault=fault or error.user_message)
    spec = services.drawings.of(tile.content, result)
    summary = spec.summary if isinstance(spec, ChartSpec) else ""
    if hidden:
        result = replace(result, sql="", notes=())
    return TileData(tile.id, result, spec, fault=fault, refreshed_at=tile.refreshed_at, summary=summary)


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
