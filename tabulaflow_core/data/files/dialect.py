"""The delimiter and the quotes of a text, by how evenly each candidate cuts the whole sample."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tabulaflow_core.data.files.report import Certainty
from tabulaflow_core.data.files.tokens import Dialect, Record, Tokenizer
from tabulaflow_core.data.files.values import looks_like

#: Usual ones first: the order decides a tie. The last three must cut nearly every line to be believed.
_DELIMITERS = (",", ";", "\t", "|", "^", "~", "\x01", "\x1f", ":")
_RARE = "^~:"
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", "": "none (one column)"}


@dataclass(frozen=True, slots=True)
class Sniffed:
    """The chosen dialect, the number of cells most records have, and how sure that is."""

    dialect: Dialect
    width: int
    certainty: Certainty
    reason: str


def delimiter_name(delimiter: str) -> str:
    """A word for a person."""
    return _NAMES.get(delimiter, repr(delimiter))


def sniff(lines: list[tuple[int, str]], *, delimiter: str | None = None, quote: str | None = None) -> Sniffed:
    """Choose how to cut `lines` (numbered, with line ends) into cells."""
    text = "".join(line for _, line in lines)
    if delimiter is None and _one_number_a_line(lines):
        best = max(_quotings(text, "", quote), key=lambda d: _mark(lines, d)[0])
        return Sniffed(best, 1, "likely", "below a name without a comma, every line is one number")
    delimiters = [delimiter] if delimiter is not None else [d for d in _DELIMITERS if d in text]
    scored: list[tuple[float, int, Dialect, int]] = []
    for rank, candidate in enumerate(delimiters):
        for dialect in _quotings(text, candidate, quote):
            mark, width = _mark(lines, dialect)
            if delimiter is None and candidate in _RARE and (mark < 0.95 or width < 3):
                continue
            scored.append((mark, -rank, dialect, width))
    scored.sort(key=lambda s: (s[0], s[1]), reverse=True)
    if delimiter is not None and scored:
        return Sniffed(scored[0][2], max(scored[0][3], 1), "told", "as told")
    if not scored or scored[0][0] < 0.4:
        best = max(_quotings(text, "", quote), key=lambda d: _mark(lines, d)[0])
        return Sniffed(best, 1, "likely", "no delimiter cuts the lines evenly")
    mark, _, dialect, width = scored[0]
    if not dialect.quote and quote is None:
        dialect = _with_quotes(lines, dialect, text)
    rival = max((s[0] for s in scored if s[2].delimiter != dialect.delimiter), default=0.0)
    certainty: Certainty = "certain" if mark - rival > 0.3 else "likely" if mark - rival > 0.05 else "guess"
    return Sniffed(dialect, width, certainty, f"it cuts most of the lines into {width} cells")


def _one_number_a_line(lines: list[tuple[int, str]]) -> bool:
    """True for a header that holds no comma over numbers that do, such as `€1.234,50`: one column, not two."""
    texts = [text for _, line in lines if (text := line.strip().strip('"').strip())]
    if len(texts) < 2 or any(mark in texts[0] for mark in ",;\t|") or looks_like(texts[0]) != "text":
        return False
    body = texts[1:]
    return any("," in text for text in body) and all(looks_like(text) in ("number", "empty") for text in body)


def _with_quotes(lines: list[tuple[int, str]], dialect: Dialect, text: str) -> Dialect:
    """The same dialect with quotes, when so few of them are odd that they are slips and not plain characters."""
    if '"' not in text:
        return Dialect(dialect.delimiter)
    tokenizer = Tokenizer(Dialect(dialect.delimiter))
    for _ in tokenizer.records(lines):
        pass
    return dialect if tokenizer.flaws > 2 else tokenizer.dialect


def _quotings(text: str, delimiter: str, told: str | None) -> list[Dialect]:
    if told is not None:
        return [Dialect(delimiter, told, "\\" if told and f"\\{told}" in text else "")]
    choices = [Dialect(delimiter, "")]
    if '"' in text:
        choices = [Dialect(delimiter, '"')] + ([Dialect(delimiter, '"', "\\")] if '\\"' in text else []) + choices
    if delimiter and (f"{delimiter}'" in text or text.startswith("'")) and f"'{delimiter}" in text:
        choices.append(Dialect(delimiter, "'"))
    return choices


def _mark(lines: list[tuple[int, str]], dialect: Dialect) -> tuple[float, int]:
    """How well the dialect cuts: the share of records of one width, less flaws and leftovers of other delimiters."""
    tokenizer = Tokenizer(dialect)
    records: list[Record] = [r for r in tokenizer.records(lines) if any(c.strip() for c in r.cells)]
    if not records:
        return 0.0, 1
    counts = Counter(len(r.cells) for r in records)
    # A delimiter that never cuts is no delimiter; a table is its most common width, the wider of two equal ones.
    width, hits = max(((w, n) for w, n in counts.items() if w > 1 or not dialect.delimiter), default=(1, 0), key=_rank)
    mark = hits / len(records) if width > 1 or not dialect.delimiter else 0.0
    cells = [c for r in records[:400] if len(r.cells) == width for c in r.cells]
    some = [c for c in cells if c.strip()]
    typed = sum(looks_like(c) != "text" for c in some) / max(len(some), 1)
    wrapped = sum(_wrapped(c, dialect) for c in some) / max(len(some), 1)
    flaws = tokenizer.flaws / len(records)
    left = sum(any(d in c for d in ",;\t|" if d != dialect.delimiter) and looks_like(c) == "text" for c in some)
    return mark + 0.1 * typed - 0.1 * left / max(len(some), 1) - 0.5 * wrapped - flaws * 0.6, width


def _rank(item: tuple[int, int]) -> tuple[int, int]:
    return item[1], item[0]


def _wrapped(cell: str, dialect: Dialect) -> bool:
    """True when the cell keeps quotes or escapes that another dialect would have taken off."""
    text = cell.strip()
    if dialect.quote == '"' and not dialect.escape:
        return text.endswith("\\") or text.startswith('\\"')
    if dialect.quote == '"':
        return False
    return text[:1] == '"' or (text[-1:] == '"' and not text[-2:-1].isdigit())  # 5" is a size
