"""Databases of a test module's own, by the name of their engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.data.contract import boxes


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with boxes.postgres_database() as url:
        yield url


@pytest.fixture(scope="module")
def mariadb() -> Iterator[str]:
    with boxes.mariadb_database() as url:
        yield url


@pytest.fixture
def url(request: pytest.FixtureRequest, engine: str) -> str:
    """That of the test's `engine`."""
    return str(request.getfixturevalue(engine))
