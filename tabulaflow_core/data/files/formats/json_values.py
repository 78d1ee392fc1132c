"""JSON values: decoded without a digit lost, laid out flat, and written back as text."""

from __future__ import annotations

import gc
import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Final, TypeAlias

from tabulaflow_core.errors import FileUnreadable

#: A decoded value; its numbers are `Number`.
Value: TypeAlias = "bool | str | list[Value] | dict[str, Value] | None"
#: The place of a column: a key of the record, or the keys that lead to it.
Place: TypeAlias = "str | tuple[str, ...]"

#: A number that nobody writes.
_BETWEEN: Final = "7.31e-2719"
#: A colon that stands apart from its key.
_SPACED: Final = re.compile(r'"[ \t\r\n]+:')
#: Objects in objects that become columns of their own; deeper ones stay together.
FLAT_LEVELS: Final = 20
#: Columns that one nested object may become: with more it is a mapping, and its keys are data.
MOST_FLAT: Final = 200


_pauses = 0
_pauses_lock = threading.Lock()


class Number(str):
    """A number as it is written: neither an id nor a price may lose a digit on the way."""

    __slots__ = ()


class Decoder:
    """Decodes JSON and counts what is no JSON, or twice in it.

    Attributes:
        repeated: Keys that one object has twice, with how often that was seen; the last value counts.
        not_numbers: Times that `NaN` or `Infinity` were read as no value.
        change: What is done with each value, such as taking off type tags.
    """

    def __init__(self, *, strict: bool = True) -> None:
        self.repeated: dict[str, int] = {}
        self.not_numbers = 0
        self.change: Callable[[Value], Value] | None = None
        # Looking at each object costs as much as reading it: that is done only where a key stands twice.
        quick = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=self._constant, strict=strict)
        careful = json.JSONDecoder(
            parse_float=Number,
            parse_int=Number,
            parse_constant=lambda _: None,
            object_pairs_hook=self._object,
            strict=strict,
        )
        self._scan: Callable[[str, int], tuple[Value, int]] = quick.scan_once  # type: ignore[attr-defined]
        self._again: Callable[[str, int], tuple[Value, int]] = careful.scan_once  # type: ignore[attr-defined]

    def decode(self, text: str, at: int = 0) -> tuple[Value, int]:
        """The value that begins at `at`, and where it ends.

        Raises:
            ValueError: There is none (`json.JSONDecodeError`).
            RecursionError: It is nested too deep.
        """
        try:
            value, end = self._scan(text, at)
        except StopIteration as error:
            raise json.JSONDecodeError("Expecting value", text, error.value) from None
        if isinstance(value, dict | list) and _doubled([value], text, at, end):
            self._again(text, at)
        return self.change(value) if self.change else value, end

    def run(self, text: str, at: int, between: re.Pattern[str]) -> tuple[list[Value], list[int], int]:
        """Values that stand behind each other, each with what `between` matches after it.

        Returns:
            The values, where each begins, and the end of all: the value there may be faulty, cut or the last.
        """
        scan, match = self._scan, between.match
        values: list[Value] = []
        starts: list[int] = []
        first = at
        try:
            with uncollected():
                while found := match(text, (item := scan(text, at))[1]):
                    values.append(item[0])
                    starts.append(at)
                    at = found.end()
        except (StopIteration, ValueError, RecursionError):
            pass  # whoever decodes what stands there says what is wrong with it
        if _doubled(values, text, first, at):
            for start in starts:
                self._again(text, start)
        return self._changed(values), starts, at

    def lines(self, text: str) -> list[Value] | None:
        """The values of `text` when each of its lines is one, else None.

        They are decoded as one list, in which equal keys share their memory; a number that is nowhere in the text
        stands between the lines, so that no bracket of one line can close in another.
        """
        if _BETWEEN in text:
            return None
        values = self._list(text.replace("\n", f",{_BETWEEN},"), text)
        count = text.count("\n") + 1
        if values is None or len(values) != 2 * count - 1 or values[1::2].count(_BETWEEN) != count - 1:
            return None
        return values[::2]

    def elements(self, text: str) -> list[Value] | None:
        """The values of `text` when it is the inside of a list, else None."""
        return self._list(text, text)

    def _list(self, inside: str, text: str) -> list[Value] | None:
        whole = f"[{inside}]"
        try:
            with uncollected():
                values, end = self._scan(whole, 0)
        except (StopIteration, ValueError, RecursionError):
            return None
        if end != len(whole) or not isinstance(values, list):
            return None
        if _doubled(values, text, 0, len(text)):
            self._again(whole, 0)
        return self._changed(values)

    def _changed(self, values: list[Value]) -> list[Value]:
        return [self.change(value) for value in values] if self.change else values

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


def _doubled(values: Sequence[Value], text: str, at: int, end: int) -> bool:
    """False when the text of `values` surely has no key twice: it has no more colons behind keys than keys.

    A colon after a quote is one behind a key, or stands in a text after a quote with a backslash.
    """
    if _SPACED.search(text, at, end):
        return True
    colons = text.count('":', at, end)
    if colons == sum(map(len, _objects(values))):  # no object holds another
        return False
    keys = _count_keys(values)
    if colons > keys:  # a key itself may end with a backslash, of which two are written
        colons += text.count('\\\\":', at, end) - text.count('\\":', at, end)
    return colons > keys


def _objects(values: Sequence[Value]) -> list[dict[str, Value]]:
    return [value for value in values if isinstance(value, dict)]


def _count_keys(values: Sequence[Value]) -> int:
    count = 0
    level: Sequence[Value] = values
    while level:
        objects = _objects(level)
        lists = [v for v in level if isinstance(v, list)]
        count += sum(map(len, objects))
        below: set[type] = set(map(type, chain.from_iterable(o.values() for o in objects)))
        below |= set(map(type, chain.from_iterable(lists)))
        if not below & {dict, list}:
            return count
        level = [*chain.from_iterable(o.values() for o in objects), *chain.from_iterable(lists)]
    return count


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for cycles meanwhile: JSON has none, and looking for them takes a third of the time of decoding.

    Several readings may do so at once; the last one of them turns it on again.
    """
    global _pauses
    with _pauses_lock:
        if not _pauses and not gc.isenabled():
            turn_on = False  # somebody else keeps it off
        else:
            turn_on = True
            _pauses += 1
            gc.disable()
    try:
        yield
    finally:
        with _pauses_lock:
            if turn_on:
                _pauses -= 1
                if not _pauses:
                    gc.enable()


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
        if isinstance(value, dict) and value and place not in whole and len(place) < FLAT_LEVELS:
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
