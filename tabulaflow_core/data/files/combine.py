"""Several stored tables as one: the rows of all, in a new immutable database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.files.convert import literal, quoted
from tabulaflow_core.data.files.naming import table_name, unique
from tabulaflow_core.data.files.profile import described, opened
from tabulaflow_core.data.files.report import ColumnType, ReadTable
from tabulaflow_core.data.files.storage import new_database
from tabulaflow_core.data.files.watch import Watch

if TYPE_CHECKING:
    import duckdb

#: Kinds that are widened within numbers and within dates; any other difference makes the column text.
_NUMBERS: Final = frozenset({"integer", "number"})
_DATES: Final = frozenset({"date", "datetime"})


@dataclass(frozen=True, slots=True)
class Member:
    """A stored table and the file that it was read from.

    Attributes:
        told: Whether its first column tells the file of each row: it was put together before.
    """

    file: str
    table: ReadTable
    told: bool = False


@dataclass(frozen=True, slots=True)
class CombinedColumn:
    """One column of the table of all.

    Attributes:
        engine_type: Its type in DuckDB.
        columns: The column's name in each member; None where the member has none.
        said: What a person should know of it; empty when all members agree.
    """

    name: str
    kind: ColumnType
    engine_type: str
    columns: tuple[str | None, ...]
    said: str = ""


@dataclass(frozen=True, slots=True)
class _Seen:
    name: str
    kind: ColumnType
    engine_type: str
    filled: int
    at: int


def plan(members: Sequence[Member]) -> tuple[CombinedColumn, ...]:
    """The columns of all members: those of the first, then what later ones add. Names are equal without case.

    Whole numbers and decimals become a type that holds every value of both exactly, dates and times become times,
    and all else that differs becomes text. A member whose column is empty has no say in its type.

    Raises:
        OSError: A stored table is not there.
    """
    with opened(_databases(members)) as connection:
        seen: dict[str, list[_Seen]] = {}
        for at, member in enumerate(members):
            facts = described(connection, f"m{at}", member.table)[1 if member.told else 0 :]
            counts = ", ".join(["count(*)", *(f"count({quoted(name)})" for name, _, _ in facts)])
            place = f"m{at}.main.{quoted(member.table.table)}"
            ((_, *filled),) = connection.execute(f"SELECT {counts} FROM {place}").fetchall()
            for (name, kind, engine_type), count in zip(facts, filled, strict=True):
                seen.setdefault(name.casefold(), []).append(_Seen(name, kind, engine_type, int(count), at))
        return tuple(_widened(connection, members, found) for found in seen.values())


def to_be_text(columns: Sequence[CombinedColumn], member: int, table: ReadTable) -> tuple[str, ...]:
    """The columns of one member that should be read again as text, so that they stand as in its file."""
    kinds = dict(zip(table.columns, table.types, strict=True))
    names = [c.columns[member] for c in columns if c.kind == "text"]
    return tuple(name for name in names if name is not None and kinds[name] != "text")


def combine(
    members: Sequence[Member],
    *,
    storage: Path,
    name: str,
    columns: Sequence[CombinedColumn] | None = None,
    file_column: bool = False,
    watch: Watch | None = None,
) -> ReadTable:
    """Write the rows of all members, in their order, as the table `name` of a new database in `storage`.

    A column that a member lacks is NULL in its rows.

    Args:
        columns: As `plan` gave them for these members; None to plan now.
        file_column: Whether a first column `file` tells the file of each row.
        watch: Hears how many members are written, and can stop it; nothing is left behind then.

    Raises:
        FileReadingStopped: `watch.stop` was called.
        OSError: A stored table is not there, or the disk is full.
    """
    watch = watch or Watch()
    planned = plan(members) if columns is None else tuple(columns)
    names = [column.name for column in planned]
    if file_column:
        names = [*unique([*names, "file"])[-1:], *names]
    types = [*(["VARCHAR"] if file_column else []), *(column.engine_type for column in planned)]
    kinds: tuple[ColumnType, ...] = (*(("text",) if file_column else ()), *(column.kind for column in planned))
    with new_database(storage, table_name(name)) as (bench, final):
        target = f"out.main.{quoted(name)}"
        defined = ", ".join(f"{quoted(n)} {t}" for n, t in zip(names, types, strict=True))
        bench.execute(f"CREATE TABLE {target} ({defined})")
        for at, member in enumerate(members):
            watch.advance("writing", at, len(members))
            bench.execute(f"ATTACH {literal(str(member.table.database))} AS member (READ_ONLY)")
            taken = [quoted(member.table.columns[0]) if member.told else literal(member.file)] if file_column else []
            for column in planned:
                own = column.columns[at]
                taken.append("NULL" if own is None else f"CAST({quoted(own)} AS {column.engine_type})")
            source = f"member.main.{quoted(member.table.table)}"
            bench.execute(f"INSERT INTO {target} SELECT {', '.join(taken)} FROM {source}")
            bench.execute("DETACH member")
        watch.advance("writing", len(members), len(members))
        rows = int(str(bench.one(f"SELECT count(*) FROM {target}")[0]))
    return ReadTable(name, tuple(names), kinds, rows, final, name)


def _databases(members: Sequence[Member]) -> dict[str, Path]:
    return {f"m{at}": member.table.database for at, member in enumerate(members)}


def _widened(
    connection: duckdb.DuckDBPyConnection, members: Sequence[Member], found: Sequence[_Seen]
) -> CombinedColumn:
    own: list[str | None] = [None] * len(members)
    for seen in found:
        own[seen.at] = seen.name
    name, columns = found[0].name, tuple(own)
    told = [seen for seen in found if seen.filled] or list(found[:1])
    types = {seen.engine_type for seen in told}
    if len(types) == 1:
        return CombinedColumn(name, told[0].kind, told[0].engine_type, columns)
    kinds = {seen.kind for seen in told}
    for kind, engine_type in _candidates(kinds, types):
        if all(_exact(connection, members, seen, engine_type) for seen in told):
            said = f"“{name}” is {_listed(members, told)}; all are held as {kind}." if len(kinds) > 1 else ""
            return CombinedColumn(name, kind, engine_type, columns, said)
    differs = "" if kinds == {"text"} else f"“{name}” is {_listed(members, told)}; it was kept as text."
    return CombinedColumn(name, "text", "VARCHAR", columns, differs)


def _candidates(kinds: set[ColumnType], types: set[str]) -> list[tuple[ColumnType, str]]:
    """Types that may hold the values of all, the best first."""
    if kinds == {"integer"}:
        return [("integer", "BIGINT"), ("integer", "HUGEINT")]
    if kinds <= _NUMBERS:
        scales = [int(t.rstrip(")").split(",")[1]) for t in types if t.startswith("DECIMAL(")]
        decimals: list[tuple[ColumnType, str]] = []
        if scales and not types & {"DOUBLE", "FLOAT"}:
            decimals = [("number", f"DECIMAL({width},{max(scales)})") for width in (18, 38)]
        return [*decimals, ("number", "DOUBLE"), ("number", f"DECIMAL(38,{max(scales, default=9)})")]
    if kinds <= _DATES:
        return [] if any("TIME ZONE" in t for t in types) else [("datetime", "TIMESTAMP")]
    return []


def _exact(connection: duckdb.DuckDBPyConnection, members: Sequence[Member], seen: _Seen, engine_type: str) -> bool:
    """Whether every value of the column comes back the same from `engine_type`."""
    if seen.engine_type == engine_type:
        return True
    column = quoted(seen.name)
    back = f"TRY_CAST(TRY_CAST({column} AS {engine_type}) AS {seen.engine_type})"
    place = f"m{seen.at}.main.{quoted(members[seen.at].table.table)}"
    lost = connection.execute(f"SELECT 1 FROM {place} WHERE {back} IS DISTINCT FROM {column} LIMIT 1").fetchall()
    return not lost


def _listed(members: Sequence[Member], told: Sequence[_Seen]) -> str:
    """Which kind the column has where, one file for each kind."""
    first = {seen.kind: members[seen.at].file for seen in reversed(told)}
    return ", ".join(f"{kind} in {file}" for kind, file in reversed(first.items()))
