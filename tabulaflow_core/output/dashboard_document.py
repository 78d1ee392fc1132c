"""A dashboard as one HTML file: no script, no link, nothing fetched from anywhere, and fit to be printed."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tabulaflow_core.output.dashboards import GRID_COLUMNS
from tabulaflow_core.output.html_parts import as_written, document, line, marked, rows_table
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.specs import ChartSpec, MetricSpec
from tabulaflow_core.output.svg import chart_svg

_STYLE: Final = f"""
:root{{color-scheme:light dark}}
body{{font:15px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem}}
h1{{font-size:1.6rem;margin-bottom:.2rem}}h2{{font-size:1.05rem;margin:0 0 .5rem}}
.grid{{display:grid;grid-template-columns:repeat({GRID_COLUMNS},minmax(0,1fr));gap:1rem;margin-top:1.2rem}}
section{{border:1px solid #8885;border-radius:.5rem;padding:.8rem 1rem;min-width:0}}
.w1{{grid-column:span 1}}.w2{{grid-column:span 2}}.w3{{grid-column:span 3}}.w4{{grid-column:span 4}}
.text{{white-space:pre-wrap}}.note{{opacity:.75;font-size:.8rem;margin:.3rem 0}}
.fault{{border-left:3px solid #c60;padding-left:.5rem}}
.wide{{overflow-x:auto}}table{{border-collapse:collapse;font-size:.85rem}}
td,th{{border:1px solid #8886;padding:.2rem .5rem;text-align:start;unicode-bidi:plaintext;vertical-align:top}}
td.n{{text-align:right}}figure{{margin:0}}
pre{{white-space:pre-wrap;background:#8881;padding:.6rem;font-size:.8rem;overflow-wrap:anywhere}}
svg{{width:100%;height:auto}}.metric{{font-size:2rem}}
@media(max-width:45rem){{section{{grid-column:1/-1}}}}
@page{{size:A4 landscape;margin:12mm}}
@media print{{:root{{color-scheme:light}}body{{margin:0;max-width:none;padding:0;print-color-adjust:exact}}
section,tr,svg{{break-inside:avoid}}.wide{{overflow:visible}}}}
""".strip()


@dataclass(frozen=True, slots=True)
class DocumentTile:
    """One tile.

    Attributes:
        width: Of `GRID_COLUMNS` columns.
        text: Words of its owner, in the markdown of answers.
        result: The rows; None for a tile of words, and where there are none.
        spec: What is drawn of them; None for the table.
        fault: Why it could not be refreshed, or why there are no rows.
        notes: When it was refreshed and what changed, a line each.
        sql: Its query; empty for whoever may not see it.
    """

    title: str
    width: int
    text: str = ""
    result: StoredResult | None = None
    spec: ChartSpec | MetricSpec | None = None
    fault: str = ""
    notes: Sequence[str] = ()
    sql: str = ""


def dashboard_html(title: str, tiles: Sequence[DocumentTile], *, made: str = "") -> str:
    """The dashboard as a self-contained page of at most some 8 million characters.

    Args:
        made: A line under the title, such as the day.
    """
    parts = (_tile(tile) for tile in tiles)
    return document(title, parts, style=_STYLE, made=made, thing="tile", inside="grid")


def _tile(tile: DocumentTile) -> str:
    parts = [f'<section class="w{max(1, min(GRID_COLUMNS, tile.width))}">']
    if tile.title:
        parts.append(f'<h2 dir="auto">{as_written(tile.title)}</h2>')
    if isinstance(tile.spec, MetricSpec):
        parts.append(f'<p>{line(tile.spec.label)}<br><span class="metric">{line(tile.spec.value)}</span></p>')
    elif isinstance(tile.spec, ChartSpec):
        parts.append(f"<figure>{chart_svg(tile.spec.plotly, title=tile.spec.summary)}")
        parts.append(f'<figcaption class="note">{line(tile.spec.summary)}</figcaption></figure>')
    elif tile.result is not None:
        parts.append(rows_table(tile.result))
    if tile.text:
        parts.append(f'<div class="text" dir="auto">{marked(tile.text)}</div>')
    if tile.fault:
        parts.append(f'<p class="note fault">{line(tile.fault)}</p>')
    parts += [f'<p class="note">{line(note)}</p>' for note in tile.notes]
    if tile.sql:
        parts.append(f"<pre>{html.escape(tile.sql)}</pre>")
    return "".join([*parts, "</section>"])
