"""What some programs write around JSON and between it, though JSON has no such thing."""

from __future__ import annotations

import re
from typing import Final

from tabulaflow_core.counting import counted
from tabulaflow_core.data.files.formats.json_feed import BLANK

#: Comments, and commas before a closing bracket; texts are passed over.
_LOOSE: Final = re.compile(
    r'"(?:[^"\\]|\\.)*"|(?P<comment>//[^\r\n]*|/\*.*?\*/|(?m:^[ \t]*#[^\r\n]*))|(?P<comma>,(?=\s*[}\]]))', re.DOTALL
)
#: A call of a function around it, a variable that it is given to, or a guard against being run as a script.
_AROUND: Final = re.compile(
    r"\s*(?:(?P<call>[A-Za-z_$][\w$.]*\s*\(\s*(?=[{\[]))|(?P<name>(?:(?:export\s+)?(?:var|let|const)\s+)?"
    r"[A-Za-z_$][\w$.]*\s*=\s*(?=[{\[]))|(?P<guard>\)\]\}',?|(?:while\s*\(1\)|for\s*\(;;\))\s*;))"
)
_WORDS: Final = {
    "comment": "comment",
    "comma": "comma",
    "call": "call of a function around it",
    "name": "variable that it is given to",
    "guard": "guard before it",
}


def mended(text: str) -> tuple[str, list[str]]:
    """The text without what is no JSON, each line where it was; and what that was, in words for a person."""
    taken = dict.fromkeys(_WORDS, 0)
    loose = _LOOSE.sub(lambda m: _taken(m, taken), text)
    loose = _LOOSE.sub(lambda m: _taken(m, taken), loose)  # a comment stood between comma and bracket
    if match := _AROUND.match(loose):
        taken[match.lastgroup or "guard"] += 1
        loose = re.sub(r"[^\r\n]", " ", match[0]) + loose[match.end() :]
        end = loose.rstrip(BLANK + ";")
        loose = end[:-1] if match.lastgroup == "call" and end.endswith(")") else end
    return loose.lstrip(BLANK), [counted(n, _WORDS[kind]) for kind, n in taken.items() if n]


def _taken(match: re.Match[str], taken: dict[str, int]) -> str:
    kind = match.lastgroup
    if kind is None:
        return match[0]
    taken[kind] += 1
    return re.sub(r"[^\r\n]", " ", match[0])
