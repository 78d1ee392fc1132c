"""Tables of statistics that are sent as cubes: values in a row, and the dimensions by which they are counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.formats.json_found import Found, Record
from tabulaflow_core.data.files.formats.json_values import Value


@dataclass(frozen=True, slots=True)
class _Dimension:
    """One dimension: its codes in order, and their labels where they say more than the codes."""

    name: str
    codes: Sequence[str]
    labels: dict[str, str]

    def cells(self, place: int) -> Record:
        code = self.codes[place]
        return {self.name: code, f"{self.name}_label": self.labels.get(code)} if self.labels else {self.name: code}


def cube_of(node: Record, path: tuple[str, ...]) -> Found | None:
    """The table of a JSON-stat data set or of an SDMX message."""
    return _json_stat(node, path) or _sdmx(node, path)


def _json_stat(node: Record, path: tuple[str, ...]) -> Found | None:
    """JSON-stat 1 and 2: the values of all combinations of the dimensions, the last of which turns fastest."""
    described, values = node.get("dimension"), node.get("value")
    if not isinstance(described, dict) or not isinstance(values, list | dict):
        return None
    ids, sizes = node.get("id", described.get("id")), node.get("size", described.get("size"))
    if not isinstance(ids, list) or not isinstance(sizes, list) or len(ids) != len(sizes) or not ids:
        return None
    dimensions = [_dimension(str(name), described.get(str(name))) for name in ids]
    lengths = [len(d.codes) for d in dimensions if d]
    if len(lengths) < len(ids) or [str(n) for n in lengths] != [str(n) for n in sizes]:
        return None
    known = [d for d in dimensions if d]
    every = prod(lengths)
    if (len(values) != every) if isinstance(values, list) else not all(_within(k, every) for k in values):
        return None

    def records() -> Iterator[tuple[int, Record]]:
        if isinstance(values, list):
            for number, (places, value) in enumerate(zip(product(*map(range, lengths)), values, strict=True), 1):
                yield number, _row(known, places, value)
            return
        for number, (key, value) in enumerate(values.items(), 1):
            yield number, _row(known, _places(int(key), lengths), value)

    notes = ["The file is a cube of statistics (JSON-stat); each of its values became a row."]
    if len(values) < every:
        notes.append(
            f"{counted(every - len(values), 'combination')} of its dimensions "
            f"{agreed(every - len(values), 'has', 'have')} no value and no row."
        )
    return Found(path, "cube", len(values), records, notes=notes)


def _places(number: int, lengths: list[int]) -> list[int]:
    """The place in each dimension of the value at this place in the cube."""
    places = []
    for length in reversed(lengths):
        number, place = divmod(number, length)
        places.append(place)
    return places[::-1]


def _within(key: str, every: int) -> bool:
    return key.isdecimal() and key.isascii() and int(key[:19]) < every


def _row(dimensions: Sequence[_Dimension], places: Sequence[int], value: Value) -> Record:
    found: Record = {}
    for dimension, place in zip(dimensions, places, strict=True):
        found |= dimension.cells(place)
    return found | {"value" if "value" not in found else "value_2": value}


def _dimension(name: str, described: Value) -> _Dimension | None:
    category = described.get("category") if isinstance(described, dict) else None
    if not isinstance(category, dict):
        return None
    index, labels = category.get("index"), category.get("label")
    known = {k: str(v) for k, v in labels.items()} if isinstance(labels, dict) else {}
    if isinstance(index, list):
        codes = [str(c) for c in index]
    elif isinstance(index, dict):
        if sorted(map(str, index.values())) != sorted(map(str, range(len(index)))):
            return None
        codes = sorted(index, key=lambda code: int(str(index[code])))
    else:
        codes = list(known)
    return _Dimension(name, codes, known if any(known.get(c, c) != c for c in codes) else {}) if codes else None


def _sdmx(node: Record, path: tuple[str, ...]) -> Found | None:
    """SDMX-JSON: observations by the places of their codes, perhaps within series."""
    sets, structure = node.get("dataSets"), node.get("structure", node.get("structures"))
    structure = structure[0] if isinstance(structure, list) and len(structure) == 1 else structure
    described = structure.get("dimensions") if isinstance(structure, dict) else None
    if not isinstance(sets, list) or not sets or not isinstance(described, dict):
        return None
    levels = [_sdmx_dimensions(described.get(level)) for level in ("series", "observation")]
    if levels[0] is None or levels[1] is None:
        return None
    outer, inner = levels[0], levels[1]
    found: list[Record] = []
    for one in sets:
        if not isinstance(one, dict):
            return None
        series = one.get("series") if "series" in one else {"": one}
        for key, held in series.items() if isinstance(series, dict) else ():
            above = _coded(outer if key else [], key)
            observed = held.get("observations") if isinstance(held, dict) else None
            if above is None or not isinstance(observed, dict):
                return None
            for place, values in observed.items():
                own = _coded(inner, place)
                if own is None or not isinstance(values, list) or not values:
                    return None
                found.append({**above, **own, "value": values[0]})
    note = "The file is an SDMX message; each observation became a row. Its attributes were left out."
    return Found(path, "cube", len(found), lambda: enumerate(found, 1), notes=[note]) if found else None


def _sdmx_dimensions(described: Value) -> list[_Dimension] | None:
    found = []
    for one in described if isinstance(described, list) else []:
        values = one.get("values") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(one.get("id"), str) or not isinstance(values, list):
            return None
        codes, labels = [], {}
        for value in values:
            if not isinstance(value, dict):
                return None
            code = str(value.get("id", value.get("value")))
            codes.append(code)
            label = value.get("name")
            labels[code] = label if isinstance(label, str) else code
        found.append(_Dimension(str(one["id"]), codes, labels if any(c != n for c, n in labels.items()) else {}))
    return found


def _coded(dimensions: list[_Dimension], key: str) -> Record | None:
    places = key.split(":") if key else []
    if len(places) != len(dimensions):
        return None
    found: Record = {}
    for dimension, place in zip(dimensions, places, strict=True):
        if not place.isdecimal() or int(place[:9]) >= len(dimension.codes):
            return None
        found |= dimension.cells(int(place))
    return found
