"""Where cases are tried: tables on an engine, a way around the guard, and a look at what changed."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Final, Protocol

import pyarrow as pa
from pyarrow import parquet

from tabulaflow_core.data.engines.base import Caps, EngineAdapter
from tabulaflow_core.data.sql import SQLConnector

#: Stands in files that no statement may read; an answer that holds it shows that one was read.
CANARY: Final = f"canary-{secrets.token_hex(8)}"
#: Bounds of a direct answer; no harmless case comes near.
DIRECT_CAPS: Final = Caps(rows=100_000, bytes=64 * 1024 * 1024, seconds=30.0)


class NotKnownHere(Exception):
    """The engine itself, asked without any guard, does not take a statement: its version has not got it."""


class Stage(Protocol):
    """One engine with the tables of the cases in it, made for the purpose and taken away afterwards."""

    @property
    def dialect(self) -> str:
        """Whose cases it plays."""

    @property
    def engine(self) -> str:
        """Its name and version, for people."""

    @property
    def connector(self) -> SQLConnector:
        """The product's own way in, with all layers."""

    @property
    def adapter(self) -> EngineAdapter:
        """The engine under its lock, without the guard."""

    def fill(self, sql: str) -> str:
        """The statement with the names of this place in it."""

    async def direct_async(self, sql: str) -> pa.Table:
        """What the engine answers on a plain connection that nothing holds back.

        Raises:
            NotKnownHere: It does not take the statement.
        """

    async def look_async(self) -> str:
        """Everything that a statement could have changed, as one text; two looks are equal when nothing was."""

    async def close_async(self) -> None:
        """Take everything away again."""


def lay_out(folder: Path) -> None:
    """Files that statements may try to read, each with the canary in it."""
    folder.joinpath("canary.txt").write_text(CANARY + "\n", encoding="utf-8")
    folder.joinpath("canary.csv").write_text(f"k,v\n{CANARY},1\nother,2\n", encoding="utf-8")
    folder.joinpath("canary.json").write_text(json.dumps([{"k": CANARY, "v": 1}]) + "\n", encoding="utf-8")
    parquet.write_table(pa.table({"k": [CANARY], "v": [1]}), folder / "canary.parquet")


def listing(folder: Path) -> str:
    """The names and sizes of all files, sorted."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return "\n".join(f"{path.relative_to(folder)} {path.stat().st_size}" for path in files)
