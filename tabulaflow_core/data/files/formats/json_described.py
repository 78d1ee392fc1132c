"""Rows whose columns are described elsewhere in the document, as many services send them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tabulaflow_core.data.files.formats.json_found import Found, Record, cells_of, rows_named
from tabulaflow_core.data.files.formats.json_unwrap import unwrapped
from tabulaflow_core.data.files.formats.json_values import Number, Value, is_nested

HEADER_KEYS: Final = (
    "columns", "column_names", "columnNames", "header", "headers", "fields", "cols", "names",
    "columnHeaders", "rowType", "ColumnInfo",
)  # fmt: skip
_NAME_KEYS: Final = ("name", "label", "title", "text", "field", "id", "code", "Name")
_TYPE_KEYS: Final = ("type", "dataTypeName", "dataType", "Type")
#: The keys under which a cell that is an object holds its value.
_VALUE_KEYS: Final = ("v", "VarCharValue", "value")
_BESIDE_VALUE: Final = frozenset({"f", "p", "oneValue"})
_NUMERIC: Final = re.compile(
    r"(?:type_|esrifieldtype)?(?:(?:big|small|tiny|u)?int(?:eger)?[0-9]*|num(?:ber|eric)|decimal|float[0-9]*|"
    r"double(?: precision)?|real|money|percent|currency|long|fixed|c)(?:\(.*\))?",
    re.IGNORECASE,
)
#: How Google's charts write times; January is 0.
_CHART_DATE: Final = re.compile(r"Date\(([0-9]{1,4}),\s*([0-9]{1,2}),\s*([0-9]{1,2})((?:,\s*[0-9]{1,3}){0,4})\)")
_LEVELS: Final = 6
_SAMPLE: Final = 200


@dataclass(frozen=True, slots=True)
class Described:
    """Names of columns, and which of them are called numbers."""

    names: list[str]
    numeric: frozenset[str]
    where: str


def described(value: Value, where: str = "") -> Described | None:
    """Names of columns: plain ones, or those of objects that describe columns."""
    if not isinstance(value, list) or not value:
        return None
    names: list[str] = []
    numeric: set[str] = set()
    for item in value:
        name = item
        if isinstance(item, dict):
            told = [item[k] for k in _NAME_KEYS if isinstance(item.get(k), str)]
            name = next((t for t in told if t), told[0] if told else None)
            kind = next((item[k] for k in _TYPE_KEYS if isinstance(item.get(k), str)), "")
            if isinstance(name, str) and _NUMERIC.fullmatch(str(kind)):
                numeric.add(name)
        if not isinstance(name, str):
            return None
        names.append(name)
    return Described(names, frozenset(numeric), where)


def described_rows(node: Record, path: tuple[str, ...]) -> Found | None:
    """Rows as lists, or as objects that hold lists of cells, with names for all of their columns in the node."""
    for key, rows in node.items():
        if not isinstance(rows, list) or not rows or key in HEADER_KEYS:
            continue
        cells = [_cells(row) for row in rows[:_SAMPLE]]
        width = max((len(c) for c in cells if c is not None), default=0)
        if not width or any(
            c is None or (isinstance(r, list) and len(c) != width) for c, r in zip(cells, rows, strict=False)
        ):
            continue
        header = _search(node, width, 0) or _together(node, width)
        if header is None:
            continue
        named = cells[0] == header.names  # some repeat the names in the first row

        def records(
            rows: list[Value] = rows, header: Described = header, named: bool = named
        ) -> Iterator[tuple[int, Record]]:
            return rows_named(header.names, ((i, _row(r)) for i, r in enumerate(rows[named:], 1 + named)))

        note = f"The columns are named by “{header.where}”, the rows are in “{key}”."
        return Found(
            path, "columns", len(rows) - named, records, notes=[note], names=header.names, numeric=header.numeric
        )
    return None


def _search(node: Record, width: int, level: int) -> Described | None:
    """Names for so many columns, here or in the objects of the node."""
    for key in HEADER_KEYS:
        header = described(node.get(key), key)
        if header and len(header.names) == width:
            return header
    if level < _LEVELS:
        for key, value in node.items():
            if isinstance(value, dict) and (header := _search(value, width, level + 1)):
                return Described(header.names, header.numeric, f"{key}.{header.where}")
    return None


def _together(node: Record, width: int) -> Described | None:
    """Names in several lists: those of dimensions, then those of metrics."""
    found = [d for k, v in node.items() if k.endswith("Headers") and (d := described(v, k))]
    names = [name for d in found for name in d.names]
    if len(found) < 2 or len(names) != width:
        return None
    return Described(names, frozenset().union(*(d.numeric for d in found)), " and ".join(d.where for d in found))


def _cells(row: Value) -> list[Value] | None:
    """The cells of a row: those of a list, or of an object that holds nothing else than lists of cells."""
    if isinstance(row, list):
        return None if any(isinstance(c, dict) for c in row) else row
    if not isinstance(row, dict):
        return None
    found: list[Value] = []
    for key, items in row.items():
        if key == "p" and len(row) > 1:
            continue
        if not isinstance(items, list):
            return None
        for item in items:
            if isinstance(item, list) or (isinstance(item, dict) and not _is_cell(item)):
                return None
            found.append(_value(item))
    return found or None


def _is_cell(item: Record) -> bool:
    held = item.keys() - _BESIDE_VALUE
    return not item or (len(held) <= 1 and (not held or next(iter(held)) in _VALUE_KEYS))


def _value(item: Value) -> Value:
    if not isinstance(item, dict):
        return item
    value = next((item[k] for k in _VALUE_KEYS if k in item), None)
    if isinstance(value, str) and value.startswith("Date(") and (match := _CHART_DATE.fullmatch(value)):
        return _date(match) or value
    return value


def _date(match: re.Match[str]) -> str:
    year, month, day = (int(match[i]) for i in (1, 2, 3))
    clock = [int(n) for n in match[4].split(",")[1:]]
    try:
        if not clock:
            return dt.date(year, month + 1, day).isoformat()
        hours, minutes, seconds, thousandths = [*clock, 0, 0, 0, 0][:4]
        return dt.datetime(year, month + 1, day, hours, minutes, seconds, thousandths * 1000).isoformat()
    except ValueError:
        return ""


def _row(row: Value) -> list[Value]:
    return _cells(row) or [] if isinstance(row, dict) else cells_of(row)


def descriptions(node: Record) -> dict[str, Described]:
    """Lists of records by whose side stands a list that describes their columns, with that."""
    found: dict[str, Described] = {}
    for key in HEADER_KEYS:
        value = node.get(key)
        if not isinstance(value, list) or not any(isinstance(v, dict) for v in value):
            continue
        header = described(value, key)
        for other, items in node.items():
            if header is None or other == key or not isinstance(items, list):
                continue
            records = [unwrapped(i) for i in items[:_SAMPLE] if isinstance(i, dict)]
            keys = {k for r in records for k in r} - {"geometry"}
            if keys and keys <= set(header.names):
                found[other] = header
    return found


def bindings(node: Record, path: tuple[str, ...]) -> Found | None:
    """The results of a SPARQL query: a value for each variable."""
    head, results = node.get("head"), node.get("results")
    names = head.get("vars") if isinstance(head, dict) else None
    rows = results.get("bindings") if isinstance(results, dict) else None
    header = described(names)
    if header is None or not isinstance(rows, list) or not all(isinstance(r, dict) for r in rows):
        return None

    def records() -> Iterator[tuple[int, Record]]:
        for number, row in enumerate(rows, 1):
            if isinstance(row, dict):
                yield number, {key: _term(value) for key, value in row.items()}

    note = "The columns are named by “head.vars”, the rows are in “results.bindings”."
    return Found(path, "columns", len(rows), records, notes=[note], names=header.names)


def _term(term: Value) -> Value:
    if not isinstance(term, dict) or "value" not in term:
        return term
    value, kind = term["value"], str(term.get("datatype", "")).rpartition("#")[2]
    return Number(value) if isinstance(value, str) and _NUMERIC.fullmatch(kind) and _is_number(value) else value


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", text) is not None


def charted(node: Record, path: tuple[str, ...]) -> Found | None:
    """Series of a chart: the numbers of each in a list, and what they belong to in another."""
    for key, items in node.items():
        if not isinstance(items, list) or not items:
            continue
        series: dict[str, list[Value]] = {}
        for item in items:
            name = item.get("name", item.get("label")) if isinstance(item, dict) else None
            data = item.get("data", item.get("values")) if isinstance(item, dict) else None
            if not isinstance(name, str) or name in series or not isinstance(data, list) or not _is_plain(data):
                break
            series[name] = data
        lengths = {len(data) for data in series.values()}
        if len(series) < len(items) or len(lengths) != 1:
            continue
        found = _categories(node, lengths.pop(), key)
        if found and found[0] not in series:
            return _from_series(path, {found[0]: found[1], **series}, key)
    return None


def _from_series(path: tuple[str, ...], columns: dict[str, list[Value]], key: str) -> Found:
    def records() -> Iterator[tuple[int, Record]]:
        for number, cells in enumerate(zip(*columns.values(), strict=True), 1):
            yield number, dict(zip(columns, cells, strict=True))

    count = len(next(iter(columns.values())))
    note = f"Each series of “{key}” became a column."
    return Found(path, "columns", count, records, notes=[note], columns=lambda: columns)


def _is_plain(value: list[Value]) -> bool:
    return bool(value) and not any(is_nested(v) for v in value)


def _categories(node: Record, length: int, series: str) -> tuple[str, list[Value]] | None:
    """The list that names the places of a series, in the node or in an axis of it."""
    inner: list[Value] = [node]
    for value in node.values():
        inner += value[:1] if isinstance(value, list) else [value]
    for place in inner:
        for key, name in (("categories", "category"), ("labels", "label"), ("x", "x")):
            held = place.get(key) if isinstance(place, dict) else None
            if key != series and isinstance(held, list) and _is_plain(held) and len(held) == length:
                return name, held
    return None


def all_described(items: Sequence[Value]) -> bool:
    """Whether each of these objects holds rows with their columns, or only such objects."""
    return bool(items) and all(isinstance(item, dict) and _holds_rows(item, 3) for item in items)


def _holds_rows(item: Record, levels: int) -> bool:
    if any(described(item.get(k)) for k in ("columns", "header", "headers")) and described_rows(item, ()):
        return True
    lists = [v for v in item.values() if isinstance(v, list) and v]
    if levels == 0 or len(lists) != 1:
        return False
    return all(isinstance(v, dict) and _holds_rows(v, levels - 1) for v in lists[0])
