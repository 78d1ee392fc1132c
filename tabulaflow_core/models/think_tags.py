"""Reasoning that a server left in the answer: `<think>…</think>` before the first word."""

from __future__ import annotations

from typing import Final

from tabulaflow_core.models.contracts import TextPart, ThinkingPart

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"


class ThinkTags:
    """Parts reasoning from text, piece by piece. Only at the beginning: later, the tag is a word like any other."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"

    def feed(self, delta: str) -> list[TextPart | ThinkingPart]:
        """Take the next piece; return what is now certain."""
        if self._state == "text":
            return [TextPart(delta)] if delta else []
        self._held += delta
        return self._drain(final=False)

    def finish(self) -> list[TextPart | ThinkingPart]:
        """Return what was held back."""
        return self._drain(final=True)

    def _drain(self, *, final: bool) -> list[TextPart | ThinkingPart]:
        parts: list[TextPart | ThinkingPart] = []
        if self._state == "start":
            begun = self._held.lstrip()
            if _OPEN.startswith(begun) and begun != _OPEN and not final:
                return []
            self._state = "thinking" if begun.startswith(_OPEN) else "text"
            self._held = begun.removeprefix(_OPEN) if self._state == "thinking" else self._held
        if self._state == "thinking":
            thought, closed, rest = self._held.partition(_CLOSE)
            if not closed:
                keep = 0 if final else _open_end(thought)
                thought, rest = thought[: len(thought) - keep], thought[len(thought) - keep :]
            if thought:
                parts.append(ThinkingPart(thought))
            self._held = rest
            if not closed:
                return parts
            self._state, self._held = "after", rest
        if self._state == "after":  # the line breaks between reasoning and answer belong to neither
            self._held = self._held.lstrip()
            if not self._held:
                return parts
            self._state = "text"
        if self._held:
            parts.append(TextPart(self._held))
            self._held = ""
        return parts


def _open_end(text: str) -> int:
    """Return how many characters at the end may begin the closing tag."""
    return next((n for n in range(len(_CLOSE) - 1, 0, -1) if text.endswith(_CLOSE[:n])), 0)
