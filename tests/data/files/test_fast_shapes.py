"""The shapes of typed values are those of their texts."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from tabulaflow_core.data.files.fast_shapes import typed_shapes
from tabulaflow_core.data.files.storage import Workbench
from tabulaflow_core.data.files.values import shape_of

VALUES: dict[str, list[str]] = {
    "BIGINT": ["0", "9", "10", "99", "-1", "-9", "-10", "9223372036854775807", "-9223372036854775808", "1000"],
    "DECIMAL(18,2)": ["0.00", "-0.01", "9.99", "10.00", "-9.99", "-10.00", "9999999999999999.99", "-100.50"],
    "DECIMAL(18,9)": ["0.000000001", "-0.5", "999999999.999999999", "-999999999.999999999"],
    "DOUBLE": [
        "0",
        "-0.0",
        "5",
        "-5",
        "0.1",
        "1e-4",
        "9.9e-5",
        "0.30000000000000004",
        "1e8",
        "99999999.5",
        "1e300",
        "123456.123456",
        "1234567.1234567",
        "-9.999999",
        "99999999.999999",
        "1e15",
        "1e16",
        "1e17",
        "0.000123",
        "10",
    ],
    "DATE": ["2026-01-31", "1999-12-31"],
    "TIMESTAMP": ["2026-01-31 10:00:00", "2026-01-31 10:00:00.25", "2026-01-31 10:00:00.000001"],
}


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(duckdb.connect(), tmp_path)


def texts(bench: Workbench) -> Counter[str]:
    found = bench.rows("SELECT CAST(v AS VARCHAR) FROM t WHERE v IS NOT NULL")
    return Counter(shape_of(str(text)) for (text,) in found)


def own(bench: Workbench, engine_type: str) -> Counter[str]:
    shapes = typed_shapes(bench, engine_type, "v", "t")
    assert len({s.text for s in shapes}) == len(shapes)
    return Counter({s.text: s.count for s in shapes})


@pytest.mark.parametrize("engine_type", VALUES)
def test_values_at_the_edges(engine_type: str, bench: Workbench) -> None:
    bench.execute(f"CREATE TABLE t (v {engine_type})")
    assert own(bench, engine_type) == Counter()
    bench.execute("INSERT INTO t VALUES (NULL)")
    assert own(bench, engine_type) == Counter()
    for text in VALUES[engine_type]:
        bench.execute(f"INSERT INTO t VALUES ('{text}'), ('{text}')")
        assert own(bench, engine_type) == texts(bench)


@pytest.mark.parametrize("engine_type", ["BIGINT", "DECIMAL(18,3)", "DOUBLE"])
def test_random_values(engine_type: str, bench: Workbench) -> None:
    rnd = random.Random(7)
    bench.execute(f"CREATE TABLE t (v {engine_type})")
    most = 14 if engine_type.startswith("DECIMAL") else 18
    rows = []
    for _ in range(20_000):
        value = rnd.choice([-1, 1]) * rnd.random() * 10.0 ** rnd.randrange(-9, most)
        rows.append(repr(round(value, rnd.randrange(0, 9))) if rnd.random() < 0.8 else repr(value))
    bench.execute(f"INSERT INTO t SELECT CAST(unnest({rows}) AS DOUBLE)")
    assert own(bench, engine_type) == texts(bench)
