"""Question sets as JSON lines: one question or one conversation a line, with its sources and its right answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tabulaflow_core.cli.exits import UsageError
from tabulaflow_core.cli.sources import SourceSpec, check_aliases, is_there

_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        text: What is typed; a `context` of the set follows as a second paragraph.
        kind: As the set calls it, such as `query`; empty when it says nothing.
        difficulty: As the set calls it.
        gold: The right answer as the set gives it, None when it gives none.
        gold_sql: Right queries on the one source of the question.
    """

    text: str
    kind: str = ""
    difficulty: str = ""
    gold: Mapping[str, Any] | None = None
    gold_sql: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Questions of one conversation, asked in order; most sets have one each.

    Attributes:
        id: Its name in the set.
        told: The set gave it `turns`, so its answers carry their number.
    """

    id: str
    sources: tuple[SourceSpec, ...]
    questions: tuple[Question, ...]
    told: bool = False


def load_questions(path: Path, given: Sequence[SourceSpec] = ()) -> list[Dialogue]:
    """Read a set.

    A line holds `id`, `question`, and as it likes `context`, `kind`, `difficulty`, `gold`, `gold_sql`; a conversation
    holds `turns`, each with these. Its sources are `sources` (a list of `alias` and `path` or `url`) or `data`
    (`path`, or `paths` of files); paths are relative to the set's folder.

    Args:
        given: Sources of lines that name none.

    Raises:
        UsageError: The set cannot be read, a line is no question, or a source is missing; it names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the question set {str(path)!r} cannot be read: {error}") from error
    dialogues: list[Dialogue] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                dialogues.append(_dialogue(json.loads(line), path.parent, given, number))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise UsageError(f"line {number} of {path.name} is no question: {_what(error)}") from error
    if not dialogues:
        raise UsageError(f"{path.name} holds no question; write one a line, such as " + '{"id": "1", "question": "…"}')
    _check_ids(dialogues)
    return dialogues


def _what(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)


def _check_ids(dialogues: Sequence[Dialogue]) -> None:
    seen: set[str] = set()
    for dialogue in dialogues:
        if dialogue.id in seen:
            raise UsageError(f"two questions are called {dialogue.id!r}")
        seen.add(dialogue.id)


def _dialogue(line: Mapping[str, Any], folder: Path, given: Sequence[SourceSpec], number: int) -> Dialogue:
    turns = line.get("turns")
    questions = tuple(_question(turn) for turn in (turns if turns is not None else [line]))
    if not questions:
        raise ValueError("its turns are empty")
    sources = tuple(_sources(line, folder)) or tuple(given)
    if not sources:
        raise ValueError("it names no source; give one with -s ALIAS=PATH_OR_URL")
    check_aliases(sources)
    return Dialogue(str(line.get("id", number)), sources, questions, told=turns is not None)


def _question(line: Mapping[str, Any]) -> Question:
    text = str(line["question"]).strip()
    if not text:
        raise ValueError("its question is empty")
    if line.get("context"):
        text = f"{text}\n\n{line['context']}"
    queries = line.get("gold_sql") or ()
    return Question(
        text,
        kind=str(line.get("kind") or ""),
        difficulty=str(line.get("difficulty") or ""),
        gold=line.get("gold"),
        gold_sql=(queries,) if isinstance(queries, str) else tuple(queries),
    )


def _sources(line: Mapping[str, Any], folder: Path) -> list[SourceSpec]:
    named = [(str(s["alias"]), str(s.get("url") or s["path"])) for s in line.get("sources") or ()]
    data = line.get("data") or {}
    places = [str(place) for place in (*data.get("paths", ()), *([data["path"]] if "path" in data else ()))]
    named += [(_alias(Path(place).stem), place) for place in places]
    return [SourceSpec(alias, place if _URL.match(place) else _path(place, folder)) for alias, place in named]


def _path(place: str, folder: Path) -> str:
    path = folder / Path(place).expanduser()
    if not is_there(path):
        raise ValueError(f"there is no file {place!r} beside the set")
    return str(path.resolve())


def _alias(stem: str) -> str:
    """A name for a file's table: letters, digits and underscores, beginning with a letter."""
    name = re.sub(r"\W+", "_", stem).strip("_")[:60]
    return name if name[:1].isalpha() else f"t_{name}"
