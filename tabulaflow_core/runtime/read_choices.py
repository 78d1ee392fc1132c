"""Choices of a person about a reading: JSON of a page, judged, and as `ReadOptions`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final, get_args

from pydantic import JsonValue

from tabulaflow_core.data.files.report import ColumnChoice, DateOrder, ReadOptions
from tabulaflow_core.errors import SourceError

_DEFAULTS: Final[dict[str, object]] = {f.name: getattr(ReadOptions(), f.name) for f in fields(ReadOptions)}
_WHOLE_FILE: Final = ("parts", "by_part")
_ONE_PART: Final = ("automatic",)
_MOST_LINES: Final = 10**12
_LONGEST_DELIMITER: Final = 20
#: What `ReadOptions` takes for no quoting and no escape, beside an empty text.
_NONE: Final = "none"


def parse(given: Mapping[str, JsonValue], *, of_part: str = "") -> ReadOptions:
    """`given` as options; null leaves a choice to the reader.

    Args:
        of_part: The part that they are for, when they are not for the whole file.

    Raises:
        SourceError: There is no such choice, or it takes no such value.
    """
    known = [name for name in _DEFAULTS if name not in (_WHOLE_FILE if of_part else _ONE_PART)]
    if unknown := sorted(set(given) - set(known)):
        raise SourceError(
            f"There is no reading choice called {unknown[0][:60]!r}; there are {', '.join(sorted(known))}."
        )
    values: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        values[name] = _CHECKS[name](name, value) if name in _CHECKS else _plain(value)
    return ReadOptions(**values)


def tidy(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """`given` without what leaves the choice to the reader, so that equal choices are equal JSON."""
    out: dict[str, JsonValue] = {}
    for name, value in given.items():
        if name == "by_part" and isinstance(value, dict):
            parts = {part: tidy(own) for part, own in value.items() if isinstance(own, dict)}
            value = {part: own for part, own in parts.items() if own}
        if (
            value is not None
            and value != _DEFAULTS.get(name)
            and (value not in ({}, []) or name not in ("types", "by_part", "automatic"))
        ):
            out[name] = value
    return out


def _plain(value: JsonValue) -> object:
    return tuple(value) if isinstance(value, list) else value


def _wrong(name: str, value: JsonValue, wanted: str) -> SourceError:
    return SourceError(f"The choice {name!r} takes {wanted}, not {str(value)[:60]!r}.")


def _encoding(name: str, value: JsonValue) -> str:
    try:
        if isinstance(value, str) and value.isascii():
            " ".encode(value)  # codecs that are no text encodings are refused here
            return value
    except (LookupError, ValueError):
        pass
    raise _wrong(name, value, "the name of an encoding, such as utf-8 or windows-1252")


def _delimiter(name: str, value: JsonValue) -> str:
    """A word of `ReadOptions.delimiter`, an escape such as `\\t`, or the characters themselves."""
    if not isinstance(value, str) or not 1 <= len(value) <= _LONGEST_DELIMITER or set(value) & set("\r\n\0"):
        raise _wrong(name, value, "the characters between the columns, such as ; or ||, or a word such as tab or fixed")
    return value


def _mark(name: str, value: JsonValue) -> str:
    if value in ("", _NONE):
        return str(value)
    if not isinstance(value, str) or len(value) != 1 or value in "\r\n\0":
        raise _wrong(name, value, f"one character, or {_NONE}")
    return value


def _yes_no(name: str, value: JsonValue) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, value, "true or false")
    return value


def _count(name: str, value: JsonValue) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST_LINES:
        raise _wrong(name, value, "a whole number from 0")
    return value


def _one_of(*allowed: str) -> Callable[[str, JsonValue], str]:
    def check(name: str, value: JsonValue) -> str:
        if value not in allowed:
            raise _wrong(name, value, f"one of {', '.join(allowed)}")
        return str(value)

    return check


def _begin(name: str, value: JsonValue) -> str:
    if not isinstance(value, str) or len(value) > 20 or "\n" in value:
        raise _wrong(name, value, "the characters that comment lines begin with, 20 at most")
    return value


def _words(name: str, value: JsonValue) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise _wrong(name, value, "a list of words")
    return tuple(str(word) for word in value)


def _parts(name: str, value: JsonValue) -> tuple[str, ...]:
    names = _words(name, value)
    if not names:
        raise SourceError("Choose at least one part of the file to read, or remove the file.")
    return names


def _automatic(name: str, value: JsonValue) -> tuple[str, ...]:
    names = _words(name, value)
    allowed = [choice for choice in _DEFAULTS if choice not in (*_WHOLE_FILE, *_ONE_PART)]
    if unknown := sorted(set(names) - set(allowed)):
        raise _wrong(name, unknown[0], f"names among {', '.join(allowed)}")
    return names


def _types(name: str, value: JsonValue) -> dict[str, ColumnChoice]:
    if not isinstance(value, dict):
        raise _wrong(name, value, "types by the names of columns")
    allowed = get_args(ColumnChoice)
    for column, kind in value.items():
        if kind not in allowed:
            wrong = f"The column {column[:60]!r} cannot be read as {str(kind)[:30]!r}"
            raise SourceError(f"{wrong}; the types are {', '.join(allowed)}.")
    return {column: kind for column, kind in value.items()}  # type: ignore[misc]


def _by_part(name: str, value: JsonValue) -> dict[str, ReadOptions]:
    if not isinstance(value, dict):
        raise _wrong(name, value, "choices by the names of parts")
    out = {}
    for part, own in value.items():
        if not isinstance(own, dict):
            raise _wrong(f"{name}.{part[:60]}", own, "choices by their names")
        out[part] = parse(own, of_part=part)
    return out


_CHECKS: Final[dict[str, Callable[[str, JsonValue], object]]] = {
    "encoding": _encoding,
    "delimiter": _delimiter,
    "quote": _mark,
    "header": _yes_no,
    "skip_lines": _count,
    "decimal": _one_of(".", ","),
    "date_order": _one_of(*get_args(DateOrder)),
    "types": _types,
    "missing": _words,
    "keep_totals": _yes_no,
    "skip_end": _count,
    "header_rows": _count,
    "comment": _begin,
    "escape": _mark,
    "parts": _parts,
    "beside": _one_of("one", "several"),
    "by_part": _by_part,
    "automatic": _automatic,
}
