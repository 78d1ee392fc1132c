"""Reads a workbook of 50 MB against pandas with calamine: time in the same run, peak memory of each in its own process.

    python benchmarks/read_workbook.py [ROWS]

It writes an XLSX of ROWS (300,000) rows and 20 columns to a temporary folder, reads it with both in turn, three times
each, checks every number and every text, and prints the medians, their ratio and the peaks.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KINDS = ["id", "name", "city", "day", "day", *["count"] * 4, *["money"] * 7, "share", "note", "figure", "figure"]
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        'ContentType="application/xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" Type="{_REL}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_REL}"><sheets><sheet name="Sales" sheetId="1" r:id="r1"/></sheets>'
        "</workbook>"
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" Type="{_REL}/worksheet" '
        f'Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="{_REL}/styles" Target="styles.xml"/>'
        f'<Relationship Id="r3" Type="{_REL}/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    ),
    "xl/styles.xml": (
        f'<styleSheet xmlns="{_MAIN}"><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/>'
        "</cellXfs></styleSheet>"
    ),
}


def write_book(path: Path, rows: int) -> None:
    """Write the workbook; always the same one."""
    strings: dict[str, int] = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, xml in _PARTS.items():
            archive.writestr(name, _DECLARATION + xml)
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f'{_DECLARATION}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            for block in _blocks(rows, strings):
                sheet.write(block)
            sheet.write(b"</sheetData></worksheet>")
        texts = "".join(f"<si><t>{text}</t></si>" for text in strings)
        archive.writestr("xl/sharedStrings.xml", f'{_DECLARATION}<sst xmlns="{_MAIN}">{texts}</sst>')


def _blocks(rows: int, strings: dict[str, int]) -> Iterator[bytes]:
    chance = random.Random(1)

    def text(value: str) -> str:
        return f' t="s"><v>{strings.setdefault(value, len(strings))}'

    def cell(kind: str, row: int) -> str:
        if kind == "id":
            return f"><v>{4500000000000 + row}"
        if kind in ("name", "city", "note"):
            return text(f"{kind} {chance.randrange({'name': 50_000, 'city': 200, 'note': 5_000}[kind])}")
        if kind == "day":
            return f' s="1"><v>{43000 + chance.randrange(2000)}'
        if kind == "share":
            return f' s="2"><v>{chance.randrange(1000) / 1000}'
        if kind == "count":
            return f"><v>{chance.randrange(1000)}"
        return f"><v>{chance.randrange(10**7) / 100 if kind == 'money' else chance.random() * 1000}"

    letters = [chr(65 + i) for i in range(len(_KINDS))]
    header = "".join(
        f'<c r="{a}1"{text(f"{k}{i}")}</v></c>' for i, (a, k) in enumerate(zip(letters, _KINDS, strict=True))
    )
    yield f'<row r="1">{header}</row>'.encode()
    for first in range(2, rows + 2, 2_000):
        block = []
        for row in range(first, min(first + 2_000, rows + 2)):
            cells = "".join(f'<c r="{a}{row}"{cell(k, row)}</v></c>' for a, k in zip(letters, _KINDS, strict=True))
            block.append(f'<row r="{row}">{cells}</row>')
        yield "".join(block).encode()


def _ours(path: Path) -> dict[str, float]:
    import duckdb

    from tabulaflow_core.data.files import read_file

    with tempfile.TemporaryDirectory() as storage:
        small = Path(storage) / "small.xlsx"
        write_book(small, 10)
        read_file(small, storage=Path(storage))  # what is imported at the first reading is no part of it
        start, busy = time.perf_counter(), time.process_time()
        (table,) = read_file(path, storage=Path(storage)).tables
        seconds, busy = time.perf_counter() - start, time.process_time() - busy
        peak = _peak()
        with duckdb.connect(str(table.database), read_only=True) as connection:
            frame = connection.execute(f'SELECT * FROM "{table.table}"').df()
    return {"seconds": seconds, "busy": busy, "peak": peak, **_sums(frame)}


def _pandas(path: Path) -> dict[str, float]:
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.xlsx"
        write_book(small, 10)
        pd.read_excel(small, engine="calamine")
    start, busy = time.perf_counter(), time.process_time()
    frame = pd.read_excel(path, engine="calamine")
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    return {"seconds": seconds, "busy": busy, "peak": _peak(), **_sums(frame)}


def _sums(frame) -> dict[str, float]:  # type: ignore[no-untyped-def]
    """A figure for each column that differs when a value does."""
    found = {"rows": float(len(frame))}
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind in "iuf":
            found[name] = float(column.sum())
        elif column.dtype.kind == "M":
            found[name] = float(column.astype("datetime64[s]").astype("int64").sum())
        else:
            found[name] = float(column.map(lambda text: int(text.split()[-1])).sum())
    return found


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _run(who: str, path: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--read", who, str(path)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def main() -> int:
    """Write, read, compare."""
    if sys.argv[1:2] == ["--read"]:
        print(json.dumps((_ours if sys.argv[2] == "ours" else _pandas)(Path(sys.argv[3]))))
        return 0
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "book.xlsx"
        write_book(path, rows)
        print(f"{rows:,} rows × {len(_KINDS)} columns, {path.stat().st_size / 1024**2:.0f} MB")
        runs: dict[str, list[dict[str, float]]] = {"ours": [], "pandas": []}
        for _ in range(3):
            for who in runs:
                runs[who].append(_run(who, path))
    seconds = {who: median(r["seconds"] for r in found) for who, found in runs.items()}
    busy = {who: median(r["busy"] for r in found) for who, found in runs.items()}
    for who, found in runs.items():
        peak = max(r["peak"] for r in found)
        print(f"{who:7} {seconds[who]:6.2f} s, {busy[who]:6.2f} s of processor time, peak {peak:5.0f} MB")
    print(f"ratio {seconds['ours'] / seconds['pandas']:.2f} (at most 1.00), of processor time "
          f"{busy['ours'] / busy['pandas']:.2f}")  # fmt: skip
    mine, theirs = runs["ours"][0], runs["pandas"][0]
    wrong = [
        k for k in theirs if k not in ("seconds", "busy", "peak") and abs(mine[k] - theirs[k]) > 1e-9 * abs(theirs[k])
    ]
    print(f"every value the same: {'no: ' + ', '.join(wrong) if wrong else 'yes'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
