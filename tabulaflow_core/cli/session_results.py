"""Results of a session file: one Arrow file each, so that a later run can draw what an earlier one found."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tabulaflow_core.cli.session_lock import not_writable
from tabulaflow_core.errors import NotFound
from tabulaflow_core.output.results import MemoryResultStore, StoredResult
from tabulaflow_core.principal import Principal

_KEPT: Final = 40
_KEY: Final = b"tabulaflow"
_ID: Final = re.compile(r"r_[0-9a-f]{1,64}")


@dataclass
class FolderResultStore:
    """Results in memory, and the last ones in a folder too."""

    folder: Path

    def __post_init__(self) -> None:
        self._memory = MemoryResultStore()

    async def put_async(self, principal: Principal, result: StoredResult) -> None:
        """Keep `result` here and in the folder.

        Raises:
            StoreUnavailable: The folder cannot be written.
        """
        await self._memory.put_async(principal, result)
        try:
            self._write(result)
        except OSError as error:
            raise not_writable(self.folder, error) from error

    def _write(self, result: StoredResult) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = self.folder / f".{result.id}.draft"
        table = result.table.replace_schema_metadata({_KEY: json.dumps(_facts(result)).encode()})
        with pa.OSFile(str(draft), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        draft.replace(self.folder / f"{result.id}.arrow")
        files = sorted(self.folder.glob("r_*.arrow"), key=lambda file: file.stat().st_mtime)
        for old in files[:-_KEPT]:
            old.unlink(missing_ok=True)

    async def get_async(self, principal: Principal, result_id: str) -> StoredResult:
        """The result of this run or an earlier one, or `NotFound`."""
        try:
            return await self._memory.get_async(principal, result_id)
        except NotFound:
            path = self.folder / f"{result_id}.arrow"
            if not _ID.fullmatch(result_id) or not path.is_file():
                raise
        try:
            return _read(path, result_id)
        except (OSError, pa.ArrowInvalid, ValueError, KeyError, TypeError) as error:
            raise NotFound(f"The result {result_id} is damaged in {self.folder}. Ask for it again.") from error


def _read(path: Path, result_id: str) -> StoredResult:
    with pa.OSFile(str(path), "rb") as source:
        table = pa.ipc.open_file(source).read_all()
    facts: dict[str, Any] = json.loads((table.schema.metadata or {})[_KEY])
    facts["notes"] = tuple(facts["notes"])
    facts["created_at"] = datetime.fromisoformat(facts["created_at"])
    return StoredResult(id=result_id, table=table.replace_schema_metadata(None), **facts)


def _facts(result: StoredResult) -> dict[str, Any]:
    return {
        "source": result.source,
        "dialect": result.dialect,
        "sql": result.sql,
        "truncated": result.truncated,
        "cut_by": result.cut_by,
        "seconds": result.seconds,
        "notes": list(result.notes),
        "created_at": result.created_at.isoformat(),
    }
