"""One column of an SQLite table: what its values are, and the type that holds all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.convert import quoted
from tabulaflow_core.data.files.report import LISTED, ColumnReport, ColumnType, Misfit
from tabulaflow_core.data.files.storage import Workbench
from tabulaflow_core.data.files.values import is_missing

_ARROW: Final = {
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "BLOB": pa.binary(),
    "BOOLEAN": pa.bool_(),
}
_KINDS: Final[dict[str, ColumnType]] = {
    "BIGINT": "integer", "DOUBLE": "number", "VARCHAR": "text", "BLOB": "other", "BOOLEAN": "boolean",
    "DATE": "date", "TIMESTAMP": "datetime", "TIMESTAMP WITH TIME ZONE": "datetime",
}  # fmt: skip
_TIME: Final = re.compile(r"\b(?:DATE|DATETIME|TIMESTAMP\w*)\b", re.IGNORECASE)
_BOOLEAN: Final = re.compile(r"^\s*BOOL", re.IGNORECASE)


@dataclass(slots=True)
class SqliteColumn:
    """One column.

    Attributes:
        declared: Its type as the table declares it, which SQLite does not enforce.
        integers: Values of each storage class; `words` are texts such as “n/a” or nothing at all.
        beyond: Integers that a double does not hold.
        not_bits: Integers other than 0 and 1.
        stored: Its type in DuckDB.
        time: Whether its texts are to be read as dates or times.
    """

    name: str
    header: str
    declared: str
    integers: int
    reals: int
    texts: int
    blobs: int
    words: int
    beyond: int
    not_bits: int
    stored: str = "VARCHAR"
    note: str = ""
    time: bool = False
    misfits: list[Misfit] = field(default_factory=list)
    misfit_count: int = 0
    damaged: int = 0

    @property
    def kind(self) -> ColumnType:
        """The kind of value."""
        return _KINDS[self.stored]

    def decide(self, rows: int) -> None:
        """The narrowest type that holds every value."""
        numbers, real_texts = self.integers + self.reals, self.texts - self.words
        if numbers and not real_texts and not self.blobs:
            self._as_number()
        elif self.blobs and not numbers and not self.texts:
            self.stored = "BLOB"
        elif not numbers and not self.texts and not self.blobs:
            self._as_declared()
        elif numbers or self.blobs:
            kinds = [(real_texts, "text"), (numbers, "numbers"), (self.blobs, "bytes")]
            there = " and ".join(f"{word} ({n})" for n, word in kinds if n)
            self.note = f"it holds {there}"
        elif _TIME.search(self.declared):
            self.time = True

    def _as_number(self) -> None:
        if _BOOLEAN.match(self.declared) and not self.reals and not self.not_bits:
            self.stored = "BOOLEAN"
        elif not self.reals:
            self.stored = "BIGINT"
            if _TIME.search(self.declared):
                self.note = f"declared as {self.declared}, but it holds whole numbers, which were kept"
        elif self.beyond:
            self.note = "it holds decimals and whole numbers of more than 15 digits"
        else:
            self.stored = "DOUBLE"

    def _as_declared(self) -> None:
        """A column without values: by the rules of affinity, sqlite.org/datatype3.html."""
        name = self.declared.upper()
        if _TIME.search(name):
            self.stored = "DATE" if name == "DATE" else "TIMESTAMP"
        elif _BOOLEAN.match(name):
            self.stored = "BOOLEAN"
        elif "INT" in name:
            self.stored = "BIGINT"
        elif any(part in name for part in ("REAL", "FLOA", "DOUB", "NUMERIC", "DECIMAL")):
            self.stored = "DOUBLE"
        elif "BLOB" in name:
            self.stored = "BLOB"

    def array(self, values: Sequence[object], before: int) -> pa.Array:
        """Values of one batch in the column's type; `before` rows came earlier."""
        if self.stored in ("DATE", "TIMESTAMP"):
            return pa.nulls(len(values))
        kind = _ARROW[self.stored]
        if self.stored == "VARCHAR":
            return pa.array([self._shown(v, before + i) for i, v in enumerate(values, 1)], kind)
        if self.words:
            values = [None if isinstance(v, str) else v for v in values]
        if self.stored == "BOOLEAN":
            values = [None if v is None else bool(v) for v in values]
        elif self.stored == "DOUBLE":
            values = [float(v) if isinstance(v, int) else v for v in values]
        return pa.array(values, kind)

    def _shown(self, value: object, row: int) -> str | None:
        if value is None:
            return None
        if isinstance(value, str):
            self.damaged += "\ufffd" in value
            if self.note and self.texts < self.integers + self.reals and value.strip() and not is_missing(value):
                self._misfit(row, value)
            return value.replace("\x00", "\ufffd") if "\x00" in value else value
        if isinstance(value, bytes):
            try:
                return value.decode()
            except UnicodeDecodeError:
                return "0x" + value.hex()
        if self.note and self.texts >= self.integers + self.reals:
            self._misfit(row, str(value))
        return repr(value) if isinstance(value, float) else str(value)

    def _misfit(self, row: int, value: str) -> None:
        self.misfit_count += 1
        if len(self.misfits) < LISTED:
            self.misfits.append(Misfit(row, self.name, value[:200]))

    def report(self) -> ColumnReport:
        """What the person is told."""
        missing = {"words for no value": self.words} if self.words and self.stored != "VARCHAR" else {}
        return ColumnReport(
            self.name, self.header, self.kind, self.stored, note=self.note, missing=missing, misfits=self.misfit_count
        )

    def notices(self) -> list[str]:
        """Sentences on it."""
        notices = []
        if self.note and self.stored == "VARCHAR":
            notices.append(f"Column “{self.name}” was kept as text: {self.note}.")
        elif self.note:
            notices.append(f"Column “{self.name}”: {self.note}.")
        if self.words and self.stored != "VARCHAR":
            notices.append(
                f"{counted(self.words, 'text')} in column “{self.name}” that {agreed(self.words, 'stands', 'stand')} "
                f"for no value, such as empty ones, {agreed(self.words, 'is', 'are')} empty."
            )
        if self.damaged:
            notices.append(
                f"{counted(self.damaged, 'value')} of column “{self.name}” {agreed(self.damaged, 'is', 'are')} "
                f"no UTF-8; {agreed(self.damaged, 'it is', 'they are')} shown with \ufffd."
            )
        return notices


def declared_time(bench: Workbench, target: str, column: SqliteColumn) -> None:
    """Turn texts of a column that is declared as a date or time into that, when all of them are one."""
    name = quoted(column.name)
    text = f"nullif(trim({name}), '')"
    zoned = f"regexp_matches({text}, ':[0-9.]+\\s*(Z|[+-][0-9]{{2}}(:?[0-9]{{2}})?)$')"
    (there, dates, clocks, zones) = bench.one(
        f"SELECT count({text}), count_if({text} IS NOT NULL AND try_cast({text} AS TIMESTAMPTZ) IS NOT NULL "
        f"AND regexp_matches({text}, '^[0-9]{{4}}-')), count_if(contains({text}, ':')), count_if({zoned}) "
        f"FROM {target}"
    )
    if not there or dates != there or (zones and zones != there):
        if there:
            column.note = f"declared as {column.declared}, but not all of its texts are dates"
        return
    kind = "TIMESTAMP WITH TIME ZONE" if zones else "TIMESTAMP" if clocks else "DATE"
    bench.execute(f"ALTER TABLE {target} ALTER {name} TYPE {kind} USING CAST({text} AS {kind})")
    column.stored = kind
