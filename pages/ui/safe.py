"""Text that a model or a file wrote, made harmless for markdown.

Streamlit fetches remote images at once, wherever markdown is drawn, so one image in an answer would carry data
out without a click. Every image mark is therefore broken, in code as well: parsers disagree on where code ends.
Links are broken too; dollars and directives would turn figures into formulas or swallow text.
"""

from __future__ import annotations

import re
from typing import Final

_WORD_JOINER: Final = "\u2060"
_DIRECTIVE: Final = re.compile(r":(?=[\w-]*[\[{/])")
#: What renderers turn into links by themselves. The address of a database is none, and must stay fit to be copied.
_LINK: Final = re.compile(
    r"(?<!postgresql)(?<!mysql)(?<!mariadb)(?<!sqlite)(?<!duckdb):(?=//)|www(?=\.)", re.IGNORECASE
)
_CODE: Final = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)


def markdown(text: str) -> str:
    """`text` as markdown that fetches nothing, links nowhere and keeps its dollars and colons."""
    text = text.replace("![", f"!{_WORD_JOINER}[").replace("](", f"]{_WORD_JOINER}(")
    text = _LINK.sub(lambda match: match[0] + _WORD_JOINER, text)
    pieces = _CODE.split(text)
    for at in range(0, len(pieces), 2):
        pieces[at] = _DIRECTIVE.sub("&#58;", pieces[at].replace("$", "&#36;"))
    return "".join(pieces)


def label(text: str, *, length: int = 80) -> str:
    """`text` as one plain line for a button, a tab or a status, which draw markdown too."""
    line = " ".join(text.split())
    if len(line) > length:
        line = line[: length - 1].rstrip() + "…"
    return re.sub(r"([\\`*_\[\]{}<>#$~|!])", r"\\\1", line).replace(":", "&#58;") if line else " "
