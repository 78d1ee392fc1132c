"""A small database, a file of targets, and a way to put both before one query."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tabulaflow_core.data import DataConnectorRegistry, SQLConnector
from tabulaflow_core.data.files import FilesConnector


def sqlite_file(path: Path, tables: Mapping[str, tuple[str, Sequence[tuple[object, ...]]]]) -> Path:
    """A SQLite file: name -> (columns, rows)."""
    with closing(sqlite3.connect(path)) as db:
        for name, (columns, rows) in tables.items():
            db.execute(f"CREATE TABLE {name} ({columns})")
            db.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        db.commit()
    return path


ORDERS = [
    (1, "north", "2026-01-05", "paid", 10.5),
    (2, "North", "2026-02-10", "open", 4.0),
    (3, "south", "2026-02-11", "paid", 7.25),
    (4, "west", "2025-12-31", "paid", 1.0),
]


@pytest.fixture
def shop_file(tmp_path: Path) -> Path:
    return sqlite_file(
        tmp_path / "shop.sqlite",
        {"orders": ("id INTEGER, region TEXT, ordered_on TEXT, status TEXT, amount REAL", ORDERS)},
    )


@pytest.fixture
async def registry(shop_file: Path, tmp_path: Path) -> AsyncIterator[DataConnectorRegistry]:
    """`shop` with `orders`, and `plans` with the table `targets` of a file."""
    (tmp_path / "targets.csv").write_text("region,target\nNORTH,12\nSouth,9\nEast,5\n")
    async with DataConnectorRegistry() as made:
        made.register("shop", await SQLConnector.from_url_async(f"sqlite:///{shop_file}"))
        made.register("plans", await FilesConnector.from_files_async({"targets": tmp_path / "targets.csv"}))
        yield made
