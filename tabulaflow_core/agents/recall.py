"""What was asked and found in turns that no longer fit into the window: kept whole, shown only where a question is
about it.

It is one message of the history that is never sent. So it is stored and taken up again with the history, costs no
token, and a question about the third of two hundred turns still finds the result by its id.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from tabulaflow_core.agents.history import answer_of, calls_of, question_of, turns_of
from tabulaflow_core.agents.retrieval import words
from tabulaflow_core.agents.schema_text import one_line
from tabulaflow_core.models.contracts import Message, SystemMessage, UserMessage

MARK: Final = "(Kept by the application, not sent.) Earlier turns:"
FOUND: Final = "(From the application.) Earlier turns this may be about; their results can be drawn or queried again:"
#: Turns kept: more than people ask in one conversation, and few enough to be stored with each turn.
_MOST_KEPT: Final = 400
_MOST_SHOWN: Final = 3
_RESULT_ID: Final = re.compile(r"\br_[0-9a-f]{8,}\b")
_RESULT: Final = re.compile(r"result (r_[0-9a-f]{8,}): ")
_NUMBER: Final = re.compile(r"\b\d{1,4}\b")


def sent(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return what of `messages` the model is sent."""
    return tuple(m for m in messages if not _is_kept(m))


def remembered(before: Sequence[Message], after: Sequence[Message]) -> list[Message]:
    """Return `after`, a shortened `before`, with the turns that were left out among the kept ones."""
    lines = _lines(before)
    _, turns = turns_of(sent(before))
    gone = turns[: len(turns) - len(turns_of(after)[1])]
    number = int(json.loads(lines[-1])["turn"]) if lines else 0
    for turn in gone:
        if question_of(turn):
            number += 1
            lines.append(_line(number, turn))
    if not lines:
        return list(after)
    kept = UserMessage("\n".join([MARK, *lines[-_MOST_KEPT:]]), host=True)
    head = sum(isinstance(m, SystemMessage) for m in after)
    return [*after[:head], kept, *after[head:]]


def found_text(messages: Sequence[Message], question: str) -> str:
    """Return the kept turns that `question` speaks of, best first; empty when there are none.

    By the id of a result, by the turn's number, or by words that few other turns have.
    """
    turns = [json.loads(line) for line in _lines(messages)]
    if not turns:
        return ""
    texts = [set(words(f"{t['asked']} {t['answered']} {' '.join(r['sql'] for r in t['results'])}")) for t in turns]
    spread = Counter(word for text in texts for word in text)
    asked = set(words(question))
    ids, numbers = set(_RESULT_ID.findall(question)), set(_NUMBER.findall(question))
    scores: list[tuple[float, int]] = []
    for place, (turn, text) in enumerate(zip(turns, texts, strict=True)):
        score = sum(math.log(len(turns) / spread[word]) for word in asked & text)
        if ids & {r["id"] for r in turn["results"]}:
            score += 1_000
        if str(turn["turn"]) in numbers:
            score += 3
        # One word that every second turn has says nothing; the only turn there is may be meant by any.
        if score > math.log(3) or (len(turns) == 1 and asked & text):
            scores.append((score, place))
    best = sorted(scores, key=lambda item: (-item[0], -item[1]))[:_MOST_SHOWN]
    shown = [_shown(turns[place]) for _, place in sorted(best, key=lambda item: item[1])]
    return "\n".join([FOUND, *shown]) if shown else ""


def _is_kept(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.host and message.text.startswith(MARK)


def _lines(messages: Sequence[Message]) -> list[str]:
    return [line for m in messages if _is_kept(m) for line in m.text.splitlines()[1:]]


def _line(number: int, turn: Sequence[Message]) -> str:
    results = []
    for call, answer in calls_of(turn):
        sql = call.arguments.get("sql") if call.arguments else None
        if isinstance(sql, str) and (told := _RESULT.match(answer)):
            gave = one_line(answer[told.end() :], 160)
            results.append({"id": told[1], "sql": one_line(sql, 400), "gave": gave})
    kept = {"turn": number, "asked": one_line(question_of(turn), 200), "results": results}
    return json.dumps({**kept, "answered": one_line(answer_of(turn), 200)}, ensure_ascii=False)


def _shown(turn: dict[str, object]) -> str:
    results = turn["results"]
    assert isinstance(results, list)
    parts = [f"- Turn {turn['turn']}: {turn['asked']}"]
    parts += [f"result {r['id']} of {r['sql']} gave {r['gave']}" for r in results[-2:]]
    return " | ".join([*parts, f"answered: {turn['answered']}"])
