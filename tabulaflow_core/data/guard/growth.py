"""Calls that ask for an absurd amount of memory or work at once, which no time limit can stop.

One call cannot be interrupted in DuckDB and SQLite, and a library takes its memory from the process. What a value
comes to is not known here, but what the literals of a statement ask for is: a size is worked out for each call from
the inside to the outside, and a value that comes from a column counts as the largest that a call of the same
statement makes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from tabulaflow_core.data.guard.brackets import Bracket, brackets, tokens_in
from tabulaflow_core.data.guard.lexer import Kind, Token
from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

MOST = 1_000_000
"""Elements that one list of literals may ask for."""
_MOST_TOGETHER = 50_000_000
"""Elements of nested lists, and steps of a call that compares or combines its arguments."""
_LONGEST = 100_000
"""Characters or bytes that one call may make from one."""
_LONGEST_TOGETHER = 1_000_000
"""The same for calls inside one another, as of `repeat(repeat('x', 1000), 1000)`."""
_AMOUNT_AT = {
    "approx_top_k": 1, "array_fill": 1, "array_resize": 1, "bar": 3, "bitstring": 1, "equi_width_bins": 2, "kdf": 2,
    "list_resize": 1, "lpad": 1, "random_bytes": 0, "randomblob": 0, "repeat": 1, "replicate": 1,
    "reservoir_quantile": 2, "rpad": 1, "space": 0, "to_base": 2, "zeroblob": 0,
}  # fmt: skip
"""Functions that make as much as an argument asks for, and which argument that is."""
_PADDED = {
    "mysql": name_set("binary"),
    "postgres": name_set("bit bpchar char character nchar"),
}
"""Types that fill a value up to their length."""
_LISTS = name_set("array_generate_range generate_array generate_series range sequence")
_COMBINING = name_set("regexp_replace replace str_replace")
"""The answer may be as long as the product of the arguments."""
_COMPARING = name_set(
    """
    btrim damerau_levenshtein editdist3 editdistance glob hamming instr jaccard jaro_similarity jaro_winkler_similarity
    levenshtein like locate ltrim mismatches position rtrim strpos translate trim
    """
)
"""The work may be the product of the arguments."""
_LAMBDAS = name_set(
    """
    array_apply array_filter array_reduce array_transform apply filter list_apply list_filter list_reduce
    list_transform reduce transform
    """
)
_COMPREHENSION = name_set("for if in")
_POWERS = name_set("exp factorial pow power")
_POWER_SIGNS = frozenset({"^", "**", "<<", "~"})
_NOT_COUNTED_AFTER = frozenset("/%")
_BEFORE_A_VALUE, _AFTER_A_VALUE = name_set("select values , ("), name_set("as from union ) ,")
_FORMATTERS = {
    "sqlite": frozenset({"format", "printf"}),
    "duckdb": frozenset({"format", "printf"}),
    "postgres": frozenset({"format"}),
}
_WIDE = re.compile(r"%[^%A-Za-z]*\d{5}|\{[^{}]*\d{5}")
_REPEATED_CHARACTER = re.compile(r"%[^%A-Za-z]*\*[^%A-Za-z]*c")


def check_growth(tokens: Sequence[Token], dialect: str) -> None:
    """Raises `Refusal` if the literals of a call ask for more than a report can hold."""
    whole = brackets(tokens)
    sizes = _Sizes(dialect, _largest_value(tokens) if dialect == "duckdb" else 1.0)
    sizes.of(whole)
    if sizes.combines:
        sizes.look_again(whole)


def check_amounts(name: str, literals: Sequence[str]) -> None:
    """Raises `Refusal` if one of these numbers, or their product, is too large for a list made by `name`."""
    amounts = [_number(literal) for literal in literals]
    if max(amounts, default=0) > MOST or math.prod(a for a in amounts if a > 1) > _MOST_TOGETHER:
        raise _too_large(name, MOST)


class _Sizes:
    """Works out how large the value of an expression can be, in characters, bytes or elements."""

    def __init__(self, dialect: str, largest_value: float) -> None:
        self.formatters = _FORMATTERS.get(dialect, frozenset())
        self.padded = _PADDED.get(dialect, frozenset())
        self.largest_value = largest_value
        self.largest_made = 1.0
        self.combines = False
        self.second_look = False
        self.known: dict[int, float] = {}

    def of(self, bracket: Bracket) -> float:
        """The size of what a call or a bracket gives; 1 where nothing is known."""
        found = self.known.get(id(bracket))
        if found is None:
            found = self.known[id(bracket)] = self._of(bracket)
        return found

    def look_again(self, whole: Bracket) -> None:
        """Once more, now that the largest value is known that a column may hold."""
        self.known.clear()
        self.second_look = True
        self.of(whole)

    def _of(self, bracket: Bracket) -> float:
        name = bracket.name
        inside = [self._part(part) for part in bracket.parts]
        if name in _AMOUNT_AT:
            return self._made(bracket, inside)
        if name in self.padded:
            self._bounded(name, max(_numbers(tokens_in(list(bracket.items()))), default=0.0), 1.0)
        if name in self.formatters:
            _check_format(name, list(tokens_in(list(bracket.items()))))
        if name in _LISTS:
            return max([1.0, *inside, *_numbers(tokens_in(list(bracket.items())))])
        if bracket.opening == "[" and any(_word(item) == "for" for item in bracket.items()):
            return self._combined("A list", self._comprehension(bracket))
        if name in _LAMBDAS:
            return self._combined(name, inside)
        if name in _COMBINING or name in _COMPARING:
            self.combines = True
            if self.second_look:
                texts = [self._text(part, size) for part, size in zip(bracket.parts, inside, strict=True)]
                size = self._combined(name, texts)
                return size if name in _COMBINING else 1.0
        return max(inside, default=1.0)

    def _part(self, part: list[Token | Bracket]) -> float:
        return max((self.of(item) for item in part if isinstance(item, Bracket)), default=1.0)

    def _made(self, bracket: Bracket, inside: list[float]) -> float:
        at = _AMOUNT_AT[bracket.name]
        everywhere = bracket.after_dot or at >= len(bracket.parts)
        asked = bracket.parts if everywhere else [bracket.parts[at]]
        amount = max([_amount([item for part in asked for item in part]), 1.0])
        if any(_is_name(part) for part in asked):
            amount = max(amount, self.largest_value)
        rest = max((size for i, size in enumerate(inside) if everywhere or i != at), default=1.0)
        self._bounded(bracket.name, amount, rest)
        self.largest_made = max(self.largest_made, amount * rest)
        return amount * rest

    def _bounded(self, name: str, amount: float, rest: float) -> None:
        if amount > _LONGEST or amount * rest > _LONGEST_TOGETHER:
            raise _too_large(name, _LONGEST)

    def _combined(self, name: str, sizes: Sequence[float]) -> float:
        size = math.prod(sizes)
        if size > _MOST_TOGETHER:
            raise _too_large(name, _MOST_TOGETHER)
        return max(size, 1.0)

    def _comprehension(self, bracket: Bracket) -> list[float]:
        sizes = [1.0]
        for item in bracket.items():
            if _word(item) in _COMPREHENSION:
                sizes.append(1.0)
            elif isinstance(item, Bracket):
                sizes[-1] = max(sizes[-1], self.of(item))
        return sizes

    def _text(self, part: list[Token | Bracket], size: float) -> float:
        """An argument that is a text or comes from a column."""
        if len(part) == 1 and isinstance(part[0], Token) and part[0].kind in (Kind.STRING, Kind.NUMBER):
            return float(len(part[0].text)) if part[0].kind is Kind.STRING else 1.0
        return max(size, self.largest_made) if any(_is_column(item) for item in part) else size


def _amount(items: Sequence[Token | Bracket]) -> float:
    """What the literals of an amount come to at most, as if all were multiplied."""
    tokens = list(tokens_in(items))
    numbers = list(_numbers(tokens))
    written = " ".join(token.text.lower() for token in tokens).replace("* *", "**").replace("< <", "<<").split()
    if any(word in _POWERS or word in _POWER_SIGNS for word in written):
        base, exponent = max([2.0, *numbers]), max(sorted(numbers)[:-1] or numbers or [64.0])
        return max(_power(base, exponent), _power(max(2.0, exponent), base))
    return math.prod(number for number in numbers if number > 1)


def _power(base: float, exponent: float) -> float:
    return math.inf if exponent * math.log10(base) > 300 else base**exponent


def _numbers(tokens: Iterator[Token] | Sequence[Token]) -> Iterator[float]:
    """The numbers written there, also as text; what a value is divided by does not make it larger."""
    before = ""
    for token in tokens:
        counted = token.kind is Kind.NUMBER or (token.kind is Kind.STRING and token.text.strip("'\"").isdecimal())
        if counted and before not in _NOT_COUNTED_AFTER:
            yield _number(token.text.strip("'\""))
        before = token.text if token.kind is Kind.OP else "-"


def _largest_value(tokens: Sequence[Token]) -> float:
    """The largest number that is itself a value, as in `SELECT 1000000000 AS n`; it may come back under a name."""
    largest = 1.0
    for i, token in enumerate(tokens):
        before = tokens[i - 1].text.lower() if i else ""
        after = tokens[i + 1].text.lower() if i + 1 < len(tokens) else "from"
        if token.kind is Kind.NUMBER and before in _BEFORE_A_VALUE and after in _AFTER_A_VALUE:
            number = _number(token.text)
            largest = max(largest, number if number > MOST else 1.0)
    return largest


def _is_column(item: Token | Bracket) -> bool:
    if isinstance(item, Bracket):
        return any(_is_column(inner) for inner in item.items())
    return item.kind in (Kind.WORD, Kind.QUOTED)


def _is_name(part: list[Token | Bracket]) -> bool:
    """Whether a part is nothing but a column."""
    return bool(part) and all(isinstance(t, Token) and (_is_column(t) or t.text == ".") for t in part)


def _word(item: Token | Bracket) -> str:
    return item.text.lower() if isinstance(item, Token) and item.kind is Kind.WORD else ""


def _check_format(name: str, inside: list[Token]) -> None:
    texts = [token.text for token in inside if token.kind is Kind.STRING]
    if any(_WIDE.search(text) or _REPEATED_CHARACTER.search(text) for text in texts):
        raise Refusal(RefusalCode.TOO_LARGE, f"{name} is asked for a width that no report needs; use a smaller one.")
    if any("*" in text for text in texts):
        check_amounts(name, [token.text for token in inside if token.kind is Kind.NUMBER])


def _too_large(name: str, most: int) -> Refusal:
    return Refusal(
        RefusalCode.TOO_LARGE, f"{name} is asked for more than {most:,} characters or elements at once; ask for less."
    )


def _number(literal: str) -> float:
    text = literal.replace("_", "")
    try:
        return float(int(text, 0)) if text[:2].lower() in ("0x", "0o", "0b") else float(text)
    except (ValueError, OverflowError):
        return math.inf
