"""Text whose columns are set apart by blanks: one run of them, two or more, or the same places in every line."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from tabulaflow_core.data.files.tokens import Dialect, Tokenizer
from tabulaflow_core.data.files.values import looks_like

#: Lines that are looked at.
_SAMPLE = 1_000
_ONE_BLANK = Dialect(" ", '"', repeated=True)
_BLANKS = Dialect("  ", "", repeated=True)
#: A line that only underlines a header: `---- ----`, `+----+----+`, `|:---|---:|`, `=====`.
RULER = re.compile(r"^[\s|+]*(?::?[-=─━]{2,}:?[\s|+]*)+$")


def spaced(lines: list[tuple[int, str]]) -> tuple[Dialect, int, str] | None:
    """The dialect, its width and the reason, when blanks clearly part the columns; None otherwise.

    It is asked only about lines that no delimiter cuts evenly. Prose must not be taken for a table: some column
    has to hold numbers or dates below a word, or many lines must have their gaps at the same places.
    """
    texts = [line.expandtabs(8).rstrip() for _, line in lines[:_SAMPLE]]
    texts = [text for text in texts if text.strip() and not RULER.match(text)]
    if (
        len(texts) < (2 if all(text.count('"') > 1 for text in texts) else 3)
        or sum(looks_like(text) != "text" for text in texts) > len(texts) * 0.4
    ):
        return None
    for dialect, share in ((_ONE_BLANK, 0.98), (_BLANKS, 1.0)):
        if found := _cut_by_blanks(texts, dialect, share):
            return found
    if places := _places(texts):
        rows = [[text[a:b].strip() for a, b in places] for text in texts]
        if _is_table(rows, "  "):
            return Dialect("", "", places=places), len(places), "the columns begin at the same place in every line"
    # Where cells are missing, blanks would move the others to the left: only as the last resort.
    return _cut_by_blanks(texts, _BLANKS, 0.9)


def _cut_by_blanks(texts: list[str], dialect: Dialect, share: float) -> tuple[Dialect, int, str] | None:
    rows = [r.cells for r in Tokenizer(dialect).records(enumerate(texts, 1))]
    width = _even(rows, share)
    if not width or not (_is_table(rows, dialect.delimiter) or (dialect.quote and _quoted(texts, width))):
        return None
    return dialect, width, f"blanks cut the lines into {width} cells"


def places_of(lines: list[tuple[int, str]]) -> tuple[tuple[int, int], ...]:
    """Where columns begin and end, for a person who says that they stand at fixed places; one column at worst."""
    texts = [line.expandtabs(8).rstrip() for _, line in lines[:_SAMPLE] if line.strip()]
    return _places([text for text in texts if not RULER.match(text)]) or ((0, 1 << 30),)


def _even(rows: list[list[str]], share: float) -> int:
    """The width of nearly all rows, 0 when they differ or are one cell wide.

    The first may lack a name for the first column, as programs write row names.
    """
    if len(rows) > 3 and len(rows[0]) == len(rows[1]) - 1:
        rows = rows[1:]
    width, count = Counter(map(len, rows)).most_common(1)[0]
    return width if width > 1 and count >= len(rows) * share else 0


def _quoted(texts: list[str], width: int) -> bool:
    """True when every line has quotes around some of its words, which prose has not."""
    return width > 1 and all(re.search(r'(?:^|\s)"[^"]*"(?:\s|$)', text) for text in texts)


def _is_table(rows: list[list[str]], delimiter: str) -> bool:
    """True when a column of numbers or dates stands below a word, or when wide gaps cut many rows alike."""
    width = Counter(map(len, rows)).most_common(1)[0][0]
    body = [row for row in rows[1:] if len(row) == width]
    typed = 0
    for column in zip(*body, strict=True):
        kinds = [looks_like(cell) for cell in column]
        some = [kind for kind in kinds if kind != "empty"]
        typed += bool(some) and sum(kind in ("number", "date") for kind in some) >= len(some) * 0.9
    named = len(rows[0]) in (width, width - 1) and all(looks_like(cell) == "text" for cell in rows[0] if cell)
    if delimiter == " ":
        return bool(typed) and ((named and len(body) > 1) or (typed > 1 and typed < width and len(body) > 3))
    return width > 1 and (typed > 0 or len(body) > 1)


def _places(texts: list[str]) -> tuple[tuple[int, int], ...]:
    """Columns between the places that are blank in every line but, at most, the first.

    One blank parts columns only beside a column of numbers: two words of a name have a blank between them too.
    """
    for first in (0, 1):
        body = texts[first:]
        long = max(map(len, body))
        if not body or long > 10_000:
            return ()
        filled = [any(text[i : i + 1].strip() for text in body) for i in range(long)]
        spans: list[tuple[int, int]] = []
        for index, full in enumerate(filled):
            if full and (not index or not filled[index - 1]):
                spans.append((index, index + 1))
            elif full:
                spans[-1] = (spans[-1][0], index + 1)
        spans = _joined(spans, body)
        used = [sum(bool(text[a:b].strip()) for text in body) for a, b in spans]
        if len(spans) > 1 and min(used) >= len(body) * 0.2:
            # A column goes on to where the next begins, so that long cells of other lines are not cut.
            begins = [0, *(_begin(texts[0], left[1], right[0]) for left, right in pairwise(spans))]
            return tuple(zip(begins, [*begins[1:], 1 << 30], strict=True))
    return ()


def _begin(header: str, left: int, right: int) -> int:
    """Where a column begins whose cells begin at `right`, after those that end at `left`; its name may be longer."""
    blanks = list(re.finditer(r" +", header[left:right].ljust(right - left)))
    return left + max(blanks, key=lambda run: len(run[0])).end() if blanks and header[left:right].strip() else right


def _joined(spans: list[tuple[int, int]], texts: list[str]) -> list[tuple[int, int]]:
    numeric = [_numeric([text[a:b] for text in texts]) for a, b in spans]
    result = spans[:1]
    for (left, right), (a, b) in zip(pairwise(range(len(spans))), spans[1:], strict=True):
        narrow = a - spans[left][1] < 2
        named_only = not any(text[a:b].strip() for text in texts[1:])  # the second word of a name over short cells
        if narrow and (named_only or not (numeric[left] or numeric[right])):
            result[-1] = (result[-1][0], b)
        else:
            result.append((a, b))
    return result


def _numeric(cells: list[str]) -> bool:
    kinds = [looks_like(cell) for cell in cells if cell.strip()]
    return len(kinds) > 2 and sum(kind == "number" for kind in kinds) >= (len(kinds) - 1) * 0.95
