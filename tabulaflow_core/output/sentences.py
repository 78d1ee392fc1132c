"""An answer in one to three sentences, taken from the rows alone: no model, so nothing in it can be made up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final

from tabulaflow_core.output.cells import cell_text, number_text, rounded
from tabulaflow_core.output.columns import Column, describe_columns, time_key, time_text
from tabulaflow_core.output.plan import sorted_by
from tabulaflow_core.output.results import StoredResult

_FEW_ROWS: Final = 10
_NAMED_ROWS: Final = 3
_CELL_CHARS: Final = 80
_SHOWN_COLUMNS: Final = 4

_WORDS: Final = {
    "de": "der die das wie viele welche welcher welches wer ist sind und im pro nach gibt hat haben mit von für den",
    "es": "el los las cuántos cuántas cuantos cuál cuáles qué quién por del con para hay tiene más son cada",
    "fr": "le les combien quel quelle quels quelles qui est sont et par des du avec pour dans chaque nombre plus",
    "en": "the how many much which what who is are of by per each for and in with show list give that have",
}
_PHRASES: Final[dict[str, dict[str, str]]] = {
    "en": {
        "none": "No row fits this question.",
        "no_value": "There is no value for this: no row fits, or the cells are empty.",
        "there": "There are {n}: {items}.",
        "first": "{n} rows; the first are {items}.",
        "highest": "{n} rows; the highest {measure}: {items}.",
        "lowest": "{n} rows; the lowest {measure}: {items}.",
        "series": "{n} rows from {start} to {end}; the highest {measure}: {high}; the lowest: {low}.",
        "cut": "The result was cut; there are more rows.",
        "result": "Result",
        "empty": "empty",
        "and": "and",
    },
    "de": {
        "none": "Keine Zeile passt zu dieser Frage.",
        "no_value": "Dafür gibt es keinen Wert: Keine Zeile passt, oder die Zellen sind leer.",
        "there": "Es sind {n}: {items}.",
        "first": "{n} Zeilen; die ersten sind {items}.",
        "highest": "{n} Zeilen; am höchsten bei {measure}: {items}.",
        "lowest": "{n} Zeilen; am niedrigsten bei {measure}: {items}.",
        "series": "{n} Zeilen von {start} bis {end}; am höchsten bei {measure}: {high}; am niedrigsten: {low}.",
        "cut": "Das Ergebnis wurde gekürzt; es gibt mehr Zeilen.",
        "result": "Ergebnis",
        "empty": "leer",
        "and": "und",
    },
    "es": {
        "none": "Ninguna fila corresponde a esta pregunta.",
        "no_value": "No hay ningún valor: ninguna fila corresponde o las celdas están vacías.",
        "there": "Hay {n}: {items}.",
        "first": "{n} filas; las primeras son {items}.",
        "highest": "{n} filas; las más altas en {measure}: {items}.",
        "lowest": "{n} filas; las más bajas en {measure}: {items}.",
        "series": "{n} filas de {start} a {end}; la más alta en {measure}: {high}; la más baja: {low}.",
        "cut": "El resultado se recortó; hay más filas.",
        "result": "Resultado",
        "empty": "vacío",
        "and": "y",
    },
    "fr": {
        "none": "Aucune ligne ne correspond à cette question.",
        "no_value": "Il n'y a pas de valeur : aucune ligne ne correspond, ou les cellules sont vides.",
        "there": "Il y en a {n} : {items}.",
        "first": "{n} lignes ; les premières sont {items}.",
        "highest": "{n} lignes ; les plus élevées pour {measure} : {items}.",
        "lowest": "{n} lignes ; les plus basses pour {measure} : {items}.",
        "series": "{n} lignes de {start} à {end} ; la plus élevée pour {measure} : {high} ; la plus basse : {low}.",
        "cut": "Le résultat a été coupé ; il y a d'autres lignes.",
        "result": "Résultat",
        "empty": "vide",
        "and": "et",
    },
}


def question_language(question: str) -> str:
    """`en`, `de`, `es` or `fr` by its small words; `en` in doubt."""
    words = re.findall(r"[^\W\d_]+", question.casefold())
    score = {language: sum(map(words.count, known.split())) for language, known in _WORDS.items()}
    best = max(score, key=lambda language: score[language])
    return best if score[best] > score["en"] else "en"


def describe(result: StoredResult, *, question: str = "") -> str:
    """One to three sentences that say what the rows say, in the question's language where it is known.

    Numbers stand as in the rows; English ones get thousands separators, and a fraction of more than six decimal
    places is rounded to four.
    """
    language = question_language(question)
    say = _Sayer(language)
    columns = [c for c in describe_columns(result.table)]
    rows = result.table.num_rows
    if not rows or not columns:
        return say.phrase("none")
    if rows == 1:
        text = say.one_row(columns)
    elif rows <= _FEW_ROWS:
        text = say.few_rows(columns, rows)
    else:
        text = say.many_rows(columns, rows)
    return f"{text} {say.phrase('cut')}" if result.truncated else text


class _Sayer:
    """Sentences of one language."""

    def __init__(self, language: str) -> None:
        self._phrases = _PHRASES[language]
        self._english = language == "en"

    def phrase(self, name: str, **values: str) -> str:
        return self._phrases[name].format(**values)

    def one_row(self, columns: Sequence[Column]) -> str:
        if all(c.values[0] is None for c in columns):
            return self.phrase("no_value")
        if len(columns) == 1:
            label = self.phrase("result") if _is_formula(columns[0]) else _label(columns[0])
            return f"{label}: {self.cell(columns[0], 0)}."
        return "; ".join(f"{_label(c, first=i == 0)}: {self.cell(c, 0)}" for i, c in enumerate(columns)) + "."

    def few_rows(self, columns: Sequence[Column], rows: int) -> str:
        items = self._join(self._items(columns, _told_in(columns, rows)))
        measures = [c for c in columns if c.role == "measure"]
        if len(columns) == 2 and len(measures) == 1 and not _is_formula(measures[0]):
            return f"{_label(measures[0])}: {items}."
        return self.phrase("there", n=str(rows), items=items)

    def many_rows(self, columns: Sequence[Column], rows: int) -> str:
        count = self.count(rows)
        measures = [c for c in columns if c.role == "measure"]
        named = next((c for c in columns if c.role in ("category", "time", "id")), None)
        if measures and named and named.role == "time" and _ascending(named):
            return self._series(named, measures[0], count)
        if measures and named:
            # The rows' own order tells what was asked for; only an unsorted result is ranked here.
            for measure in measures:
                if (order := _order(measure.numbers)) is not None:
                    first = [row for row, value in enumerate(measure.numbers) if value is not None]
                    items = self._items(columns, first[:_NAMED_ROWS])
                    return self.phrase(order, n=count, measure=measure.label, items=self._join(items))
            if named.role != "time" and not any(sorted_by(m.numbers) for m in measures):
                ranked = _largest(measures[0].numbers, _NAMED_ROWS)
                items = self._items([named, measures[0]], ranked)
                return self.phrase("highest", n=count, measure=measures[0].label, items=self._join(items))
        return self.phrase("first", n=count, items=self._join(self._items(columns, range(_NAMED_ROWS))))

    def _series(self, time: Column, measure: Column, count: str) -> str:
        values = measure.numbers
        low = _largest([None if v is None else -v for v in values], 1)
        high = _largest(values, 1)
        pair = [time, measure]
        return self.phrase(
            "series",
            n=count,
            start=self.cell(time, 0),
            end=self.cell(time, len(values) - 1),
            measure=measure.label,
            high=self._join(self._items(pair, high)),
            low=self._join(self._items(pair, low)),
        )

    def count(self, rows: int) -> str:
        return number_text(rows, grouped=self._english)

    def cell(self, column: Column, row: int) -> str:
        value = column.cell(row)
        if value is None or (isinstance(value, float) and value != value):
            return self.phrase("empty")
        if grain := column.grain:
            return time_text(value)[: 7 if grain == "month" else 10]
        if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
            return cell_text(value, max_chars=_CELL_CHARS)
        return number_text(rounded(value), grouped=self._english and column.role == "measure")

    def _items(self, columns: Sequence[Column], rows: Sequence[int]) -> list[str]:
        named = sorted(columns, key=lambda c: c.role in ("measure", "other"))  # what it is before how much it is
        shown = named[:_SHOWN_COLUMNS]
        return [self._item(shown, row) for row in rows]

    def _item(self, columns: Sequence[Column], row: int) -> str:
        head = self.cell(columns[0], row)
        rest = columns[1:]
        if not rest:
            return head
        if len(rest) == 1:
            return f"{head} ({self.cell(rest[0], row)})"
        return f"{head} ({', '.join(f'{c.label} {self.cell(c, row)}' for c in rest)})"

    def _join(self, items: Sequence[str]) -> str:
        if len(items) < 2:
            return "".join(items)
        return f"{', '.join(items[:-1])} {self.phrase('and')} {items[-1]}"


def _is_formula(column: Column) -> bool:
    return bool(re.search(r"[()*/+]", column.label))


def _label(column: Column, *, first: bool = True) -> str:
    label = column.label
    return label[:1].upper() + label[1:] if first and label[:1].islower() else label


def _told_in(columns: Sequence[Column], rows: int) -> Sequence[int]:
    """The order to tell a few rows in: their own, but months that a query left in no order go by time.

    What is sorted by anything at all stays: the order may be what was asked for.
    """
    times = [c for c in columns if c.role == "time"]
    if rows < 3 or len(times) != 1 or any(sorted_by(c.numbers) for c in columns if c.role == "measure"):
        return range(rows)
    keys = [time_key(times[0], value) for value in times[0].values]
    if all(a >= b for a, b in pairwise(keys)):
        return range(rows)
    return sorted(range(rows), key=lambda row: keys[row])


def _ascending(time: Column) -> bool:
    keys = [time_key(time, value) for value in time.values]
    return all(a < b for a, b in pairwise(keys))


def _order(values: Sequence[float | None]) -> str | None:
    """`highest` when the values fall from the first row on, `lowest` when they rise, None when neither.

    Empty cells may stand before or after all others, where engines sort them to.
    """
    filled = [i for i, v in enumerate(values) if v is not None]
    known = [v for v in values if v is not None]
    if not known or filled[-1] - filled[0] >= len(filled) or known[0] == known[-1]:
        return None
    pairs = list(pairwise(known))
    if all(a >= b for a, b in pairs):
        return "highest"
    return "lowest" if all(a <= b for a, b in pairs) else None


def _largest(values: Sequence[float | None], most: int) -> list[int]:
    known = [i for i, v in enumerate(values) if v is not None]
    return sorted(known, key=lambda i: -(values[i] or 0.0))[:most]
