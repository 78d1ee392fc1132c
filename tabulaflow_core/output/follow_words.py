"""Follow-up questions in four languages, as patterns; names of columns stand in them as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

#: Columns that are called as English calls a thing: `product`, `customer_name`. Others keep their spelling.
_THING: Final = re.compile(r"[a-z]+(?:_[a-z]+)*")
_WITH_ES: Final = ("s", "x", "z", "ch", "sh")


def several(name: str) -> str:
    """What several things are called that a column has one of in each row: `products`; of `Kunde`, `Kunde values`."""
    if not _THING.fullmatch(name) or len(name) < 3:
        return f"{name} values"
    if name.endswith("y") and name[-2] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(_WITH_ES) else f"{name}s"


PATTERNS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "sum": "the total {name}",
        "mean": "the average {name}",
        "made": "the {name}",
        "other": "the total “{name}”",
        "rows": "the number of rows in {name}",
        "per": "What is {measure} per {group}?",
        "month": "month",
        "month_of": "month of {name}",
        "year": "year",
        "share": "What share of {measure} in percent does each {group} have?",
        "highest": "Which five {groups} have the highest {name}?",
        "lowest": "Which five {groups} have the lowest {name}?",
        "change": "By how much did {measure} change from each {group} to the next?",
    },
    "de": {
        "sum": "die Summe von {name}",
        "mean": "der Durchschnitt von {name}",
        "made": "{name}",
        "other": "die Summe von „{name}“",
        "rows": "die Anzahl der Zeilen in {name}",
        "per": "Wie hoch ist {measure} pro {group}?",
        "month": "Monat",
        "month_of": "Monat von {name}",
        "year": "Jahr",
        "share": "Welchen Anteil in Prozent hat jeder Wert von {group}, gemessen an {name}?",
        "highest": "Welche fünf {group} haben die höchsten Werte bei {name}?",
        "lowest": "Welche fünf {group} haben die niedrigsten Werte bei {name}?",
        "change": "Um wie viel hat sich {name} von {group} zu {group} geändert?",
    },
    "es": {
        "sum": "el total de {name}",
        "mean": "el promedio de {name}",
        "made": "{name}",
        "other": "el total de «{name}»",
        "rows": "el número de filas de {name}",
        "per": "¿Cuál es {measure} por {group}?",
        "month": "mes",
        "month_of": "mes de {name}",
        "year": "año",
        "share": "¿Qué porcentaje de {name} corresponde a cada {group}?",
        "highest": "¿Cuáles son los cinco {group} con {name} más alto?",
        "lowest": "¿Cuáles son los cinco {group} con {name} más bajo?",
        "change": "¿Cuánto cambió {name} de un {group} al siguiente?",
    },
    "fr": {
        "sum": "le total de {name}",
        "mean": "la moyenne de {name}",
        "made": "{name}",
        "other": "le total de « {name} »",
        "rows": "le nombre de lignes de {name}",
        "per": "Quel est {measure} par {group} ?",
        "month": "mois",
        "month_of": "mois de {name}",
        "year": "année",
        "share": "Quel pourcentage de {name} revient à chaque {group} ?",
        "highest": "Quels sont les cinq {group} avec {name} le plus élevé ?",
        "lowest": "Quels sont les cinq {group} avec {name} le plus bas ?",
        "change": "De combien {name} a-t-il changé d'un {group} au suivant ?",
    },
}
