"""The members of an archive, each read by itself: one table or more a member, and a report on all of them."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.containers.archive import Member
from tabulaflow_core.data.files.containers.budget import Budget
from tabulaflow_core.data.files.containers.streams import stem
from tabulaflow_core.data.files.convert import literal, quoted
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.naming import table_name, unique
from tabulaflow_core.data.files.report import Part, ReadingReport, ReadOptions
from tabulaflow_core.data.files.storage import Workbench
from tabulaflow_core.errors import FileUnreadable

Outcome: TypeAlias = "tuple[list[WrittenTable], ReadingReport]"
_DAMAGED = (OSError, EOFError, ValueError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


@dataclass(slots=True)
class _Found:
    """What the members gave so far."""

    tables: list[WrittenTable] = field(default_factory=list)
    reports: list[ReadingReport] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    failures: list[FileUnreadable] = field(default_factory=list)


def read_members(
    job: ReadJob,
    kind: str,
    members: Sequence[Member],
    folder: Path,
    budget: Budget,
    read: Callable[[ReadJob], Outcome],
) -> Outcome:
    """Read the members that hold data; those that cannot be read are listed with the reason.

    Args:
        job: The archive; its options may name members, or parts of them as `member/part`.
        read: Reads one unpacked member.

    Raises:
        FileReadingStopped: Somebody stopped it.
        FileUnreadable: None of them can be read, or a named one is not there.
    """
    listed = [m for m in members if m.state != "noise"]
    data = _wanted(job, listed)
    found = _Found()
    total = sum(m.size for m in data)
    names = _table_names(job.table, data)
    packed = [m.size for m in data if m.packed]
    budget.claim(sum(packed), max(packed, default=0), folder)
    for member in listed:
        if member not in data:
            found.parts.append(_left_out(member))
            continue
        index = data.index(member)
        job.watch.advance("unpacking", sum(m.size for m in data[:index]), total)
        _clear(job.bench)
        try:
            outcome = _read_one(job, member, f"w{index}_{names[index]}", folder, budget, read)
        except FileUnreadable as error:
            _drop(job.bench, f"w{index}_{names[index]}")
            found.failures.append(error)
            found.parts.append(Part(member.name, "member", "unreadable", message=error.user_message))
            continue
        _take(job, member, outcome, f"w{index}_", found)
    if not found.tables:
        raise _nothing(job, data, listed, found)
    return _merged(job, kind, len(members) - len(listed), found)


def _wanted(job: ReadJob, listed: list[Member]) -> list[Member]:
    """The members to read: those named, else all with data; with no data at all, what tells about it."""
    named = job.options.parts
    if named is None:
        data = [m for m in listed if m.state == "data"]
        return data or [m for m in listed if m.state == "off"][:1]
    known = [m.name for m in listed]
    for name in named:
        if not any(name == k or name.startswith(f"{k}/") for k in known):
            shown = ", ".join(f"“{k}”" for k in known[:10])
            raise FileUnreadable(f"{job.name} holds no “{name}”. It holds {shown}{', …' if len(known) > 10 else ''}.")
    return [
        m
        for m in listed
        if m.state in ("data", "off") and any(n == m.name or n.startswith(f"{m.name}/") for n in named)
    ]


def _left_out(member: Member) -> Part:
    state = "off" if member.state == "data" else member.state
    assert state != "noise"
    return Part(member.name, "member", state, hidden=False, message=member.message)


def _table_names(table: str, data: list[Member]) -> list[str]:
    """Names after the members: by the last part of their paths, by the whole path where that is not unique."""
    if len(data) == 1:
        return [table]
    short = [table_name(stem(m.name.rsplit("/", 1)[-1])) for m in data]
    chosen = [s if short.count(s) == 1 else table_name(stem(m.name)) for s, m in zip(short, data, strict=True)]
    return [f"{table}_{name}" for name in unique(chosen)]


def _read_one(
    job: ReadJob, member: Member, table: str, folder: Path, budget: Budget, read: Callable[[ReadJob], Outcome]
) -> Outcome:
    last = member.name.rsplit("/", 1)[-1]
    path: Path | None = None
    try:
        try:
            with member.open() as stream:
                path = budget.copy(stream, folder, member.packed, total=member.size)
        except _DAMAGED as error:
            if isinstance(error, FileUnreadable):
                raise
            known = not isinstance(error, NotImplementedError)
            what = "is damaged in the archive" if known else "is packed by a method that is not known here"
            raise FileUnreadable(f"{last} {what}. Pack it again, or give the unpacked file.") from error
        options = _options(job.options, member.name)
        return read(replace(job, path=path, name=last, table=table, options=options, part=member.name))
    finally:
        if path is not None:
            path.unlink(missing_ok=True)


def _options(options: ReadOptions, member: str) -> ReadOptions:
    """The choices for one member; those for `member/part` become those for its part."""
    own = options.for_part(member)
    start = f"{member}/"
    named = None
    if options.parts is not None and member not in options.parts:
        named = tuple(p[len(start) :] for p in options.parts if p.startswith(start))
    inner = {k[len(start) :]: v for k, v in options.by_part.items() if k.startswith(start)}
    own_parts = options.by_part[member].parts if member in options.by_part else None
    return replace(own, parts=own_parts if named is None else named, by_part=inner)


def _take(job: ReadJob, member: Member, outcome: Outcome, mark: str, found: _Found) -> None:
    """Give the member's tables their names, and list it with its own parts."""
    written, report = outcome
    taken = [t.name for t in found.tables]
    final = unique([*taken, *(t.name.removeprefix(mark) for t in written)])[len(taken) :]
    renamed = {}
    for table, name in zip(written, final, strict=True):
        job.bench.execute(f"ALTER TABLE out.main.{quoted(table.name)} RENAME TO {quoted(name)}")
        renamed[table.name] = name
        part = f"{member.name}/{table.part}" if table.part and table.part != member.name else member.name
        found.tables.append(
            WrittenTable(
                name, table.columns, table.types, table.row_count, replace(table.report or report, parts=()), part
            )
        )
    found.reports.append(report)
    for inner in report.parts:
        tables = tuple(renamed.get(t, t) for t in inner.tables)
        found.parts.append(replace(inner, name=f"{member.name}/{inner.name}", tables=tables))
    if not report.parts:
        found.parts.append(Part(member.name, "member", "read", tables=tuple(final), message=member.message))


