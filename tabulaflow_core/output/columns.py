"""What a result's columns are for: measures to draw, time to draw along, labels, and ids to leave alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal

import pyarrow as pa

from tabulaflow_core.output import moments
from tabulaflow_core.output.cells import column_values
from tabulaflow_core.output.words import MONTHS, WEEKDAYS

Role = Literal["measure", "time", "category", "id", "other"]
#: How a time column is read: real dates, years, texts that sort as they stand, or names in the calendar's order.
TimeUnit = Literal["date", "year", "number", "text", "month_name", "weekday"]

_SAMPLE: Final = 1_000
#: The sum of a hundred million such numbers is still a float.
_MOST: Final = 1e300
_YEAR: Final = re.compile(r"(?:^|_)(?:year|yr|jahr|año|anio|année|annee|an)(?:$|_)|year$|jahr$", re.IGNORECASE)
_PART: Final = re.compile(
    r"(?:^|_)(?:month|monat|mes|mois|quarter|quartal|trimestre|qtr|week|woche|semana|semaine|kw"
    r"|day|tag|d[ií]a|jour|hour|stunde|hora|heure|weekday|wochentag|dow|period|periode)(?:$|_)"
    r"|_?(?:month|quarter|week|hour|weekday)(?:_?(?:no|num|nr|number))?$|monat$|quartal$",
    re.IGNORECASE,
)
_ID: Final = re.compile(
    r"(?:^|_)(?:id|ids|uuid|guid|pk|fk|rowid|oid|key|code|zip|zipcode|postcode|postal|plz|phone|tel|fax|isbn|ean|sku|iban)(?:$|_)"
    r"|[^\W\d_](?:_no|_nr|_?number|_?nummer)$|(?:kunden|auftrags|rechnungs|artikel|konto|personal|bestell)nr$",
    re.IGNORECASE,
)
_COUNTS: Final = re.compile(
    r"(?:^|_|\b)(?:counts?|sum|avg|average|mean|total|anzahl|summe|distinct|n|num|number_of|how_many)(?:$|_|\b)",
    re.IGNORECASE,
)
_RANK: Final = re.compile(r"(?:^|_)(?:rank|rang|ranking|position|platz|row_?num(?:ber)?|rn|rnk|rk)$", re.IGNORECASE)
#: A part of a date as engines name the column of such a call.
_PART_CALL: Final = re.compile(
    r"(?:cast\s*\(\s*)?(?:extract\s*\(\s*(?P<a>\w+)\s+from\b|date_?part\s*\(\s*'(?P<b>\w+)'|(?P<c>year|quarter|month|week|day|hour)\s*\("
    r"|strftime\s*\([^%]*'%(?P<d>[YmdHW])')",
    re.IGNORECASE,
)
_DIRECTIVES: Final = {"Y": "year", "m": "month", "d": "day", "H": "hour", "W": "week"}
_MONTH_NAME: Final = re.compile(r"month|monat|(?:^|_)mes(?:$|_)|(?:^|_)mois(?:$|_)", re.IGNORECASE)
_DAY_NAME: Final = re.compile(
    r"(?:^|_)(?:day|date|tag|datum|d[ií]a|fecha|jour|since|until|from|to|start|end|valid|seit|bis|von)(?:$|_)|date$",
    re.IGNORECASE,
)
_MIDNIGHT: Final = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)?)?$")
#: A month, an hour or a quarter as text, in the form in which text sorts as numbers do.
_PADDED: Final = re.compile(r"[0-5]\d$|[1-4]$")
_SORTABLE: Final = re.compile(r"\d{4}(?:[-/. ]?(?:Q|q|T|H|S)[1-4]|/(?:0[1-9]|1[0-2]))$|(?:19|20)\d{2}$|Q[1-4]$|W\d\d$")


@dataclass(frozen=True)
class Column:
    """One column of a result.

    Attributes:
        index: Its place; names may repeat, places do not.
        role: What it is for.
        unit: How its time is read, None when it is no time.
    """

    index: int
    name: str
    role: Role
    unit: TimeUnit | None
    data: pa.ChunkedArray

    @cached_property
    def values(self) -> list[object]:
        """All cells."""
        return column_values(self.data)

    def cell(self, row: int) -> object:
        """One cell, without making objects of all the others."""
        return column_values(self.data.slice(row, 1))[0]

    @cached_property
    def numbers(self) -> list[float | None]:
        """The cells as floats for drawing; what is no finite number, or one too large to be added up, is None."""
        kind = self.data.type
        if pa.types.is_floating(kind) or pa.types.is_integer(kind):
            return [
                v if v is not None and abs(v) <= _MOST else None
                for v in self.data.cast(pa.float64(), safe=False).to_pylist()
            ]
        return [number(value) for value in self.values]

    @cached_property
    def distinct(self) -> int:
        """How many different values there are, nulls left out."""
        return len(_comparable(self.data).unique().drop_null())

    @cached_property
    def grain(self) -> Literal["month", "day"] | None:
        """How much of a date its cells tell: `day` when no clock matters, `month` when they stand for months."""
        if self.unit != "date":
            return None
        known = [time_text(value) for value in self.values if value is not None]
        if not all(map(_MIDNIGHT.match, known)):
            return None
        return "month" if all(text[8:10] == "01" for text in known) and self._names_months(known) else "day"

    def _names_months(self, known: Sequence[str]) -> bool:
        """Months by name, or by a row each; contracts that all begin on a first of the month keep their day."""
        if _MONTH_NAME.search(self.name):
            return True
        rising = len(known) >= 3 and all(a < b for a, b in pairwise(known))
        return rising and not _DAY_NAME.search(_snake(self.name))

    @property
    def label(self) -> str:
        """The name for an axis: underscores as spaces, nothing else changed."""
        return humanize(self.name)


def _comparable(data: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_nested(data.type):
        return pa.chunked_array([pa.array([repr(value) for value in column_values(data)], pa.string())])
    return data.cast(data.type.value_type) if pa.types.is_dictionary(data.type) else data


def is_unique(*columns: Column) -> bool:
    """No two rows share the cells of these columns."""
    names = [f"c{i}" for i in range(len(columns))]
    table = pa.table([_comparable(column.data) for column in columns], names=names)
    return bool(table.group_by(names).aggregate([]).num_rows == table.num_rows)


def number(value: object) -> float | None:
    """One cell as a float that can be drawn and added up, else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if abs(result) <= _MOST else None


