"""Records taken out of the envelopes in which some programs send them, and values out of their type tags."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from operator import methodcaller
from typing import TYPE_CHECKING, Final, cast

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.formats.json_found import Found, Record
from tabulaflow_core.data.files.formats.json_values import Number, Value, cell

if TYPE_CHECKING:
    from tabulaflow_core.data.files.formats.json_feed import Feed
    from tabulaflow_core.data.files.formats.json_found import Take

#: Values that are looked at together.
_AT_ONCE: Final = 1000
_LEVELS: Final = 200
_TYPE: Final = methodcaller("get", "type")
#: Marks of the extended JSON of MongoDB, which writes types as keys.
EXTENDED: Final = re.compile(r'"\$(?:oid|date|number(?:Long|Int|Double|Decimal)|uuid)"\s*:')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_TEXT_TAGS: Final = ("$oid", "$uuid", "$symbol", "$code")
_NUMBER_TAGS: Final = ("$numberLong", "$numberInt", "$numberDouble", "$numberDecimal")
_DYNAMO: Final = frozenset({"S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"})


@dataclass(frozen=True, slots=True)
class _Envelope:
    """A record of which one key holds the values, and others say where it comes from."""

    key: str
    beside: frozenset[str]
    needed: frozenset[str] = frozenset()
    private: bool = False  # keys that begin with `_` stand beside too

    def holds(self, record: Record) -> bool:
        others = record.keys() - {self.key}
        known = all(k in self.beside or (self.private and k.startswith("_")) for k in others)
        return isinstance(record.get(self.key), dict) and known and self.needed <= others

    def opened(self, record: Record) -> Record:
        inner = record.get(self.key)
        if not isinstance(inner, dict) or not self.holds(record):
            return record
        found: Record = {}
        for key, value in record.items():
            if key != self.key:
                found[key] = value
                continue
            for name, held in inner.items():
                found[f"{self.key}.{name}" if name in record or name in found else name] = held
        return found


_ENVELOPES: Final = (
    # Elasticsearch; JSON:API and ArcGIS; Airtable; Django; GraphQL
    _Envelope("_source", frozenset({"sort", "highlight", "fields", "matched_queries", "inner_hits"}),
              frozenset({"_id"}), private=True),
    _Envelope("attributes", frozenset({"type", "id", "lid", "relationships", "links", "meta", "geometry", "centroid"})),
    _Envelope("fields", frozenset({"id", "createdTime"}), frozenset({"id", "createdTime"})),
    _Envelope("fields", frozenset({"model", "pk"}), frozenset({"model"})),
    _Envelope("node", frozenset({"cursor", "__typename"})),
    _Envelope("Item", frozenset()),
)  # fmt: skip


class Opener:
    """Makes records of values, out of their envelopes; plain values are in the column `value`.

    Attributes:
        nulls: Values that were null, which are no records.
    """

    def __init__(self) -> None:
        self.nulls = 0
        self._begun = False
        self._opened: Callable[[Record], Record] | None = None

    def records(self, batch: list[tuple[int, Value]]) -> list[tuple[int, Record]]:
        """The records of the next values; the first ones tell what the envelope is."""
        values = [value for _, value in batch]
        if not self._begun:
            self._opened, self._begun = _opener(values[:_AT_ONCE]), True
        if self._opened is None and set(map(type, values)) == {dict} and "Feature" not in map(_TYPE, values):
            return cast("list[tuple[int, Record]]", batch)
        found: list[tuple[int, Record]] = []
        for number, item in batch:
            if isinstance(item, dict):
                record = _feature(item) if item.get("type") == "Feature" else item
                found.append((number, self._opened(record) if self._opened else record))
            elif item is not None:
                found.append((number, {"value": item}))
        self.nulls += len(batch) - len(found)
        return found


def as_records(items: Iterable[tuple[int, Value]]) -> Iterator[tuple[int, Record]]:
    """Each value as a record, out of its envelope."""
    waiting = iter(items)
    opener = Opener()
    while batch := list(islice(waiting, _AT_ONCE)):
        yield from opener.records(batch)


def unwrapped(record: Record) -> Record:
    """One record out of its envelope."""
    opened = _opener([record])
    return opened(record) if opened else record


def _opener(values: Sequence[Value]) -> Callable[[Record], Record] | None:
    """How the envelopes of these records are opened, None when they have none."""
    records = [v for v in values if isinstance(v, dict) and v]
    if not records:
        return None
    envelope = next((e for e in _ENVELOPES if all(map(e.holds, records))), None)
    inner = list(map(envelope.opened, records)) if envelope else records
    if all(map(_is_dynamo, inner)):
        return lambda record: _from_dynamo(envelope.opened(record) if envelope else record)
    if envelope is None or (envelope.key == "Item" and len(records) < len(values)):
        return None
    return None if envelope.key == "Item" else envelope.opened


def _feature(item: Record) -> Record:
    """A feature of GeoJSON, RFC 7946: its properties, and its geometry as text."""
    properties = item.get("properties")
    if "geometry" not in item or not isinstance(properties, dict | None):
        return item
    own = {"id": item["id"]} if "id" in item and "id" not in (properties or {}) else {}
    name = "geometry" if "geometry" not in (properties or {}) else "feature.geometry"
    shape = item["geometry"]
    return {**own, **(properties or {}), name: cell(shape, levels=_LEVELS)}


def _is_dynamo(record: Record) -> bool:
    return bool(record) and all(isinstance(v, dict) and len(v) == 1 and v.keys() <= _DYNAMO for v in record.values())


def _from_dynamo(record: Record) -> Record:
    return {key: _dynamo_value(value) for key, value in record.items()}


def _dynamo_value(value: Value) -> Value:
    """The value under a type tag of DynamoDB; numbers are written as text there."""
    if not (isinstance(value, dict) and len(value) == 1):
        return value
    ((tag, held),) = value.items()
    if tag == "NULL":
        return None
    if tag == "N" and isinstance(held, str):
        return Number(held)
    if tag == "M" and isinstance(held, dict):
        return _from_dynamo(held)
    if tag == "L" and isinstance(held, list):
        return [_dynamo_value(v) for v in held]
    if tag == "NS" and isinstance(held, list):
        return [Number(v) for v in held if isinstance(v, str)]
    return held if tag in _DYNAMO else value


def plain(value: Value) -> Value:
    """The value without the type tags of MongoDB's extended JSON.

    Raises:
        RecursionError: It is nested too deep.
    """
    if isinstance(value, list):
        return [plain(v) for v in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((tag, held),) = value.items()
        if tag.startswith("$"):
            return _tagged(tag, held, value)
    return {key: plain(v) if isinstance(v, list | dict) else v for key, v in value.items()}


def _tagged(tag: str, held: Value, whole: Record) -> Value:
    if tag in _TEXT_TAGS and isinstance(held, str):
        return held
    if tag in _NUMBER_TAGS and isinstance(held, str):
        return Number(held) if _NUMBER.fullmatch(held) else held
    if tag == "$undefined":
        return None
    if tag == "$date":
        moment = plain(held)
        if isinstance(moment, Number):
            return _moment(moment)
        if isinstance(moment, str):
            return moment
    return {tag: plain(held)} if isinstance(held, list | dict) else whole


def _moment(milliseconds: Number) -> Value:
    """The time so many milliseconds after 1970; the number where no calendar has it."""
    try:
        time = dt.datetime(1970, 1, 1) + dt.timedelta(milliseconds=int(milliseconds))
    except (ValueError, OverflowError):
        return milliseconds
    return time.isoformat(timespec="milliseconds") + "Z"


def nothing(_feed: Feed, _before: int | None) -> int:
    """Take no rows."""
    return 0


def streamed(path: tuple[str, ...], batches: Callable[[Take], Iterator[list[tuple[int, Value]]]]) -> Found:
    """Records that are read some at a time."""

    def records(take: Take) -> Iterator[list[tuple[int, dict[str, Value]]]]:
        opener = Opener()
        for batch in batches(take):
            if found := opener.records(batch):
                yield found
        table.notes = (
            [
                f"{counted(opener.nulls, 'record')} {agreed(opener.nulls, 'is', 'are')} "
                f"null and {agreed(opener.nulls, 'was', 'were')} left out."
            ]
            if opener.nulls
            else []
        )

    table = Found(path, "records", -1, lambda: chain.from_iterable(records(nothing)), batches=records)
    return table
