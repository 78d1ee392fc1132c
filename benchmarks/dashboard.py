"""What a large dashboard costs: tiles over a large table, opened with the rows of before and refreshed.

    python -m benchmarks.dashboard [--rows 10000000] [--tiles 50] [--json]

Runs from the repository's root. A DuckDB file of `--rows` sales is made in a temporary folder, and a dashboard of
`--tiles` different queries over it, each a grouping of the whole table. The floor beside each figure is the same
queries on a bare DuckDB connection in this process, one after another.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tabulaflow_core.runtime import Runtime

#: Seconds: the first tiles of a refresh, and of one that is opened.
TARGET = 2.0


def make_table(path: Path, rows: int) -> None:
    """Sales of some years, cities and products."""
    import duckdb

    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE sales AS SELECT i AS id, DATE '2020-01-01' + CAST(hash(i) % 2000 AS INTEGER) AS day, "
            "'city ' || (hash(i + 1) % 40) AS city, 'product ' || (hash(i + 2) % 200) AS product, "
            "CAST(hash(i + 3) % 100000 AS DECIMAL(12, 2)) / 100 AS amount, CAST(hash(i + 4) % 9 AS INTEGER) AS units "
            f"FROM range({rows}) t(i)"
        )


def queries(number: int) -> list[str]:
    """Different groupings of the whole table."""
    groups = ("city", "product", "date_trunc('month', day)", "year(day)", "units")
    measures = ("sum(amount)", "count(*)", "avg(amount)", "max(amount)", "sum(units)")
    found = []
    for at in range(number):
        group, measure = groups[at % len(groups)], measures[at // len(groups) % len(measures)]
        limit = 10 + at // (len(groups) * len(measures))
        found.append(f"SELECT {group} AS part, {measure} AS value FROM sales GROUP BY 1 ORDER BY 2 DESC LIMIT {limit}")
    return found


class Waiting:
    """How long another call to the runtime takes meanwhile, at most."""

    def __init__(self, runtime: Runtime) -> None:
        self.longest = 0.0
        self._runtime = runtime
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Waiting:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        from tabulaflow_core.principal import LOCAL_USER

        while not self._ended.wait(0.05):
            begun = time.perf_counter()
            self._runtime.conversations(LOCAL_USER)
            self.longest = max(self.longest, time.perf_counter() - begun)


def measure(folder: Path, rows: int, tiles: int) -> dict[str, Any]:
    """All figures; seconds and megabytes."""
    import duckdb

    from tabulaflow_core.config import Settings
    from tabulaflow_core.output.dashboards import ChartChoice, QueryTile
    from tabulaflow_core.principal import LOCAL_USER
    from tabulaflow_core.runtime import Runtime

    path = folder / "sales.duckdb"
    make_table(path, rows)
    statements = queries(tiles)
    floor = []
    with duckdb.connect(str(path), read_only=True) as connection:
        for sql in statements:
            begun = time.perf_counter()
            connection.sql(sql).to_arrow_table()
            floor.append(time.perf_counter() - begun)
    runtime = Runtime(Settings(data_dir=folder / "data", cache_dir=folder / "cache", file_roots=(folder,)))
    try:
        runtime.add_database(LOCAL_USER, "sales", f"duckdb:///{path}")
        board = runtime.create_dashboard(LOCAL_USER, "Sales")
        for at, sql in enumerate(statements):
            chart = ChartChoice(type="bar", x="part", y=("value",)) if at % 2 else None
            show = "chart" if chart else "table"
            content = QueryTile(show=show, source="sales", dialect="duckdb", sql=sql, chart=chart)
            runtime.pin(LOCAL_USER, board.id, content, title=f"Tile {at}")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        with Waiting(runtime) as waiting:
            begun = time.perf_counter()
            run = runtime.refresh_dashboard(LOCAL_USER, board.id)
            started = time.perf_counter() - begun
            first = fourth = 0.0
            while run.running:
                if run.done >= 1 and not first:
                    first = time.perf_counter() - begun
                if run.done >= 4 and not fourth:
                    fourth = time.perf_counter() - begun
                time.sleep(0.005)
            whole = time.perf_counter() - begun
        if run.failed:
            raise SystemExit(f"{len(run.failed)} tiles could not be refreshed")
        ids = [tile.id for tile in runtime.dashboard(LOCAL_USER, board.id).tiles]
        begun = time.perf_counter()
        shown = runtime.tile_data(LOCAL_USER, board.id, ids)
        drawn = time.perf_counter() - begun
        begun = time.perf_counter()
        runtime.tile_data(LOCAL_USER, board.id, ids)
        again = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    finally:
        runtime.close()
    return {
        "rows": rows,
        "tiles": len(shown),
        "begun_s": started,
        "first_tile_s": first or whole,
        "first_four_s": fourth or whole,
        "first_target_s": TARGET,
        "all_s": whole,
        "floor_all_s": sum(floor),
        "ratio_to_floor": whole / sum(floor),
        "opened_s": drawn,
        "drawn_again_s": again,
        "longest_wait_of_others_s": waiting.longest,
        "peak_mb_before": before,
        "peak_mb": after,
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--tiles", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tabulaflow-dashboard-") as folder:
        figures = measure(Path(folder), options.rows, options.tiles)
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:28} {value:,.3f}" if isinstance(value, float) else f"{name:28} {value:,}")


if __name__ == "__main__":
    main()
