"""Results come back exactly, survive a restart, and are bounded."""

from __future__ import annotations

import decimal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import NotFound, StoreUnavailable
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import Principal
from tabulaflow_core.store import Results, Store
from tabulaflow_core.store.folders import owner_folder


def result(rows: int = 3, *, at: datetime | None = None, seed: int = 0) -> StoredResult:
    table = pa.table([pa.array([(i * 7919 + seed) % 1_000_003 for i in range(rows)])], names=["n"])
    return StoredResult(
        source="shop", dialect="sqlite", sql="SELECT n", table=table, created_at=at or datetime.now(UTC)
    )


async def test_what_is_put_comes_back_after_a_restart(settings: Settings, store: Store, alice: Principal) -> None:
    table = pa.Table.from_arrays(
        [
            pa.array([2**63 - 1, None]),
            pa.array(["a", "ü\0"]),
            pa.array([decimal.Decimal("0.10"), None], pa.decimal128(38, 2)),
            pa.array([datetime(2026, 1, 1, tzinfo=UTC), None], pa.timestamp("us", "Europe/Berlin")),
        ],
        names=["x", "x", "amount", "at"],
    )
    given = StoredResult(
        source="shop",
        dialect="postgres",
        sql="SELECT 'see :abc'",
        table=table,
        truncated=True,
        cut_by="rows",
        seconds=0.25,
        notes=("Rounded.",),
    )
    await store.results.put_async(alice, given)
    again = await Store.open_async(settings)
    try:
        back = await again.results.get_async(alice, given.id)
    finally:
        await again.close_async()
    assert back.table.equals(given.table)
    assert back.table.schema == given.table.schema
    assert (back.sql, back.source, back.dialect, back.cut_by, back.notes) == (
        given.sql,
        "shop",
        "postgres",
        "rows",
        ("Rounded.",),
    )
    assert abs(back.created_at - given.created_at) < timedelta(milliseconds=1)


async def test_the_oldest_go_first_and_the_new_one_never(store: Store, alice: Principal, bob: Principal) -> None:
    folder = store.results._folder
    small = Results(store._database, folder=folder, max_bytes=20_000, cache_bytes=0)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    kept = [result(1500, at=start + timedelta(days=i), seed=i) for i in range(5)]
    other = result(1500, at=start)
    await small.put_async(bob, other)
    for each in kept:
        await small.put_async(alice, each)
    assert await small.size_async(alice) <= 20_000
    with pytest.raises(NotFound):
        await small.get_async(alice, kept[0].id)
    assert (await small.get_async(alice, kept[-1].id)).table.equals(kept[-1].table)
    assert (await small.get_async(bob, other.id)).table.num_rows == 1500, "others keep theirs"
    huge = result(50_000)
    await small.put_async(alice, huge)
    assert (await small.get_async(alice, huge.id)).table.num_rows == 50_000
    with pytest.raises(NotFound):
        await small.get_async(alice, kept[-1].id)
    if folder is not None:
        assert len(list(folder.rglob("*.arrow"))) == 2, "what is dropped leaves the disk"


async def test_a_file_that_somebody_deleted_is_not_found(tmp_path: Path, alice: Principal) -> None:
    store = await Store.open_async(Settings(data_dir=tmp_path))
    try:
        results = Results(store._database, folder=tmp_path / "results", cache_bytes=0)
        given = result()
        await results.put_async(alice, given)
        for path in list(tmp_path.rglob("*.arrow")):  # noqa: ASYNC240
            assert path.stat().st_mode & 0o077 == 0, "for the owner of the process only"
            path.unlink()
        with pytest.raises(NotFound):
            await results.get_async(alice, given.id)
    finally:
        await store.close_async()


async def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, alice: Principal) -> None:
    store = await Store.open_async(Settings(data_dir=tmp_path))
    try:
        (tmp_path / "results").write_text("a file where a folder should be")
        with pytest.raises(StoreUnavailable, match="cannot be saved"):
            await store.results.put_async(alice, result())
    finally:
        await store.close_async()


@pytest.mark.parametrize("owner", ["../../etc", "a/b", "A", "x" * 300, "h-1234", "ü\0", ".."])
def test_an_owner_is_never_a_way_out_of_the_folder(tmp_path: Path, owner: str) -> None:
    path = owner_folder(tmp_path, Principal(owner))
    assert path.resolve().parent == tmp_path.resolve()
    assert path.name.startswith("h-")


def test_a_plain_owner_keeps_its_name(tmp_path: Path) -> None:
    assert owner_folder(tmp_path, Principal("local")) == tmp_path / "local"
