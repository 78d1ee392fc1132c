"""JSON values: decoded without a digit lost, laid out flat, and written back as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from tabulaflow_core.errors import FileUnreadable

#: A decoded value; its numbers are `Number`.
Value: TypeAlias = "bool | str | list[Value] | dict[str, Value] | None"
#: The place of a column: a key of the record, or the keys that lead to it.
Place: TypeAlias = "str | tuple[str, ...]"

#: Objects in objects that become columns of their own; deeper ones stay together.
_FLAT_LEVELS: Final = 20
#: Columns that one nested object may become: with more it is a mapping, and its keys are data.
MOST_FLAT: Final = 200


class Number(str):
    """A number as it is written: neither an id nor a price may lose a digit on the way."""

    __slots__ = ()


class Decoder:
    """Decodes JSON and counts what is no JSON, or twice in it.

    Attributes:
        repeated: Keys that one object has twice, with how often that was seen; the last value counts.
        not_numbers: Times that `NaN` or `Infinity` were read as no value.
    """

    def __init__(self, *, strict: bool = True) -> None:
        self.repeated: dict[str, int] = {}
        self.not_numbers = 0
        decoder = json.JSONDecoder(
            parse_float=Number,
            parse_int=Number,
            parse_constant=self._constant,
            object_pairs_hook=self._object,
            strict=strict,
        )
        self._scan: Callable[[str, int], tuple[Value, int]] = decoder.scan_once  # type: ignore[attr-defined]

    def decode(self, text: str, at: int = 0) -> tuple[Value, int]:
        """The value that begins at `at`, and where it ends.

        Raises:
            ValueError: There is none (`json.JSONDecodeError`).
            RecursionError: It is nested too deep.
        """
        try:
            return self._scan(text, at)
        except StopIteration as error:
            raise json.JSONDecodeError("Expecting value", text, error.value) from None

    def _constant(self, _name: str) -> Value:
        self.not_numbers += 1
        return None

    def _object(self, pairs: list[tuple[str, Value]]) -> Value:
        found = dict(pairs)
        if len(found) != len(pairs) and len(self.repeated) < 100:
            keys = [key for key, _ in pairs]
            for key in found:
                if keys.count(key) > 1:
                    self.repeated[key] = self.repeated.get(key, 0) + 1
        return found


def too_deep(name: str, levels: int) -> FileUnreadable:
    """What is said of a document with too many brackets in each other."""
    return FileUnreadable(
        f"{name} is nested more than {levels} levels deep. Export it flatter, or raise the bound (nesting)."
    )


def is_nested(value: Value) -> bool:
    """True for lists and objects."""
    return isinstance(value, list | dict)


def flat(record: dict[str, Value], whole: set[Place]) -> Iterator[tuple[Place, Value]]:
    """The values of a record by their places; objects in `whole` are not taken apart."""
    for key, value in record.items():
        if isinstance(value, dict) and value and key not in whole:
            yield from _flat_nested(value, (key,), whole)
        else:
            yield key, value


def _flat_nested(record: dict[str, Value], above: tuple[str, ...], whole: set[Place]) -> Iterator[tuple[Place, Value]]:
    for key, value in record.items():
        place = (*above, key)
        if isinstance(value, dict) and value and place not in whole and len(place) < _FLAT_LEVELS:
            yield from _flat_nested(value, place, whole)
        else:
            yield place, value


def title(place: Place) -> str:
    """The header of a column."""
    text = place if isinstance(place, str) else ".".join(place)
    return sound(text).replace("\x00", "")


def cell(value: Value, *, levels: int) -> str | None:
    """The value as text: strings and numbers as they are written, lists and objects as JSON.

    Raises:
        RecursionError: It is nested deeper than `levels`.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return _dumped(value, levels)


def _dumped(value: Value, levels: int) -> str:
    if levels <= 0:
        raise RecursionError
    if isinstance(value, list):
        return "[" + ", ".join(_dumped(item, levels - 1) for item in value) + "]"
    if isinstance(value, dict):
        pairs = (f"{json.dumps(k, ensure_ascii=False)}: {_dumped(v, levels - 1)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    return str(value) if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def sound(text: str) -> str:
    """The text without halves of surrogate pairs, which no encoding can write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
