"""Records turned into columns many at a time, by loops that run in C."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from operator import itemgetter
from typing import Final

from tabulaflow_core.data.files.formats.json_values import FLAT_LEVELS, Place, Value

Columns = dict[Place, Sequence[Value]]

#: With fewer filled cells than one in so many, it is quicker to take the cells one by one.
_SPARSE: Final = 4
_NOTHING: Final[dict[str, Value]] = {}


def gather(records: Sequence[dict[str, Value]], known: Collection[Place], whole: Collection[Place]) -> Columns | None:
    """The columns of `records`, each as long as they are, in the order in which their keys are met.

    Args:
        known: The places that there are already.
        whole: The places of objects that stay together.

    Returns:
        None where the records must be taken one by one: most cells are empty, or a place within an object is new.
    """
    found: Columns = {}
    return found if _into(found, records, (), known, whole) else None


def _into(
    found: Columns,
    records: Sequence[dict[str, Value]],
    above: tuple[str, ...],
    known: Collection[Place],
    whole: Collection[Place],
) -> bool:
    keys = list(dict.fromkeys(chain.from_iterable(records)))
    filled, cells = sum(map(len, records)), len(records) * len(keys)
    if cells > filled * _SPARSE and len(keys) > _SPARSE:
        return False
    columns = _columns(records, keys, same=filled == cells)
    for key, column in zip(keys, columns, strict=True):
        place: Place = (*above, key) if above else key
        if dict in set(map(type, column)) and place not in whole and len(above) + 1 < FLAT_LEVELS:
            if not _object(found, column, records, key, place, known, whole):
                return False
        elif above and place not in known:
            return False
        else:
            found[place] = column
    return True


def _columns(records: Sequence[dict[str, Value]], keys: list[str], *, same: bool) -> Sequence[Sequence[Value]]:
    if not same:
        return [[record.get(key) for record in records] for key in keys]
    if len(keys) == 1:
        return [list(map(itemgetter(keys[0]), records))]
    return list(zip(*map(itemgetter(*keys), records), strict=True)) if keys else []


def _object(
    found: Columns,
    column: Sequence[Value],
    records: Sequence[dict[str, Value]],
    key: str,
    place: Place,
    known: Collection[Place],
    whole: Collection[Place],
) -> bool:
    """Take a column apart that holds objects; what else it holds keeps its own place."""
    inner = [value if isinstance(value, dict) else _NOTHING for value in column]
    objects = sum(map(bool, inner))
    if sum(key in record for record in records) > objects:
        if place not in known:
            return False
        found[place] = [None if value and isinstance(value, dict) else value for value in column]
    above = (place,) if isinstance(place, str) else place
    return not objects or _into(found, inner, above, known, whole)
