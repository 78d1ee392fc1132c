"""Reading files against DuckDB's `read_csv` and pandas in the same run: rows a second, ratios and peak memory.

Each reading is a process of its own with two threads. Ours writes an immutable table with a report, and every value
is checked; DuckDB writes a table into a file; pandas holds a data frame in memory. A million rows by default. On a
machine that is busy, compare the seconds of processor.

    python -m benchmarks.read_files
    python -m benchmarks.read_files --rows 10000000 --only csv --memory-mb 700
    python -m benchmarks.read_files --rows 1600000 --only mixed,list,wrapped

The last line reads 500 MB of records with objects and lists in them and a column of mixed kinds: one a line, as one
list, and as a list within an object.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = """
    SELECT i AS id, CAST(random() * 100000 AS INTEGER) AS customer,
    CAST(random() * 5000 - 500 AS DECIMAL(18, 2)) AS amount,
    CASE WHEN random() < 0.01 THEN NULL ELSE CAST(random() * 90 AS INTEGER) END AS quantity,
    DATE '2015-01-01' + CAST(random() * 4000 AS INTEGER) AS ordered,
    TIMESTAMP '2015-01-01 00:00:00' + to_seconds(CAST(random() * 340000000 AS BIGINT)) AS shipped_at,
    ['Berlin', 'Paris', 'Rome', 'Oslo', 'Wien', 'New York', 'San José'][1 + CAST(floor(random() * 7) AS INTEGER)]
    AS city,
    CASE WHEN random() < 0.3 THEN 'Widget, size ' || CAST(floor(random() * 50) AS INTEGER)
    ELSE 'Product ' || CAST(floor(random() * 1000) AS INTEGER) END AS product,
    round(random() * 10, 3 + CAST(floor(random() * 3) AS INTEGER)) AS weight,
    md5(CAST(i AS VARCHAR))[1:12] AS code FROM range({rows}) t(i)
"""
#: What the reading of ours may cost, as a share of DuckDB's speed, and in MB of memory.
AIM_RATIO, AIM_MB = 0.5, 1024
KINDS = ("csv", "local", "ndjson", "json", "parquet", "mixed", "list", "wrapped")
SUFFIX = {"csv": ".csv", "local": ".csv", "ndjson": ".ndjson", "parquet": ".parquet", "mixed": ".ndjson"}
#: Records as services send them: some lack a field, one holds values of several kinds.
NESTED = """
    SELECT id, product AS name, amount, quantity > 40 AS ok, shipped_at AS at, code, repeat('x', id % 60) AS note,
    CASE id % 9 WHEN 0 THEN to_json(id) WHEN 3 THEN to_json('two') WHEN 6 THEN to_json(3.5) END AS extra,
    {{'city': city, 'zip': lpad(CAST(customer AS VARCHAR), 5, '0'), 'geo': {{'lat': weight, 'lon': 1}}}} AS address,
    [city, product][1:id % 3] AS tags FROM ({rows})
