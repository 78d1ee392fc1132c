"""Questions about tables and columns, answered from the schema: no model, no query, so nothing can be made up.

A question counts as one only when nothing else is in it: every word is a table's or source's name, a word for tables,
columns or data, or a small word. "Which tables seat four?" has one word too many and is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tabulaflow_core.agents.sources import Source
from tabulaflow_core.data.schema import ColumnSchema, TableSchema
from tabulaflow_core.output.cells import number_text


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COLUMN_NOUNS: Final = _words(
    "column columns field fields schema structure spalte spalten feld felder struktur columna columnas esquema"
    " colonne colonnes schéma"
)
_TABLE_NOUNS: Final = _words("tables tabellen tablas")
_DATA_NOUNS: Final = _words("data dataset datasets database daten datenbank datos données")
_TABLE: Final = _words("table tabelle tabla")
_DESCRIBE: Final = _words("describe overview beschreibe beschreiben überblick descripción décris décrivez")
_ASKS_WHAT: Final = _words("what which was welche qué cuáles quelles quels")
_SMALL_WORDS: Final = {
    "en": "what which are there is in the does do did has have an a of to my me us all list show tell give name names"
    " how many available can you see please exist contain contains contained about for kind kinds sort an and with"
    " s i we now currently each called file files source sources db short brief",
    "de": "was welche welches sind ist gibt es in im der die das den dem hat haben zeige zeig mir uns alle liste nenne"
    " auf wie viele bitte enthält enthalten stehen steht stecken drin verfügbar vorhanden meine meinen meiner diese"
    " dieser für von und ich habe wir du sie jede jeder heissen datei quelle kurz einen",
    "es": "qué cuáles cuántas hay en la el las los de del tiene tienen son muestra muéstrame todas lista mis por favor"
    " contiene y que cuales cuantas",
    "fr": "quelles quels sont y a t il dans la le les l de des du contient montre moi toutes liste mes combien"
    " quelle est que avez vous",
}
_SMALL: Final = {language: _words(words) for language, words in _SMALL_WORDS.items()}
#: Nouns that name one language alone.
_OWN: Final = {
    "de": _words("spalte spalten feld felder tabellen tabelle daten datenbank struktur beschreibe überblick"),
    "es": _words("columna columnas tablas tabla datos esquema descripción"),
    "fr": _words("colonne colonnes données schéma décris décrivez quelles"),
}
_POINTERS: Final = _words("it they them their this these those sie ihre ihnen diese")
_TEXTS: Final = {
    "en": {
        "tables": "{source} has {n}:",
        "none": "{source} has no tables.",
        "one": "1 table",
        "many": "{n} tables",
        "row": "1 row",
        "rows": "{n} rows",
        "column": "1 column",
        "columns": "{n} columns",
        "has": "{table} has {n}{rows}:",
        "more": "and {n} more",
    },
    "de": {
        "tables": "{source} hat {n}:",
        "none": "{source} hat keine Tabellen.",
        "one": "1 Tabelle",
        "many": "{n} Tabellen",
        "row": "1 Zeile",
        "rows": "{n} Zeilen",
        "column": "1 Spalte",
        "columns": "{n} Spalten",
        "has": "{table} hat {n}{rows}:",
        "more": "und {n} weitere",
    },
    "es": {
        "tables": "{source} tiene {n}:",
        "none": "{source} no tiene tablas.",
        "one": "1 tabla",
        "many": "{n} tablas",
        "row": "1 fila",
        "rows": "{n} filas",
        "column": "1 columna",
        "columns": "{n} columnas",
        "has": "{table} tiene {n}{rows}:",
        "more": "y {n} más",
    },
    "fr": {
        "tables": "{source} a {n} :",
        "none": "{source} n'a pas de tables.",
        "one": "1 table",
        "many": "{n} tables",
        "row": "1 ligne",
        "rows": "{n} lignes",
        "column": "1 colonne",
        "columns": "{n} colonnes",
        "has": "{table} a {n}{rows} :",
        "more": "et {n} de plus",
    },
}
_MOST_TABLES: Final = 60
_MOST_COLUMNS: Final = 60
#: With more tables than these, their columns would bury their names.
_TABLES_WITH_COLUMNS: Final = 15
_COLUMNS_OF_MANY: Final = 20


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question about the schema means: tables named in it, else all tables of some sources."""

    sources: tuple[Source, ...]
    tables: tuple[tuple[Source, TableSchema], ...]
    language: str


