"""`docs/databases.md` says what the code does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tabulaflow_core.data.engines.generic.opening import session_class
from tabulaflow_core.data.engines.generic.profiles import PROFILES
from tabulaflow_core.data.engines.generic.session import Session
from tabulaflow_core.data.engines.mistakes import _SENTENCES, Mistake
from tabulaflow_core.data.guard import Allowed, check_statement
from tabulaflow_core.data.urls import SourceUrl

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "databases.md").read_text(encoding="utf-8")
HEADER = "| engine | connector | driver | extra | checked | lock | Stop |\n|---|---|---|---|---|---|---|"
NATIVE_ROWS = [
    "| SQLite | native | sqlite3 | – | run | `mode=ro` and an authorizer | interrupt |",
    "| DuckDB | native | duckdb | – | run | attached read-only, no external access, locked configuration | interrupt |",
    "| PostgreSQL | native | asyncpg | `postgres` | run | READ ONLY transaction by the extended protocol"
    " | cancel request |",
    "| MariaDB, MySQL | native | pymysql | `mysql` | run | read-only session, multi-statements off"
    " | `KILL QUERY` on a second connection; with rows on the way the socket is cut, and `KILL CONNECTION` |",
]


def generic_rows() -> list[str]:
    """The rows of the generic connector, as the code has them."""
    rows = []
    for profile in PROFILES.values():
        modules = ", ".join(driver.module for driver in profile.drivers)
        extra = f"`{profile.extra}`" if profile.extra else "–"
        rows.append(
            f"| {profile.title} | generic | {modules} | {extra} | {profile.checked} | {profile.lock} | {profile.stop} |"
        )
    return rows


def test_the_table_is_that_of_the_code() -> None:
    kinds = (" | native | ", " | generic | ")
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and any(kind in line for kind in kinds)]
    assert rows == [*NATIVE_ROWS, *generic_rows()]
    assert HEADER in PAGE


def test_every_extra_is_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    rows = [*NATIVE_ROWS, *generic_rows()]
    named = {extra for row in rows for extra in re.findall(r"\| `(\w+)` \| (?:run|stand|wri)", row)}
    assert named
    assert named <= set(extras)
    for profile in PROFILES.values():
        if profile.extra:
            texts = " ".join(extras[profile.extra]).replace("-", "_")
            assert any(driver.package.partition("[")[0].replace("-", "_") in texts for driver in profile.drivers)


@pytest.mark.parametrize("key", sorted(PROFILES))
def test_every_engine_is_checked_by_the_guard_and_has_a_session(key: str) -> None:
    profile = PROFILES[key]
    assert isinstance(check_statement("SELECT count(*) FROM t", dialect=profile.dialect), Allowed)
    for driver in profile.drivers:
        assert session_class(SourceUrl(dialect="", engine=key, driver=driver.name)) is not Session


def test_every_mistake_has_a_sentence() -> None:
    assert set(_SENTENCES) == set(Mistake)
    assert all(sentence.endswith((".", "}")) for sentence in _SENTENCES.values())
