"""What a file does not tell and a person knows: each doubt as a question with an example from the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from pages.ui import reading_words, report
from pages.ui.report import Json

_DAY_MONTH: Final = re.compile(r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?!\d|[./-]\d)")
_THOUSAND: Final = re.compile(r"(?<![\d.,])(\d{1,3})([.,])(\d{3})(?![\d.,]*\d)")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_NOT_ASCII: Final = re.compile(r"[^\W\d_]*[^\x00-\x7f][^\W\d_]*")
#: Encodings offered beside the one that was guessed, the usual ones first.
_ENCODINGS: Final = ("utf-8", "cp1252", "cp1250", "cp1251", "mac_roman", "cp850", "shift_jis", "gb18030")
_DELIMITERS: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """One way to resolve a doubt: the words on its button, and the reading choices it stands for."""

    label: str
    options: Mapping[str, JsonValue]
    taken: bool = False


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """One question about a file.

    Attributes:
        kind: The decision that is in doubt.
        question: In plain words, with an example from the file where one is found.
    """

    kind: str
    question: str
    answers: tuple[Answer, ...] = field(default=())


def any_in(of: Json) -> bool:
    """Whether anything of a reading is a guess; cheap, so that lines are fetched only where they are needed."""
    guessed = any(decision.certainty == "guess" for decision in report.decisions(of).values())
    return guessed or any(column.get("certainty") == "guess" for column in report.objects(of.get("columns")))


def of_report(of: Json, lines: Sequence[str]) -> list[Ambiguity]:
    """The doubts of a reading that a person can resolve, what changes most first.

    Args:
        of: The report of a file or of one of its parts.
        lines: The first raw lines of it, to take examples from; may be empty.
    """
    return [*_dates(of, lines), *_numbers(of, lines), *_header(of), *_delimiter(of, lines), *_encoding(of, lines)]


def _dates(of: Json, lines: Sequence[str]) -> Iterator[Ambiguity]:
    decision = report.decisions(of).get("date_order")
    if decision is None or decision.certainty != "guess":
        return
    columns = [c for c in report.objects(of.get("columns")) if c.get("type") in ("date", "datetime")]
    where = f" in {report.text(columns[0], 'name')}" if len(columns) == 1 else ""
    day_first = month_first = ""
    question = f"Which comes first in the dates{where}, the day or the month? The file does not tell."
    if example := _first_date(lines):
        written, a, b = example
        first, second = f"{a} {_MONTHS[b - 1]}", f"{b} {_MONTHS[a - 1]}"
        question = f"{written}{where}: is that {first} or {second}? The file does not tell."
        day_first, month_first = f"{first} · ", f"{second} · "
    yield Ambiguity(
        "date_order",
        question,
        (
            Answer(f"{day_first}day first", {"date_order": "dmy"}, decision.value == "dmy"),
            Answer(f"{month_first}month first", {"date_order": "mdy"}, decision.value == "mdy"),
        ),
    )


def _first_date(lines: Sequence[str]) -> tuple[str, int, int] | None:
    """The first date that can be read both ways: as it is written, and its two numbers."""
    for line in lines:
        for match in _DAY_MONTH.finditer(line):
            a, b = int(match[1]), int(match[3])
            if 1 <= a <= 12 and 1 <= b <= 12 and a != b:
                return match[0], a, b
    return None


def _numbers(of: Json, lines: Sequence[str]) -> Iterator[Ambiguity]:
    doubtful = [
        column
        for column in report.objects(of.get("columns"))
        if column.get("certainty") == "guess" and column.get("type") in ("integer", "number")
    ]
    if not doubtful:
        return
    names = [report.text(column, "name") for column in doubtful]
    where = f" in {names[0]}" if len(names) == 1 else ""
    example = next((match for line in lines for match in _THOUSAND.finditer(line)), None)
    if example is None:
        return
    written, mark = example[0], example[2]
    whole = doubtful[0].get("type") == "integer"
    other = "." if mark == "," else ","
    name = "comma" if mark == "," else "point"
    yield Ambiguity(
        "decimal_mark",
        f"{written}{where}: does the {name} mark thousands, or decimals? The file does not tell.",
        (
            Answer(f"{example[1]}{example[3]} · thousands", {"decimal": other}, whole),
            Answer(f"{example[1]}.{example[3]} · decimals", {"decimal": mark}, not whole),
        ),
    )


def _header(of: Json) -> Iterator[Ambiguity]:
    made = report.decisions(of)
    decision = made.get("header") or made.get("header_rows")
    if decision is None or decision.certainty != "guess":
        return
    named = decision.value not in ("none", "", "0", "false")
    cells = [report.text(c, "header") or report.text(c, "name") for c in report.objects(of.get("columns"))]
    where = decision.value if decision.value.startswith("line") and named else "the first row"
    read = f" ({_cut(' | '.join(cells))})" if named else ""
    rows = int(decision.value) if decision.value.isdigit() and named else 1
    yes: dict[str, JsonValue] = {"header_rows": rows}
    no: dict[str, JsonValue] = {"header_rows": 0}
    if decision.option == "header":  # JSON: the first row or none
        yes, no = {"header": True}, {"header": False}
    yield Ambiguity(
        "header",
        f"Does {where}{read} name the columns, or is it a row of the data?",
        (
            Answer("It names the columns", yes, named),
            Answer("It is data", no, not named),
        ),
    )


def _delimiter(of: Json, lines: Sequence[str]) -> Iterator[Ambiguity]:
    decision = report.decisions(of).get("delimiter")
    if decision is None or decision.certainty != "guess":
        return
    sample = "\n".join(lines)
    marks = {mark: name for mark, name in _DELIMITERS.items() if mark in sample or name == decision.value}
    if len(marks) < 2:
        return
    yield Ambiguity(
        "delimiter",
        "What stands between the columns?",
        tuple(Answer(name, {"delimiter": mark}, name == decision.value) for mark, name in marks.items()),
    )


def _encoding(of: Json, lines: Sequence[str]) -> Iterator[Ambiguity]:
    decision = report.decisions(of).get("encoding")
    if decision is None or decision.certainty != "guess":
        return
    word = next((match[0] for line in lines if (match := _NOT_ASCII.search(line))), "")
    if not word:
        return
    answers: list[Answer] = []
    seen: set[str] = set()
    for codec in dict.fromkeys((decision.value, *_ENCODINGS)):
        try:
            look = word.encode(decision.value).decode(codec)
        except (UnicodeError, LookupError):
            continue
        if look not in seen and look.isprintable() and len(answers) < 4:
            seen.add(look)
            name = reading_words.encoding(codec)
            answers.append(Answer(f"{_cut(look)} · {name}", {"encoding": codec}, codec == decision.value))
    if len(answers) > 1:
        yield Ambiguity("encoding", "Which of these looks right?", tuple(answers))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