def schema_answer(question: str, sources: tuple[Source, ...]) -> str:
    """Return the answer to a question about tables or columns, empty when `question` is anything else.

    Args:
        question: In English, German, Spanish or French.
        sources: As they are at the beginning of the turn.
    """
    asked = _asked(question, sources) if sources else None
    if asked is None:
        return ""
    say = _Sayer(asked.language)
    if asked.tables:
        return "\n\n".join(say.columns(source, table) for source, table in asked.tables)
    return "\n\n".join(say.tables(source) for source in asked.sources)


def _asked(question: str, sources: tuple[Source, ...]) -> _Asked | None:
    spoken = " ".join(re.findall(r"\w+", question.casefold()))
    rest, tables = _without_tables(f" {spoken} ", sources)
    rest, named = _without_sources(f" {spoken} ", rest, sources)
    words = rest.split()
    language = _language(words)
    if not _is_about_schema(words, sources, named_table=bool(tables), named_source=bool(named)):
        return None
    if not _all_small(words, pointers=_one_table(sources) or bool(_TABLE_NOUNS & set(words))):
        return None
    if named:
        tables = tuple(pair for pair in tables if pair[0] in named) or tables
    return _Asked(named or sources, tables, language)


def _is_about_schema(words: list[str], sources: tuple[Source, ...], *, named_table: bool, named_source: bool) -> bool:
    """Say whether the nouns ask for tables, columns or a description; they must not be what the data is about."""
    said = set(words)
    described = bool(said & _DESCRIBE)
    own = _words_of_schema(sources)
    if nouns := said & (_COLUMN_NOUNS | _TABLE_NOUNS):
        if any(noun in own or noun[:-1] in own for noun in nouns):
            return False
        return bool(said & _COLUMN_NOUNS) or not named_table or named_source
    if described:
        return bool(said & _DATA_NOUNS) or named_table or named_source
    # "Show me the data" asks for rows; "what data is there" does not.
    return bool(said & _ASKS_WHAT and said & _DATA_NOUNS) and not named_table and not said & {"many", "viele"}


def _all_small(words: list[str], *, pointers: bool) -> bool:
    known = _COLUMN_NOUNS | _TABLE_NOUNS | _DATA_NOUNS | _TABLE | _DESCRIBE
    known |= _POINTERS if pointers else {"this", "these", "diese"} if _DATA_NOUNS & set(words) else frozenset()
    for small in _SMALL.values():
        if all(word in known or word in small for word in words):
            return words[:1] not in (["and"], ["und"], ["y"], ["et"])
    return False


def _words_of_schema(sources: tuple[Source, ...]) -> set[str]:
    """Return the words that tables and columns are named by: in a restaurant's data, "tables" are furniture."""
    names = [n for s in sources for t in s.schema.tables for n in (t.name, *(c.name for c in t.columns))]
    return {word for name in names for word in re.split(r"[\W_]+", name.casefold())}


def _without_tables(text: str, sources: tuple[Source, ...]) -> tuple[str, tuple[tuple[Source, TableSchema], ...]]:
    found: list[tuple[Source, TableSchema]] = []
    # What is about all of it wins over a table of the same name, such as `data` of a file data.csv.
    pairs = [(s, t) for s in sources for t in s.schema.tables if t.name.casefold() not in _DATA_NOUNS]
    rest = text
    for source, table in sorted(pairs, key=lambda pair: -len(pair[1].name)):
        for name in (table.qualified_name, table.name):
            pattern = rf" {_spoken(name)} "
            if len(name) > 1 and re.search(pattern, text):
                rest = re.sub(pattern, " ", rest)
                found.append((source, table))
                break
    longest = [p for p in found if not any(_inside(p[1].name, other[1].name) for other in found)]
    return rest, tuple(sorted(longest, key=lambda pair: sources.index(pair[0])))


