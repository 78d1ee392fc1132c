"""Answers of a run as JSON lines: kept as they come, so that a run that was ended goes on where it stood."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tabulaflow_core.cli.evaluation.asking import Answer, fingerprint
from tabulaflow_core.cli.evaluation.questions import Dialogue
from tabulaflow_core.cli.exits import UsageError


def read_answers(path: Path) -> list[Answer]:
    """The answers of a file, a line cut short at its end left out.

    Raises:
        UsageError: It cannot be read, or it holds something else.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the answers {str(path)!r} cannot be read: {error}") from error
    answers: list[Answer] = []
    for number, line in enumerate(lines, 1):
        try:
            answer = json.loads(line)
            if not (isinstance(answer, dict) and {"id", "question", "model"} <= answer.keys()):
                raise ValueError("it has no id, question and model")
        except ValueError as error:
            if number == len(lines) and not line.endswith("\n"):
                break  # the run was ended while it wrote this line
            raise UsageError(f"line {number} of {path.name} is no answer of this command: {error}") from error
        answers.append(answer)
    return answers


class AnswerFile:
    """The file that a run writes.

    Args:
        path: Made when missing. What it holds of the same questions is kept, and they are not asked again.

    Raises:
        UsageError: It holds answers of another model, or something else.
    """

    def __init__(self, path: Path, model: str, dialogues: Sequence[Dialogue]) -> None:
        self._path = path
        earlier = read_answers(path) if path.exists() else []
        if other := next((a["model"] for a in earlier if a["model"] != model), None):
            raise UsageError(f"{path.name} holds answers of {other}; name another file with -o")
        of: dict[str, list[Answer]] = {}
        for answer in earlier:
            of.setdefault(str(answer["id"]), []).append(answer)
        self.kept: list[Answer] = []
        self.waiting: list[Dialogue] = []
        for dialogue in dialogues:
            answers = of.get(dialogue.id, [])
            if [a["question"] for a in answers] == [fingerprint(q) for q in dialogue.questions]:
                self.kept += answers
            else:
                self.waiting.append(dialogue)
        self._write(self.kept)

    def add(self, answers: Sequence[Answer]) -> None:
        """Append the answers of one conversation, whole or not at all."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write("".join(map(_line, answers)))

    def _write(self, answers: Sequence[Answer]) -> None:
        """In one step, so that a stop never loses what was there."""
        beside = self._path.with_name(self._path.name + ".part")
        try:
            beside.write_text("".join(map(_line, answers)), encoding="utf-8")
            os.replace(beside, self._path)
        except OSError as error:
            raise UsageError(f"{str(self._path)!r} cannot be written: {error.strerror}") from error


def _line(answer: dict[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")) + "\n"
