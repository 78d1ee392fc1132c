"""A conversation as one HTML file: no script, no link, nothing fetched from anywhere, and fit to be printed."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.output import direction
from tabulaflow_core.output.cells import cell_text, column_values
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.specs import ChartSpec, MetricSpec, TableSpec
from tabulaflow_core.output.svg import chart_svg

_ROWS: Final = 200
_CELL: Final = 300
#: Characters of the whole file; what comes after it is left out, which is said.
_MOST: Final = 8_000_000
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
#: Even a browser that were handed a link or a script would not follow it.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
_BOLD: Final = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_CODE: Final = re.compile(r"`([^`\n]+)`")


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
    head = (
        '<!DOCTYPE html><html lang="mul"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{_as_written(title)}</title><style>{_STYLE}</style></head><body>"
        f'<h1 dir="auto">{_as_written(title)}</h1><p class="note">{_line(made)}</p>'
    )
    parts, size, left = [head], len(head), 0
    for turn in turns:
        part = _turn(turn)
        if left or size + len(part) > _MOST:
            left += 1
            continue
        parts.append(part)
        size += len(part)
    if left:
        parts.append(
            f'<p class="note">{counted(left, "more question")} {agreed(left, "is", "are")} left out: '
            "the file would be too large.</p>"
        )
    return "".join([*parts, "</body></html>"])


def _line(text: str) -> str:
    return html.escape(direction.marked_off(" ".join(text.split())))


def _as_written(text: str) -> str:
    """A title or a question, which may be from right to left as a whole."""
    return html.escape(" ".join(text.split()))


def _turn(turn: DocumentTurn) -> str:
    parts = [f'<section><h2 dir="auto">{_as_written(turn.question)}</h2>']
    if turn.text:
        parts.append(f'<div class="text" dir="auto">{_marked(turn.text)}</div>')
    numbers = {spec.table_id for spec in turn.artifacts if isinstance(spec, MetricSpec)}
    for spec in sorted(turn.artifacts, key=lambda spec: spec.kind == "table"):
        if isinstance(spec, MetricSpec):
            parts.append(f'<p>{_line(spec.label)}<br><span class="metric">{_line(spec.value)}</span></p>')
        elif isinstance(spec, ChartSpec):
            parts.append(f"<figure>{chart_svg(spec.plotly, title=spec.summary)}")
            parts.append(f'<figcaption class="note">{_line(spec.summary)}</figcaption></figure>')
        else:
            single = spec.id in numbers and (spec.row_count, len(spec.columns)) == (1, 1)
            parts.append(_table(spec, turn.results.get(spec.id), rows=not single))
    parts += [f'<p class="note">{_line(note)}</p>' for note in turn.notes]
    return "".join([*parts, "</section>"])


def _marked(text: str) -> str:
    """Bold and code of markdown; everything else stands as it was written."""
    backwards = direction.is_right_to_left(text)
    pieces = _CODE.split(text.strip())
    pieces[::2] = [html.escape(direction.prose(piece, backwards=backwards)) for piece in pieces[::2]]
    pieces[1::2] = [f"<code>{html.escape(code)}</code>" for code in pieces[1::2]]
    return _BOLD.sub(r"<strong>\1</strong>", "".join(pieces))


def _table(spec: TableSpec, result: StoredResult | None, *, rows: bool) -> str:
    parts = []
    if rows and result is None:
        parts.append('<p class="note">The rows of this result are no longer kept.</p>')
    elif rows and result is not None:
        parts.append(_rows(result))
    parts.append(f"<pre>{html.escape(spec.sql)}</pre>")
    parts.append(f'<p class="note">Ran on {_line(spec.source)} in {spec.seconds:.2f} s, read-only.</p>')
    parts += [f'<p class="note">{_line(note)}</p>' for note in spec.notes]
    return "".join(parts)


def _rows(result: StoredResult) -> str:
    table = result.table.slice(0, _ROWS)
    numeric = [_is_number(str(field.type)) for field in table.schema]
    columns = [column_values(table.column(i)) for i in range(table.num_columns)]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.column_names)
    lines = []
    for row in zip(*columns, strict=True):
        cells = (
            f"<td{' class=n' if is_number else ''}>{html.escape(cell_text(cell, max_chars=_CELL))}</td>"
            for cell, is_number in zip(row, numeric, strict=True)
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    total = result.table.num_rows
    extent = f"{total:,} row{'' if total == 1 else 's'}"
    if total > _ROWS:
        extent = f"The first {_ROWS:,} of {total:,} rows"
    if result.truncated:
        extent += "; the result was cut at a limit, there are more"
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
        f'<p class="note">{extent}.</p>'
    )


def _is_number(kind: str) -> bool:
    return kind.startswith(("int", "uint", "float", "double", "half", "decimal"))
