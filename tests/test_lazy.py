"""Packages whose names are imported when they are asked for."""

from __future__ import annotations

from importlib import import_module

import pytest

PACKAGES = ["agents", "data", "data.files", "models", "models.local", "models.openai", "output", "runtime", "store"]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there_and_is_what_its_module_defines(package: str) -> None:
    module = import_module(f"tabulaflow_core.{package}")
    homes = module._HOMES
    assert set(homes) <= set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        value = getattr(module, name)
        if name in homes:
            assert value is getattr(import_module(homes[name], module.__name__), name)


@pytest.mark.parametrize("package", PACKAGES)
def test_another_name_is_refused_as_python_does(package: str) -> None:
    module = import_module(f"tabulaflow_core.{package}")
    with pytest.raises(AttributeError, match=rf"module 'tabulaflow_core\.{package}' has no attribute 'no_such'"):
        _ = module.no_such
