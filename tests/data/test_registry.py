"""Sources by alias."""

from __future__ import annotations

import pytest

from tabulaflow_core.data import DataConnectorRegistry, SQLConnector
from tabulaflow_core.errors import UnknownSource


class _Fake:
    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault
        self.closed = 0

    async def close_async(self) -> None:
        self.closed += 1
        if self.fault:
            raise self.fault


async def test_register_get_and_close() -> None:
    async with DataConnectorRegistry() as registry:
        stock = await SQLConnector.from_url_async("sqlite://")
        before = registry.version
        registry.register("stock", stock)
        assert registry.version > before
        assert registry.get("stock") is stock
        assert "stock" in registry
        assert len(registry) == 1
        assert list(registry) == ["stock"]
        assert registry.aliases == ("stock",)
    assert len(registry) == 0


async def test_an_unknown_alias_names_the_others() -> None:
    registry = DataConnectorRegistry()
    with pytest.raises(UnknownSource, match="none"):
        registry.get("x")
    registry.register("a", _Fake())
    registry.register("b", _Fake())
    with pytest.raises(LookupError, match="'a', 'b'"):
        registry.get("c")
    with pytest.raises(UnknownSource):
        await registry.unregister_async("c")


@pytest.mark.parametrize("alias", ["", "1a", "a b", "a.b", 'a"', "a\n", "-a", "x" * 64, "a;b"])
def test_aliases_that_cannot_be(alias: str) -> None:
    with pytest.raises(ValueError, match="cannot be an alias"):
        DataConnectorRegistry().register(alias, _Fake())


@pytest.mark.parametrize("alias", ["pg_catalog", "Information_Schema", "main", "temp", "system", "sqlite_x"])
def test_names_of_the_engines_own(alias: str) -> None:
    with pytest.raises(ValueError, match="databases keep for themselves"):
        DataConnectorRegistry().register(alias, _Fake())


def test_an_alias_is_taken_once() -> None:
    registry = DataConnectorRegistry()
    registry.register("größe_1-x", _Fake())
    with pytest.raises(ValueError, match="already"):
        registry.register("größe_1-x", _Fake())


async def test_unregister_closes() -> None:
    registry, fake = DataConnectorRegistry(), _Fake()
    registry.register("a", fake)
    version = registry.version
    await registry.unregister_async("a")
    assert fake.closed == 1
    assert "a" not in registry
    assert registry.version > version


async def test_all_are_closed_and_every_failure_is_told() -> None:
    registry = DataConnectorRegistry()
    fakes = [_Fake(OSError("one")), _Fake(), _Fake(RuntimeError("three"))]
    for alias, fake in zip("abc", fakes, strict=True):
        registry.register(alias, fake)
    with pytest.raises(ExceptionGroup) as caught:
        await registry.close_async()
    assert {str(error) for error in caught.value.exceptions} == {"one", "three"}
    assert all("while closing the source" in error.__notes__[0] for error in caught.value.exceptions)
    assert [fake.closed for fake in fakes] == [1, 1, 1]
    await registry.close_async()
    assert [fake.closed for fake in fakes] == [1, 1, 1]