#: A plain or a quoted name; what stands in quotes may hold anything: `"Soll-FTE"`, `[unit (net)]`.
_NAME: Final = r"(?:\w+|\"[^\"]+\"|`[^`]+`|\[[^\]]+\])"
_CALL: Final = re.compile(
    r"(?P<how>count|sum|avg|min|max|total|round|coalesce|ifnull)\s*\(\s*(?P<distinct>distinct\s+)?"
    rf"(?:{_NAME}\.)*(?P<what>\*|{_NAME})\s*(?:,[^()]*)?\)",
    re.IGNORECASE,
)
_ROUNDED: Final = re.compile(r"round\s*\((?P<inner>.+),\s*\d+\s*\)", re.IGNORECASE | re.DOTALL)
_WORDS_OF: Final = {"sum": "sum of ", "total": "sum of ", "avg": "average ", "min": "lowest ", "max": "highest "}
_LONGEST_LABEL: Final = 40


def humanize(name: str) -> str:
    """A name for people: `order_total` -> `order total`, `avg(t.price)` -> `average price`; long formulas are cut."""
    if part := _part_of_date(name):
        return part
    if rounded := _ROUNDED.fullmatch(name.strip()):
        return humanize(rounded["inner"])
    if call := _CALL.fullmatch(name.strip()):
        what = "" if call["what"] in ("*", "1") else call["what"].strip('"`[]').replace("_", " ")
        if call["how"].casefold() == "count":
            return "count" if not what else f"count of {'different ' if call['distinct'] else ''}{what}"
        return _WORDS_OF.get(call["how"].casefold(), "") + what
    if re.search(r"[()*+]|^case\b", name, re.IGNORECASE):
        short = " ".join(name.split())
        return short if len(short) <= _LONGEST_LABEL else short[: _LONGEST_LABEL - 1] + "…"
    return " ".join(name.replace("_", " ").split()) or name


def _part_of_date(name: str) -> str:
    """`year` for `strftime('%Y', day)`, `extract(year from day)` and the like; empty for any other name."""
    match = _PART_CALL.match(name.strip())
    if match is None or not _is_one_call(name.strip()):
        return ""
    return _DIRECTIVES[match["d"]] if match["d"] else (match["a"] or match["b"] or match["c"]).casefold()


def _is_one_call(formula: str) -> bool:
    """The first bracket closes at the end: `year(a)`, not `year(a) - year(b)`."""
    depth = 0
    for place, char in enumerate(formula):
        depth += (char == "(") - (char == ")")
        if char == ")" and depth == 0:
            return place == len(formula) - 1
    return False


