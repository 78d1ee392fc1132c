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
