"""A first question that goes on from one before it, such as "And in May?": what it asks for, nobody can know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tabulaflow_core.agents.compact_words import small_talk
from tabulaflow_core.agents.history import question_of, turns_of
from tabulaflow_core.agents.sources import Source
from tabulaflow_core.models.contracts import Message


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Language of the beginning, and the beginning.
_STARTS: Final = tuple(
    (language, re.compile(rf"[\s¿¡]*(?:{pattern})(?!\w)", re.IGNORECASE))
    for language, pattern in (
        ("en", r"and|what about|how about|only|(?:the )?same (?:for|in|with|without|by)|also"),
        (
            "de",
            r"und|was ist mit|wie w[äa]re es mit|nur|(?:das ?(?:gleiche|selbe)|ebenso) (?:f[üu]r|mit|ohne|im|in)|auch",
        ),
        ("es", r"y(?! a\b)|qué tal|sólo|solo|lo mismo (?:para|en|con|sin)|también"),
        ("fr", r"et|seulement|la même chose (?:pour|en|avec|sans)|aussi"),
    )
)
_PREPOSITIONS: Final = _words(
    "on in for without with at by per from to during before after since between until im am ohne für mit nach "
    "pro bei von seit vor zwischen bis an para en con sin por desde antes entre pour sans avec avant depuis "
)
#: Words by which a question stands on its own, whatever it begins with.
_ASKING: Final = _words(
    "how many much what which who whom whose when where why list show give count tell find compare draw plot "
    "chart is are was were does do did has have can total sum average mean highest lowest most least number "
    "percentage share wie welche welcher welches welchen wer wen wo wann warum zeige zeig liste nenne gib gibt "
    "ist sind war hat haben berechne zähle vergleiche summe durchschnitt anzahl gesamt insgesamt anteil "
    "cuántos cuántas cuánto qué cuál cuáles quién cuándo dónde muestra lista suma promedio media es son hay "
    "combien quel quelle quels quelles qui quand où montre somme moyenne nombre est sont "
)
_MOST_WORDS: Final = 10
_TEXTS: Final = {
    "en": "There is no earlier question in this conversation that “{question}” could go on from. "
    "What should be counted, added up or listed? Please ask the whole question.",
    "de": "In dieser Unterhaltung gibt es noch keine Frage, an die „{question}“ anschließen könnte. "
    "Was soll gezählt, summiert oder aufgelistet werden? Bitte stellen Sie die ganze Frage.",
    "es": "En esta conversación no hay ninguna pregunta anterior que «{question}» pueda continuar. "
    "¿Qué hay que contar, sumar o listar? Haz la pregunta completa.",
    "fr": "Dans cette conversation, aucune question n'a été posée à laquelle « {question} » pourrait faire suite. "
    "Que faut-il compter, additionner ou lister ? Posez la question entière.",
}


def nothing_before(question: str, history: Sequence[Message], sources: tuple[Source, ...]) -> str:
    """Return the question back when `question` goes on from an earlier one and there is none; else empty.

    Args:
        history: The conversation with `question` at its end.
        sources: A question that names one of their tables or columns may stand on its own.
    """
    _, turns = turns_of(history)
    if any((asked := question_of(turn)) and not small_talk(asked) for turn in turns[:-1]):
        return ""
    language = _language_if_open(question, sources)
    shown = " ".join(question.split()).rstrip("?!. ").lstrip("¿¡ ")
    return _TEXTS[language].format(question=shown) if language else ""


def _language_if_open(question: str, sources: tuple[Source, ...]) -> str:
    """Return the language when `question` has a beginning that goes on and nothing that stands alone; else empty."""
    for language, start in _STARTS:
        if match := start.match(question):
            words = re.findall(r"\w+", question[match.end() :].casefold())
            if not words or len(words) > _MOST_WORDS or _ASKING & set(words):
                return ""
            return language if words[0] in _PREPOSITIONS or not _names_a_column(words, sources) else ""
    return ""


def _names_a_column(words: Sequence[str], sources: tuple[Source, ...]) -> bool:
    """Say whether one of `words` is in the name of a table or column, give or take an ending."""
    names = [n for s in sources for t in s.schema.tables for n in (t.name, *(c.name for c in t.columns))]
    known = {part for name in names for part in re.findall(r"[^\W_]{3,}", name.casefold())}
    return any(_alike(word, part) for word in words for part in known)


def _alike(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return short == long or (len(short) > 2 and len(long) - len(short) <= 2 and long.startswith(short))
