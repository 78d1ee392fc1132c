"""Which tests a column can take, by its type."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from tabulaflow_core.data.schema import ColumnSchema


class ColumnKind(StrEnum):
    """What a column holds, as far as a test must know it."""

    DATE = "date"
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    TEXT = "text"
    OTHER = "other"  # it can be written as text
    CLOSED = "closed"  # it cannot: bytes, lists, documents


_CLOSED: Final = re.compile(
    r"BLOB|BINARY|BYTEA|JSON|XML|STRUCT|MAP\(|UNION\(|\[|ARRAY|VECTOR|GEOM|POINT|TSVECTOR|HSTORE"
)
_DATE: Final = re.compile(r"DATE|DATETIME|TIMESTAMP|TIMESTAMPTZ|SMALLDATETIME")
_FLOAT: Final = re.compile(r"FLOAT\d*|REAL|DOUBLE( PRECISION)?|BINARY_FLOAT|BINARY_DOUBLE")
_INTEGER: Final = re.compile(
    r"(TINY|SMALL|MEDIUM|BIG|HUGE|U|UTINY|USMALL|UBIG|UHUGE)?INT(EGER)?\d*|(SMALL|BIG)?SERIAL|LONG"
)
_DECIMAL: Final = re.compile(r"DECIMAL|NUMERIC|NUMBER|DEC")
_TEXT: Final = re.compile(r"(TINY|MEDIUM|LONG)?TEXT|(N?VAR|N)?CHAR2?|CHARACTER( VARYING)?|STRING|CLOB|CITEXT")
_MORE: Final = re.compile(r" (UNSIGNED|ZEROFILL|WITH(OUT)? TIME ZONE)| (CHARACTER SET|COLLATE) .*|_(S|MS|NS)$")
_ISO_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(\D.*)?")


def kind_of(column: ColumnSchema, dialect: str) -> ColumnKind:
    """What a column holds."""
    written = column.type.upper().strip()
    if _CLOSED.search(written):
        return ColumnKind.CLOSED
    # What stands in brackets and behind them: DECIMAL(10,2), timestamp(3) with time zone, int(11) unsigned.
    bare = re.sub(r"\(.*?\)", "", written)
    bare = _MORE.sub("", bare).strip()
    if dialect == "sqlite":
        return _kind_in_sqlite(column, bare)
    for kind, pattern in (
        (ColumnKind.DATE, _DATE),
        (ColumnKind.INTEGER, _INTEGER),
        (ColumnKind.DECIMAL, _DECIMAL),
        (ColumnKind.FLOAT, _FLOAT),
        (ColumnKind.TEXT, _TEXT),
    ):
        if pattern.fullmatch(bare):
            return kind
    return ColumnKind.OTHER


def _kind_in_sqlite(column: ColumnSchema, bare: str) -> ColumnKind:
    """By affinity, sqlite.org/datatype3.html#determination_of_column_affinity; a day is whatever is written as one."""
    dated = bool(column.samples) and all(_ISO_DAY.fullmatch(sample) for sample in column.samples)
    if dated or (_DATE.fullmatch(bare) and not column.samples):
        return ColumnKind.DATE
    if "INT" in bare:
        return ColumnKind.INTEGER
    if any(word in bare for word in ("CHAR", "CLOB", "TEXT")):
        return ColumnKind.TEXT
    if any(word in bare for word in ("REAL", "FLOA", "DOUB")):
        return ColumnKind.FLOAT
    if _DECIMAL.fullmatch(bare):
        return ColumnKind.DECIMAL
    return ColumnKind.OTHER
