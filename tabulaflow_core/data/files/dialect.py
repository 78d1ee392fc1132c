"""The delimiter and the quotes of a text, by how evenly each candidate cuts the whole sample."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from tabulaflow_core.data.files.records import some_of
from tabulaflow_core.data.files.report import Certainty
from tabulaflow_core.data.files.spaced import places_of, spaced
from tabulaflow_core.data.files.tokens import Dialect, Record, Tokenizer
from tabulaflow_core.data.files.values import looks_like

#: Usual ones first: the order decides a tie. Those from `^` on must cut nearly every line to be believed.
_DELIMITERS = (",", ";", "\t", "|", "^", "~", "\x01", "\x1f", "\x1e", "¦", "§", ":")
_RARE = "^~:¦§"
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", "": "none"}
_WORDS = {name: delimiter for delimiter, name in _NAMES.items()}
#: Signs that are parts of words, numbers, paths or formulas, and are never found out to be delimiters.
_NEVER = frozenset(" '\"()-_.+/%€$&@*=<>[]{}\\!?#°,;:|")
#: The same sign twice or thrice, or a pair around another: they outrank the single sign when it never stands alone.
_SEVERAL = re.compile(r"([^\w\s\"'.,;()\-/])\1{1,2}|\|~\||~\|~|<\|>|\^\|\^|\|\^\||\|#\||#\|#")
_CLOCK = re.compile(r"[0-9]{1,4}(?::[0-9]{2}){1,3}|://")
_THOUSANDS = re.compile(r"(?<![0-9,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])")
#: What a page offers.
CHOICES = ("comma", "semicolon", "tab", "pipe", "space", "blanks", "fixed", "none")


@dataclass(frozen=True, slots=True)
class Sniffed:
    """The chosen dialect, the number of cells most records have, and how sure that is."""

    dialect: Dialect
    width: int
    certainty: Certainty
    reason: str


def delimiter_name(dialect: Dialect) -> str:
    """What `ReadOptions.delimiter` takes for this dialect, in a word where there is one."""
    if dialect.places:
        return "fixed"
    if dialect.repeated:
        return "space" if len(dialect.delimiter) == 1 else "blanks"
    if dialect.delimiter in _NAMES:
        return _NAMES[dialect.delimiter]
    return dialect.delimiter if dialect.delimiter.isprintable() else dialect.delimiter.encode("unicode_escape").decode()


def named_delimiter(told: str) -> str:
    r"""The characters that a person means by `told`: a word, an escape such as `\t`, or themselves."""
    if told in _WORDS:
        return _WORDS[told]
    if told.startswith("\\") and len(told) > 1:
        return told.encode("ascii", "backslashreplace").decode("unicode_escape")
    return told


def sniff(
    lines: list[tuple[int, str]],
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    escape: str | None = None,
) -> Sniffed:
    """Choose how to cut `lines` (numbered, with line ends) into cells.

    Args:
        delimiter: As told by a person, in the words of `ReadOptions`.
        quote: The same.
        escape: The same.
    """
    quote = "" if quote == "none" else quote
    escape = "" if escape == "none" else escape
    if delimiter in ("space", "blanks", "fixed"):
        return _told_blanks(lines, delimiter)
    delimiter = None if delimiter is None else named_delimiter(delimiter)
    sniffed = _sniff(lines, delimiter, quote)
    if escape is None or not sniffed.dialect.quote:
        return sniffed
    return replace(sniffed, dialect=replace(sniffed.dialect, escape=escape))


def _sniff(lines: list[tuple[int, str]], delimiter: str | None, quote: str | None) -> Sniffed:
    text = "".join(line for _, line in lines)
    if delimiter is None and _one_number_a_line(lines):
        best = max(_quotings(text, "", quote), key=lambda d: _mark(lines, d)[0])
        return Sniffed(best, 1, "likely", "below a name without a comma, every line is one number")
    delimiters = [delimiter] if delimiter is not None else _candidates(text, lines)
    scored: list[tuple[float, int, Dialect, int]] = []
    for rank, candidate in enumerate(delimiters):
        for dialect in _quotings(text, candidate, quote):
            mark, width = _mark(lines, dialect)
            if delimiter is None and candidate not in ",;\t|\x01\x1f\x1e":
                core = _core_mark(lines, dialect, width)
                if core < 0.95 or width < 2:
                    continue
                mark = max(mark, (mark + core * 0.9) / 2)
            if (
                delimiter is None
                and candidate in _RARE
                and width < 3
                and (candidate == ":" or mark < 1 or len(lines) < 3)
            ):
                continue
            scored.append((mark, -rank, dialect, width))
    scored.sort(key=lambda s: (s[0], s[1]), reverse=True)
    if delimiter is not None and scored:
        return Sniffed(scored[0][2], max(scored[0][3], 1), "told", "as told")
    grouping = bool(scored) and _only_groups_digits(text, scored[0][2].delimiter)
    if not scored or scored[0][0] < 0.6 or grouping or _gappy(lines, scored[0][2]):
        found = None if quote else spaced(lines)
        if found and (not scored or scored[0][0] < 0.6 or grouping or found[1] >= scored[0][3]):
            return Sniffed(found[0], found[1], "likely", found[2])
    if not scored or scored[0][0] < 0.4:
        best = max(_quotings(text, "", quote), key=lambda d: _mark(lines, d)[0])
        return Sniffed(best, 1, "likely", "no delimiter cuts the lines evenly")
    mark, _, dialect, width = scored[0]
    if not dialect.quote and not dialect.escape and quote is None:
        dialect = _with_quotes(lines, dialect, text)
    rival = max((s[0] for s in scored if s[2].delimiter != dialect.delimiter), default=0.0)
    certainty: Certainty = "certain" if mark - rival > 0.3 else "likely" if mark - rival > 0.05 else "guess"
    return Sniffed(dialect, width, certainty, f"it cuts most of the lines into {width} cells")


def _told_blanks(lines: list[tuple[int, str]], word: str) -> Sniffed:
    if word == "fixed":
        places = places_of(lines)
        return Sniffed(Dialect("", "", places=places), len(places), "told", "as told")
    dialect = Dialect(" ", '"', repeated=True) if word == "space" else Dialect("  ", "", repeated=True)
    return Sniffed(dialect, max(_mark(lines, dialect)[1], 1), "told", "as told")


def _candidates(text: str, lines: list[tuple[int, str]]) -> list[str]:
    """Delimiters to try: the usual ones, and unusual signs that every one of the first lines has."""
    found = [d for d in _DELIMITERS if d in text]
    if ":" in found and ":" not in _CLOCK.sub("", text):
        found.remove(":")  # it only parts hours from minutes
    first = [line.rstrip("\r\n") for _, line in lines[:50] if line.strip()][:20]
    if len(first) < 2:
        return found
    for sign in dict.fromkeys(c for c in first[0] if not c.isalnum() and not c.isspace() and c not in _NEVER):
        if sign not in found and all(sign in line for line in first):
            found.append(sign)
    bare = _CLOCK.sub("", text)
    several = {match.group() for line in first for match in _SEVERAL.finditer(line)}
    for signs in sorted(several, key=len):
        often = sum(signs in line for line in first) >= len(first) * 0.5
        alone = sum(bare.count(sign) for sign in set(signs)) - bare.count(signs) * len(signs)
        if often and alone <= text.count(signs) * 0.3:
            found = [signs] + [d for d in found if d not in signs]
    return found


def _gappy(lines: list[tuple[int, str]], dialect: Dialect) -> bool:
    """True when the cells still hold wide gaps: the delimiter is a sign within columns that blanks part."""
    if not dialect.plain or dialect.delimiter == "\t":
        return False
    texts = [line.strip() for _, line in lines[:200] if line.strip()]
    gaps = sum(any("  " in cell.strip() for cell in text.split(dialect.delimiter)) for text in texts)
    return len(texts) > 2 and gaps > len(texts) * 0.8 and '"' not in texts[0]


def _only_groups_digits(text: str, delimiter: str) -> bool:
    """True when the comma only parts thousands, as in `8,956,695`: blanks may part the columns then."""
    return delimiter == "," and "," not in _THOUSANDS.sub("", text)


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
    if delimiter and (f"\\{delimiter}" in text or "\\\n" in text) and not any(d.escape for d in choices):
        choices.append(Dialect(delimiter, choices[0].quote, "\\"))
    before = text.startswith("'") or f"{delimiter}'" in text or "\n'" in text or "\r'" in text
    after = f"'{delimiter}" in text or "'\n" in text or "'\r" in text
    if before and after and (delimiter or all(_in_single_quotes(line) for line in text.splitlines() if line.strip())):
        choices += [Dialect(delimiter, "'")] + ([Dialect(delimiter, "'", "\\")] if "\\'" in text else [])
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
    if width > 1:
        mark = max(mark, _below_a_preamble(records, width))
    cells = [c for r in some_of(records[:400], width) if len(r.cells) == width for c in r.cells]
    some = [c for c in cells if c.strip()]
    typed = sum(looks_like(c) != "text" for c in some) / max(len(some), 1)
    wrapped = sum(_wrapped(c, dialect) for c in some) / max(len(some), 1)
    flaws = tokenizer.flaws / len(records)
    left = sum(any(d in c for d in ",;\t|" if d != dialect.delimiter) and looks_like(c) == "text" for c in some)
    return mark + 0.1 * typed - 0.1 * left / max(len(some), 1) - 0.5 * wrapped - flaws * 0.6, width


def _below_a_preamble(records: list[Record], width: int) -> float:
    """The mark of a table that begins only after many other lines; 0 when the rest is uneven too."""
    even = [len(r.cells) == width for r in records]
    start = next((i for i in range(len(even) - 2) if all(even[i : i + 3])), len(even))
    rest = even[start:]
    return 0.5 + 0.3 * sum(rest) / len(rest) if len(rest) > 2 and sum(rest) >= len(rest) * 0.9 else 0.0


def _in_single_quotes(line: str) -> bool:
    text = line.strip()
    return len(text) > 1 and text[0] == text[-1] == "'"


def _core_mark(lines: list[tuple[int, str]], dialect: Dialect, width: int) -> float:
    records = [r for r in Tokenizer(dialect).records(lines) if any(c.strip() for c in r.cells)]
    return _core(records, width)


def _core(records: list[Record], width: int) -> float:
    """The share of records of this width, without the lines of one cell above and below them."""
    widths = [len(r.cells) for r in records]
    while widths and widths[0] == 1:
        del widths[0]
    while widths and widths[-1] == 1:
        del widths[-1]
    return widths.count(width) / len(widths) if len(widths) > 2 and len(widths) > len(records) * 0.4 else 0.0


def _rank(item: tuple[int, int]) -> tuple[int, int]:
    return item[1], item[0]


def _wrapped(cell: str, dialect: Dialect) -> bool:
    """True when the cell keeps quotes or escapes that another dialect would have taken off."""
    text = cell.strip()
    if dialect.quote != "'" and len(text) > 1 and text[0] == text[-1] == "'":
        return True
    if dialect.quote == '"' and not dialect.escape:
        return text.endswith("\\") or text.startswith('\\"')
    if dialect.quote == '"':
        return False
    return text[:1] == '"' or (text[-1:] == '"' and not text[-2:-1].isdigit())  # 5" is a size
