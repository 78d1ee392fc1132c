"""Where the tables of a JSON document are, and how each is laid out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

from tabulaflow_core.data.files.formats.json_cubes import cube_of
from tabulaflow_core.data.files.formats.json_described import (
    HEADER_KEYS,
    Described,
    all_described,
    bindings,
    charted,
    described,
    described_rows,
    descriptions,
)
from tabulaflow_core.data.files.formats.json_found import Found, Record, cells_of, free, rows_named
from tabulaflow_core.data.files.formats.json_unwrap import as_records
from tabulaflow_core.data.files.formats.json_values import MOST_FLAT, Number, Value, is_nested

_LEVELS: Final = 20
_SAMPLE: Final = 200
#: A list of so many plain values beside other values is data; a shorter one is a property of one thing.
_LONG_LIST: Final = 100
#: Elements that a list has at most of which only one is the list of records.
_FEW: Final = 5


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
    whole = next((table for layout in _LAYOUTS if (table := layout(node, path))), None)
    if whole:
        found.append(whole)
        return
    schema = node.get("schema")
    beside = {"schema"} if isinstance(schema, dict) and isinstance(schema.get("fields"), list) else set()
    about = descriptions(node)
    beside |= {header.where for header in about.values()}
    for key, value in node.items():
        inner = (*path, key)
        if isinstance(value, list) and key not in beside:
            _list(value, inner, found, header, about[key].numeric if key in about else frozenset())
        elif isinstance(value, dict) and value and len(path) < _LEVELS and key not in beside:
            _search(value, inner, found, header)


def _list(
    value: list[Value], path: tuple[str, ...], found: list[Found], header: bool | None, numeric: frozenset[str]
) -> None:
    if all_described(value[:_SAMPLE]) and len(path) < _LEVELS:
        for number, item in enumerate(value, 1):
            if isinstance(item, dict):
                _search(item, path if len(value) == 1 else (*path, str(number)), found, header)
    elif (inner := paged(value)) is not None:
        _search(inner, path, found, header)
    elif is_joined(value):
        found.append(of_joined(path, value))
    elif any(isinstance(item, dict) for item in value[:_SAMPLE]):
        table = of_records(path, value)
        table.numeric = numeric
        found.append(table)
    elif value and all(_is_row(item) for item in value[:_SAMPLE]):
        found.append(of_rows(path, value, header))


def paged(items: list[Value]) -> Record | None:
    """A short list of which one element is the list of records and the others tell of it, as an object."""
    lists = [i for i in items if isinstance(i, list)]
    if not 2 <= len(items) <= _FEW or len(lists) != 1 or not any(isinstance(i, dict) for i in items):
        return None
    if not lists[0] or not all(isinstance(i, dict) for i in lists[0][:_SAMPLE]):
        return None
    return {f"element {number}": item for number, item in enumerate(items, 1)}


def answers_nothing(items: list[Value]) -> bool:
    """Whether this is the answer of a service in pages, about itself first, that found no records."""
    if not 2 <= len(items) <= _FEW or not isinstance(items[0], dict):
        return False
    told = any(key in items[0] for key in ("page", "pages", "total"))
    return all(rest == [] or (rest is None and told) for rest in items[1:])


def is_joined(items: list[Value]) -> bool:
    """Whether this is a list of lists of records, such as pages of one answer."""
    some = [i for i in items[:_SAMPLE] if i is not None]
    filled = any(some) and all(isinstance(i, list) for i in some)
    return filled and all(isinstance(r, dict) for i in some if isinstance(i, list) for r in i[:_SAMPLE])


def of_joined(path: tuple[str, ...], items: list[Value]) -> Found:
    """Lists of records put together as one table."""
    lists = [i if isinstance(i, list) else [i] for i in items]
    rows = [row for some in lists for row in some]
    note = f"The records are in {len(lists)} lists, which were put together."
    return Found(path, "records", len(rows), lambda: as_records(enumerate(rows, 1)), notes=[note])


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
                beside.append(f"{name} ({_shown(value)})")
        node = node.get(key)
    return beside


def _shown(value: Value) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        plain = len(value) <= _FEW * 2 and not any(map(is_nested, value.values()))
        return ", ".join(f"{k} {_shown(v)}" for k, v in value.items())[:80] if value and plain else "an object"
    return "null" if value is None else str(value)[:40]


def of_records(path: tuple[str, ...], items: list[Value]) -> Found:
    """A list of objects; other values among them get a column of their own."""
    return Found(path, "records", len(items), lambda: as_records(enumerate(items, 1)))


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
    names = [str(c) if c is not None else "" for c in cells_of(items[0])] if named else []

    def records() -> Iterator[tuple[int, Record]]:
        return rows_named(names, islice(stream() if stream else enumerate(items, 1), int(named), None))

    return Found(path, "rows", len(items) - named, records, header=named, sure=sure)


def _header_of(items: list[Value]) -> tuple[bool, bool]:
    """Whether the first row is a header, and whether that is sure: text over values of another kind."""
    first = cells_of(items[0])
    texts = [c for c in first if isinstance(c, str) and not isinstance(c, Number) and c.strip()]
    if len(texts) < len(first) or len(set(texts)) < len(texts) or len(items) < 2 or not texts:
        return False, True
    below = [cell for item in items[1:] for cell in cells_of(item) if cell is not None]
    return True, any(not isinstance(c, str) or isinstance(c, Number) for c in below)


def _split(node: Record, path: tuple[str, ...]) -> Found | None:
    """Names of columns in one list, rows in another, perhaps names of rows in a third."""
    for header_key in HEADER_KEYS:
        header = described(node.get(header_key), header_key)
        if header is None:
            continue
        names = header.names
        for key, rows in node.items():
            if key == header_key or not isinstance(rows, list):
                continue
            fits = all(isinstance(r, list) and len(r) == len(names) for r in rows[:_SAMPLE])
            if fits and (rows or key in ("data", "rows", "values")):
                return _split_table(node, path, header, key, rows)
    return None


def _split_table(node: Record, path: tuple[str, ...], header: Described, key: str, rows: list[Value]) -> Found:
    names = header.names
    index = node.get("index")
    labels = index if isinstance(index, list) and len(index) == len(rows) else []
    if labels == [Number(i) for i in range(len(rows))]:
        labels = []  # a plain count says nothing
    shown = ["index", *names] if labels else names

    def records() -> Iterator[tuple[int, Record]]:
        whole = [[a, *cells_of(r)] for a, r in zip(labels, rows, strict=True)] if labels else rows
        yield from rows_named(shown, enumerate(whole, 1))

    # Not a bare list of lists: its names are certain.
    note = f"The columns are named by “{header.where}”, the rows are in “{key}”."
    return Found(path, "columns", len(rows), records, notes=[note], names=shown, numeric=header.numeric)


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
    name = free("index", list(node))

    def records() -> Iterator[tuple[int, Record]]:
        for i, number in enumerate(numbers, 1):
            label: Record = {name: Number(number)} if told else {}
            yield i, label | {k: v.get(number) for k, v in zip(node, objects, strict=True)}

    return Found(path, "columns", len(numbers), records)


def _by_index(node: Record, path: tuple[str, ...]) -> Found | None:
    """Objects of one kind by the name of their row, or by that of their column."""
    objects = [v for v in node.values() if isinstance(v, dict) and v]
    if len(objects) < 2 or len(objects) < len(node):
        return None
    keys = dict.fromkeys(k for v in objects for k in v)
    if sum(map(len, objects)) < 0.6 * len(keys) * len(objects):
        return None
    if any(isinstance(x, list) and any(isinstance(i, dict) for i in x) for v in objects[:_SAMPLE] for x in v.values()):
        return None
    if all(isinstance(x, dict | list) for v in objects[:_SAMPLE] for x in v.values()):
        return None  # sections of a document, not rows
    if _turned(objects, list(keys)):
        return _by_name(node, path, list(keys), objects)
    name = "index" if "index" not in keys else "key"
    numbers = all(k.isascii() and k.isdecimal() and (k == "0" or k[0] != "0") for k in node)
    counted = list(node) == [str(i) for i in range(len(node))]  # a plain count says nothing

    def records() -> Iterator[tuple[int, Record]]:
        for i, (key, value) in enumerate(node.items(), 1):
            label: Record = {} if counted else {name: Number(key) if numbers else key}
            yield i, {**label, **value} if isinstance(value, dict) else label

    note = "The rows are numbered by their keys." if counted else ""
    note = note or f"The rows are named by their keys, which are in the column “{name}”."
    return Found(path, "index", len(objects), records, notes=[note])


def _turned(objects: list[Record], keys: list[str]) -> bool:
    """Whether each object holds values of one kind, and each key values of several: they are columns, not rows."""

    def mixed(values: Iterable[Value]) -> bool:
        return len({type(v) for v in values if v is not None}) > 1

    some = objects[:_SAMPLE]
    return not any(mixed(v.values()) for v in some) and all(mixed(v.get(k) for v in some) for k in keys[:_SAMPLE])


def _by_name(node: Record, path: tuple[str, ...], keys: list[str], objects: list[Record]) -> Found:
    name = free("index", list(node))

    def records() -> Iterator[tuple[int, Record]]:
        for i, key in enumerate(keys, 1):
            label: Record = {name: key}
            yield i, label | {k: v.get(key) for k, v in zip(node, objects, strict=True)}

    note = f"Each object is a column; the names of the rows are in the column “{name}”."
    return Found(path, "columns", len(keys), records, notes=[note])


def _mapping(node: Record, path: tuple[str, ...]) -> Found | None:
    """So many keys with plain values that the keys are data."""
    if len(node) <= MOST_FLAT or any(map(is_nested, node.values())):
        return None
    note = "The object has so many keys that they became rows: the columns are “key” and “value”."
    return Found(path, "index", len(node), lambda: _pairs(node), notes=[note])


def _pairs(node: Record) -> Iterator[tuple[int, Record]]:
    for number, (key, value) in enumerate(node.items(), 1):
        yield number, {"key": key, "value": value}


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


#: What an object is asked for, from the layouts that only one thing can be to those that many can.
_LAYOUTS: Final = (
    cube_of, bindings, charted, _split, described_rows, _by_column, _by_index, _mapping,
)  # fmt: skip
