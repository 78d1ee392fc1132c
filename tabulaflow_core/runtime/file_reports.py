"""The reading reports of several files, as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from tabulaflow_core.data.files.combine import CombinedColumn
from tabulaflow_core.data.files.report import LISTED, ReadTable
from tabulaflow_core.runtime.file_details import Details


def merged(reports: dict[str, Details], table: ReadTable, columns: Sequence[CombinedColumn]) -> Details:
    """One report on a table of several files; line numbers are found in the reports of the files."""
    listed = {
        file: {str(column.get("name")).casefold(): column for column in _objects(report, "columns")}
        for file, report in reports.items()
    }
    out: list[JsonValue] = []
    for column in columns:
        name = column.name.casefold()
        out.append(_merged_column(column, [own[name] for own in listed.values() if name in own]))
    notices: list[JsonValue] = [column.said for column in columns if column.said]
    for file, report in reports.items():
        notices += [f"{file}: {notice}" for notice in _list(report, "notices")]
    lacking = {file: [c.name for c in columns if c.name.casefold() not in own] for file, own in listed.items()}
    notices += [
        f"{file} has no column {', '.join(f'“{name}”' for name in names[:5])}"
        f"{' and others' if len(names) > 5 else ''}; it is empty in its rows."
        for file, names in lacking.items()
        if names
    ]
    skipped: list[JsonValue] = [
        {**line, "why": f"{file}: {line.get('why', '')}"}
        for file, report in reports.items()
        for line in _objects(report, "skipped")
    ]
    return {
        "format": str(next(iter(reports.values())).get("format", "")),
        "decisions": _merged_decisions(reports),
        "columns": out,
        "skipped": skipped[:LISTED],
        "skipped_count": _sum(reports.values(), "skipped_count"),
        "misfits": [],
        "misfit_count": _sum(reports.values(), "misfit_count"),
        "blank_lines": _sum(reports.values(), "blank_lines"),
        "rows_in_file": _sum(reports.values(), "rows_in_file"),
        "rows_in_table": table.row_count,
        "notices": notices,
        "parts": [
            {
                "name": file,
                "kind": "member",
                "state": "read",
                "hidden": False,
                "tables": [table.name],
                "message": row_count(_whole(report.get("rows_in_table"))),
            }
            for file, report in reports.items()
        ],
    }


def row_count(rows: int) -> str:
    """A number of rows in words."""
    return "1 row" if rows == 1 else f"{rows:,} rows"


def said_of(report: Details) -> dict[str, str]:
    """What such a report says of columns that differ between the files, by column."""
    notices = set(map(str, _list(report, "notices")))
    columns = _objects(report, "columns")
    return {str(c.get("name")): str(c.get("note")) for c in columns if str(c.get("note")) in notices}


def _merged_column(column: CombinedColumn, own: Sequence[Details]) -> Details:
    first = own[0] if own else {}
    missing: dict[str, JsonValue] = {}
    for known in own:
        words = known.get("missing")
        for word, count in words.items() if isinstance(words, dict) else ():
            missing[word] = _whole(missing.get(word)) + _whole(count)
    return {
        "name": column.name,
        "header": first.get("header", column.name),
        "type": column.kind,
        "engine_type": column.engine_type,
        "certainty": _least([str(known.get("certainty", "certain")) for known in own]),
        "note": column.said or first.get("note", ""),
        "missing": missing,
        "misfits": sum(_whole(known.get("misfits")) for known in own),
    }


def _merged_decisions(reports: dict[str, Details]) -> list[JsonValue]:
    """The decisions of the first file; where another one was read otherwise, the reason says so."""
    out: list[JsonValue] = []
    files = list(reports)
    others = [(file, {str(d.get("name")): d for d in _objects(reports[file], "decisions")}) for file in files[1:]]
    for decision in _objects(reports[files[0]], "decisions"):
        name = str(decision.get("name"))
        same = [(file, known[name]) for file, known in others if name in known]
        differs = [f"{d.get('value')} in {file}" for file, d in same if d.get("value") != decision.get("value")]
        sure = _least([str(d.get("certainty", "certain")) for d in (decision, *(d for _, d in same))])
        reason = f"not the same in all files: {', '.join(differs[:3])}" if differs else decision.get("reason", "")
        out.append({**decision, "certainty": sure, "reason": reason})
    return out


def _least(certainties: Sequence[str]) -> str:
    order = ("guess", "likely", "told", "certain")
    return min(certainties, key=lambda c: order.index(c) if c in order else len(order), default="certain")


def _list(report: Details, key: str) -> list[JsonValue]:
    value = report.get(key)
    return value if isinstance(value, list) else []


def _objects(report: Details, key: str) -> list[Details]:
    return [item for item in _list(report, key) if isinstance(item, dict)]


def _sum(reports: Iterable[Details], key: str) -> int:
    return sum(_whole(report.get(key)) for report in reports)


def _whole(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
