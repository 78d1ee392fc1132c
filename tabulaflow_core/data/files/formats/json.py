"""JSON: an array of records, records one a line, or one object that wraps an array of records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.files.columns import type_columns, write_table
from tabulaflow_core.data.files.encoding import detect_encoding
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.naming import column_names
from tabulaflow_core.data.files.report import ColumnType, Decision, ReadingReport
from tabulaflow_core.data.files.stage import Stage
from tabulaflow_core.data.files.tokens import Record
from tabulaflow_core.data.files.values import looks_like
from tabulaflow_core.errors import FileUnreadable

if TYPE_CHECKING:
    from tabulaflow_core.data.files.report import JsonValue

_SUFFIXES: Final = frozenset({".json", ".jsonl", ".ndjson"})
#: A whole JSON document stands in memory while it is read; lines do not have this bound.
_MOST_BYTES: Final = 500 * 1024 * 1024


class JsonReader:
    """Reads JSON whose records are flat; a nested value becomes JSON text in its cell."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """True for the suffixes of JSON."""
        return suffix in _SUFFIXES

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Write the records as one table; types are decided as those of a text file.

        Raises:
            FileUnreadable: It is no JSON, or holds no records.
        """
        records, decisions = _records(job)
        header = list(dict.fromkeys(key for record in records for key in record))
        names = column_names(header, len(header))
        stage = Stage(job.bench, len(header))
        stage.add_all(Record(i, [_cell(r.get(key)) for key in header]) for i, r in enumerate(records, 1))
        stage.finish(len(stage.tail))
        told: dict[str, ColumnType] = {
            n: "text" for n, key in zip(names, header, strict=True) if _strings(records, key)
        }
        options = replace(job.options, types={**told, **job.options.types})
        typing = type_columns(job.bench, names, header, options, ",")
        count = write_table(job.bench, job.table, typing)
        notices = list(typing.notices)
        nested = [n for n, key in zip(names, header, strict=True) if any(_nested(r.get(key)) for r in records)]
        if nested:
            notices.append(f"Nested values are kept as JSON text in {', '.join(nested[:5])}.")
        if stage.blank:
            notices.append(f"{stage.blank} record(s) without any value were skipped.")
        report = ReadingReport(
            "json",
            decisions=(*decisions, *typing.decisions),
            columns=tuple(c.report() for c in typing.columns),
            misfits=tuple(m for c in typing.columns for m in c.misfits),
            misfit_count=sum(c.misfit_count for c in typing.columns),
            blank_lines=stage.blank,
            rows_in_file=len(records),
            rows_in_table=count,
            notices=tuple(notices),
        )
        return [WrittenTable(job.table, tuple(names), tuple(c.kind for c in typing.columns), count)], report


def _records(job: ReadJob) -> tuple[list[dict[str, JsonValue]], list[Decision]]:
    encoding = detect_encoding(job.path)
    if job.path.stat().st_size > _MOST_BYTES:
        raise FileUnreadable(f"{job.name} is larger than 500 MB. Export the data as CSV or Parquet and add that file.")
    text = job.path.read_text(encoding=job.options.encoding or encoding.codec, errors="replace")
    decisions = [Decision("encoding", encoding.codec, encoding.certainty, encoding.reason)]
    try:
        content = _load(text)
        decisions.append(Decision("records", "one document", "certain"))
    except ValueError:
        content = list(_lines(job, text))
        decisions.append(Decision("records", "one a line", "certain"))
    if isinstance(content, dict):
        lists = {k: v for k, v in content.items() if isinstance(v, list) and v and isinstance(v[0], dict)}
        if len(lists) == 1:
            ((key, content),) = lists.items()
            decisions.append(Decision("path", key, "likely", "the only list of records in the document"))
        else:
            content = [content]
    if not isinstance(content, list) or not content:
        raise FileUnreadable(f"{job.name} holds no records. Export it again, or choose another file.")
    if not all(isinstance(record, dict) for record in content):
        content = [record if isinstance(record, dict) else {"value": record} for record in content]
    records = [record for record in content if isinstance(record, dict)]
    if not any(records):
        raise FileUnreadable(f"{job.name} holds only empty records. Export it again, or choose another file.")
    return records, decisions


def _load(text: str) -> JsonValue:
    # Numbers stay as they are written: neither an id nor a price may lose a digit on the way.
    value: JsonValue = json.loads(text, parse_float=_Number, parse_int=_Number)
    return value


class _Number(str):
    """A number as it is written."""


def _lines(job: ReadJob, text: str) -> Iterator[JsonValue]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield _load(line)
            except ValueError as error:
                raise FileUnreadable(
                    f"{job.name} is not valid JSON: line {number} cannot be read. Export it again, or mend that line."
                ) from error


def _strings(records: list[dict[str, JsonValue]], key: str) -> bool:
    """True when the values are strings, some of which look like numbers: codes, since JSON has numbers."""
    values = [v for r in records if (v := r.get(key)) is not None]
    strings = [v for v in values if isinstance(v, str) and not isinstance(v, _Number)]
    return len(strings) == len(values) and any(looks_like(v) == "number" for v in strings)


def _nested(value: JsonValue) -> bool:
    return isinstance(value, list | dict)


def _cell(value: JsonValue) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(_plain(value), ensure_ascii=False) if _nested(value) else str(value)


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, _Number):
        number = Decimal(value)
        return int(number) if number == number.to_integral_value() and "." not in value else float(number)
    return value
