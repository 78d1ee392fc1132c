"""Which code page bytes are in, by how well the words read in the languages that each was made for."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache

from tabulaflow_core.data.files.letters import FREQUENT, LATIN, OTHER, PAGES

#: Logarithms of how often a thing stands in real text, for a byte of it.
_NEVER = -7.0
_SIGN = -3.2
_STRANGE_SIGN = -5.0
_EAST = ("japanese", "chinese", "traditional", "korean")
_RUN = re.compile(r"[^\W\d_]+|[^\x00-\x7f]", re.UNICODE)
_CAPITAL = "[À-ÖÙ-ÞŽŠŒŸĂĄĆČĎĐĘĚŁŃŇŐŘŚŞŢŤŮŰŹŻ]"
#: A letter by itself at a number, where the sign of a currency stands: a capital, or a small one that touches it.
_AT_NUMBER = re.compile(rf"(?<!\w){_CAPITAL}[ \xa0]?(?=[0-9])|(?<=[0-9])[ \xa0]?{_CAPITAL}(?!\w)")
_TOUCHING = re.compile(r"(?<!\w)[^\W\d_A-Za-zªºµø](?=[0-9])")
_USUAL_SIGNS = frozenset("“”‘’–—…•€°§«»£©®±×·„‚¿¡²³½¼µ№ªº\u00a0¥")


@dataclass(frozen=True, slots=True)
class Page:
    """A code page and how well the text reads in it, at best 0."""

    codec: str
    mark: float


def ranked(lines: bytes) -> list[Page]:
    """Code pages that can hold these bytes, the likeliest first."""
    strange = sum(byte > 0x7F for byte in lines)
    found = []
    for rank, (codec, (languages, prior)) in enumerate(PAGES.items()):
        text = lines.decode(codec, "replace")
        bad = text.count("\ufffd")
        if bad > max(1, strange // 100):
            continue
        marks = (_east(text, name) if name in _EAST else _letters(text, name) for name in languages.split())
        found.append(
            (max(marks) / max(strange, 1) + prior * _weight(strange) + bad * _NEVER / max(strange, 1), -rank, codec)
        )
    found.sort(reverse=True)
    return [Page(codec, mark) for mark, _, codec in found]


def _weight(strange: int) -> float:
    """How much a prior counts beside that many characters: as much as four of them."""
    return 4 / max(strange, 4)


@cache
def _table(language: str) -> dict[str, float]:
    letters = LATIN.get(language) or OTHER[language]
    weights = [1 / (rank + 2.5) for rank in range(len(letters))]
    total = sum(weights)
    # A mixture of languages fits everything a little; no other page yields nothing but letters of Thai.
    wide = -1.2 if language in ("western", "central") else 0.8 if language == "thai" else 0.0
    table = {letter: math.log(weight / total) + wide for letter, weight in zip(letters, weights, strict=True)}
    return table


def _letters(text: str, language: str) -> float:
    """The summed logarithms of all characters beyond ASCII, read as this language."""
    table = _table(language)
    latin = language in LATIN
    total = 0.0
    for word, count in Counter(_RUN.findall(text)).items():
        total += count * _word(word, table, latin=latin)
    total += _NEVER * sum(m.group().islower() for m in _TOUCHING.finditer(text))
    if latin:  # elsewhere such a letter is a word
        total += _NEVER * sum(1 for _ in _AT_NUMBER.finditer(text))
    return total + _beside(text)


def _beside(text: str) -> float:
    """Signs between two letters, as in `c½ur`, which no word has."""
    return sum(_STRANGE_SIGN for _ in re.finditer(r"(?<=[^\W\d_])[^\w\s\x00-\x7f’·´`ʼ‑–\u00ad](?=[^\W\d_])", text))


def _word(word: str, table: dict[str, float], *, latin: bool) -> float:
    strange = [c for c in word if c > "\x7f"]
    if not strange:
        return 0.0
    if len(word) == 1 and not word.isalpha():
        if word == "\u00a0":
            return -0.8
        if word in table:  # vowels of Thai are marks
            return table[word]
        return _SIGN if word in _USUAL_SIGNS else _NEVER if word < "\xa0" or word == "\ufffd" else _STRANGE_SIGN
    total = 0.0
    ascii_letters = len(word) - len(strange)
    for char in strange:
        value = table.get(char)
        if value is None:
            value = table.get(char.lower(), _NEVER)
            value -= 0.0 if value == _NEVER else 0.7
        total += value
    if latin and len(word) > 1 and len(strange) > len(word) / 2:
        total -= (2.0 if ascii_letters == 0 else 1.5) * len(strange)  # real Latin words are mostly plain letters
    if not latin and ascii_letters:
        total += _NEVER
    if word.lower() != word.upper() and not (
        word.islower() or word.isupper() or word.istitle() or (word[0].isupper() and word[1:].islower())
    ):
        total -= 2.0
    return total


@cache
def _common(language: str) -> frozenset[str]:
    return frozenset(FREQUENT[language])


def _east(text: str, language: str) -> float:
    total = 0.0
    for char, count in Counter(c for c in text if c > "\x7f").items():
        total += count * _east_char(char, language)
    mixed = len(re.findall(r"[A-Za-z][\u3400-\u9fff\uac00-\ud7af]|[\u3400-\u9fff\uac00-\ud7af][a-z]", text))
    return total + mixed * _NEVER


@cache
def _east_char(char: str, language: str) -> float:
    if char in _common(language):
        return -4.4
    if "\u3040" <= char <= "\u30ff":
        return -4.2 if language == "japanese" else -12.0
    if "\uff61" <= char <= "\uff9f":
        return -5.5 if language == "japanese" else -12.0
    if "\u3000" <= char <= "\u303f" or "\uff01" <= char <= "\uff60":
        return -5.5
    if "\uac00" <= char <= "\ud7a3":
        return -6.5 if language == "korean" and _row(char, "euc_kr") else -12.0
    if unicodedata.name(char, "").startswith("CJK UNIFIED"):
        first = {"japanese": "euc_jp", "chinese": "gb2312", "traditional": "big5", "korean": "euc_kr"}[language]
        row = _row(char, first)
        often = {"japanese": row < 0xD0, "chinese": row < 0xD8, "traditional": row < 0xC7, "korean": False}[language]
        return -7.5 if row and often else -12.0
    return -9.0


def _row(char: str, codec: str) -> int:
    """The first byte of the character in the codec, 0 when it has none; frequent characters have low ones."""
    try:
        raw = char.encode(codec)
    except UnicodeEncodeError:
        return 0
    return raw[0] if len(raw) == 2 else 0
