"""What is kept of a file's reading, as JSON in the store and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from tabulaflow_core.data.files import ColumnReport, Decision, FileReading, ReadingReport, ReadTable
from tabulaflow_core.data.schema import ColumnSchema, TableSchema
from tabulaflow_core.store.records import FileRecord, FileStatus, WaitingRecord

Details = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Member:
    """One uploaded file of which a table is made.

    Attributes:
        name: As it was uploaded.
        copy: The folder of its bytes in the owner's folder; empty for bytes of an earlier version of this program.
        path: Where the file lies, for one of the server that was not copied; empty otherwise.
    """

    name: str
    sha256: str
    size: int
    copy: str = ""
    path: str = ""

    def place(self, folder: Path) -> Path:
        """Where its bytes are; `folder` is the owner's."""
        return Path(self.path) if self.path else folder / (self.copy or self.sha256[:32]) / self.name

    def same_as(self, other: Member) -> bool:
        """Whether the other has the same name and the same bytes."""
        return (self.name, self.sha256) == (other.name, other.sha256)

    def to_json(self) -> Details:
        """Plain values."""
        return {"name": self.name, "sha256": self.sha256, "size": self.size, "copy": self.copy, "path": self.path}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file, or several as one table, were read to.

    Attributes:
        report: The reading report as JSON.
        reports: Those of the tables of a file of several, by table; or of the files of a table of several, by file.
    """

    tables: tuple[ReadTable, ...] = ()
    report: Details = field(default_factory=dict)
    reports: dict[str, Details] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as the store has it.

    Attributes:
        id: Of the store's record; empty before it was kept.
        name: Its name for the person: the upload's, unless that was taken or it is made of several.
        members: The uploads that it is made of, in order.
        options: The choices of a person in force.
        file_column: Whether its table tells the file of each row.
        changes: What the last reread, replacement or appending changed.
        earlier: The members of earlier versions, by version.
    """

    id: str
    name: str
    status: FileStatus
    members: tuple[Member, ...]
    reading: Reading = field(default_factory=Reading)
    message: str = ""
    options: Details = field(default_factory=dict)
    file_column: bool = False
    version: int = 1
    changes: tuple[str, ...] = ()
    earlier: tuple[tuple[int, tuple[Member, ...]], ...] = ()

    @property
    def several(self) -> bool:
        """Whether its table is made of several uploads, or tells the file of each row as such a table does."""
        return len(self.members) > 1 or self.file_column

    def copies(self, folder: Path) -> set[Path]:
        """The copied bytes of all versions."""
        versions = (self.members, *(members for _, members in self.earlier))
        return {member.place(folder) for members in versions for member in members if not member.path}

    def details(self) -> Details:
        """Plain values for the store."""
        return {
            **reading_to_json(self.reading),
            "options": self.options,
            "members": [member.to_json() for member in self.members],
            "file_column": self.file_column,
            "version": self.version,
            "changes": list(self.changes),
            "earlier": [
                {"version": version, "members": [member.to_json() for member in members]}
                for version, members in self.earlier
            ],
        }


def kept_file(record: FileRecord, storage: Path) -> KeptFile:
    """The file of a record; `storage` is the owner's folder of databases, wherever it lies by now."""
    details = cast("dict[str, Any]", record.details)
    members = _members(details.get("members", [])) or (Member(record.name, record.sha256, record.size),)
    return KeptFile(
        id=record.id,
        name=record.name,
        status=record.status,
        members=members,
        reading=reading_from_json(record.details, storage),
        message=record.message,
        options=details.get("options", {}),
        file_column=details.get("file_column", False),
        version=details.get("version", 1),
        changes=tuple(details.get("changes", ())),
        earlier=tuple((each["version"], _members(each["members"])) for each in details.get("earlier", [])),
    )


@dataclass(frozen=True, slots=True)
class WaitingFile:
    """An upload that waits for an answer.

    Attributes:
        id: Of the store's record; empty before it was kept.
        target: The name of the file that the answer may change; empty when there is none.
        group: Equal for uploads that one answer is about.
        question: As JSON; see `file_questions`.
        database: The dialect of a database file; empty for every other file.
    """

    id: str
    name: str
    member: Member
    reading: Reading
    question: Details
    target: str = ""
    group: str = ""
    options: Details = field(default_factory=dict)
    database: str = ""

    def details(self) -> Details:
        """Plain values for the store."""
        return {
            **reading_to_json(self.reading),
            "member": self.member.to_json(),
            "question": self.question,
            "target": self.target,
            "group": self.group,
            "options": self.options,
            "database": self.database,
        }


