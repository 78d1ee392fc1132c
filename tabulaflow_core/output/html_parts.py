"""What the HTML files that are taken away are made of: text that stays text, and rows as a table."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Final

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.output import direction
from tabulaflow_core.output.cells import cell_text, column_values
from tabulaflow_core.output.results import StoredResult

#: Characters of the whole file; what comes after it is left out, which is said.
_MOST: Final = 8_000_000
#: Rows of a table in such a file, and characters of a cell.
MOST_ROWS: Final = 200
_CELL: Final = 300
#: Even a browser that were handed a link or a script would not follow it.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
_BOLD: Final = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_CODE: Final = re.compile(r"`([^`\n]+)`")


def document(title: str, parts: Iterable[str], *, style: str, made: str, thing: str, inside: str = "main") -> str:
    """A self-contained page of at most some 8 million characters.

    Args:
        parts: What stands on it; those that would make it too large are left out from the first such one on.
        made: A line under the title, such as the day.
        thing: What a part is called where it is said how many are left out.
        inside: Class of the element that holds the parts.
    """
    head = (
        '<!DOCTYPE html><html lang="mul"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{as_written(title)}</title><style>{style}</style></head><body>"
        f'<h1 dir="auto">{as_written(title)}</h1><p class="note">{line(made)}</p><div class="{inside}">'
    )
    kept, size, left = [head], len(head), 0
    for part in parts:
        if left or size + len(part) > _MOST:
            left += 1
            continue
        kept.append(part)
        size += len(part)
    kept.append("</div>")
    if left:
        kept.append(
            f'<p class="note">{counted(left, f"more {thing}")} {agreed(left, "is", "are")} left out: '
            "the file would be too large.</p>"
        )
    return "".join([*kept, "</body></html>"])


def line(text: str) -> str:
    """Text on one line, its direction its own."""
    return html.escape(direction.marked_off(" ".join(text.split())))


def as_written(text: str) -> str:
    """A title or a question, which may be from right to left as a whole."""
    return html.escape(" ".join(text.split()))


def marked(text: str) -> str:
    """Bold and code of markdown; everything else stands as it was written."""
    backwards = direction.is_right_to_left(text)
    pieces = _CODE.split(text.strip())
    pieces[::2] = [html.escape(direction.prose(piece, backwards=backwards)) for piece in pieces[::2]]
    pieces[1::2] = [f"<code>{html.escape(code)}</code>" for code in pieces[1::2]]
    return _BOLD.sub(r"<strong>\1</strong>", "".join(pieces))


def rows_table(result: StoredResult) -> str:
    """The first rows as a table, and how many there are."""
    table = result.table.slice(0, MOST_ROWS)
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
    if total > MOST_ROWS:
        extent = f"The first {MOST_ROWS:,} of {total:,} rows"
    if result.truncated:
        extent += "; the result was cut at a limit, there are more"
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
        f'<p class="note">{extent}.</p>'
    )


def _is_number(kind: str) -> bool:
    return kind.startswith(("int", "uint", "float", "double", "half", "decimal"))
