"""Results by id, kept over restarts: compressed Arrow, in the data folder or in a database that replicas share."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections import OrderedDict
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from sqlalchemy import Row, delete, func, insert, select

from tabulaflow_core.errors import NotFound, StoreUnavailable
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.conversations import tidy
from tabulaflow_core.store.database import Database
from tabulaflow_core.store.folders import owner_folder
from tabulaflow_core.store.records import moment
from tabulaflow_core.store.shown import shown_results
from tabulaflow_core.store.tables import results

_GONE: Final = "This result is no longer here. Ask the question again to get it back."


class Results:
    """The results of each principal; implements `tabulaflow_core.output.ResultStore`.

    Args:
        folder: Where the rows go; None to keep them in the database, for replicas without a common disk.
        max_bytes: Compressed bytes kept for each principal; the oldest results go first. Those that a dashboard
            shows stay, and do not count.
        cache_bytes: Arrow bytes kept in memory besides, over all principals, because pages ask again and again.
    """

    def __init__(
        self,
        database: Database,
        *,
        folder: Path | None,
        max_bytes: int = 2 * 1024**3,
        cache_bytes: int = 128 * 1024**2,
    ) -> None:
        self._database = database
        self._folder = folder
        self._max_bytes = max_bytes
        self._cache = _Cache(cache_bytes)

    async def put_async(self, principal: Principal, result: StoredResult) -> None:
        """Keep `result`, in place of one with its id; beyond the bound the oldest go, never the new one.

        Raises:
            StoreUnavailable: The disk is full, or the database does not answer.
        """
        body = await asyncio.to_thread(_pack, result.table)
        if self._folder is not None:
            await asyncio.to_thread(_write_file, self._path(self._folder, principal, result.id), body)
        async with self._database.write() as connection:
            await connection.execute(delete(results).where(results.c.id == result.id, results.c.owner == principal.id))
            await connection.execute(
                insert(results).values(
                    id=result.id,
                    owner=principal.id,
                    source=tidy(result.source),
                    dialect=result.dialect,
                    sql=tidy(result.sql),
                    truncated=result.truncated,
                    cut_by=result.cut_by,
                    seconds=result.seconds,
                    notes=json.dumps(result.notes),
                    created_at=result.created_at.timestamp(),
                    size=len(body),
                    body=body if self._folder is None else None,
                )
            )
        self._cache.put(principal, result)
        await self._drop_oldest(principal, keep=result.id)

    async def get_async(self, principal: Principal, result_id: str) -> StoredResult:
        """The result.

        Raises:
            NotFound: This principal has no such result, or it was dropped.
        """
        if cached := self._cache.get(principal, result_id):
            return cached
        async with self._database.read() as connection:
            row = (
                await connection.execute(
                    select(results).where(results.c.id == result_id, results.c.owner == principal.id)
                )
            ).one_or_none()
        if row is None:
            raise NotFound(_GONE)
        table = await asyncio.to_thread(self._read_table, principal, row)
        result = StoredResult(
            id=row.id,
            source=row.source,
            dialect=row.dialect,
            sql=row.sql,
            table=table,
            truncated=row.truncated,
            cut_by=row.cut_by,
            seconds=row.seconds,
            notes=tuple(json.loads(row.notes)),
            created_at=moment(row.created_at),
        )
        self._cache.put(principal, result)
        return result

    async def size_async(self, principal: Principal) -> int:
        """Compressed bytes kept for this principal."""
        async with self._database.read() as connection:
            total = select(func.coalesce(func.sum(results.c.size), 0)).where(results.c.owner == principal.id)
            return int((await connection.execute(total)).scalar_one())

    async def delete_async(self, principal: Principal, result_id: str) -> None:
        """Drop one result.

        Raises:
            NotFound: This principal has no such result.
        """
        async with self._database.write() as connection:
            gone = await connection.execute(
                delete(results).where(results.c.id == result_id, results.c.owner == principal.id)
            )
            if gone.rowcount == 0:
                raise NotFound(_GONE)
        await self._forget(principal, [result_id])

    async def _drop_oldest(self, principal: Principal, *, keep: str) -> None:
        if await self.size_async(principal) <= self._max_bytes:
            return
        # What a dashboard or a saved question shows stays until it is read anew.
        shown = shown_results(principal)
        newest_first = (
            select(results.c.id, results.c.size)
            .where(results.c.owner == principal.id, results.c.id != keep, results.c.id.not_in(shown))
            .order_by(results.c.created_at.desc(), results.c.id)
        )
        async with self._database.write() as connection:
            own = select(results.c.size).where(results.c.id == keep, results.c.owner == principal.id)
            total = (await connection.execute(own)).scalar_one_or_none() or 0
            old: list[str] = []
            for result_id, size in await connection.execute(newest_first):
                total += size
                if total > self._max_bytes:
                    old.append(result_id)
            await connection.execute(delete(results).where(results.c.owner == principal.id, results.c.id.in_(old)))
        await self._forget(principal, old)

    async def _forget(self, principal: Principal, result_ids: list[str]) -> None:
        for result_id in result_ids:
            self._cache.drop(principal, result_id)
        if self._folder is not None:
            paths = [self._path(self._folder, principal, result_id) for result_id in result_ids]
            await asyncio.to_thread(_unlink, paths)

    def _read_table(self, principal: Principal, row: Row[Any]) -> pa.Table:
        if row.body is not None:
            return _unpack(row.body)
        if self._folder is None:  # kept by a process that had a folder; this one has none
            raise NotFound(_GONE)
        try:
            return _unpack(self._path(self._folder, principal, row.id).read_bytes())
        except FileNotFoundError:
            raise NotFound(_GONE) from None

    @staticmethod
    def _path(folder: Path, principal: Principal, result_id: str) -> Path:
        return owner_folder(folder, principal) / f"{result_id}.arrow"


class _Cache:
    """The results used last, bounded in bytes."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: OrderedDict[tuple[str, str], StoredResult] = OrderedDict()

    def get(self, principal: Principal, result_id: str) -> StoredResult | None:
        found = self._kept.get((principal.id, result_id))
        if found is not None:
            self._kept.move_to_end((principal.id, result_id))
        return found

    def put(self, principal: Principal, result: StoredResult) -> None:
        self.drop(principal, result.id)
        if result.table.nbytes > self._max_bytes:
            return
        self._kept[principal.id, result.id] = result
        self._bytes += result.table.nbytes
        while self._bytes > self._max_bytes:
            _, old = self._kept.popitem(last=False)
            self._bytes -= old.table.nbytes

    def drop(self, principal: Principal, result_id: str) -> None:
        old = self._kept.pop((principal.id, result_id), None)
        if old is not None:
            self._bytes -= old.table.nbytes


def _pack(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _unpack(body: bytes) -> pa.Table:
    with pa.ipc.open_stream(pa.py_buffer(body)) as reader:
        return reader.read_all()


def _write_file(path: Path, body: bytes) -> None:
    """Whole or not at all."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(body)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise StoreUnavailable(
            f"The result cannot be saved: {error.strerror}. Make room on the disk of {path.parent}, then ask again."
        ) from error


def _unlink(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
