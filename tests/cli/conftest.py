"""Files to ask, and a way to run a command in this process."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tabulaflow_core.cli.main import main


@dataclass
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `tabulaflow ARGS…` in this process."""

    def call(*argv: object) -> Ran:
        try:
            code = main([str(arg) for arg in argv])
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """The stock of the scripted demo, as CSV."""
    path = tmp_path / "inventory.csv"
    path.write_text(
        "product,category,on_hand,reorder_point\n"
        "HDMI cable,cables,12,20\nUSB-C dock,docks,8,15\nMonitor arm,mounts,31,10\n"
    )
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A SQLite file with one table."""
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER, amount REAL, note TEXT, raw BLOB)")
        connection.executemany(
            "INSERT INTO orders VALUES (?, ?, ?, ?)",
            [(1, 10.5, "a\x1b[31mred", b"\x01\x02"), (2, None, "b", None), (2**53 + 1, 3.0, "c", b"")],
        )
    connection.close()
    return path
