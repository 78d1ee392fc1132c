"""Damaged and strange files against the file readers: no crash, no hang, no memory over the cap, no other exception.

Seeds of every format are made here, changed at random, and each is read by a worker process with a bound on its
memory and its time. A file must be read, or refused with a sentence; what does else is kept, with its name printed.

    python -m benchmarks.fuzz_files --seconds 120 --seed 1
    python -m benchmarks.fuzz_files --seconds 60 --format csv --keep /tmp/found
"""

from __future__ import annotations

import argparse
import bz2
import faulthandler
import gzip
import io
import json
import multiprocessing
import os
import random
import resource
import shutil
import sqlite3
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

#: Bytes of address space of a worker, and seconds for one file: of a processor, since a busy machine is no hang, and
#: by the clock, since who waits uses no processor.
MEMORY = 3 * 1024**3
SECONDS = 20.0
WAITED = 180.0

_WORDS = (
    *("a", "Zürich", "日本", "", " ", "NA", "null", "-", "1", "-2.5", "1,234.50", "1.234,50", "0012", "1e400", "nan"),
    *(
        "2026-01-31",
        "31.12.2025",
        "03/04/2026 10:00",
        "2026-01-31T10:00:00Z",
        "true",
        "€ 5",
        "12 %",
        "\u00a05",
        "x" * 300,
    ),
)


def _rows(rnd: random.Random) -> list[list[str]]:
    width = rnd.choice([1, 2, 3, 8, 40])
    return [[rnd.choice(_WORDS) for _ in range(width)] for _ in range(rnd.choice([0, 1, 3, 30, 400]))]


def csv_seed(rnd: random.Random) -> bytes:
    """Delimited text in some dialect."""
    delimiter, quote = rnd.choice([",", ";", "\t", "|", "  ", "||"]), rnd.choice(['"', "'", ""])
    end = rnd.choice(["\n", "\r\n", "\r"])
    lines = [delimiter.join(f"{quote}{c}{quote}" if rnd.random() < 0.3 else c for c in row) for row in _rows(rnd)]
    lines[:0] = rnd.choice([[], ["name" + delimiter + "value"], ["# a comment", "Title"], ["sep=" + delimiter]])
    encoding = rnd.choice(["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-32", "shift_jis", "gb18030"])
    return end.join(lines).encode(encoding, "replace")


def json_seed(rnd: random.Random) -> bytes:
    """A document of records, columns, or nested lists."""
    names = ["a", "b", "c d", "ü"]
    records: list[object] = [
        {n: rnd.choice([1, 2.5, None, True, "x", [1], {"y": 2}]) for n in names} for _ in range(20)
    ]
    shapes: list[object] = [records, {"data": records, "n": 1}, {n: [1, 2, 3] for n in names}, [[1, 2], [3, 4]], 5, "x"]
    return json.dumps(rnd.choice(shapes)).encode()


def ndjson_seed(rnd: random.Random) -> bytes:
    """One record a line."""
    return b"\n".join(json.dumps({"a": i, "b": rnd.choice(_WORDS)}).encode() for i in range(rnd.choice([1, 50])))


def deep_seed(rnd: random.Random) -> bytes:
    """Brackets within brackets."""
    depth = rnd.choice([100, 5_000, 200_000])
    mark = rnd.choice(["[", '{"a":'])
    return (mark * depth + "1" + ("]" if mark == "[" else "}") * depth).encode()


def flood_seed(rnd: random.Random) -> bytes:
    """Much of little."""
    piece = rnd.choice([b'"', b"\n", b",", b"\0", b" ", b"\r", b"a", b'""\n', b"1\n", b",\n", b"\xff", b"\xc3", b'"\n'])
    return rnd.choice([b"", b"a,b\n1,2\n"]) + piece * rnd.choice([1, 1000, 300_000])


def _arrow(rnd: random.Random) -> object:
    import pyarrow as pa

    count = rnd.choice([0, 1, 100])
    return pa.table({"a": list(range(count)), "b": [rnd.choice(_WORDS) for _ in range(count)], "c": [[1]] * count})


def parquet_seed(rnd: random.Random) -> bytes:
    """A Parquet file."""
    from pyarrow import parquet

    buffer = io.BytesIO()
    parquet.write_table(_arrow(rnd), buffer)
    return buffer.getvalue()


def feather_seed(rnd: random.Random) -> bytes:
    """A Feather file."""
    from pyarrow import feather

    buffer = io.BytesIO()
    feather.write_feather(_arrow(rnd), buffer, compression=rnd.choice(["lz4", "zstd", "uncompressed"]))
    return buffer.getvalue()


