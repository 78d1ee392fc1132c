"""Names of a package that are imported when they are first asked for, so that what is not used costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Make a package's `__getattr__` and `__dir__` (PEP 562).

    Args:
        package: The package's `__name__`.
        homes: The module of each public name, as `importlib.import_module` takes it: in full, or with a leading dot
            when it lies in the package.

    Returns:
        `__getattr__`, which raises `AttributeError` for any other name, and `__dir__`.
    """

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name], package), name)
        return value  # looked up each time: what a test puts into the module's place is seen here too

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, listed
