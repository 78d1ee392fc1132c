"""Which encoding a text file is in: by its marks, by what it cannot be, then by what reads like words."""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from tabulaflow_core.data.files.report import Certainty

_BLOCK = 1 << 20
#: What a page offers besides its guess.
USUAL = ("utf-8", "cp1252", "iso8859-1", "utf-16", "cp1250", "cp1251", "shift_jis", "gb18030", "big5", "euc_kr")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: Letters that text in the languages of a code page uses often. A guess that yields others is a worse guess.
_COMMON = {
    "cp1252": "äöüßéèàçñáíóúåøæãõâêîôûëïœÄÖÜÉÅØÁÍÓÚÑÇ",
    "cp1250": "ąćęłńóśźżčřšžýůěťďňáéíúőűăâîșțşţäöüßŁŚŻŠŽČÁÉŘÝ",
    "iso8859-2": "ąćęłńóśźżčřšžýůěťďňáéíúőűăâîäöüßŁŚŻŠŽČÁÉŘÝ",
    "cp1254": "ğışöçüâîİĞŞÖÇÜ",
    "iso8859-15": "äöüßéèàçñáíóúåøæãõâêîôûëïœ€ÄÖÜÉÅØ",
    "cp850": "äöüßéèàçñáíóúåøæâêîôûëïÄÖÜÉÅØ",
    "mac_roman": "äöüßéèàçñáíóúåøæãõâêîôûëïœÄÖÜÉÅØ",
    "cp1257": "ąčęėįšųūžāēģīķļņõäöüĄČĘĖĮŠŲŪŽĀ",
}
#: The frequent letters of scripts that are not Latin; a wrong code page spreads text over the rare ones.
_FREQUENT = {
    "GREEK": "αοιετσνηυρπκμλςωίόάέήύώδ",
    "CYRILLIC": "оеаинтсрвлкмдпуяыіьз",
    "HEBREW": "יוהלארתבשמנםד",
    "ARABIC": "االيمنوتربدعسفهكلةحق",
}
#: Western Windows text is the usual case; DOS and Macintosh pages are rare today.
_PRIOR = {
    "cp1252": 0.2,
    "cp1250": 0.05,
    "cp1251": 0.05,
    "cp1253": 0.05,
    "iso8859-2": -0.02,
    "cp1257": -0.05,
    "iso8859-5": -0.1,
    "cp866": -0.1,
    "cp850": -0.15,
    "mac_roman": -0.2,
}
#: In the order in which a tie is decided.
_CANDIDATES = (
    "cp1252", "cp1250", "iso8859-2", "cp1251", "cp1253", "iso8859-7", "cp1254", "cp1255", "cp1256", "cp1257",
    "koi8-r", "iso8859-5", "cp866", "cp850", "mac_roman", "shift_jis", "gb18030", "big5", "euc_kr", "euc_jp",
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec and how sure it is.

    Attributes:
        rivals: Other codecs that read nearly as well.
    """

    codec: str
    certainty: Certainty
    reason: str
    rivals: tuple[str, ...] = ()


def detect_encoding(path: Path) -> Encoding:
    """The encoding of a file, decided over all of its bytes."""
    with path.open("rb") as file:
        head = file.read(_BLOCK)
        for bom, codec in _BOMS:
            if head.startswith(bom):
                return Encoding(codec, "certain", "the file begins with a byte order mark")
        if wide := _wide(head):
            return Encoding(wide, "likely", "every other byte is zero")
        decoder = codecs.getincrementaldecoder("utf-8")()
        odd = bytearray()
        utf8, ascii_only, block = True, True, head
        while block:
            if not block.isascii():
                ascii_only = False
                if utf8:
                    try:
                        decoder.decode(block)
                    except UnicodeDecodeError:
                        utf8 = False
                if len(odd) < _BLOCK:
                    odd += _odd_lines(block)
            elif utf8:
                try:
                    decoder.decode(block)
                except UnicodeDecodeError:
                    utf8 = False
            block = file.read(_BLOCK)
        if utf8:
            try:
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                utf8 = False
    if ascii_only:
        return Encoding("utf-8", "certain", "only plain ASCII characters")
    if utf8:
        return Encoding("utf-8", "certain", "all bytes are valid UTF-8")
    return _code_page(bytes(odd))


def _wide(head: bytes) -> str | None:
    sample = head[: len(head) // 2 * 2]
    if len(sample) < 4:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.4 and even < half * 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.4 and odd < half * 0.05 else None


def _odd_lines(block: bytes) -> bytes:
    return b"\n".join(line[:2000] for line in re.split(rb"[\r\n]+", block) if not line.isascii()) + b"\n"


def _code_page(lines: bytes) -> Encoding:
    scores: list[tuple[float, int, str]] = []
    for rank, codec in enumerate(_CANDIDATES):
        try:
            text = lines.decode(codec)
        except UnicodeDecodeError:
            text = lines.decode(codec, "replace")
            bad = text.count("\ufffd")
            if bad > max(1, len(lines) // 200) or codec not in ("cp1252", "cp1250", "cp1253", "cp1251"):
                continue
        scores.append((_reads_like_words(text, codec), -rank, codec))
    scores.sort(reverse=True)
    best = scores[0]
    rival = next((s for s in scores[1:] if lines.decode(s[2], "replace") != lines.decode(best[2], "replace")), None)
    sure = rival is None or best[0] - rival[0] > 0.25
    return Encoding(best[2], "likely" if sure else "guess", "not UTF-8; the words read best in this code page")


def _reads_like_words(text: str, codec: str) -> float:
    """A mark between about -2 and 1: how much the words that hold non-ASCII characters look like real ones."""
    common = _COMMON.get(codec, "")
    total, count = 0.0, 0
    for char in text:  # signs that no text has
        if "\x80" <= char <= "\x9f" or char == "\ufffd":
            total -= 2
            count += 1
    for word in _WORD.findall(text):
        strange = [c for c in word if c > "\x7f"]
        if not strange:
            continue
        count += 1
        total += _word_mark(word, strange, common)
    for mark in re.findall(r"[^\x00-\x7f\w\s]", text):
        count += 1
        total += 0.8 if mark in "“”‘’–—…•€°§«»£©®±×·„¿¡²³" else -0.6
    for around in re.findall(r"(?:^|[^\w])\u00a0|\u00a0(?:[^\w]|$)", text, re.MULTILINE):
        count += len(around) > 0
        total += 0.8  # a no-break space at the edge of a cell
    return total / max(count, 1) + _PRIOR.get(codec, 0.0)


def _word_mark(word: str, strange: list[str], common: str) -> float:
    scripts = {unicodedata.name(c, "?").split(" ")[0] for c in word}
    if scripts == {"HANGUL"}:
        return 0.9
    if scripts <= {"HIRAGANA", "KATAKANA"}:
        return 0.8
    scripts = {"HAN" if s in ("CJK", "HIRAGANA", "KATAKANA", "HANGUL") else s for s in scripts}
    if len(scripts) > 1 or "?" in scripts:
        return -1.0
    cased = not (word.islower() or word.isupper() or word.istitle() or (word[0].isupper() and word[1:].islower()))
    script = scripts.pop()
    if script == "HAN":
        return 0.7 if len(word) > 1 else 0.2
    if script in ("GREEK", "CYRILLIC", "HEBREW", "ARABIC"):
        if any("GREEK" not in unicodedata.name(c) for c in strange) and script == "GREEK":
            return -1.0
        if cased and script in ("GREEK", "CYRILLIC"):
            return -0.5
        frequent = sum(c in _FREQUENT[script] for c in word.lower()) / len(word)
        return 2 * frequent - 1 if len(word) > 1 else 0.1
    if script != "LATIN":
        return -1.0
    mark = 1.0 if all(c in common for c in strange) else -0.2
    if len(word) > 2 and len(strange) > len(word) / 2:
        mark -= 1.2  # real Latin words are mostly plain letters
    return mark - (0.8 if cased else 0.0)
