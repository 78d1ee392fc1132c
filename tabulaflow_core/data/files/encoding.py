"""Which encoding a text file is in: by its marks, by what it cannot be, then by what reads like words."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.code_pages import Page, ranked
from tabulaflow_core.data.files.report import Certainty

_BLOCK = 1 << 20
#: Bytes of lines by which code pages are judged; more of them cost seconds and tell nothing new.
_JUDGED = 1 << 17
#: Characters of two to four bytes.
_UTF8_CHARS = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|\xe0[\xa0-\xbf][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{3}"
)
#: A mark below this is no reading: then Latin-1 keeps each byte as it is.
_UNREADABLE = -4.4
#: Pages of two bytes a character know so many of them that rare ones still read, where no other page comes near.
_EASTERN = ("cp932", "euc_jp", "gb18030", "big5hkscs", "cp949")
_UNREADABLE_EAST, _FAR = -5.0, 0.5
#: Thai has twice the letters of other scripts, so that each of them is rarer.
_THAI, _UNREADABLE_THAI, _AHEAD = "cp874", -4.8, 0.25
#: What a page offers besides its guess.
USUAL = ("utf-8", "cp1252", "iso8859-1", "utf-16", "cp1250", "cp1251", "shift_jis", "gb18030", "big5", "euc_kr")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


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
        if wide := wide_codec(head):
            return Encoding(wide, "likely", "zero bytes stand at the same places of every character")
        odd, rest = bytearray(), b""
        utf8, ascii_only, block = True, True, head
        while block:
            if not block.isascii():
                ascii_only = False
                if len(odd) < _BLOCK:
                    odd += _odd_lines(block)
            if utf8 and (rest or not block.isascii()):
                utf8, rest = _valid_utf8(rest + block)
            block = file.read(_BLOCK)
        utf8 = utf8 and not rest
    if ascii_only:
        return Encoding("utf-8", "certain", "only plain ASCII characters")
    if utf8:
        return Encoding("utf-8", "certain", "all bytes are valid UTF-8")
    return _damaged_utf8(bytes(odd)) or _code_page(bytes(odd[: odd.find(b"\n", _JUDGED) + 1 or len(odd)]))


def _valid_utf8(data: bytes) -> tuple[bool, bytes]:
    """Whether the bytes are UTF-8, but for the beginning of a character at their end, which is returned."""
    cut = len(data)
    for back in range(1, min(4, cut + 1)):
        if data[-back] >= 0xC0:  # the first byte of a character
            width = 2 if data[-back] < 0xE0 else 3 if data[-back] < 0xF0 else 4
            cut -= back if back < width else 0
            break
    text = pa.StringArray.from_buffers(1, pa.array([0, cut], pa.int32()).buffers()[1], pa.py_buffer(data))
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False, b""
    return True, data[cut:]


def wide_codec(head: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark, by where its zero bytes stand; None for other text."""
    sample = head[: len(head) // 4 * 4]
    if len(sample) < 8:
        return _two_bytes(head)
    quarter = len(sample) // 4
    zeros = [sample[i::4].count(0) for i in range(4)]
    if zeros[2] == zeros[3] == quarter and zeros[0] < quarter * 0.05:
        return "utf-32-le"
    if zeros[0] == zeros[1] == quarter and zeros[3] < quarter * 0.05:
        return "utf-32-be"
    return _two_bytes(head)


def _two_bytes(head: bytes) -> str | None:
    sample = head[: len(head) // 2 * 2]
    if len(sample) < 4:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.25 and even < half * 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.25 and odd < half * 0.05 else None


def _odd_lines(block: bytes) -> bytes:
    return b"\n".join(line[:2000] for line in re.split(rb"[\r\n]+", block) if not line.isascii()) + b"\n"


def _damaged_utf8(lines: bytes) -> Encoding | None:
    """UTF-8 with a few bytes that are none, when the characters of several bytes are many more than those."""
    good = len(_UTF8_CHARS.findall(lines))
    bad = len(re.findall(rb"[\x80-\xff]", _UTF8_CHARS.sub(b"", lines)))
    if good < max(4, bad * 4):
        return None
    return Encoding(
        "utf-8",
        "likely",
        f"{good} characters are UTF-8; {counted(bad, 'byte')} {agreed(bad, 'is', 'are')} damaged",
        ("cp1252",),
    )


def _code_page(lines: bytes) -> Encoding:
    pages = ranked(lines)
    if not pages or _unreadable(pages):
        rivals = tuple(p.codec for p in pages[:4])
        return Encoding("iso8859-1", "guess", "not UTF-8; the letters make no words in any code page", rivals)
    best = pages[0]
    text = lines.decode(best.codec, "replace")
    others = [p for p in pages[1:] if lines.decode(p.codec, "replace") != text]
    strange = sum(byte > 0x7F for byte in lines)
    sure = (not others or best.mark - others[0].mark > 0.4) and strange > 3
    rivals = tuple(p.codec for p in pages[1:6])
    reason = "not UTF-8; the words read best in this code page"
    return Encoding(best.codec, "likely" if sure else "guess", reason, rivals)


def _unreadable(pages: list[Page]) -> bool:
    best = pages[0]
    if best.codec == _THAI and all(best.mark - other.mark > _AHEAD for other in pages[1:]):
        return best.mark < _UNREADABLE_THAI
    alone = best.codec in _EASTERN and all(best.mark - other.mark > _FAR for other in pages[1:])
    return best.mark < (_UNREADABLE_EAST if alone else _UNREADABLE)


#: What the codecs that are found most are called by those who do not write programs.
_NAMES = {
    "utf-8": "Unicode",
    "utf-8-sig": "Unicode with a byte order mark",
    "utf-16": "Unicode of two bytes",
    "cp1252": "Windows Western",
    "cp1250": "Windows Central European",
    "cp1251": "Windows Cyrillic",
    "cp1253": "Windows Greek",
    "cp1254": "Windows Turkish",
    "cp1255": "Windows Hebrew",
    "cp1256": "Windows Arabic",
    "cp1257": "Windows Baltic",
    "iso8859-1": "ISO Western",
    "iso8859-2": "ISO Central European",
    "iso8859-5": "ISO Cyrillic",
    "iso8859-7": "ISO Greek",
    "iso8859-15": "ISO Western with €",
    "cp437": "DOS American",
    "cp850": "DOS Western",
    "cp852": "DOS Central European",
    "cp866": "DOS Cyrillic",
    "koi8-r": "Unix Cyrillic",
    "mac_roman": "Mac Western",
    "shift_jis": "Japanese",
    "euc_jp": "Unix Japanese",
    "gb18030": "Chinese",
    "big5": "Traditional Chinese",
    "euc_kr": "Korean",
}


def described(codec: str) -> str:
    """The codec in a sentence: `Windows Western (cp1252)`, or its name alone where there is no plainer one."""
    name = _NAMES.get(codec)
    return f"{name} ({codec})" if name else codec


def unknown(codec: str) -> str:
    """The sentence for a codec that does not exist, told by a person or by a file."""
    return (
        f"“{codec}” is no known encoding. Try utf-8, which most programs write today, "
        "or cp1252, which Excel writes on Western Windows."
    )
