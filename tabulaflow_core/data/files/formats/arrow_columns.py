"""Arrow columns on their way into DuckDB: types that it does not know become ones that it does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from tabulaflow_core.errors import FileUnreadable

#: Digits of the widest decimal of DuckDB.
_MOST_DIGITS = 38


@dataclass(slots=True)
class ArrowColumn:
    """One column of the incoming batches.

    Attributes:
        type: What it is handed over as.
        note: What a person should know of it.
        damaged: Values that were no UTF-8.
    """

    type: pa.DataType
    convert: Callable[[pa.Array], pa.Array]
    note: str = ""
    damaged: int = 0

    def take(self, array: pa.Array, name: str) -> pa.Array:
        """The array, checked and converted.

        Raises:
            FileUnreadable: Its buffers contradict each other.
        """
        try:
            array.validate(full=True)
        except pa.ArrowInvalid as error:
            if "utf8" not in str(error).lower() or not _is_text(array.type):
                raise FileUnreadable(f"{name} is damaged: {str(error)[:200]}. Export it again.") from error
            array = self._mended(array)
        return self.convert(array)

    def _mended(self, array: pa.Array) -> pa.Array:
        """Text in which wrong bytes are U+FFFD."""
        raw = array.cast(pa.large_binary() if array.type == pa.large_string() else pa.binary())
        texts = []
        for value in raw.to_pylist():
            text = None if value is None else value.decode("utf-8", "replace")
            self.damaged += text is not None and "\ufffd" in text
            texts.append(text)
        return pa.array(texts, array.type)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def arrow_column(kind: pa.DataType) -> ArrowColumn:
    """How a column of this type is handed over."""
    if isinstance(kind, pa.BaseExtensionType):
        return _extension(kind)
    if pa.types.is_null(kind):
        return _cast(pa.string())
    if pa.types.is_float16(kind):
        return _cast(pa.float32())
    if pa.types.is_decimal(kind):
        return _decimal(kind)
    if pa.types.is_timestamp(kind) and kind.unit in ("s", "ms"):
        wide = pa.timestamp("us", kind.tz)
        return ArrowColumn(wide, lambda a: _microseconds(a, wide))
    if pa.types.is_nested(kind) and not _plain_inside(kind):
        return ArrowColumn(pa.string(), _as_json, "kept as JSON text")
    return ArrowColumn(kind, lambda array: array)


def _cast(to: pa.DataType) -> ArrowColumn:
    return ArrowColumn(to, lambda array: array.cast(to))


def _extension(kind: pa.BaseExtensionType) -> ArrowColumn:
    name = kind.extension_name
    if name == "arrow.uuid":
        return ArrowColumn(kind, lambda array: array)
    if name == "arrow.bool8":
        return ArrowColumn(pa.bool_(), lambda array: array.storage.cast(pa.bool_()))
    inner = arrow_column(kind.storage_type)
    note = "" if name == "arrow.json" else f"values of the type {name}, as they are stored"
    return ArrowColumn(inner.type, lambda array: inner.convert(array.storage), inner.note or note)


def _decimal(kind: pa.DataType) -> ArrowColumn:
    digits = kind.precision - min(kind.scale, 0)
    if digits > _MOST_DIGITS:
        return ArrowColumn(pa.string(), _as_text, "kept as text: its decimals have more than 38 digits")
    if kind.scale < 0 or pa.types.is_decimal256(kind):
        return _cast(pa.decimal128(digits, max(kind.scale, 0)))
    return ArrowColumn(kind, lambda array: array)


def _microseconds(array: pa.Array, wide: pa.DataType) -> pa.Array:
    try:
        return array.cast(wide)
    except pa.ArrowInvalid as error:
        raise FileUnreadable(
            "A time in the file lies further away than 290,000 years, so the file cannot be read as it is. "
            "Export that column as text."
        ) from error


def _plain_inside(kind: pa.DataType) -> bool:
    """Whether DuckDB knows all types in a nested one; names that are equal without case would hide each other."""
    names = [kind.field(i).name.casefold() for i in range(kind.num_fields)] if pa.types.is_struct(kind) else []
    if pa.types.is_struct(kind) and (not names or len(set(names)) < len(names)):
        return False
    children = [kind.field(i).type for i in range(kind.num_fields)]
    return all(_known(child) for child in children)


def _known(kind: pa.DataType) -> bool:
    if pa.types.is_nested(kind):
        return _plain_inside(kind)
    odd = isinstance(kind, pa.BaseExtensionType) or pa.types.is_null(kind) or pa.types.is_float16(kind)
    wide = pa.types.is_decimal(kind) and (pa.types.is_decimal256(kind) or kind.scale < 0)
    return not odd and not wide


def _as_text(array: pa.Array) -> pa.Array:
    return pa.array([None if v is None else str(v) for v in array.to_pylist()], pa.string())


def _as_json(array: pa.Array) -> pa.Array:
    try:
        values = array.to_pylist()
    except ValueError:  # a name twice in one object
        values = [None if not v.is_valid else str(v) for v in array]
        return pa.array(values, pa.string())
    texts = [None if v is None else json.dumps(v, ensure_ascii=False, default=str) for v in values]
    return pa.array(texts, pa.string())
