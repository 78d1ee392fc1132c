"""A disk that is full while a table is written: nothing is half there, and the source can still be asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of file sizes are those of Unix")

#: Files of that process may grow to a megabyte; the same happens at writing as on a full disk.
_PROGRAM = """
import asyncio, resource, signal, sys
import pandas as pd
from tabulaflow_core.data import QueryResult, SQLConnector
from tabulaflow_core.errors import TabulaflowError

async def main(url):
    async with await SQLConnector.from_url_async(url, read_only=False) as source:
        await source.write_dataframe_async(pd.DataFrame({"a": [1, 2]}), "small")
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        text = [f"{n:x}" * 9 for n in range(0, 10**17, 10**12 + 7)]
        try:
            await source.write_dataframe_async(pd.DataFrame({"t": text}), "large")
        except TabulaflowError as error:
            print("told:", error.user_message)
        outcome = await source.run_query_async("SELECT sum(a) AS s FROM small")
        print("asked:", isinstance(outcome, QueryResult) and int(outcome.table.column(0)[0].as_py()))
        print("large:", source.schema.table("large") is not None)

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_a_table_that_does_not_fit(tmp_path: Path, engine: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, f"{engine}:///{tmp_path}/a.{engine}"],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told, asked, large = done.stdout.splitlines()
    assert told.startswith("told: ")
    assert "'large' was not written" in told
    assert str(tmp_path) not in told
    assert asked == "asked: 3"
    assert large == "large: False"
