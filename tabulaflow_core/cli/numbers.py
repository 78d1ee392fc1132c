"""Numbers on the command line."""

from __future__ import annotations

import argparse
import math


def count(text: str) -> int:
    """A whole number from 0 on.

    Raises:
        argparse.ArgumentTypeError: It is something else.
    """
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return number


def seconds(text: str) -> float:
    """A time above 0.

    Raises:
        argparse.ArgumentTypeError: It is something else.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (math.isfinite(number) and number > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return number


_UNITS = {"": 1, "B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4}


def byte_size(text: str) -> int:
    """A number of bytes, with or without a unit.

    >>> byte_size("1.5GB")
    1610612736

    Raises:
        argparse.ArgumentTypeError: It is something else.
    """
    number = text.strip().upper().rstrip("KMGTB ").strip()
    unit = text.strip().upper().removeprefix(number).strip().replace("I", "")
    try:
        size = float(number) * _UNITS[unit if len(unit) != 1 or unit == "B" else f"{unit}B"]
    except (ValueError, KeyError):
        size = 0.0
    if not (math.isfinite(size) and size >= 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 512MB or 2GB")
    return int(size)
