"""The options of `tabulaflow read`: choices that replace the reader's own, for a file or for one part of it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from tabulaflow_core.cli.exits import UsageError
from tabulaflow_core.cli.numbers import byte_size, count

if TYPE_CHECKING:
    from tabulaflow_core.data.files import ReadBounds, ReadOptions

TYPES: Final = ("integer", "number", "text", "boolean", "date", "datetime", "time", "duration")
_ORDERS: Final = ("dmy", "mdy", "ymd")
_YES_NO: Final = {"true": True, "yes": True, "false": False, "no": False}
#: Choices that one part may have of its own, as `--part-option` names them.
_OF_PARTS: Final = (
    "encoding", "delimiter", "quote", "header", "skip-lines", "skip-end", "header-rows", "comment", "escape", "decimal",
    "date-order", "type", "missing", "keep-totals", "beside",
)  # fmt: skip
#: In place of a value: the part leaves the choice to the reader, whatever the whole file was told.
_AUTOMATIC: Final = "automatic"
_PART_OPTION: Final = re.compile(rf"(?s)(?P<part>.+):(?P<option>{'|'.join(_OF_PARTS)})=(?P<value>.*)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the choices and the bounds."""
    parser.add_argument("--encoding", metavar="NAME", help="such as utf-8 or cp1252")
    parser.add_argument(
        "--delimiter",
        metavar="CHAR",
        help=(
            r"the separator; \t for a tab; or a word: space, blanks (two or more), fixed (columns at the same places "
            "in every line), none (one column)"
        ),
    )
    parser.add_argument("--quote", metavar="CHAR", help="the quote character; empty for none")
    parser.add_argument("--escape", metavar="CHAR", help="the character before a quote in a cell; empty for none")
    parser.add_argument("--comment", metavar="TEXT", help="how comment lines begin; empty when there are none")
    parser.add_argument(
        "--header", action=argparse.BooleanOptionalAction, help="whether the first row names the columns"
    )
    parser.add_argument("--header-rows", type=count, metavar="N", help="how many rows name the columns; 0 for none")
    parser.add_argument("--skip-lines", type=count, metavar="N", help="lines to leave out at the start")
    parser.add_argument("--skip-end", type=count, metavar="N", help="lines to leave out at the end")
    parser.add_argument("--decimal", choices=[".", ","], help="the decimal mark")
    parser.add_argument("--date-order", choices=_ORDERS, help="how 03/04/2026 is meant")
    parser.add_argument(
        "--type", action="append", default=[], metavar="COLUMN=TYPE", help=f"the type of a column: {', '.join(TYPES)}"
    )
    parser.add_argument(
        "--missing",
        action="append",
        metavar="WORD",
        help="a word that means no value, in text too; repeatable; empty for none",
    )
    parser.add_argument("--keep-totals", action="store_true", help="keep rows of totals and notes as data")
    parser.add_argument(
        "--beside", choices=["one", "several"], help="whether parts of a sheet side by side are one table or several"
    )
    parser.add_argument(
        "--part", action="append", metavar="NAME", help="a sheet, member or table to read, in place of all; repeatable"
    )
    parser.add_argument(
        "--part-option",
        action="append",
        default=[],
        metavar="PART:OPTION=VALUE",
        help="one of the options above for one part only, such as “Sheet 2:header-rows=2”, or “=automatic” to leave it "
        "to the reader; repeatable",
    )
    parser.add_argument(
        "--max-memory", type=byte_size, metavar="SIZE", help="memory to use at most, such as 512MB or 2GB"
    )
    parser.add_argument(
        "--max-unpacked", type=byte_size, metavar="SIZE", help="bytes that a compressed file may hold, such as 20GB"
    )


def options_of(args: argparse.Namespace) -> ReadOptions:
    """The choices.

    Raises:
        UsageError: They make no sense.
    """
    from tabulaflow_core.data.files import ReadOptions

    return ReadOptions(
        encoding=args.encoding,
        delimiter=_character(args.delimiter),
        quote=_one("quote", args.quote),
        header=args.header,
        skip_lines=args.skip_lines,
        decimal=args.decimal,
        date_order=args.date_order,
        types=_types(args.type),
        missing=None if args.missing is None else tuple(args.missing),
        keep_totals=args.keep_totals,
        skip_end=args.skip_end,
        header_rows=args.header_rows,
        comment=args.comment,
        escape=_one("escape", args.escape),
        beside=args.beside,
        parts=None if args.part is None else tuple(args.part),
        by_part=_by_part(args.part_option),
    )


def bounds_of(args: argparse.Namespace) -> ReadBounds:
    """What one reading may take."""
    from tabulaflow_core.data.files import ReadBounds

    told = {"memory_bytes": args.max_memory, "unpacked_bytes": args.max_unpacked}
    return ReadBounds(**{name: size for name, size in told.items() if size is not None})


def _by_part(texts: list[str]) -> Mapping[str, ReadOptions]:
    """The choices of each part, of which `type` and `missing` may stand more than once."""
    from tabulaflow_core.data.files import ReadOptions

    told: dict[str, dict[str, list[str]]] = {}
    for text in texts:
        match = _PART_OPTION.fullmatch(text)
        if match is None:
            raise UsageError(f"{text!r} is not PART:OPTION=VALUE with an option of {', '.join(_OF_PARTS)}")
        told.setdefault(match["part"], {}).setdefault(match["option"], []).append(match["value"])
    out = {}
    for part, options in told.items():
        left = {option for option, values in options.items() if values[-1] == _AUTOMATIC}
        given = dict(_part_option(option, values) for option, values in options.items() if option not in left)
        fields = ("types" if option == "type" else option.replace("-", "_") for option in sorted(left))
        out[part] = ReadOptions(**given, automatic=tuple(fields))
    return out


def _part_option(option: str, values: list[str]) -> tuple[str, Any]:
    """The field and its value."""
    field, value = option.replace("-", "_"), values[-1]
    if option == "type":
        return "types", _types(values)
    if option == "missing":
        return field, tuple(values)
    if option in ("header", "keep-totals"):
        if value not in _YES_NO:
            raise UsageError(f"{option} is true or false, not {value!r}")
        return field, _YES_NO[value]
    if option in ("skip-lines", "skip-end", "header-rows"):
        try:
            return field, count(value)
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"{option}: {error}") from None
    allowed = {"decimal": (".", ","), "date-order": _ORDERS, "beside": ("one", "several")}.get(option)
    if allowed and value not in allowed:
        raise UsageError(f"{option} is one of {' '.join(allowed)}, not {value!r}")
    if option == "delimiter":
        return field, _character(value)
    return field, _one(option, value) if option in ("quote", "escape") else value


def _types(texts: list[str]) -> dict[str, Any]:
    types: dict[str, Any] = {}
    for text in texts:
        column, _, kind = text.rpartition("=")
        if not column or kind not in TYPES:
            raise UsageError(f"{text!r} is not COLUMN=TYPE with a type of {', '.join(TYPES)}")
        types[column] = kind
    return types


def _character(text: str | None) -> str | None:
    return "\t" if text == "\\t" else text


def _one(option: str, text: str | None) -> str | None:
    if text is not None and len(text) > 1 and text != "none":
        raise UsageError(f"--{option} takes one character or none, not {text!r}")
    return text
