"""Digits and signs of other scripts: in numbers and dates they stand for those of ASCII."""

from __future__ import annotations

from typing import Final

#: The zero of each script whose digits people write numbers with; its nine others follow it.
_ZEROS: Final = "٠۰०০੦૦୦௦౦೦൦๐໐༠၀០０"
DIGITS: Final = "".join(chr(ord(zero) + n) for zero in _ZEROS for n in range(10))
#: The decimal mark of Arabic, which can be nothing else.
DECIMAL: Final = "٫"
#: Signs and what they stand for; what parts thousands in Arabic is a blank, which can be nothing else either.
_SIGNS: Final = {
    "٬": "\u202f",
    "٪": "%",
    "．": ".",
    "，": ",",
    "－": "-",
    "＋": "+",
    "％": "%",
    "／": "/",
    "：": ":",
    "（": "(",
    "）": ")",
    "＄": "$",
    "\u3000": " ",
}
#: Marks of the direction of writing, which one does not see.
_UNSEEN: Final = "\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
_TABLE: Final = str.maketrans(DIGITS + "".join(_SIGNS), "0123456789" * len(_ZEROS) + "".join(_SIGNS.values()), _UNSEEN)
#: Pattern of a number or code that begins with a zero before another digit, in any of the scripts.
LEADING_ZERO: Final = f"^[{_ZEROS}0][0-9{DIGITS}]"
#: Pattern of any sign that `folded` would change.
ANY: Final = f"[{DIGITS}{''.join(_SIGNS)}{DECIMAL}{_UNSEEN}]"


def folded(text: str) -> str:
    """The text with the digits and signs of ASCII."""
    return text if text.isascii() else text.translate(_TABLE)


def folding(value: str, *, mark: str = DECIMAL, digits: str = "0123456789") -> str:
    """SQL of the same.

    Args:
        value: SQL of a text.
        mark: What stands for the decimal mark of Arabic.
        digits: What stands for the digits from 0 on, those of ASCII among them.
    """
    old = "0123456789" + DIGITS + "".join(_SIGNS) + DECIMAL + _UNSEEN
    new = digits * (1 + len(_ZEROS)) + "".join(_SIGNS.values()) + mark
    return f"translate({value}, '{old}', '{new}')"