def zip_seed(rnd: random.Random) -> bytes:
    """An archive, some with paths that lead out of it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(rnd.choice([0, 1, 3])):
            name = rnd.choice([f"t{i}.csv", f"../t{i}.csv", f"/abs{i}.csv", f"d/t{i}.json", f"t{i}.csv.gz"])
            archive.writestr(name, rnd.choice([csv_seed, json_seed, flood_seed])(rnd))
    return buffer.getvalue()


def xlsx_seed(rnd: random.Random) -> bytes:
    """A small workbook."""
    rows = "".join(
        f'<row r="{r}">' + "".join(
            f'<c r="{chr(65 + c)}{r}" t="inlineStr"><is><t>{rnd.choice(["x", "name", "&lt;"])}</t></is></c>'
            if rnd.random() < 0.5 else f'<c r="{chr(65 + c)}{r}"><v>{rnd.choice(["1", "45000.5", "1e9", "x"])}</v></c>'
            for c in range(3)) + "</row>"
        for r in range(1, rnd.choice([1, 2, 20]))
    )  # fmt: skip
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
        f'"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kind}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" '
        f'ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="S" sheetId="1" '
        'r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            data = text.encode()
            archive.writestr(name, mutated(rnd, data) if rnd.random() < 0.15 else data)
    return buffer.getvalue()


def ods_seed(rnd: random.Random) -> bytes:
    """A small sheet of OpenDocument."""
    office = "urn:oasis:names:tc:opendocument:xmlns"
    cell = '<table:table-cell office:value-type="float" office:value="{}"/>'
    repeat = f'<table:table-row table:number-rows-repeated="{rnd.choice([1, 1000, 10**9])}">'
    rows = "".join(f"{repeat}{cell.format(rnd.random())}{cell.format(i)}</table:table-row>" for i in range(3))
    content = (
        f'<office:document-content xmlns:office="{office}:office:1.0" xmlns:table="{office}:table:1.0"><office:body>'
        f'<office:spreadsheet><table:table table:name="S">{rows}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    ).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", mutated(rnd, content) if rnd.random() < 0.3 else content)
    return buffer.getvalue()


def sqlite_seed(rnd: random.Random) -> bytes:
    """A SQLite database."""
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b TEXT, c BLOB)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(i, rnd.choice(_WORDS), b"\0\1") for i in range(50)])
        connection.commit()
        return connection.serialize()


Maker = Callable[[random.Random], bytes]
FORMATS: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "csv": (csv_seed, ("csv", "tsv", "txt")),
    "json": (json_seed, ("json",)),
    "ndjson": (ndjson_seed, ("ndjson", "jsonl")),
    "deep": (deep_seed, ("json", "ndjson")),
    "flood": (flood_seed, ("csv", "json", "txt")),
    "parquet": (parquet_seed, ("parquet",)),
    "feather": (feather_seed, ("feather", "arrow")),
    "zip": (zip_seed, ("zip",)),
    "gz": (lambda rnd: gzip.compress(csv_seed(rnd)), ("csv.gz",)),
    "bz2": (lambda rnd: bz2.compress(csv_seed(rnd)), ("csv.bz2",)),
    "xlsx": (xlsx_seed, ("xlsx", "xlsm")),
    "ods": (ods_seed, ("ods",)),
    "sqlite": (sqlite_seed, ("sqlite", "db")),
}


def mutated(rnd: random.Random, data: bytes) -> bytes:
    """The same bytes with some changes."""
    buffer = bytearray(data)
    for _ in range(rnd.choice([0, 1, 1, 2, 5, 20])):
        at, length = rnd.randrange(len(buffer) + 1), rnd.choice([1, 1, 2, 8, 100])
        match rnd.randrange(8):
            case 0:
                buffer[at : at + length] = b""
            case 1:
                buffer[at:at] = (
                    rnd.choice([b'"', b"\n", b"\r", b"\0", b",", b"\xff\xfe", b"\xf0\x9f", b"{", b"]"]) * length
                )
            case 2:
                buffer[at:at] = buffer[at : at + length] * rnd.choice([2, 50])
            case 3:
                del buffer[at:]
            case 4:
                buffer[at : at + length] = rnd.randbytes(length)
            case 5 if buffer:
                buffer[at % len(buffer)] ^= 1 << rnd.randrange(8)
            case 6:
                buffer[at : at + 4] = rnd.choice([b"\xff\xff\xff\x7f", b"\0\0\0\0", b"9999"])
            case _:
                buffer[at:at] = rnd.choice(_WORDS).encode()
    return bytes(buffer)


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
    return Case(kind, f"file.{suffix}", mutated(rnd, maker(rnd)))


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
    rnd, worker_process, counts = random.Random(seed), Worker(), Counter[str]()
    faults: dict[str, Path] = {}
    end = time.monotonic() + seconds
    worker_process.read(Case("csv", "warm.csv", b"a,b\n1,2\n"))
    while time.monotonic() < end:
        found = case(rnd, kind)
        result = worker_process.read(found)
        counts[f"{found.kind} {result.split(':')[0]}"] += 1
        key = f"{found.kind} {result.split(' at ')[-1][:60]}"
        if result.startswith("wrong") and key not in faults:
            keep.mkdir(parents=True, exist_ok=True)
            faults[key] = keep / f"{found.kind}-{len(faults)}-{found.name}"
            faults[key].write_bytes(found.data)
            print(f"{found.kind}: {result}\n  kept as {faults[key]}", flush=True)
    worker_process.close()
    for name, count in sorted(counts.items()):
        print(f"{count:7} {name}")
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
