"""Where the tables of a JSON document are, and how each is laid out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from operator import methodcaller
from typing import Final, Literal, cast

from tabulaflow_core.data.files.formats.json_values import Number, Value, cell, is_nested

#: How rows lie in a document: objects; lists of cells; lists by column; objects by the name of the row.
Layout = Literal["records", "rows", "values", "columns", "index", "one record"]
Record = dict[str, Value]

_HEADER_KEYS: Final = ("columns", "column_names", "columnNames", "header", "headers", "fields", "cols", "names")
_NAME_KEYS: Final = ("name", "label", "title", "field", "id")
_LEVELS: Final = 20
_SAMPLE: Final = 200
#: Values that are looked at together.
_AT_ONCE: Final = 1000
_TYPE: Final = methodcaller("get", "type")
#: A list of so many plain values beside other values is data; a shorter one is a property of one thing.
_LONG_LIST: Final = 100


@dataclass(slots=True)
class Found:
    """One table of a document.

    Attributes:
        path: The keys that lead to it.
        count: Its rows, as far as they are known.
        records: Its rows with their numbers, as often as they are wanted.
        notes: Sentences on what was left out.
        header: Whether the first row named the columns; None where that is no question.
        sure: Whether there is no doubt about the header.
        names: Columns that are known before any row.
        columns: The values of its columns, where they stand together, each with its name; all are equally long.
    """

    path: tuple[str, ...]
    layout: Layout
    count: int
    records: Callable[[], Iterable[tuple[int, Record]]]
    notes: list[str] = field(default_factory=list)
    header: bool | None = None
    sure: bool = True
    names: list[str] = field(default_factory=list)
    columns: Callable[[], dict[str, list[Value]]] | None = None

    @property
    def name(self) -> str:
        """The path as text."""
        return ".".join(self.path)


def find_tables(document: dict[str, Value], header: bool | None) -> list[Found]:
    """The tables of an object, those that were meant first.

    Lists of objects side by side are tables of equal right; of others the longest counts. The rest follows, so
    that a person can choose it. An object without any list of rows is one record.
    """
    found: list[Found] = []
    _search(document, (), found, header)
    if not found:
        return [_plain_list(document) or _one(document)]
    real = [f for f in found if f.layout != "rows"] or found
    best = max(real, key=lambda f: f.count)
    beside = [f for f in found if f.layout == best.layout == "records" and f.path[:-1] == best.path[:-1]] or [best]
    return beside + [f for f in found if f not in beside]


def meant(tables: list[Found]) -> int:
    """How many of them, from the first, are read unless a person says otherwise."""
    first = tables[0]
    if first.layout != "records" or not first.path:
        return 1
    return sum(f.layout == "records" and f.path[:-1] == first.path[:-1] for f in tables)


def _search(node: Record, path: tuple[str, ...], found: list[Found], header: bool | None) -> None:
    whole = _split(node, path) or _by_column(node, path) or _by_index(node, path)
    if whole:
        found.append(whole)
        return
    described = isinstance(schema := node.get("schema"), dict) and isinstance(schema.get("fields"), list)
    for key, value in node.items():
        inner = (*path, key)
        if isinstance(value, list):
            if any(isinstance(item, dict) for item in value[:_SAMPLE]):
                found.append(of_records(inner, value))
            elif value and all(_is_row(item) for item in value[:_SAMPLE]):
                found.append(of_rows(inner, value, header))
        elif isinstance(value, dict) and value and len(path) < _LEVELS and not (described and key == "schema"):
            _search(value, inner, found, header)


def _is_row(value: Value) -> bool:
    return isinstance(value, list) and bool(value) and not any(is_nested(item) for item in value)


def left_beside(document: dict[str, Value], path: tuple[str, ...]) -> list[str]:
    """What stands beside a path, each with its value where that is short."""
    beside = []
    node: Value = document
    for level, key in enumerate(path):
        if not isinstance(node, dict):
            break
        for other, value in node.items():
            if other != key:
                name = ".".join((*path[:level], other))
                what = "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else None
                text = what or ("null" if value is None else str(value))
                beside.append(f"{name} ({text[:40]})")
        node = node.get(key)
    return beside


def of_records(path: tuple[str, ...], items: list[Value]) -> Found:
    """A list of objects; other values among them get a column of their own."""
    return Found(path, "records", len(items), lambda: as_records(enumerate(items, 1)))


def as_records(items: Iterable[tuple[int, Value]]) -> Iterator[tuple[int, Record]]:
    """Each value as a record; those of GeoJSON by their properties. Nulls are no records."""
    waiting = iter(items)
    while batch := list(islice(waiting, _AT_ONCE)):
        values = [value for _, value in batch]
        if set(map(type, values)) == {dict} and "Feature" not in map(_TYPE, values):
            yield from cast("list[tuple[int, Record]]", batch)
            continue
        for number, item in batch:
            if isinstance(item, dict):
                yield number, _feature(item) if item.get("type") == "Feature" else item
            elif item is not None:
                yield number, {"value": item}


def _feature(item: Record) -> Record:
    """A feature of GeoJSON, RFC 7946: its properties, and its geometry as text."""
    properties = item.get("properties")
    if "geometry" not in item or not isinstance(properties, dict | None):
        return item
    own = {"id": item["id"]} if "id" in item and "id" not in (properties or {}) else {}
    name = "geometry" if "geometry" not in (properties or {}) else "feature.geometry"
    shape = item["geometry"]
    return {**own, **(properties or {}), name: cell(shape, levels=_SAMPLE)}


def of_rows(
    path: tuple[str, ...],
    items: list[Value],
    header: bool | None,
    stream: Callable[[], Iterable[tuple[int, Value]]] | None = None,
) -> Found:
    """A list of lists: the first one names the columns when its cells look like names.

    Args:
        items: All of them, or the first when there is a stream.
        header: Whether the first one names the columns, when a person said so.
        stream: Gives all of them.
    """
    named, sure = (header, True) if header is not None else _header_of(items[:_SAMPLE])
    names = [str(c) if c is not None else "" for c in _cells(items[0])] if named else []

    def records() -> Iterator[tuple[int, Record]]:
        return _rows(names, islice(stream() if stream else enumerate(items, 1), int(named), None))

    return Found(path, "rows", len(items) - named, records, header=named, sure=sure)


def _cells(item: Value) -> list[Value]:
    return item if isinstance(item, list) else [item]


def _header_of(items: list[Value]) -> tuple[bool, bool]:
    """Whether the first row is a header, and whether that is sure: text over values of another kind."""
    first = _cells(items[0])
    texts = [c for c in first if isinstance(c, str) and not isinstance(c, Number) and c.strip()]
    if len(texts) < len(first) or len(set(texts)) < len(texts) or len(items) < 2 or not texts:
        return False, True
    below = [cell for item in items[1:] for cell in _cells(item) if cell is not None]
    return True, any(not isinstance(c, str) or isinstance(c, Number) for c in below)


def _rows(names: list[str], items: Iterable[tuple[int, Value]]) -> Iterator[tuple[int, Record]]:
    keys: list[str] = []
    for number, item in items:
        cells = _cells(item)
        while len(keys) < len(cells):  # equal names stay apart, and so do nameless columns
            name = names[len(keys)] if len(keys) < len(names) else ""
            keys.append(_free(name or f"column_{len(keys) + 1}", keys))
        yield number, dict(zip(keys, cells, strict=False))


def _free(name: str, taken: list[str]) -> str:
    chosen, count = name, 2
    while chosen in taken:
        chosen, count = f"{name}_{count}", count + 1
    return chosen


def _split(node: Record, path: tuple[str, ...]) -> Found | None:
    """Names of columns in one list, rows in another, perhaps names of rows in a third."""
    for header_key in _HEADER_KEYS:
        names = _names(node.get(header_key))
        if not names:
            continue
        for key, rows in node.items():
            if key == header_key or not isinstance(rows, list):
                continue
            fits = all(isinstance(r, list) and len(r) == len(names) for r in rows[:_SAMPLE])
            if fits and (rows or key in ("data", "rows", "values")):
                return _split_table(node, path, names, header_key, key, rows)
    return None


def _names(value: Value) -> list[str]:
    """Names of columns: plain ones, or those of objects that describe columns."""
    if not isinstance(value, list):
        return []
    names: list[str] = []
    for item in value:
        if isinstance(item, dict):
            item = next((item[k] for k in _NAME_KEYS if isinstance(item.get(k), str)), None)
        if not isinstance(item, str):
            return []
        names.append(item)
    return names


def _split_table(
    node: Record, path: tuple[str, ...], names: list[str], header_key: str, key: str, rows: list[Value]
) -> Found:
    index = node.get("index")
    labels = index if isinstance(index, list) and len(index) == len(rows) else []
    if labels == [Number(i) for i in range(len(rows))]:
        labels = []  # a plain count says nothing
    shown = ["index", *names] if labels else names

    def records() -> Iterator[tuple[int, Record]]:
        whole = [[a, *_cells(r)] for a, r in zip(labels, rows, strict=True)] if labels else rows
        yield from _rows(shown, enumerate(whole, 1))

    # Not a bare list of lists: its names are certain.
    note = f"The columns are named by “{header_key}”, the rows are in “{key}”."
    return Found(path, "columns", len(rows), records, notes=[note], names=shown)


def _by_column(node: Record, path: tuple[str, ...]) -> Found | None:
    """A list of values for each column, or an object of values by the number of the row."""
    values = list(node.values())
    if not values:
        return None
    lists = [v for v in values if isinstance(v, list)]
    if len(lists) == len(values):
        length = len(lists[0])
        plain = not any(isinstance(item, dict) for v in lists for item in v[:_SAMPLE])
        rows_of_rows = all(_is_row(item) for v in lists for item in v[:_SAMPLE])
        if not length or not plain or rows_of_rows or any(len(v) != length for v in lists):
            return None
        return Found(
            path,
            "columns",
            length,
            lambda: ((i + 1, {k: v[i] for k, v in zip(node, lists, strict=True)}) for i in range(length)),
            columns=lambda: dict(zip(node, lists, strict=True)),
        )
    objects = [v for v in values if isinstance(v, dict) and v]
    if len(objects) < len(values) or not all(k.isdecimal() for v in objects for k in list(v)[:_SAMPLE]):
        return None
    numbers = list(dict.fromkeys(k for v in objects for k in v))
    if not all(k.isdecimal() for k in numbers) or any(len(v) * 2 < len(numbers) for v in objects):
        return None
    told = numbers != [str(i) for i in range(len(numbers))]  # a plain count says nothing
    name = _free("index", list(node))

    def records() -> Iterator[tuple[int, Record]]:
        for i, number in enumerate(numbers, 1):
            label: Record = {name: Number(number)} if told else {}
            yield i, label | {k: v.get(number) for k, v in zip(node, objects, strict=True)}

    return Found(path, "columns", len(numbers), records)


def _by_index(node: Record, path: tuple[str, ...]) -> Found | None:
    """Objects of one kind by the name of their row."""
    objects = [v for v in node.values() if isinstance(v, dict) and v]
    if len(objects) < 2 or len(objects) < len(node):
        return None
    keys = {k for v in objects for k in v}
    if sum(map(len, objects)) < 0.6 * len(keys) * len(objects):
        return None
    if any(isinstance(x, list) and any(isinstance(i, dict) for i in x) for v in objects[:_SAMPLE] for x in v.values()):
        return None
    if all(isinstance(x, dict | list) for v in objects[:_SAMPLE] for x in v.values()):
        return None  # sections of a document, not rows
    name = "index" if "index" not in keys else "key"
    return Found(
        path,
        "index",
        len(objects),
        lambda: ((i, {name: k, **v}) for i, (k, v) in enumerate(node.items(), 1) if isinstance(v, dict)),
        notes=[f"The rows are named by their keys, which are in the column “{name}”."],
    )


def _plain_list(document: Record) -> Found | None:
    """The only list of plain values, when there is nothing else or when it is long."""
    lists = {k: v for k, v in document.items() if isinstance(v, list) and v}
    if len(lists) != 1 or any(isinstance(v, dict) for v in document.values()):
        return None
    ((key, items),) = lists.items()
    if len(document) > 1 and len(items) <= _LONG_LIST:
        return None
    return Found((key,), "values", len(items), lambda: ((i, {key: v}) for i, v in enumerate(items, 1)))


def _one(document: Record) -> Found:
    return Found((), "one record", 1, lambda: as_records([(1, document)]))
