"""Text that mixes both directions of writing: names from right to left, kept apart from the words around them.

Unicode lets a number that follows a Hebrew or Arabic word be drawn as part of it: “by שם. 6 bars” is seen as
“by 6 .שם bars”. Invisible marks around the word (FSI and PDI, “isolates”) keep each thing in its place.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

#: What stands before and behind a marked off stretch.
MARKS: Final = ("\u2068", "\u2069")
_FIRST, _POP = MARKS
_LETTER: Final = (
    "[\u0591-\u065f\u066e-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001eeff]"
)
_WORD: Final = rf"{_LETTER}(?:[\u200c\u200d'’\"״׳-]*{_LETTER})*"
_NUMBER: Final = r"[\d\u0660-\u0669\u06f0-\u06f9]+"
#: Words in a row, with the numbers that stand between two of them.
_STRETCH: Final = re.compile(rf"{_WORD}(?:[ \u00a0]+(?:{_NUMBER}[ \u00a0]+)?{_WORD})*")
_ANY: Final = re.compile(_LETTER)
#: Numbers with a sign, a mark, a currency or a percent sign: among words from right to left “-5” is drawn as “5-”.
_FIGURE: Final = re.compile(
    rf"(?<![\w.,:/-])(?:[-−+±$€£¥]{{1,2}}{_NUMBER}(?:[-.,:/٫٬'’]{_NUMBER})*[%٪‰$€£¥]?"
    rf"|{_NUMBER}(?:(?:[-.,:/٫٬'’]{_NUMBER})+[%٪‰$€£¥]?|[%٪‰$€£¥]))(?!\w)"
)


def has_right_to_left(text: str) -> bool:
    """Whether any letter of `text` is written from right to left."""
    return _ANY.search(text) is not None


def is_right_to_left(text: str) -> bool:
    """Whether `text` is written from right to left, as its first letter tells; what is marked off does not count."""
    if not has_right_to_left(text):
        return False
    depth = 0
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("FSI", "LRI", "RLI"):
            depth += 1
        elif kind == "PDI":
            depth -= 1
        elif depth <= 0 and kind in ("L", "R", "AL"):
            return kind != "L"
    return False


def marked_off(text: str) -> str:
    """`text`, which runs from left to right, with each stretch of words from right to left marked off.

    What is marked off already stays as it is.
    """
    if not has_right_to_left(text) or _FIRST in text:
        return text
    return _STRETCH.sub(lambda stretch: f"{_FIRST}{stretch[0]}{_POP}", text)


def prose(text: str, *, backwards: bool) -> str:
    """A piece of what somebody wrote, with all that would change its place in it marked off.

    Args:
        backwards: The text as a whole is from right to left; then each line goes by its own first letter.
    """
    if not backwards:
        return marked_off(text)
    lines = text.split("\n")
    return "\n".join(_figures_marked_off(line) if is_right_to_left(line) else marked_off(line) for line in lines)


def _figures_marked_off(line: str) -> str:
    if _FIRST in line:
        return line
    return _FIGURE.sub(lambda figure: f"{_FIRST}{figure[0]}{_POP}", line)


def name(text: str) -> str:
    """A name that stands among other words, marked off as a whole when any of it is from right to left."""
    if not has_right_to_left(text) or (text.startswith(_FIRST) and text.endswith(_POP)):
        return text
    inner = text if is_right_to_left(text) else marked_off(text)
    return f"{_FIRST}{inner}{_POP}"


def plain(text: str) -> str:
    """`text` without the marks, as when it was copied from a page and is typed into a question."""
    return text.replace(_FIRST, "").replace(_POP, "")
