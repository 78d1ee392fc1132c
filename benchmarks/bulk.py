"""What is large: `python -m benchmarks.bulk cut|write|read [ENGINE …]`.

`cut`: fifty million rows, cut by the caps: seconds, and the memory that the process grows by. `write`: a million rows
written in each of the ways, every value read back and compared. `read`: 200,000 rows to a DataFrame. Each engine is
measured in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from benchmarks.databases import database_async
from benchmarks.stopping import _BUSY, ENGINES, Watch, native, open_async
from tabulaflow_core.config import Limits
from tabulaflow_core.data import QueryResult
from tabulaflow_core.data.engines.base import IfExists
from tabulaflow_core.errors import SourceUnavailable

#: Bytes of the process beyond those before the query.
_MEMORY_AIM_MB: Final = 500
_FRAME_AIM: Final = {"duckdb": 0.15, "sqlite": 0.5}
_SERIES: Final = {
    "sqlite": "WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < 50000000) "
    "SELECT n, n * 2 AS m, 'name ' || n AS s FROM g",
    "duckdb": "SELECT n, n * 2 AS m, 'name ' || n AS s FROM range(50000000) AS t(n)",
    "postgres": "SELECT n, n * 2 AS m, 'name ' || n AS s FROM generate_series(1, 50000000) AS g(n)",
    "mariadb": "SELECT seq AS n, seq * 2 AS m, concat('name ', seq) AS s FROM seq_1_to_50000000",
}


class Peak:
    """The most memory of this process while it is open, in megabytes beyond the beginning."""

    def __init__(self) -> None:
        self._page = os.sysconf("SC_PAGE_SIZE")
        self._end = threading.Event()
        self.base = self.most = self._now()

    def _now(self) -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * self._page // (1 << 20)

    @contextmanager
    def open(self) -> Iterator[None]:
        thread = threading.Thread(target=self._watch)
        thread.start()
        try:
            yield
        finally:
            self._end.set()
            thread.join()

    def _watch(self) -> None:
        while not self._end.wait(0.02):
            self.most = max(self.most, self._now())

    @property
    def grown(self) -> int:
        return self.most - self.base


async def cut_async(engine: str, url: str) -> bool:
    """Fifty million rows under the usual caps, each of them alone, and under a small one of bytes."""
    met = True
    base = native(engine)
    watch = Watch(base, url) if base in _BUSY else None
    for what, limits in (
        ("1,000,000 rows", Limits()),
        ("256 MB", Limits(result_rows=100_000_000, query_seconds=300)),
        ("64 MB", Limits(result_rows=100_000_000, result_bytes=64 << 20, query_seconds=300)),
        ("10,000 rows", Limits(result_rows=10_000)),
    ):
        source = await open_async(engine, url, limits=limits)
        peak = Peak()
        cpu, wall = time.process_time(), time.perf_counter()
        with peak.open():
            outcome = await source.run_query_async(_SERIES[base])
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        quiet = await asyncio.to_thread(watch.seconds_until_quiet) if watch else 0.0
        if isinstance(outcome, QueryResult):
            told = f"{outcome.table.num_rows:>10,} rows {outcome.table.nbytes >> 20:>4} MB cut by {outcome.cut_by}"
        else:
            told = outcome.message
        good = isinstance(outcome, QueryResult) and outcome.truncated and peak.grown <= _MEMORY_AIM_MB and quiet < 1
        met &= good
        print(
            f"{engine:<17} 50 million to {what:<15} {told:<40} {cpu:6.2f} s CPU {wall:6.2f} s wall, memory + "
            f"{peak.grown} MB, quiet after {quiet * 1000:.0f} ms, {_load()}{'' if good else '   MISSED'}",
            flush=True,
        )
        del outcome
        await source.close_async()
    if watch:
        watch.close()
    return met


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def _frame(rows: int, columns: int) -> pd.DataFrame:
    numbers = np.arange(rows, dtype="int64")
    kinds = (
        lambda k: numbers * (k + 1),
        lambda k: numbers * 0.25 + k,
        lambda k: np.char.add(f"n{k}é ", (numbers % 1000).astype(str)).astype(object),
    )
    return pd.DataFrame({f"c{n}": kinds[n % 3](n) for n in range(columns)})


async def write_async(engine: str, url: str, rows: int) -> bool:
    """A million rows of 3 columns, and of 30."""
    met = True
    limits = Limits(result_rows=100_000_000, result_bytes=8 << 30, query_seconds=600)
    source = await open_async(engine, url, limits=limits, read_only=False)
    for columns in (3, 30):
        frame = _frame(rows, columns)
        ways: tuple[tuple[IfExists, int], ...] = (("fail", rows), ("append", 2 * rows), ("replace", rows))
        for way, expected in ways:
            peak = Peak()
            cpu, wall = time.process_time(), time.perf_counter()
            with peak.open():
                await source.write_dataframe_async(frame, f"w{columns}", if_exists=way)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            same = await _same_async(source, frame, f"w{columns}", expected)
            met &= same
            print(
                f"{engine:<17} {rows:,} x {columns:<2} {way:<8} {cpu:6.2f} s CPU {wall:6.2f} s wall, "
                f"memory + {peak.grown} MB, {'all values the same' if same else 'OTHER VALUES'}, {_load()}",
                flush=True,
            )
    await source.close_async()
    return met


async def _same_async(source: object, frame: pd.DataFrame, table: str, expected: int) -> bool:
    quote = "`" if source.dialect == "mysql" else '"'  # type: ignore[attr-defined]
    step = 100_000
    for start in range(0, len(frame), step):
        outcome = await source.run_query_async(  # type: ignore[attr-defined]
            f"SELECT * FROM {quote}{table}{quote} WHERE c0 >= {start} AND c0 < {start + step} ORDER BY c0"
        )
        assert isinstance(outcome, QueryResult), outcome
        copies = expected // len(frame)
        found = outcome.to_pandas()
        part = frame.iloc[start : start + step]
        if len(found) != copies * len(part):
            return False
        for n in range(copies):
            one = found.iloc[n::copies].reset_index(drop=True)
            for name in frame.columns:
                if one[name].tolist() != part[name].tolist():
                    return False
    return True


async def read_async(engine: str, url: str) -> bool:
    """200,000 rows of 3 columns, the quickest of five."""
    source = await open_async(engine, url, read_only=False)
    frame = _frame(200_000, 3)
    await source.write_dataframe_async(frame, "r")
    runs = []
    for _ in range(5):
        cpu, wall = time.process_time(), time.perf_counter()
        outcome = await source.run_query_async("SELECT * FROM r")
        assert isinstance(outcome, QueryResult)
        assert outcome.to_pandas().shape == frame.shape
        runs.append((time.process_time() - cpu, time.perf_counter() - wall))
    await source.close_async()
    cpu, wall = min(runs)
    met = cpu <= _FRAME_AIM.get(engine, float("inf"))
    print(f"{engine:<17} 200,000 x 3 to a DataFrame {cpu:6.3f} s CPU {wall:6.3f} s wall{'' if met else '   MISSED'}")
    return met


async def _run_async(what: str, engine: str, rows: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="tabulaflow-") as name:
        async with database_async(native(engine), Path(name)) as url:
            if native(engine) == "sqlite":
                await (await open_async("sqlite", url, read_only=False)).close_async()
            elif engine == "duckdb":
                await (await open_async("duckdb", url, read_only=False)).close_async()
            if what == "cut":
                return await cut_async(engine, url)
            return await (write_async(engine, url, rows) if what == "write" else read_async(engine, url))


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cut", "write", "read"))
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help=f"of {', '.join(ENGINES)}; all without one")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows to write")
    args = parser.parse_args()
    if unknown := set(args.engines) - set(ENGINES):
        parser.error(f"no such engine: {', '.join(sorted(unknown))}")
    engines = args.engines or list(ENGINES)
    if len(engines) > 1:  # a process each: memory that one engine took is not the next one's beginning
        command = [sys.executable, "-m", "benchmarks.bulk", args.what]
        rows = ("--rows", str(args.rows))
        return max(subprocess.run([*command, engine, *rows], check=False).returncode for engine in engines)
    try:
        return 0 if asyncio.run(_run_async(args.what, engines[0], args.rows)) else 1
    except (OSError, SourceUnavailable) as error:
        print(f"{engines[0]}: left out ({error})")
        return 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    sys.exit(main())