"""


def make(kind: str, rows: int, path: Path) -> None:
    """Write an invented file of one of the kinds: text, JSON or Parquet."""
    import duckdb

    connection = duckdb.connect(config={"threads": 2})
    connection.execute("SELECT setseed(0.5)").fetchall()
    source = ROWS.format(rows=rows)
    if kind == "local":
        source = (
            "SELECT id, customer, replace(CAST(amount AS VARCHAR), '.', ',') AS amount, "
            f"strftime(ordered, '%d.%m.%Y') AS ordered, city, product, code FROM ({source})"
        )
    if kind in ("mixed", "list", "wrapped"):
        source = NESTED.format(rows=source)
    how = {
        "csv": "(HEADER, DELIMITER ',')",
        "local": "(HEADER, DELIMITER ';')",
        "ndjson": "(FORMAT json)",
        "json": "(FORMAT json, ARRAY true)",
        "parquet": "(FORMAT parquet)",
        "mixed": "(FORMAT json)",
        "list": "(FORMAT json, ARRAY true)",
        "wrapped": "(FORMAT json, ARRAY true)",
    }
    connection.execute(f"COPY ({source}) TO '{path}' {how[kind]}").fetchall()
    if kind == "local":
        text = path.with_suffix(".utf8")
        path.rename(text)
        with text.open(encoding="utf-8") as there, path.open("w", encoding="cp1252") as here:
            shutil.copyfileobj(there, here)
        text.unlink()
    if kind == "wrapped":
        inner = path.with_suffix(".list")
        path.rename(inner)
        with inner.open("rb") as there, path.open("wb") as here:
            here.write(b'{"meta": {"next": null}, "data": ')
            shutil.copyfileobj(there, here)
            here.write(b', "count": 7}')
        inner.unlink()


def ours(path: Path, folder: Path, memory_mb: int) -> int:
    """Read with `read_file`."""
    from tabulaflow_core.data.files import ReadBounds, Watch, read_file

    watch = Watch(bounds=ReadBounds(memory_bytes=memory_mb * 1024**2))
    return read_file(path, storage=folder / "storage", watch=watch).report.rows_in_table


def with_duckdb(path: Path, folder: Path, memory_mb: int) -> int:
    """Read with DuckDB into a file."""
    import duckdb

    config = {"threads": 2, "memory_limit": f"{memory_mb}MiB", "temp_directory": str(folder / "spill")}
    reader = {".csv": "read_csv", ".ndjson": "read_json", ".json": "read_json", ".parquet": "read_parquet"}[path.suffix]
    local = path.name.startswith("local")
    more = ", encoding = 'latin-1', decimal_separator = ',', dateformat = '%d.%m.%Y'" if local else ""
    what = "*"
    if path.name.startswith("wrapped"):
        what, more = "unnest(data)", f", maximum_object_size = {path.stat().st_size + 1}"
    with duckdb.connect(str(folder / "peer.duckdb"), config=config) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT {what} FROM {reader}('{path}'{more})").fetchall()
        return int(connection.execute("SELECT count(*) FROM t").fetchall()[0][0])


def with_pandas(path: Path, folder: Path, memory_mb: int) -> int:
    """Read with pandas into memory."""
    import pandas

    if path.name.startswith("local"):
        return len(pandas.read_csv(path, sep=";", decimal=",", encoding="cp1252"))
    if path.suffix in (".ndjson", ".json"):
        if path.name.startswith("wrapped"):
            return len(pandas.DataFrame(json.loads(path.read_bytes())["data"]))
        return len(pandas.read_json(path, lines=path.suffix == ".ndjson"))
    return len(pandas.read_csv(path) if path.suffix == ".csv" else pandas.read_parquet(path))


READERS = {"ours": ours, "duckdb": with_duckdb, "pandas": with_pandas}


def measure(reader: str, path: Path, memory_mb: int) -> dict[str, float] | str:
    """Seconds, processor seconds, rows and peak megabytes of one reading in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.read_files", "--child", reader, "--file", str(path)]
    done = subprocess.run([*command, "--memory-mb", str(memory_mb)], capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no word"])[-1][:100]
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def child(reader: str, path: Path, memory_mb: int) -> None:
    """One reading; the figures are the last line."""
    import duckdb  # noqa: F401
    import pandas  # noqa: F401

    import tabulaflow_core.data.files.reader  # noqa: F401

    with tempfile.TemporaryDirectory(prefix="tabulaflow-bench-", dir=path.parent) as folder:
        before, began = time.process_time(), time.perf_counter()
        rows = READERS[reader](path, Path(folder), memory_mb)
        seconds, work = time.perf_counter() - began, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "cpu": work, "rows": rows, "mb": peak}))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, comma-separated")
    parser.add_argument("--memory-mb", type=int, default=700, help="memory of the reading's DuckDB, and of its peer")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.file, options.memory_mb)
        return
    with tempfile.TemporaryDirectory(prefix="tabulaflow-bench-") as folder:
        for kind in options.only.split(","):
            path = Path(folder) / f"{kind}{SUFFIX.get(kind, '.json')}"
            make(kind, options.rows, path)
            size = path.stat().st_size / 1e6
            print(f"{kind}: {options.rows:,} rows, {size:,.0f} MB", flush=True)
            load = Path("/proc/loadavg")
            if load.exists():
                print(f"  load average {load.read_text().split()[0]}")
            base = work = 0.0
            for reader in ("duckdb", "pandas", "ours"):
                found = measure(reader, path, options.memory_mb)
                if isinstance(found, str):
                    print(f"  {reader:7} cannot read it: {found}")
                    continue
                base = base or (found["seconds"] if reader == "duckdb" else 0.0)
                work = work or (found["cpu"] if reader == "duckdb" else 0.0)
                ratio = f"{base / found['seconds']:5.2f} of DuckDB's speed" if base else ""
                ratio += f", {work / found['cpu']:.2f} by processor time" if work else ""
                print(
                    f"  {reader:7} {found['seconds']:7.2f} s  {found['cpu']:7.2f} s of processor  "
                    f"{found['rows'] / found['seconds']:12,.0f} rows/s  {size / found['seconds']:6.1f} MB/s  "
                    f"{found['mb']:6.0f} MB peak  {ratio}",
                    flush=True,
                )
            path.unlink()
    print(f"aims for csv: {AIM_RATIO} of DuckDB's speed, less than {AIM_MB} MB")


if __name__ == "__main__":
    main()