def _inside(name: str, other: str) -> bool:
    return len(name) < len(other) and bool(re.search(rf" {_spoken(name)} ", f" {' '.join(_parts(other))} "))


def _without_sources(text: str, rest: str, sources: tuple[Source, ...]) -> tuple[str, tuple[Source, ...]]:
    named: list[Source] = []
    for source in sources:
        parts = _parts(source.alias)
        for name in (source.alias, *(part for part in parts if len(part) > 2)):
            if name.casefold() in _DATA_NOUNS or not _parts(name):
                continue
            pattern = rf" {_spoken(name)} "
            if re.search(pattern, text):
                rest = re.sub(pattern, " ", rest)
                named.append(source)
    return rest, tuple(dict.fromkeys(named))


def _parts(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", name.casefold())


def _spoken(name: str) -> str:
    """Return a pattern for `name` as people say it: `order_items` is also "order items"."""
    return "[ _]".join(map(re.escape, _parts(name))) or re.escape(name.casefold())


def _one_table(sources: tuple[Source, ...]) -> bool:
    return sum(len(s.schema.tables) for s in sources) == 1


def _language(words: Sequence[str]) -> str:
    score = {language: sum(word in small for word in words) for language, small in _SMALL.items()}
    for language, own in _OWN.items():
        score[language] += sum(word in own for word in words)
    return max(score, key=lambda language: score[language])


class _Sayer:
    """Sentences of one language."""

    def __init__(self, language: str) -> None:
        self._texts = _TEXTS[language]
        self._english = language == "en"

    def tables(self, source: Source) -> str:
        """The tables of a source, one a line."""
        tables = source.schema.tables
        alias = _code(source.alias)
        if not tables:
            return f"{self._texts['none'].format(source=alias)} {source.fault}".strip()
        head = self._texts["tables"].format(source=alias, n=self._counted(len(tables), "one", "many"))
        lines = [self._line(source, t, columns=len(tables) <= _TABLES_WITH_COLUMNS) for t in tables[:_MOST_TABLES]]
        if len(tables) > _MOST_TABLES:
            lines.append(f"- {self._texts['more'].format(n=self._count(len(tables) - _MOST_TABLES))}")
        text = f"{head}\n\n" + "\n".join(lines)
        return f"{text}\n\n{source.fault}" if source.fault else text

    def columns(self, source: Source, table: TableSchema) -> str:
        """The columns of a table with their types."""
        rows = self._rows(table)
        head = self._texts["has"].format(
            table=_code(table.qualified_name),
            n=self._counted(len(table.columns), "column", "columns"),
            rows=f" ({rows})" if rows else "",
        )
        return f"{head} {self._listed([_typed(c) for c in table.columns], _MOST_COLUMNS)}."

    def _line(self, source: Source, table: TableSchema, *, columns: bool) -> str:
        rows = self._rows(table)
        text = f"- {_code(table.qualified_name)}" + (f" ({rows})" if rows else "")
        names = self._listed([_code(c.name) for c in table.columns], _COLUMNS_OF_MANY)
        return f"{text}: {names}" if columns else text

    def _listed(self, names: list[str], most: int) -> str:
        left = len(names) - most
        more = f" {self._texts['more'].format(n=self._count(left))}" if left > 0 else ""
        return ", ".join(names[:most]) + more

    def _rows(self, table: TableSchema) -> str:
        if table.row_count is None:
            return ""
        text = self._counted(table.row_count, "row", "rows")
        return f"~ {text}" if table.estimated else text

    def _counted(self, n: int, one: str, many: str) -> str:
        return self._texts[one] if n == 1 else self._texts[many].format(n=self._count(n))

    def _count(self, n: int) -> str:
        return number_text(n, grouped=self._english)


def _typed(column: ColumnSchema) -> str:
    return f"{_code(column.name)} ({column.type})" if column.type else _code(column.name)


def _code(name: str) -> str:
    """Return `name` so that no character of it is read as a mark-up; plain names stay plain."""
    return name if re.fullmatch(r"[^\W_](?:[\w .-]*[^\W_])?", name) else f"`{name.replace('`', chr(39))}`"