def waiting_file(record: WaitingRecord, storage: Path) -> WaitingFile:
    """The upload of a record."""
    details = cast("dict[str, Any]", record.details)
    return WaitingFile(
        id=record.id,
        name=record.name,
        member=_members([details["member"]])[0],
        reading=reading_from_json(record.details, storage),
        question=details.get("question", {}),
        target=details.get("target", ""),
        group=details.get("group", ""),
        options=details.get("options", {}),
        database=details.get("database", ""),
    )


def upload_member(upload: Mapping[str, JsonValue]) -> Member | None:
    """The bytes of an uploaded database; None for a database that a URL names."""
    return _members([cast("dict[str, Any]", upload)])[0] if upload else None


def _members(items: Sequence[Mapping[str, Any]]) -> tuple[Member, ...]:
    return tuple(Member(m["name"], m["sha256"], m["size"], m.get("copy", ""), m.get("path", "")) for m in items)


def reading_to_json(reading: Reading) -> Details:
    """Tables and reports as plain values."""
    return {
        "tables": [
            {
                "name": table.name,
                "columns": list(table.columns),
                "types": list(table.types),
                "row_count": table.row_count,
                "database": table.database.name,
                "table": table.table,
                "part": table.part,
            }
            for table in reading.tables
        ],
        "report": reading.report,
        "reports": cast("JsonValue", reading.reports),
    }


def reading_from_json(details: Mapping[str, JsonValue], storage: Path) -> Reading:
    """The reading of a record."""
    tables = tuple(
        ReadTable(
            name=item["name"],
            columns=tuple(item["columns"]),
            types=tuple(item["types"]),
            row_count=item["row_count"],
            database=storage / item["database"],
            table=item["table"],
            part=item.get("part", ""),
        )
        for item in cast("list[dict[str, Any]]", details.get("tables", []))
    )
    report = cast("Details", details.get("report", {}))
    return Reading(tables, report, cast("dict[str, Details]", details.get("reports", {})))


def reading_of(read: FileReading) -> Reading:
    """What a reader gave, with its reports as JSON."""
    reports = {t.name: t.report.to_json() for t in read.tables if t.report is not None}
    return Reading(
        tuple(replace(table, report=None) for table in read.tables),
        read.report.to_json(),
        reports if len(read.tables) > 1 else {},
    )


def for_connector(kept: KeptFile) -> FileReading:
    """What a connector needs of a reading: its tables, what a person should know of them, and what was a guess."""
    reports = kept.reading.reports
    tables = kept.reading.tables
    if not kept.several:
        tables = tuple(
            replace(table, report=report_from_json(reports[table.name])) if table.name in reports else table
            for table in tables
        )
    return FileReading(kept.name, tables, report_from_json(kept.reading.report))


def report_from_json(report: Mapping[str, JsonValue]) -> ReadingReport:
    """As much of a report as a connector tells of."""
    known = cast("dict[str, Any]", report)
    return ReadingReport(
        format=str(known.get("format", "")),
        decisions=tuple(Decision(**decision) for decision in known.get("decisions", ())),
        columns=tuple(ColumnReport(**column) for column in known.get("columns", ())),
        notices=tuple(str(notice) for notice in known.get("notices", ())),
    )


def schemas(reading: Reading, *, several: bool = False) -> tuple[TableSchema, ...]:
    """The tables as a page shows them.

    Args:
        several: Whether the one table is made of several files, so that the reports are those of the files.
    """
    out = []
    for table in reading.tables:
        report = reading.report if several else reading.reports.get(table.name, reading.report)
        reported = {column["name"]: column for column in cast("list[dict[str, Any]]", report.get("columns", []))}
        columns = []
        for name, kind in zip(table.columns, table.types, strict=True):
            known = reported.get(name, {})
            header = str(known.get("header") or name)
            columns.append(
                ColumnSchema(name, str(known.get("engine_type") or kind), comment="" if header == name else header)
            )
        out.append(TableSchema(table.name, tuple(columns), kind="file", row_count=table.row_count))
    return tuple(out)
