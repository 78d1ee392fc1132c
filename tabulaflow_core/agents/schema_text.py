"""A schema as text for a prompt: real names, quoted where SQL needs it, one line a table."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from tabulaflow_core.data.schema import ColumnSchema, ForeignKey, TableSchema

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PLAIN_LOWER: Final = re.compile(r"[a-z_][a-z0-9_]*\Z")
#: Longer sample values say little more about a column's spelling and cost tokens.
_SAMPLE_CHARS: Final = 28
_SAMPLES: Final = 3
#: Words that some engine refuses as a bare column or table name and that data really uses.
_RESERVED_WORDS: Final = (
    "all and any as asc begin between by case cast check collate column commit constraint create cross current "
    "current_date current_time default delete desc distinct drop else end except exists false for foreign from "
    "full grant group groups having in index inner insert intersect interval into is join key keys lateral "
    "left like limit natural not null of offset on or order outer over partition primary range rank references "
    "right row rows select session_user set some system table then to trigger true union unique update user "
    "using values view when where window with "
)
RESERVED: Final = frozenset(_RESERVED_WORDS.split())
_PLAIN_CAPITALS: Final = re.compile(r"(?:[A-Z][A-Z0-9_]*|[a-z][a-z0-9_]*)\Z")  # either case stands for capitals
_PLAIN_BY_DIALECT: Final = {
    **dict.fromkeys(("postgres", "redshift"), _PLAIN_LOWER),
    **dict.fromkeys(("oracle", "snowflake"), _PLAIN_CAPITALS),
}
#: What stands around a name where it is not the standard's double quote.
_MARKS: Final = {
    "mysql": ("`", "`"),
    "bigquery": ("`", "`"),
    "databricks": ("`", "`"),
    "tsql": ("[", "]"),
}
_NUMERIC: Final = re.compile(r"INT|NUM|DEC|REAL|FLOA|DOUB|SERIAL|MONEY", re.IGNORECASE)


@lru_cache(maxsize=4096)
def quoted(name: str, dialect: str) -> str:
    """Return `name` as SQL of `dialect` needs it: bare when that is safe."""
    # These fold bare names to lower case or to capitals, so that a mixture needs quotes there.
    plain = _PLAIN_BY_DIALECT.get(dialect, _PLAIN)
    if plain.match(name) and name.casefold() not in RESERVED:
        return name
    opening, closing = _MARKS.get(dialect, ('"', '"'))
    inner = (
        name.replace("\\", "\\\\").replace("`", "\\`") if dialect == "bigquery" else name.replace(closing, closing * 2)
    )
    return opening + inner + closing


def table_name(table: TableSchema, dialect: str) -> str:
    """Return the name to write in SQL, with its namespace when it needs one."""
    return ".".join(quoted(part, dialect) for part in table.path)


def _target(key: ForeignKey, dialect: str) -> str:
    return ".".join(quoted(part, dialect) for part in key.target_path)


def is_numeric(column: ColumnSchema) -> bool:
    """Say whether the engine's type name is a number's."""
    return bool(_NUMERIC.search(column.type))


def one_line(text: str, limit: int) -> str:
    """Return `text` without line breaks, cut to `limit` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def sample_text(column: ColumnSchema, *, most: int = _SAMPLES) -> str:
    """Return a few values of a text column as SQL literals; numbers are left out, they invite copying."""
    if is_numeric(column):
        return ""
    values = [one_line(s, _SAMPLE_CHARS) for s in column.samples[:most] if s.strip()]
    return "|".join("'" + value.replace("'", "''") + "'" for value in values)


def column_text(column: ColumnSchema, table: TableSchema, dialect: str, *, samples: bool) -> str:
    """Return one column: name, type, key, where it points, a few values."""
    parts = [quoted(column.name, dialect)]
    if column.type:
        parts.append(column.type)
    if table.primary_key == (column.name,):
        parts.append("PK")
    for key in table.foreign_keys:
        if key.columns == (column.name,):
            parts.append(f"-> {_target(key, dialect)}.{quoted(key.target_columns[0], dialect)}")
    if samples:
        if values := sample_text(column):
            parts.append(values)
        if column.comment:
            parts.append(f"/* {one_line(column.comment.replace('*/', ''), 60)} */")
    return " ".join(parts)


def table_line(table: TableSchema, dialect: str, *, samples: bool = True) -> str:
    """Return one table on one line."""
    columns = ", ".join(column_text(c, table, dialect, samples=samples) for c in table.columns)
    return f"{table_name(table, dialect)}({columns})"


def signature(table: TableSchema) -> str:
    """Return what must change for a table to be told again: names, types and keys, not values or row counts."""
    columns = ",".join(f"{c.name}:{c.type}" for c in table.columns)
    keys = ",".join(
        f"{k.columns}>{k.target_schema or ''}.{k.target_table}{k.target_columns}" for k in table.foreign_keys
    )
    return f"{columns}|{table.primary_key}|{keys}"


def was_told(table: TableSchema, dialect: str, text: str) -> bool:
    """Say whether a line of `text` already tells `table` as it is now; used when a history is taken up again."""
    start = f"{table_name(table, dialect)}("
    wanted = [column_text(c, table, dialect, samples=False) for c in table.columns]
    return any(
        line.startswith(start) and all(column in line for column in wanted)
        for line in map(str.strip, text.splitlines())
    )