def describe_columns(table: pa.Table) -> list[Column]:
    """The columns of `table` with their roles, judged by type, name and the first rows."""
    columns = []
    for index, field in enumerate(table.schema):
        data = table.column(index)
        role, unit = _role(field.name, data)
        columns.append(Column(index, field.name, role, unit, data))
    return columns


def _role(name: str, data: pa.ChunkedArray) -> tuple[Role, TimeUnit | None]:
    kind = data.type
    if data.null_count == len(data):
        return "other", None
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "time", "date"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _number_role(_snake(name), [v for v in column_values(data[:_SAMPLE]) if v is not None])
    if pa.types.is_boolean(kind):
        return "category", None
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _text_role(_snake(name), [str(v) for v in column_values(data[:_SAMPLE]) if v is not None])
    return "other", None


def _snake(name: str) -> str:
    return _part_of_date(name) or re.sub(r"(?<=[a-z])(?=[A-Z])|[\s.\-]+", "_", name).strip("_")


def _number_role(name: str, sample: list[object]) -> tuple[Role, TimeUnit | None]:
    numbers = [v for v in sample if isinstance(v, (int, float, Decimal)) and v == v]
    if not numbers:
        return "other", None
    whole = all(abs(float(v)) < 1e18 and v == int(v) for v in numbers)
    if whole and not _COUNTS.search(name):
        least, most = min(map(int, numbers)), max(map(int, numbers))
        if _YEAR.search(name) and 1000 <= least <= most <= 2999:
            return "time", "year"
        if _PART.search(name) and 0 <= least <= most <= 53:
            return "time", "number"
        if (_PART.search(name) or _YEAR.search(name)) and 100_001 <= least <= most <= 299_912:
            return "time", "text"
        if _ID.search(name) or _RANK.search(name):
            return "id", None
    return "measure", None


def _text_role(name: str, sample: list[str]) -> tuple[Role, TimeUnit | None]:
    texts = [text.strip() for text in sample if text.strip()]
    if not texts:
        return "other", None
    if moments.are_days_or_months(texts):
        return "time", "date"
    if (moments.are_parts(texts) or all(_SORTABLE.match(t) for t in texts)) and not _ID.search(name):
        return "time", "text"
    if _PART.search(name) and all(_PADDED.match(t) for t in texts):
        return "time", "text"
    folded = [t.casefold().rstrip(".") for t in texts]
    if len(set(folded)) > 1 or _PART.search(name):
        if all(t in MONTHS for t in folded):
            return "time", "month_name"
        if all(t in WEEKDAYS for t in folded):
            return "time", "weekday"
    return ("id" if _ID.search(name) and len(set(texts)) == len(texts) else "category"), None


def holds_years(column: Column) -> bool:
    """The column is a year, as a number or as text."""
    if column.unit != "text":
        return column.unit == "year"
    return all(value is None or re.fullmatch(r"\d{4}", str(value).strip()) for value in column.values)


def names_quarters(column: Column) -> bool:
    """The column's name says that its numbers are quarters."""
    return bool(re.search(r"quarter|quartal|trimestre|qtr", column.name, re.IGNORECASE))


def time_key(column: Column, value: object) -> tuple[int, object]:
    """A sort key for a cell of a time column; empty cells come last."""
    if value is None or (isinstance(value, float) and value != value):
        return (2, 0)
    if column.unit == "month_name":
        return (0, MONTHS.get(str(value).strip().casefold().rstrip("."), 99))
    if column.unit == "weekday":
        return (0, WEEKDAYS.get(str(value).strip().casefold().rstrip("."), 99))
    if column.unit in ("year", "number") and isinstance(value, (int, float, Decimal)):
        return (0, float(value))
    text = time_text(value)
    if column.unit == "date" and not moments.iso(text):
        return (2, 0)
    return (0, moments.sort_key(text))


def time_text(value: object) -> str:
    """A time as ISO text without its zone, as plotly draws it; whole days without a clock."""
    if isinstance(value, datetime):
        value = value.replace(tzinfo=None)
        return value.date().isoformat() if value.time() == value.time().min else value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (int, float, Decimal)) and value == int(value):
        return str(int(value))
    text = str(value).strip()
    return moments.iso(text) or text


def is_no_time(column: Column, value: object) -> bool:
    """An empty cell of a time column, or one that is no day of the calendar: an infinity, the 30th of February."""
    if value is None or (isinstance(value, float) and value != value):
        return True
    return column.unit == "date" and moments.iso(time_text(value)) is None
