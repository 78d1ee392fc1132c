"""Damaged and strange files against the file readers: no crash, no hang, no memory over the cap, no other exception.

Sound files of every format (`fuzz_seeds`) are changed at random, mostly inside with the container kept sound
(`fuzz_changes`), and each is read by a worker process with a bound on its memory and its time. A file must be read, or
refused with a sentence; what does else is kept, with its name printed. How many were read and how many refused is told
for each format: where all are refused, nothing is tested.

    python -m benchmarks.fuzz_files --seconds 120 --seed 1
    python -m benchmarks.fuzz_files --seconds 60 --format csv --keep /tmp/found
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import os
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.fuzz_changes import changed
from benchmarks.fuzz_seeds import FORMATS

#: Bytes of address space of a worker, and seconds for one file: of a processor, since a busy machine is no hang, and
#: by the clock, since who waits uses no processor.
MEMORY = 3 * 1024**3
SECONDS = 20.0
WAITED = 180.0


@dataclass(frozen=True)
class Case:
    """One file to read."""

    kind: str
    name: str
    data: bytes


def case(rnd: random.Random, kind: str = "") -> Case:
    """A random file, of one format or of any."""
    kind = kind or rnd.choice(sorted(FORMATS))
    maker, suffixes = FORMATS[kind]
    suffix = (
        rnd.choice(suffixes) if rnd.random() < 0.9 else rnd.choice(["csv", "json", "xlsx", "parquet", "zip", "bin"])
    )
    return Case(kind, f"file.{suffix}", changed(rnd, kind, maker(rnd)))


def read_one(found: Case, folder: Path) -> str:
    """What becomes of a file: `read`, `refused`, or what went wrong."""
    from tabulaflow_core.data.files import ReadBounds, Watch, read_file
    from tabulaflow_core.errors import FileUnreadable

    path, storage = folder / found.name, folder / "storage"
    path.write_bytes(found.data)
    try:
        reading = read_file(path, storage=storage, watch=Watch(bounds=ReadBounds(memory_bytes=256 * 1024**2)))
        if not reading.tables:
            return "wrong: no table and no refusal"
        left = [p.name for p in storage.iterdir() if p not in {t.database for t in reading.tables}]
        return f"wrong: left in storage: {left}" if left else "read"
    except FileUnreadable as error:
        left = [p.name for p in storage.iterdir()] if storage.exists() else []
        said = len(error.user_message) > 20 and error.user_message.rstrip()[-1] in ".:”)"
        return f"wrong: left in storage: {left}" if left else "refused" if said else f"wrong: {error.user_message!r}"
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"wrong: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {str(error)[:200]}"
    finally:
        path.unlink()
        shutil.rmtree(storage, ignore_errors=True)


def worker(pipe: Connection, folder: Path) -> None:
    """Read the files that come through the pipe."""
    import duckdb  # noqa: F401  # so that the bound is one on files and not on imports
    import pyarrow.parquet  # noqa: F401

    import tabulaflow_core.data.files.reader  # noqa: F401

    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    pipe.send("ready")
    while True:
        try:
            pipe.send(read_one(pipe.recv(), folder))
        except EOFError:
            return


class Worker:
    """A process that reads one file after the other, and is replaced when it does not answer."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="tabulaflow-fuzz-"))
        self._context = multiprocessing.get_context("spawn")
        self._begin()

    def _begin(self) -> None:
        self._pipe, theirs = self._context.Pipe()
        self._process = self._context.Process(target=worker, args=(theirs, self._folder), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe.poll(10 * SECONDS)
        self._pipe.recv()

    def read(self, found: Case) -> str:
        """What became of the file; a crash or a hang is told too."""
        try:
            self._pipe.send(found)
            begun, used = time.monotonic(), self._processor_seconds()
            while not self._pipe.poll(0.5):
                if self._processor_seconds() - used > SECONDS or time.monotonic() - begun > WAITED:
                    result = f"wrong: not done after {SECONDS:g} s"
                    break
            else:
                return str(self._pipe.recv())
        except (EOFError, OSError):
            self._process.join(5)
            result = f"wrong: the process ended with {self._process.exitcode}"
        self._process.kill()
        self._process.join()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        self._begin()
        return result

    def _processor_seconds(self) -> float:
        """What the process has used so far; the clock's seconds where the system does not tell."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return time.monotonic()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the process."""
        self._pipe.close()
        self._process.join(5)
        self._process.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


def fuzz(seconds: float, seed: int, kind: str, keep: Path) -> int:
    """Read random files for some time; the number of faults of different kinds."""
    rnd, worker_process, counts = random.Random(seed), Worker(), Counter[tuple[str, str]]()
    faults: dict[str, Path] = {}
    end = time.monotonic() + seconds
    worker_process.read(Case("csv", "warm.csv", b"a,b\n1,2\n"))
    while time.monotonic() < end:
        found = case(rnd, kind)
        result = worker_process.read(found)
        counts[found.kind, result.split(":")[0]] += 1
        key = f"{found.kind} {result.split(' at ')[-1][:60]}"
        if result.startswith("wrong") and key not in faults:
            keep.mkdir(parents=True, exist_ok=True)
            faults[key] = keep / f"{found.kind}-{len(faults)}-{found.name}"
            faults[key].write_bytes(found.data)
            print(f"{found.kind}: {result}\n  kept as {faults[key]}", flush=True)
    worker_process.close()
    print(f"{'format':10}{'files':>8}{'read':>8}{'refused':>9}{'wrong':>7}")
    for name in sorted({name for name, _ in counts}):
        read, refused, wrong = (counts[name, result] for result in ("read", "refused", "wrong"))
        print(f"{name:10}{read + refused + wrong:8}{read:8}{refused:9}{wrong:7}")
    print(f"{sum(counts.values())} files, {len(faults)} kinds of faults")
    return len(faults)


def main() -> int:
    """Fuzz and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", default="", choices=["", *FORMATS], help="one format; all when left out")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "tabulaflow-fuzz-found")
    options = parser.parse_args()
    return min(fuzz(options.seconds, options.seed, options.format, options.keep), 1)


if __name__ == "__main__":
    sys.exit(main())
