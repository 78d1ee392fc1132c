"""Several tables in one text file, one below the other."""

from __future__ import annotations

from collections import Counter

from tabulaflow_core.data.files import layout as lay
from tabulaflow_core.data.files.dialect import Sniffed
from tabulaflow_core.data.files.formats.text_plan import NumberedLines, Sample
from tabulaflow_core.data.files.naming import clean_header
from tabulaflow_core.data.files.tokens import Record, Tokenizer
from tabulaflow_core.data.files.values import looks_like


def find_tables(sample: Sample, sniffed: Sniffed) -> list[tuple[int, int]]:
    """The first and last line of each table, when blank lines part several; else an empty list.

    It is careful: every block but titles and notes must have a header of its own that is unlike the values below
    it, and the headers must differ. Blocks with the same header are one table that was put together, and blocks
    without one go on with the table before them.
    """
    if not sample.whole or sniffed.width < 2:
        return []
    blocks = _blocks(sample.lines, sniffed)
    if len(blocks) < 2:
        return []
    tables: list[list[int]] = []
    headers: list[list[str]] = []
    start = 0
    for block in blocks:
        begin, end = block[0].line, block[-1].line
        if len(block) < 2 or max(map(lay.filled, block)) < 2:  # a title above, or a note below
            start = start or begin
            continue
        header = _header(block)
        if header is None:
            return []
        tables.append([start or begin, end])
        headers.append(header)
        start = 0
    if len(tables) < 2 or any(a == b for i, a in enumerate(headers) for b in headers[i + 1 :]):
        return []
    if start:
        tables[-1][1] = sample.lines[-1][0]
    # What stands between two tables is the title of the lower one; the first begins where the file does.
    tables[0][0] = sample.lines[0][0]
    return [(a, b) for a, b in tables]


def _blocks(lines: NumberedLines, sniffed: Sniffed) -> list[list[Record]]:
    blocks: list[list[Record]] = [[]]
    for record in Tokenizer(sniffed.dialect).records(lines):
        if lay.is_blank(record):
            blocks.append([])
        else:
            blocks[-1].append(record)
    return [block for block in blocks if block]


def _header(block: list[Record]) -> list[str] | None:
    """The cells that name the columns of the block, None when it has no certain header."""
    widths = Counter(max((i + 1 for i, c in enumerate(r.cells) if c.strip()), default=0) for r in block)
    width = widths.most_common(1)[0][0]
    rows = [r for r in block if r.cells and lay.filled(r) > 1]
    if width < 2 or len(rows) < 2:
        return None
    layout = lay.find_layout([Record(r.line, r.cells[:width]) for r in rows], width)
    cells = [clean_header(c) for c in layout.header]
    if not cells or layout.certainty not in ("certain", "likely") or len({c for c in cells if c}) < 2:
        return None
    if any(looks_like(c) in ("number", "date") for c in cells):
        return None
    kinds = lay.column_kinds(rows[1:], width)
    return cells if any(k in ("number", "date") for k in kinds) else None
