"""Chart words in four languages: what a question asks to be drawn, and the names of months and weekdays."""

from __future__ import annotations

import re
from typing import Final, Literal

from tabulaflow_core.output.specs import ChartType

#: `any`: some chart, the kind left open. `none`: no chart wanted.
ChartWish = ChartType | Literal["any", "none"]

_NO_CHART: Final = re.compile(
    r"\b(?:no|without(?: a| any)?|not? a)\s+(?:chart|plot|graph|diagram)"
    r"|\b(?:kein|keine|ohne)\s+(?:diagramm|grafik|chart)"
    r"|\bsin\s+(?:gr[aá]fic|diagrama)|\b(?:sans|pas de)\s+(?:graphique|diagramme)"
    r"|\b(?:just|only)\s+the\s+(?:table|number|figure)",
    re.IGNORECASE,
)
# Words such as "bar", "line" and "pie" are also drinks, products and food: they count only beside a word for drawing.
_CHART: Final = r"[\s-]*(?:chart|graph|plot|diagram)s?"
_AS: Final = r"\b(?:as|into|in|with|using)\s+(?:a\s+|an\s+|the\s+)?(?:stacked\s+|grouped\s+|horizontal\s+|simple\s+)*"
_ROMANCE: Final = (
    r"(?:gr[aá]fic[oa]s?|diagramas?|graphiques?|diagrammes?)\s+(?:de|d'|en|à|a)\s*(?:la\s+|las\s+|los\s+)?"
)
_PATTERNS: Final[tuple[tuple[ChartType, str], ...]] = (
    (
        "pie",
        rf"\b(?:pie|donut|doughnut){_CHART}|{_AS}(?:pie|donut|doughnut)\b|\bpie of\b"
        rf"|(?:kreis|torten|kuchen|ring)-?(?:diagramm|grafik|chart)|\bals\s+(?:kreis|torte|kuchen)\b"
        rf"|{_ROMANCE}(?:pastel|tarta|torta|sectores|secteurs|camembert|anillos?)|\bcamembert\b"
        rf"|gr[aá]fic[oa]\s+circular|graphique\s+circulaire",
    ),
    (
        "scatter",
        rf"\bscatter(?:[\s-]*(?:chart|graph|plot|diagram))?s?\b|\bbubble{_CHART}"
        rf"|(?:streu|punkt)-?(?:diagramm|grafik)|\b(?:diagrama|gr[aá]fic[oa])\s+de\s+(?:dispersi[oó]n|puntos)"
        rf"|nuages?\s+de\s+points",
    ),
    ("histogram", r"\bhistogram(?:m|ma|me|a|s)?\b"),
    ("area", rf"\barea{_CHART}|{_AS}area\b|fl[aä]e?chen-?(?:diagramm|grafik)|{_ROMANCE}(?:[aá]reas?|aires?)\b"),
    (
        "line",
        rf"\b(?:trend|time)?[\s-]*lines?{_CHART}|{_AS}(?:trend\s*)?lines?\b|\btrend\s*line|\btime[\s-]?series\s+(?:chart|plot)"
        rf"|linien-?(?:diagramm|grafik|chart)|kurvendiagramm|\bals\s+(?:linie|kurve)"
        rf"|{_ROMANCE}l[ií]neas?\b|gr[aá]fic[oa]s?\s+lineal|{_ROMANCE}(?:lignes?|courbes?)\b|\ben\s+courbe|\bcourbe\b"
        rf"|\b(?:como|en)\s+l[ií]neas?\b|graphique\s+linéaire",
    ),
    (
        "bar",
        rf"\b(?:bar|column)s?{_CHART}|{_AS}(?:bar|column)s?\b(?!\s+of)|\bbarchart"
        rf"|(?:balken|s[aä]e?ulen|stab)-?(?:diagramm|grafik|chart)|\bals\s+(?:balken|s[aä]e?ulen)"
        rf"|{_ROMANCE}(?:barras?|columnas?|barres?|colonnes?|bâtons?)\b|\ben\s+(?:barras|barres)\b",
    ),
)
_WISHES: Final = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
_ANY: Final = re.compile(
    r"\b(?:charts?|plots?|plotted|graph(?:s|ed|ically)?|visuali[sz]\w*|diagrams?)\b|\bdraw\b"
    r"|\w*diagramm\w*|\b(?:grafik|grafisch|schaubild|visualisier\w*|zeichne\w*|plotte)\b|\bstelle\b.*\bdar\b"
    r"|\bgr[aá]fic[oa]s?\b|\bgrafica(?:r|me)?\b|\bdibuja\w*|\bdiagramas?\b|\bvisualiza\w*"
    r"|\bgraphiques?\b|\bdiagrammes?\b|\bdessine\w*|\btrace(?:z|r)?[- ](?:moi|le|la|les|un|une)\b",
    re.IGNORECASE,
)
_DISTRIBUTION: Final = re.compile(
    r"\bdistribution of\b|\bhow (?:is|are) .* distributed\b|\bverteilung\b|\bdistribuci[oó]n\b|\br[eé]partition\b",
    re.IGNORECASE,
)
_AGAINST: Final = re.compile(
    r"\b(?:versus|vs\.?|against|correlat\w*|relationship|relation between|depend\w* on"
    r"|zusammenhang|korrelation|gegen(?:über)?|frente a|relaci[oó]n entre|correlaci[oó]n|corr[eé]lation|par rapport)\b",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(
    r"\b(?:shares?|proportions?|breakdown|composition|percentages?|made up|anteil\w*|aufteilung|zusammensetzung"
    r"|proporci[oó]n|porcentajes?|part des?|pourcentages?|r[eé]partition)\b",
    re.IGNORECASE,
)

_STACK: Final = re.compile(r"\bstack(?:ed|s)?\b|\bgestapelt\w*|\bapilad[oa]s?\b|\bempil[ée]e?s?\b", re.IGNORECASE)


def is_blank(text: str) -> bool:
    """Nothing in `text` can be seen: it is empty, or spaces and invisible marks only."""
    return not any(char.isprintable() and not char.isspace() for char in text)


def chart_wish(question: str) -> ChartWish | None:
    """What the question asks to be drawn; None when it says nothing about drawing."""
    if _NO_CHART.search(question):
        return "none"
    for kind, pattern in _WISHES:
        if pattern.search(question):
            return kind
    return "any" if _ANY.search(question) else None


def asks_distribution(question: str) -> bool:
    """The question is about how values are spread."""
    return bool(_DISTRIBUTION.search(question))


def asks_relation(question: str) -> bool:
    """The question sets two measures against each other."""
    return bool(_AGAINST.search(question))


def asks_shares(question: str) -> bool:
    """The question is about parts of a whole."""
    return bool(_SHARE.search(question))


def asks_stack(question: str) -> bool:
    """The question wants parts on top of each other."""
    return bool(_STACK.search(question))


_MONTHS: Final = (
    "january januar enero janvier jänner jan ene janv",
    "february februar febrero février feb fév févr feber fevrier",
    "march märz marzo mars mar mär mrz maerz",
    "april abril avril apr abr avr",
    "may mai mayo",
    "june juni junio juin jun",
    "july juli julio juillet jul juil",
    "august agosto août aug ago aout",
    "september septiembre septembre sep sept",
    "october oktober octubre octobre oct okt",
    "november noviembre novembre nov",
    "december dezember diciembre décembre dec dez dic déc decembre",
)
_WEEKDAYS: Final = (
    "monday montag lunes lundi mon mo lun",
    "tuesday dienstag martes mardi tue tues di",
    "wednesday mittwoch miércoles miercoles mercredi wed mi mié mer",
    "thursday donnerstag jueves jeudi thu thur thurs do jue jeu",
    "friday freitag viernes vendredi fri fr vie ven",
    "saturday samstag sonnabend sábado sabado samedi sat sa sáb sam",
    "sunday sonntag domingo dimanche sun so dom dim",
)
#: Folded name or abbreviation -> 1 for January or Monday.
MONTHS: Final = {word: number for number, words in enumerate(_MONTHS, 1) for word in words.split()}
WEEKDAYS: Final = {word: number for number, words in enumerate(_WEEKDAYS, 1) for word in words.split()}
