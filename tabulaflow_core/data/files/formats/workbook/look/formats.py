"""What a number format code says of a value: that it is a date, a share, money, or a code with leading zeros.

Source: ECMA-376 part 1, 18.8.31 (numFmts): sections, placeholders, quotes, escapes and brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from tabulaflow_core.data.files.formats.workbook.look.money import currency_of

FormatKind = Literal[
    "general", "number", "percent", "currency", "date", "datetime", "time", "duration",
    "scientific", "fraction", "code", "text",
]  # fmt: skip

#: A code longer than this is not one; Excel's own limit is 255 characters.
MOST_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """What a format code says.

    Attributes:
        kind: `duration` is elapsed time such as `[h]:mm`; `code` shows whole numbers with leading zeros or with
            marks between their digits, such as `00000` or `000-000`.
        decimals: Digits after the decimal mark.
        currency: Its ISO 4217 code where the format names one, otherwise the sign as written, `¤` when it is the
            currency of whoever opens the file; empty when the kind is not `currency`.
        scale: How often the shown number was divided by 1,000: 2 for `0.0,,"M"`.
        digits: Placeholders of a `code`.
    """

    kind: FormatKind
    decimals: int = 0
    currency: str = ""
    scale: int = 0
    digits: int = 0


class _Token(NamedTuple):
    kind: str
    text: str


_TOKEN = re.compile(
    r"""
      "(?P<quoted>[^"]*)"?
    | \\(?P<escaped>.)
    | (?P<blank>[_*].)
    | \[(?P<bracket>[^\]]*)\]?
    | (?P<general>general|standard)
    | (?P<ampm>am/pm|a/p)
    | (?P<exponent>e[+-])
    | (?P<date>y+|m+|d+|h+|s+|g+|e+|b{2,4}|a{3,4}|n+)
    | (?P<digit>[0#?])
    | (?P<mark>[.,%/@;])
    | (?P<other>.)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[\d.]+)")


def _tokens(code: str) -> Iterable[_Token]:
    for match in _TOKEN.finditer(code[:MOST_CHARACTERS]):
        kind, text = match.lastgroup or "other", match[match.lastgroup or 0] or ""
        if kind in ("quoted", "escaped"):
            yield _Token("literal", text)
        elif kind == "bracket":
            if text.startswith("$"):
                yield _Token("money", text[1:])
            elif _ELAPSED.fullmatch(text):
                yield _Token("elapsed", text.lower())
            elif _CONDITION.match(text):
                yield _Token("condition", text)
        elif kind in ("general", "ampm", "exponent", "date"):
            yield _Token(kind, text.lower())
        elif kind == "other":
            yield _Token("literal", text)
        else:
            yield _Token(kind, text)


@lru_cache(maxsize=1_000)
def _sections(code: str) -> tuple[tuple[_Token, ...], ...]:
    sections: list[list[_Token]] = [[]]
    for token in _tokens(code):
        if token == ("mark", ";"):
            sections.append([])
        else:
            sections[-1].append(token)
    return tuple(tuple(s) for s in sections)


@lru_cache(maxsize=1_000)
def describe(code: str) -> NumberFormat:
    """What the code says; decided by its first section that shows the value at all."""
    for section in _sections(code):
        found = _describe(section)
        if found is not None:
            return found
    return NumberFormat("general")


def _describe(section: tuple[_Token, ...]) -> NumberFormat | None:
    """None when the section shows no value, only words or nothing."""
    kinds = {t.kind for t in section}
    marks = {t.text for t in section if t.kind == "mark"}
    digits = [i for i, t in enumerate(section) if t.kind == "digit"]
    temporal = _temporal(section)
    if temporal is not None:
        return NumberFormat(temporal)
    if not digits:
        if "general" in kinds:
            money = _currency(section)
            return NumberFormat("currency", currency=money) if money else NumberFormat("general")
        return NumberFormat("text") if "@" in marks else None
    decimals = _decimals(section)
    scale = _scale(section, digits)
    if "exponent" in kinds:
        return NumberFormat("scientific", decimals)
    if "%" in marks:
        return NumberFormat("percent", decimals, scale=scale)
    if any(section[i] == ("mark", "/") for i in range(digits[0], digits[-1])):
        return NumberFormat("fraction")
    if _is_code(section, digits):
        return NumberFormat("code", digits=len(digits))
    money = _currency(section)
    if money:
        return NumberFormat("currency", decimals, money, scale)
    return NumberFormat("number", decimals, scale=scale)


def _temporal(section: tuple[_Token, ...]) -> Literal["date", "datetime", "time", "duration"] | None:
    tokens = [t for t in section if t.kind in ("date", "elapsed", "ampm", "digit")]
    if not any(t.kind in ("date", "elapsed") for t in tokens):
        return None
    date = time = elapsed = False
    after_seconds = False
    for i, token in enumerate(tokens):
        if token.kind == "digit":
            if not after_seconds:
                return None  # letters between placeholders of a number are words that lack their quotes
            continue
        after_seconds = token.text[0] == "s"
        if token.kind == "elapsed":
            elapsed = True
        elif token.kind == "ampm" or token.text[0] in "hs" or _is_minutes(tokens, i):
            time = True
        else:
            date = True
    if date:
        return "datetime" if time or elapsed else "date"
    return "duration" if elapsed else "time"


def _is_minutes(tokens: list[_Token], i: int) -> bool:
    """Whether `m` stands for minutes: right after hours or right before seconds."""
    if tokens[i].text not in ("m", "mm", "n", "nn"):
        return False
    before = tokens[i - 1].text[0] if i else ""
    after = tokens[i + 1].text[0] if i + 1 < len(tokens) else ""
    return before == "h" or after == "s" or tokens[i].text[0] == "n"


def _decimals(section: tuple[_Token, ...]) -> int:
    count, after = 0, False
    for token in section:
        if token == ("mark", "."):
            after = True
        elif token.kind == "exponent":
            break
        elif after and token.kind == "digit":
            count += 1
    return count


def _scale(section: tuple[_Token, ...], digits: list[int]) -> int:
    """Commas right after the last placeholder, or right before the decimal mark."""
    point = next((i for i, t in enumerate(section) if t == ("mark", ".")), len(section))
    ends = {digits[-1], max((i for i in digits if i < point), default=digits[-1])}
    count = 0
    for end in ends:
        i = end + 1
        while i < len(section) and section[i] == ("mark", ","):
            i += 1
        follows_digit = i < len(section) and section[i].kind == "digit"
        count += 0 if follows_digit else i - end - 1
    return count


def _is_code(section: tuple[_Token, ...], digits: list[int]) -> bool:
    """Whether whole numbers are shown as codes: with leading zeros, or with marks between digits."""
    if any(t.kind == "mark" and t.text in ".," for t in section):
        return False
    shape = "".join(t.text if t.kind == "digit" else "-" if t.kind == "literal" else "" for t in section)
    zeros = re.search("0{2,}", shape) is not None and "#" not in shape.replace("?", "#").split("0")[0]
    between = [t.text for t in section[digits[0] : digits[-1]] if t.kind == "literal"]
    marked = any(text.strip(" \u00a0\u202f'’.,") for text in between)  # these group thousands, as commas do
    return zeros or marked


def _currency(section: tuple[_Token, ...]) -> str:
    for token in section:
        if token.kind == "money":
            sign, _, locale = token.text.rpartition("-") if "-" in token.text else (token.text, "", "")
            if sign.strip():
                return currency_of(sign.strip(), locale) or sign.strip()
    words = "".join(t.text if t.kind == "literal" else "\0" for t in section)
    for word in re.split(r"[\s\0()\u00a0\u202f+-]+", words):
        found = currency_of(word) if word else ""
        if found:
            return found
    return ""


def _chosen(code: str, value: int) -> tuple[_Token, ...]:
    """The section that shows this value, and its first when the code's conditions leave it open."""
    sections = _sections(code)
    conditions = [next((t.text for t in s if t.kind == "condition"), "") for s in sections]
    if any(conditions):
        for section, condition in zip(sections, conditions, strict=True):
            if not condition or _holds(condition, value):
                return section
        return sections[-1]
    if value < 0 and len(sections) > 1:
        return sections[1]
    return sections[2] if value == 0 and len(sections) > 2 else sections[0]


def _holds(condition: str, value: int) -> bool:
    match = _CONDITION.match(condition)
    if match is None or match[2].count(".") > 1 or not match[2].strip("-."):
        return False
    bound = float(match[2])
    return {
        "<": value < bound, ">": value > bound, "<=": value <= bound,
        ">=": value >= bound, "=": value == bound, "<>": value != bound,
    }[match[1]]  # fmt: skip


def write_code(value: int, code: str) -> str:
    """A whole number as a format of the kind `code` shows it: 1234 as `01234` with `00000`."""
    section = _chosen(code, value)
    if _describe(section) is None:
        section = _sections(code)[0]
    left = [t for t in section if t.kind in ("digit", "literal")]
    places = sum(t.kind == "digit" for t in left)
    digits = str(abs(value))
    if not places:
        return str(value)
    digits, rest = digits[-places:], digits[:-places]
    shown: list[str] = []
    for token in reversed(left):
        if token.kind == "literal":
            shown.append(token.text[::-1])
            continue
        places -= 1
        if digits:
            shown.append(digits[-1])
            digits = digits[:-1]
        elif token.text == "0":
            shown.append("0")
        if not places and rest:
            shown.append(rest[::-1])
    sign = "-" if value < 0 and section is _sections(code)[0] else ""
    return sign + "".join(shown)[::-1]


def is_temporal(code: str) -> bool:
    """Whether the value is a date, a time of day or a duration."""
    return describe(code).kind in ("date", "datetime", "time", "duration")


def needs_second_look(code: str) -> bool:
    """Whether the code says more of a value than that it is a number."""
    found = describe(code)
    return found.kind not in ("general", "number") or found.scale > 0
