"""What to ask after an answer, made from its rows and the tables they came from: no model is called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tabulaflow_core.data.schema import ColumnSchema, TableSchema
from tabulaflow_core.output.columns import Column, describe_columns
from tabulaflow_core.output.follow_words import PATTERNS, several
from tabulaflow_core.output.plan import sorted_by
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.sentences import question_language

_MOST: Final = 3
_SHARE_ROWS: Final = range(2, 31)
_TOP_ROWS: Final = 5
_MEANS: Final = re.compile(
    r"avg|average|mean|median|rate|ratio|price|temp|score|percent|pct|share|%|schnitt|preis|quote|promedio|precio|moyenne|prix",
    re.IGNORECASE,
)
_MADE: Final = re.compile(
    r"total|sum|count|avg|average|mean|number|anzahl|summe|durchschnitt|min|max|num_", re.IGNORECASE
)
_NO_GROUP: Final = re.compile(
    r"(?:^|[_\W])(?:id|uuid|guid|code|key|no|nr|number|name|title|email|e-?mail|url|link|phone|address|street|comment|note"
    r"|notes|description|text|zip|postcode|plz|adresse|bemerkung|beschreibung)(?:$|[_\W])",
    re.IGNORECASE,
)
_LONGEST_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class _Measure:
    """What is asked about: its `name`, and the `phrase` that says how its rows are put together."""

    name: str
    phrase: str
    adds_up: bool


def follow_ups(
    result: StoredResult,
    *,
    question: str,
    tables: Iterable[TableSchema] = (),
    asked: Sequence[str] = (),
    plain: bool = False,
) -> tuple[str, ...]:
    """Two or three questions that go on from `result`, fewer where its columns give no more, none for an empty one.

    Args:
        question: What was asked; its language is kept.
        tables: The tables of the result's source.
        asked: Questions of the conversation, which are not proposed again.
        plain: Only what one group and one sum answer: for a small model, which fails at shares and at differences
            from row to row.
    """
    if not result.table.num_rows or not result.table.num_columns:
        return ()
    made = _Maker(result, question_language(question), [t for t in tables if _is_used(t, result.sql)], plain)
    known = {_folded(text) for text in (*asked, question)}
    fresh = [text for text in dict.fromkeys(made.questions()) if _folded(text) not in known]
    return tuple(fresh[:_MOST])


def _is_used(table: TableSchema, sql: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(table.name)}(?!\w)", sql, re.IGNORECASE))


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


class _Maker:
    """The questions about one result."""

    def __init__(self, result: StoredResult, language: str, tables: Sequence[TableSchema], plain: bool) -> None:
        self._words = PATTERNS[language]
        self._tables = tables
        self._plain = plain
        self._rows = result.table.num_rows
        columns = describe_columns(result.table)
        self._columns = columns
        self._shown = {column.name.casefold() for column in columns} | {column.label.casefold() for column in columns}
        self._time = next((c for c in columns if c.role == "time"), None)
        self._group = next((c for c in columns if c.role == "category" and _is_short(c.name)), None)
        self._measure_column = next((c for c in columns if c.role == "measure" and _is_short(c.label)), None)
        self._measure = self._measured()

    def questions(self) -> Iterator[str]:
        """All that make sense, the most useful first."""
        measure, group = self._measure, self._group
        if measure is None:
            return
        if self._time is None and (month := self._month()):
            yield self._say("per", measure, month)
        elif self._time is not None and self._rows > 2 and group is None and not self._plain:
            yield self._say("change", measure, self._period(self._time))
        others = self._other_groups()
        if others:
            yield self._say("per", measure, others[0])
        ranked = self._measure_column
        if group is not None and ranked is not None and self._time is None:
            if not self._plain and self._rows in _SHARE_ROWS and measure.adds_up and _is_positive(ranked):
                yield self._say("share", measure, group.label)
            if self._rows > _TOP_ROWS:
                end = "lowest" if sorted_by(ranked.numbers) and _falls(ranked) else "highest"
                yield self._say(end, measure, group.label)
        for other in others[1:]:
            yield self._say("per", measure, other)

    def _say(self, pattern: str, measure: _Measure, group: str) -> str:
        return self._words[pattern].format(
            measure=measure.phrase, name=measure.name, group=group, groups=several(group)
        )

    def _measured(self) -> _Measure | None:
        column = self._measure_column
        if column is None:
            if not self._tables or (self._rows == 1 and len(self._columns) == 1):
                return None
            name = self._words["rows"].format(name=self._tables[0].name)
            return _Measure(name, name, adds_up=True)
        is_mean = bool(_MEANS.search(column.name))
        stored = any(c.name.casefold() == column.name.casefold() for t in self._tables for c in t.columns)
        how = "made" if not stored or _MADE.search(column.name) else "mean" if is_mean else "sum"
        if how == "made" and not _MADE.search(column.name) and not is_mean:
            how = "other"
        name = column.label if how in ("made", "other") else column.name
        return _Measure(name, self._words[how].format(name=name), adds_up=not is_mean)

    def _month(self) -> str:
        """`month`, with its column where there are several dates; empty where there is none."""
        dates = [c.name for table in self._tables for c in table.columns if _is_date(c) and _is_short(c.name)]
        if len(set(dates)) > 1:
            return self._words["month_of"].format(name=dates[0])
        return self._words["month"] if dates else ""

    def _period(self, time: Column) -> str:
        if time.unit == "year":
            return self._words["year"]
        return self._words["month"] if time.grain == "month" else time.label

    def _other_groups(self) -> list[str]:
        names = [c.name for table in self._tables for c in table.columns if _is_group(c)]
        return [name for name in dict.fromkeys(names) if name.casefold() not in self._shown][:2]


def _is_short(name: str) -> bool:
    return bool(name.strip()) and len(name) <= _LONGEST_NAME and not re.search(r"[()*\n]", name)


def _is_date(column: ColumnSchema) -> bool:
    kind = column.type.upper()
    return kind.startswith(("DATE", "TIMESTAMP"))


def _is_group(column: ColumnSchema) -> bool:
    kind = column.type.upper()
    texts = any(mark in kind for mark in ("CHAR", "TEXT", "STRING", "BOOL", "ENUM"))
    return texts and _is_short(column.name) and not _NO_GROUP.search(column.name)


def _is_positive(column: Column) -> bool:
    return all(value is None or value >= 0 for value in column.numbers)


def _falls(column: Column) -> bool:
    known = [value for value in column.numbers if value is not None]
    return known[0] > known[-1]