def _clear(bench: Workbench) -> None:
    """Forget the rows of the member before, wherever its reading ended."""
    bench.typed, bench.texts, bench.stage = None, "stage", "reading"
    for kind, catalog in (("VIEW", "duckdb_views"), ("TABLE", "duckdb_tables")):
        left = f"SELECT {kind.lower()}_name FROM {catalog}() WHERE database_name = 'temp' AND NOT internal"
        for (name,) in bench.rows(left):
            bench.execute(f"DROP {kind} temp.{quoted(str(name))}")


def _drop(bench: Workbench, start: str) -> None:
    """Remove what a member had written before it turned out to be unreadable; its tables begin with these signs.

    The mark alone would not do: tables of an archive in an archive begin with the mark of the outer one.
    """
    own = f"database_name = 'out' AND starts_with(table_name, {literal(start)})"
    for (name,) in bench.rows(f"SELECT table_name FROM duckdb_tables() WHERE {own}"):
        bench.execute(f"DROP TABLE out.main.{quoted(str(name))}")


def _nothing(job: ReadJob, data: list[Member], listed: list[Member], found: _Found) -> FileUnreadable:
    if len(found.failures) == 1 and len(listed) == 1:
        return found.failures[0]
    if not listed:
        return FileUnreadable(f"{job.name} is an archive without any file that holds data. Choose another file.")
    reasons = [p for p in found.parts if p.message]
    shown = "; ".join(f"{p.name}: {p.message.rstrip('.')}" for p in reasons[:5])
    more = f"; and {len(reasons) - 5} more" if len(reasons) > 5 else ""
    return FileUnreadable(f"{job.name} holds no file that can be read. {shown}{more}.")


def _merged(job: ReadJob, kind: str, noise: int, found: _Found) -> Outcome:
    notices = []
    for state, text in (("unreadable", "cannot be read"), ("empty", "empty"), ("off", "left out")):
        hit = [p for p in found.parts if p.state == state]
        if hit:
            names = "; ".join(f"{p.name}" + (f" ({p.message.rstrip('.')})" if p.message else "") for p in hit[:5])
            more = f"; and {len(hit) - 5} more" if len(hit) > 5 else ""
            verb = "" if state == "unreadable" else "is " if len(hit) == 1 else "are "
            notices.append(f"{counted(len(hit), 'part')} of the archive {verb}{text}: {names}{more}.")
    notices += [
        f"{p.name}: {p.message}." for p in found.parts if p.state == "read" and p.message and p.kind == "member"
    ]
    if noise:
        notices.append(
            f"{counted(noise, 'hidden file')} of the system in the archive {agreed(noise, 'was', 'were')} left out."
        )
    parts = tuple(found.parts)
    if len(found.tables) == 1:
        (table,) = found.tables
        report = table.report or found.reports[0]
        about = parts if len(parts) > 1 or noise else ()
        own = replace(report, notices=(*notices, *report.notices), parts=about)
        return [replace(table, report=None, part=table.part if about else "")], own
    tables = len(found.tables)
    notices.insert(0, f"The archive holds {tables} tables: {', '.join(t.name for t in found.tables[:10])}.")
    report = ReadingReport(
        kind,
        rows_in_file=sum(t.report.rows_in_file for t in found.tables if t.report),
        rows_in_table=sum(t.row_count for t in found.tables),
        notices=tuple(notices),
        parts=parts,
    )
    return found.tables, report
