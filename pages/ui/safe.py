"""Text that a model or a file wrote, made harmless for markdown.

Streamlit fetches remote images at once, wherever markdown is drawn, so one image in an answer would carry data
out without a click. Every image mark is therefore broken, in code as well: parsers disagree on where code ends.
Links are broken too; dollars and directives would turn figures into formulas or swallow text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from tabulaflow_core.output import direction

_WORD_JOINER: Final = "\u2060"
_DIRECTIVE: Final = re.compile(r":(?=[\w-]*[\[{/])")
#: What renderers turn into links by themselves. The address of a database is none, and must stay fit to be copied.
_LINK: Final = re.compile(
    r"(?<!postgresql)(?<!mysql)(?<!mariadb)(?<!sqlite)(?<!duckdb):(?=//)|www(?=\.)", re.IGNORECASE
)
#: What begins a link in angles or a tag, in which entities are not read.
_ANGLE: Final = re.compile(r"<(?=[A-Za-z/!?])")
#: What says where the links of a name go.
_DEFINITION: Final = re.compile(r"\](?=:(?!:))")
_CODE: Final = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)


def markdown(text: str) -> str:
    """A sentence of the program as markdown that fetches nothing, links nowhere and keeps its dollars and colons.

    Names from right to left in it keep their places, and so do the numbers beside them.
    """
    return _harmless(text, direction.marked_off)


def prose(text: str) -> str:
    """The same of what a model wrote, which may be from right to left as a whole."""
    backwards = direction.is_right_to_left(text)
    return _harmless(text, partial(direction.prose, backwards=backwards))


def _harmless(text: str, mark_off: Callable[[str], str]) -> str:
    text = text.replace("![", f"!{_WORD_JOINER}[").replace("](", f"]{_WORD_JOINER}(")
    text = _DEFINITION.sub(f"]{_WORD_JOINER}", _unlinked(text))
    pieces = _CODE.split(text)
    for at in range(0, len(pieces), 2):
        pieces[at] = _ANGLE.sub("&lt;", _DIRECTIVE.sub("&#58;", mark_off(pieces[at]).replace("$", "&#36;")))
    return "".join(pieces)


def _unlinked(text: str) -> str:
    return _LINK.sub(lambda match: match[0] + _WORD_JOINER, text)


def label(text: str, *, length: int = 80) -> str:
    """`text` as one plain line for a button, a tab or a status, which draw markdown too."""
    line = " ".join(text.split())
    if len(line) > length:
        line = line[: length - 1].rstrip() + "…"
    line = _unlinked(direction.name(line))
    return re.sub(r"([\\`*_\[\]{}<>#$~|!])", r"\\\1", line).replace(":", "&#58;") if line else " "
