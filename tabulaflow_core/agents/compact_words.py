"""What is said without a model: greetings, what the data does not hold, and what a repair needs to know."""

from __future__ import annotations

import re
from typing import Final

from tabulaflow_core.agents.sources import Source
from tabulaflow_core.agents.tools.protocol import ToolOutcome
from tabulaflow_core.output.sentences import question_language

_GREETING_WORDS: Final = (
    "hello hi hey hallo moin servus hola buenos buenas dias días tardes bonjour salut good morning afternoon "
    "evening day guten morgen tag abend there thanks thank you danke gracias merci bye tschüss ok okay test "
    "ping "
)
_GREETINGS: Final = frozenset(_GREETING_WORDS.split())
_TEXTS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "hello": "Hello! Ask me a question about your data, such as how many, which, or the average of something.",
        "no_source": "There is no data yet. Add a file or a database first, then ask again.",
        "no_query": "I could not turn this into a query. {tables} Ask about these, in other words.",
        "failed": "I could not answer this from the data: {fault} {tables}",
        "missing": "The data has nothing on {fault}. {tables}",
        "not_held": "The data does not have this: no row has {fault}.",
        "held": "“{value}” in “{column}”",
        "tables": "The data has {names}.",
    },
    "de": {
        "hello": "Hallo! Stellen Sie eine Frage zu Ihren Daten, etwa wie viele, welche oder einen Durchschnitt.",
        "no_source": "Es gibt noch keine Daten. Fügen Sie zuerst eine Datei oder eine Datenbank hinzu.",
        "no_query": "Daraus konnte ich keine Abfrage machen. {tables} Fragen Sie danach, mit anderen Worten.",
        "failed": "Das konnte ich aus den Daten nicht beantworten: {fault} {tables}",
        "missing": "Dazu steht nichts in den Daten: {fault}. {tables}",
        "not_held": "Das steht nicht in den Daten: keine Zeile hat {fault}.",
        "held": "„{value}“ in „{column}“",
        "tables": "Die Daten haben {names}.",
    },
    "es": {
        "hello": "¡Hola! Haz una pregunta sobre tus datos, por ejemplo cuántos, cuáles o el promedio de algo.",
        "no_source": "Todavía no hay datos. Añade primero un archivo o una base de datos.",
        "no_query": "No pude convertir esto en una consulta. {tables} Pregunta por ellos con otras palabras.",
        "failed": "No pude responder con los datos: {fault} {tables}",
        "missing": "Los datos no dicen nada sobre {fault}. {tables}",
        "not_held": "Los datos no tienen esto: ninguna fila tiene {fault}.",
        "held": "«{value}» en «{column}»",
        "tables": "Los datos tienen {names}.",
    },
    "fr": {
        "hello": "Bonjour ! Posez une question sur vos données, par exemple combien, lesquels ou la moyenne.",
        "no_source": "Il n'y a pas encore de données. Ajoutez d'abord un fichier ou une base.",
        "no_query": "Je n'ai pas pu en faire une requête. {tables} Posez la question autrement.",
        "failed": "Je n'ai pas pu répondre avec les données : {fault} {tables}",
        "missing": "Les données ne disent rien sur {fault}. {tables}",
        "not_held": "Les données n'ont pas cela : aucune ligne n'a {fault}.",
        "held": "« {value} » dans « {column} »",
        "tables": "Les données ont {names}.",
    },
}


def small_talk(question: str) -> str:
    """Return a friendly word when `question` is a greeting and nothing else, else empty."""
    words = re.findall(r"[^\W\d_]+", question.casefold())
    if not words or len(words) > 5 or not set(words) <= _GREETINGS:
        return "" if words or question.strip() else _TEXTS["en"]["hello"]
    return _text(question, "hello")


def no_source(question: str) -> str:
    """Say that there is no data."""
    return _text(question, "no_source")


def no_query(question: str, sources: tuple[Source, ...]) -> str:
    """Say that no query came of the question."""
    return _text(question, "no_query").format(tables=_tables(question, sources)).strip()


def failed(question: str, outcome: ToolOutcome, sources: tuple[Source, ...]) -> str:
    """Say why the query did not run and what the data has."""
    # What follows in further lines is the engine's talk to its own users.
    fault = outcome.error.strip().splitlines()[0].rstrip(". ") + "."
    return _text(question, "failed").format(fault=fault, tables=_tables(question, sources)).strip()


def missing(question: str, names: tuple[str, ...], sources: tuple[Source, ...]) -> str:
    """Say what the question asks for and the data does not have."""
    what = ", ".join(name.replace("_", " ") for name in names[:3])
    return _text(question, "missing").format(fault=what, tables=_tables(question, sources)).strip()


def not_held(question: str, values: tuple[tuple[str, str], ...]) -> str:
    """Say which values no row has in which column.

    Args:
        values: Columns and values.
    """
    held = _text(question, "held")
    told = ", ".join(held.format(value=value, column=column.replace("_", " ")) for column, value in values[:3])
    return _text(question, "not_held").format(fault=told)


#: What the model is told of a statement that was cut at its limit, and so did not run.
CUT: Final = "This query is too long and was cut. Write a shorter one that answers the question."


def repair(outcome: ToolOutcome) -> str:
    """Return what the model is told for its one repair."""
    return f"This query failed: {outcome.error}\n{outcome.hint}\nWrite the corrected query."


def _text(question: str, key: str) -> str:
    return _TEXTS[question_language(question)][key]


def _tables(question: str, sources: tuple[Source, ...]) -> str:
    """Return the tables and columns in a sentence, as far as they are few."""
    tables = [t for s in sources for t in s.schema.tables]
    if not tables:
        return ""
    if len(tables) <= 2:
        names = "; ".join(f"{t.name} ({', '.join(c.name for c in t.columns[:20])})" for t in tables)
    else:
        names = ", ".join(t.name for t in tables[:20])
    return _text(question, "tables").format(names=names)
