"""A conversation as one HTML file: no script, no link, nothing fetched from anywhere, and fit to be printed."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tabulaflow_core.output.html_parts import as_written, document, line, marked, rows_table
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.specs import ChartSpec, MetricSpec, TableSpec
from tabulaflow_core.output.svg import chart_svg

_STYLE: Final = """
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2.5rem;border-top:1px solid #8884;padding-top:1rem}
.text{white-space:pre-wrap}.note{opacity:.75;font-size:.85rem}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}
td,th{border:1px solid #8886;padding:.2rem .5rem;text-align:start;unicode-bidi:plaintext;vertical-align:top}
td.n{text-align:right}
pre{white-space:pre-wrap;background:#8881;padding:.6rem;font-size:.85rem}
svg{width:100%;height:auto;max-width:760px}.metric{font-size:1.8rem}
@media print{body{margin:0;max-width:none}.wide{overflow:visible}h2,svg,pre{break-inside:avoid}tr{break-inside:avoid}}
""".strip()


@dataclass(frozen=True, slots=True)
class DocumentTurn:
    """One question with its answer.

    Attributes:
        notes: What it rests on and what it used, a line each.
        results: The rows of the tables, by result id; a table without its rows says so.
    """

    question: str
    text: str = ""
    artifacts: Sequence[TableSpec | ChartSpec | MetricSpec] = ()
    notes: Sequence[str] = ()
    results: dict[str, StoredResult] = field(default_factory=dict)


def document_html(title: str, turns: Sequence[DocumentTurn], *, made: str = "") -> str:
    """The conversation as a self-contained page of at most some 8 million characters.

    Args:
        made: A line under the title, such as the day.
    """
    parts = (_turn(turn) for turn in turns)
    return document(title, parts, style=_STYLE, made=made, thing="question")


def _turn(turn: DocumentTurn) -> str:
    parts = [f'<section><h2 dir="auto">{as_written(turn.question)}</h2>']
    if turn.text:
        parts.append(f'<div class="text" dir="auto">{marked(turn.text)}</div>')
    numbers = {spec.table_id for spec in turn.artifacts if isinstance(spec, MetricSpec)}
    for spec in sorted(turn.artifacts, key=lambda spec: spec.kind == "table"):
        if isinstance(spec, MetricSpec):
            parts.append(f'<p>{line(spec.label)}<br><span class="metric">{line(spec.value)}</span></p>')
        elif isinstance(spec, ChartSpec):
            parts.append(f"<figure>{chart_svg(spec.plotly, title=spec.summary)}")
            parts.append(f'<figcaption class="note">{line(spec.summary)}</figcaption></figure>')
        else:
            single = spec.id in numbers and (spec.row_count, len(spec.columns)) == (1, 1)
            parts.append(_table(spec, turn.results.get(spec.id), rows=not single))
    parts += [f'<p class="note">{line(note)}</p>' for note in turn.notes]
    return "".join([*parts, "</section>"])


def _table(spec: TableSpec, result: StoredResult | None, *, rows: bool) -> str:
    parts = []
    if rows and result is None:
        parts.append('<p class="note">The rows of this result are no longer kept.</p>')
    elif rows and result is not None:
        parts.append(rows_table(result))
    parts.append(f"<pre>{html.escape(spec.sql)}</pre>")
    parts.append(f'<p class="note">Ran on {line(spec.source)} in {spec.seconds:.2f} s, read-only.</p>')
    parts += [f'<p class="note">{line(note)}</p>' for note in spec.notes]
    return "".join(parts)
