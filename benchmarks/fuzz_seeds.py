"""Sound files of every format for the fuzzer: each but the hostile ones is read before it is changed."""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import io
import json
import lzma
import random
import sqlite3
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.data.files.workbook.look.binaries import number, record, record12, wide, write_xlsb, xls
from tests.data.files.workbooks import Cell, ListObject, Sheet, write_xlsx
from tests.data.files.workbooks_ods import write_ods

Maker = Callable[[random.Random], bytes]

WORDS: Final = (
    *("a", "Zürich", "日本", "", " ", "NA", "null", "-", "1", "-2.5", "1,234.50", "1.234,50", "0012", "1e400", "nan"),
    *("2026-01-31", "31.12.2025", "03/04/2026 10:00", "2026-01-31T10:00:00Z", "true", "€ 5", "12 %", "\u00a05"),
    "x" * 300,
)  # fmt: skip
#: Formats of numbers, dates and text as workbooks have them.
_CODES: Final = (
    "0.00%", "#,##0.00 €", "00000", "0.00E+00", "@", "yyyy-mm-dd", "[h]:mm", '_-* #,##0.00 "kr"_-;[Red]-#,##0', "# ?/?",
)  # fmt: skip
_STYLES: Final = (0, 164, 165, 166)
_BINARY_CODES: Final = ((164, "yyyy-mm-dd"), (165, "00000"), (166, "0.0%"))


def _rows(rnd: random.Random) -> list[list[str]]:
    width = rnd.choice([1, 2, 3, 8, 40])
    return [[rnd.choice(WORDS) for _ in range(width)] for _ in range(rnd.choice([0, 1, 3, 30, 400]))]


def csv_seed(rnd: random.Random) -> bytes:
    """Delimited text in some dialect."""
    delimiter, quote = rnd.choice([",", ";", "\t", "|", "  ", "||"]), rnd.choice(['"', "'", ""])
    end = rnd.choice(["\n", "\r\n", "\r"])
    lines = [delimiter.join(f"{quote}{c}{quote}" if rnd.random() < 0.3 else c for c in row) for row in _rows(rnd)]
    lines[:0] = rnd.choice([["a", "b"], ["name" + delimiter + "value"], ["# note", "Title", "x"], ["sep=;", "a;b"]])
    encoding = rnd.choice(["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-32", "shift_jis", "gb18030"])
    return end.join(lines).encode(encoding, "replace")


def json_seed(rnd: random.Random) -> bytes:
    """A document of records, columns, or nested lists."""
    values = (1, 2.5, None, True, "x", [1], {"y": 2}, 10**30, "2026-01-31")
    records: list[object] = [{n: rnd.choice(values) for n in ("a", "b", "c d", "ü")} for _ in range(20)]
    shapes: list[object] = [records, {"data": records, "n": 1}, {"a": [1, 2, 3], "b": [4, 5, 6]}, [[1, 2], [3, 4]]]
    return json.dumps(rnd.choice(shapes)).encode()


def ndjson_seed(rnd: random.Random) -> bytes:
    """One record a line."""
    return b"\n".join(json.dumps({"a": i, "b": rnd.choice(WORDS)}).encode() for i in range(rnd.choice([1, 50])))


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

    count = rnd.choice([1, 100])
    day = dt.date(2026, 1, 31)
    return pa.table(
        {
            "a": list(range(count)), "b": [rnd.choice(WORDS) for _ in range(count)], "c": [[1, 2]] * count,
            "d": pa.array(["x", *(rnd.choice(["x", "y", None]) for _ in range(count - 1))]).dictionary_encode(),
            "e": [{"f": 1, "g": "h"}] * count, "day": [day] * count, "n": pa.array([None] * count, pa.decimal128(9, 2)),
            "m": pa.array([[("k", 1)]] * count, pa.map_(pa.string(), pa.int32())), "z": [b"\0\1"] * count,
        }
    )  # fmt: skip


def parquet_seed(rnd: random.Random) -> bytes:
    """A Parquet file."""
    from pyarrow import parquet

    buffer = io.BytesIO()
    packed, pages, rows = (
        rnd.choice(["none", "none", "snappy", "zstd"]),
        rnd.choice(["1.0", "2.0"]),
        rnd.choice([7, 99]),
    )
    parquet.write_table(_arrow(rnd), buffer, compression=packed, data_page_version=pages, row_group_size=rows)
    return buffer.getvalue()


def feather_seed(rnd: random.Random) -> bytes:
    """A Feather file."""
    from pyarrow import feather

    buffer = io.BytesIO()
    feather.write_feather(_arrow(rnd), buffer, compression=rnd.choice(["lz4", "zstd", "uncompressed"]))
    return buffer.getvalue()


def arrow_stream_seed(rnd: random.Random) -> bytes:
    """Arrow's stream of batches."""
    import pyarrow as pa

    buffer, table = io.BytesIO(), _arrow(rnd)
    assert isinstance(table, pa.Table)
    with pa.ipc.new_stream(buffer, table.schema) as writer:
        writer.write_table(table, max_chunksize=30)
    return buffer.getvalue()


def zip_seed(rnd: random.Random) -> bytes:
    """An archive, some with paths that lead out of it, and with archives inside."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", rnd.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])) as archive:
        archive.writestr("first.csv", "a,b\n1,x\n2,y\n")
        for i in range(rnd.choice([0, 1, 3])):
            suffix, maker = rnd.choice(_INNER)
            archive.writestr(rnd.choice(["t{}", "../t{}", "/abs{}", "d/t{}"]).format(i) + suffix, maker(rnd))
    return buffer.getvalue()


def tar_seed(rnd: random.Random) -> bytes:
    """A tape archive, packed or not."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=rnd.choice([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])) as archive:
        for i in range(rnd.choice([1, 3])):
            data = b"a,b\n1,x\n2,y\n" if not i else rnd.choice(_INNER[:2])[1](rnd)
            info = tarfile.TarInfo(f"{'long' * 30 if i else 't'}{i}.csv")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def nested_seed(rnd: random.Random) -> bytes:
    """An archive in an archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.zip", zip_seed(rnd))
        archive.writestr("b.tar.gz", gzip.compress(tar_seed(rnd)))
    return buffer.getvalue()


def _sheets(rnd: random.Random) -> list[Sheet]:
    day = dt.date(2026, 3, 1)
    rows = [
        [
            Cell(rnd.random(), rnd.choice(_CODES[:4])), Cell(runs=("ri", "ch")), day + dt.timedelta(r), r > 3, r * 1.5,
            Cell(r, formula="1+1"), Cell("#N/A") if r == 4 else rnd.choice(WORDS), dt.time(14, 30),
            dt.timedelta(hours=r),
        ]
        for r in range(1, rnd.choice([3, 20]))
    ]  # fmt: skip
    head = ["share", "name", "day", "flag", "value", "sum", "word", "at", "spent"]
    first = Sheet(
        "Sales", [["Title"], head, *rows, [None, None, None, "note"]], merged=["A1:C1", "B3:B4"], hidden_rows=[3],
        hidden_columns=[1], tables=[ListObject("T", f"A2:I{len(rows) + 2}")] if rnd.random() < 0.5 else [],
    )  # fmt: skip
    return [first, Sheet("Other", [["a", "b"], [1, "x"]], state="hidden"), Sheet("Empty")]


def _written(write: Callable[[Path], object]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "book"
        write(path)
        return path.read_bytes()


def xlsx_seed(rnd: random.Random) -> bytes:
    """A workbook with styles, shared strings, merged cells, a table, hidden parts and formulas."""
    if rnd.random() < 0.5:
        return _xlsxwriter(rnd)
    chosen = {n: rnd.random() < 0.3 for n in ("macros", "links", "strict", "date_1904")}
    chosen["shared"] = rnd.random() < 0.6
    return _written(lambda path: write_xlsx(path, _sheets(rnd), prefix=rnd.choice(["", "", "x"]), **chosen))  # type: ignore[arg-type]


def _xlsxwriter(rnd: random.Random) -> bytes:
    import xlsxwriter

    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer, {"in_memory": True, "strings_to_numbers": False}) as book:
        codes = [book.add_format({"num_format": code}) for code in _CODES]
        bold = book.add_format({"bold": True})
        sheet, other = book.add_worksheet("S"), book.add_worksheet("Ö & <b>")
        sheet.merge_range("A1:D1", "Report", bold)
        for r in range(2, rnd.choice([4, 30])):
            sheet.write_row(r, 0, [f"n{r}", rnd.random(), r])
            sheet.write_number(r, 3, 45000.5 + r, rnd.choice(codes))
            sheet.write_rich_string(r, 4, "a", bold, "b", "c")
            sheet.write_formula(r, 5, "=1/0", None, "#DIV/0!")
            sheet.write_boolean(r, 6, bool(r % 2))
        sheet.add_table(1, 0, 3, 6, {"total_row": False, "columns": [{"header": h} for h in "abcdefg"]})
        sheet.set_column("B:B", None, None, {"hidden": True})
        sheet.autofilter("I1:K9")
        other.write_column(0, 0, ["x", 1, 2, 3])
        other.write_url("C1", "http://localhost/x")
        other.write_comment("A1", "a note")
        other.write_array_formula("E1:E3", "{=A2:A4*2}", None, 2)
        book.define_name("Data", "=S!$A$1:$B$2")
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": "=S!$B$3:$B$4"})
        book.add_chartsheet("C").set_chart(chart)
    return buffer.getvalue()


def ods_seed(rnd: random.Random) -> bytes:
    """A sheet of OpenDocument, with repeated rows."""
    data = _written(lambda path: write_ods(path, _sheets(rnd), date_1904=rnd.random() < 0.2))
    if rnd.random() < 0.5:
        return data
    times = rnd.choice([2, 1000])
    return rezipped(data, "content.xml", lambda xml: xml.replace(b"<table:table-row>", b"<table:table-row "
                    b'table:number-rows-repeated="%d">' % times, 1))  # fmt: skip


def rezipped(data: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """The same zip with one of its members changed, and sound."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            inside = old.read(info)
            new.writestr(info.filename, change(inside) if info.filename == name else inside, info.compress_type)
    return buffer.getvalue()


def _label(row: int, column: int, text: str) -> bytes:
    return record(0x204, struct.pack("<HHHHB", row, column, 0, len(text), 1) + text.encode("utf-16-le"))


def xls_seed(rnd: random.Random) -> bytes:
    """An XLS file."""
    body = b"".join(_label(0, c, f"col {c}") for c in range(4))
    for r in range(1, rnd.choice([3, 30])):
        body += number(r, 0, 0, r) + number(r, 1, 1, 45000 + r) + number(r, 2, 2, r * 100)
        body += _label(r, 3, rnd.choice(("x", "Zoë"))) + record(0x205, struct.pack("<HHHBB", r, 4, 0, 7, r % 2))
        body += record(0x06, struct.pack("<HHHdHI2s", r, 5, 3, 0.5, 0, 0, b"\0\0"))
        body += record(0x27E, struct.pack("<HHHI", r, 6, 2, 0x3FF00000))
    merged = record(0xE5, struct.pack("<H4H", 1, 1, 1, 0, 1))
    sheets = {"Data": (0, 0, body + merged), "Old": (1, 0, body), "c": (0, 2, b"")}
    return xls(sheets, formats=_BINARY_CODES, styles=_STYLES)


def _cell(kind: int, column: int, style: int, data: bytes) -> bytes:
    return record12(kind, struct.pack("<II", column, style) + data)


def xlsb_seed(rnd: random.Random) -> bytes:
    """An XLSB file."""
    body = b""
    for r in range(rnd.choice([3, 30])):
        body += record12(0, struct.pack("<IIHBBBI", r, 0, 300, 0, 0, 0, 0))
        if not r:
            body += b"".join(_cell(6, c, 0, wide(f"col {c}")) for c in range(4))
            continue
        body += b"".join(_cell(5, c, c, struct.pack("<d", 45000 + r)) for c in range(3))
        body += _cell(6, 3, 0, wide(rnd.choice(("x", "Zoë")))) + _cell(4, 4, 0, bytes([r % 2]))
        body += _cell(3, 5, 0, bytes([7])) + _cell(2, 6, 1, struct.pack("<I", 400))
    sheets = {"Data": (0, body), "Old": (1, body)}
    return _written(lambda path: write_xlsb(path, sheets, formats=_BINARY_CODES, styles=_STYLES))


def sqlite_seed(rnd: random.Random) -> bytes:
    """A SQLite database with several tables, an index, a view and long rows."""
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"PRAGMA page_size = {rnd.choice([512, 1024, 4096])}")
        connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c BLOB, d REAL, e DATE)")
        rows = [(i, rnd.choice(WORDS) * rnd.choice([1, 9]), b"\0\1", i / 3, "2026-01-31") for i in range(80)]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
        connection.execute("CREATE TABLE 'Ö x' (k TEXT PRIMARY KEY, v ANY) WITHOUT ROWID")
        connection.executemany(
            "INSERT INTO 'Ö x' VALUES (?, ?)", [(str(i), rnd.choice([1, "x", None])) for i in range(9)]
        )
        connection.execute("CREATE INDEX i ON t (b)")
        connection.execute("CREATE VIEW v AS SELECT a, b FROM t")
        connection.commit()
        connection.execute("VACUUM")
        return connection.serialize()


def duckdb_seed(rnd: random.Random) -> bytes:
    """A DuckDB database."""
    import duckdb

    def write(path: Path) -> None:
        with duckdb.connect(str(path)) as connection:
            connection.execute(
                "CREATE TABLE t AS SELECT i, i / 3 AS d, 'name ' || i % 7 AS s, DATE '2026-01-31' + i::INT AS day, "
                f"[i, i + 1] AS l, {{'a': i}} AS st, i::DECIMAL(9, 2) AS m FROM range({rnd.choice([3, 500])}) r(i)"
            )
            connection.execute("CREATE TABLE u (k VARCHAR PRIMARY KEY, v UUID, w HUGEINT)")
            connection.execute("INSERT INTO u VALUES ('a', uuid(), 5), ('b', NULL, NULL)")
            connection.execute("CREATE VIEW v AS SELECT * FROM t")

    return _written(write)


def text_in_disguise_seed(rnd: random.Random) -> bytes:
    """Text, markup or another format under the name of a workbook, and the other way round."""
    rows = "".join(f"<tr><td>n{r}</td><td>{r}</td></tr>" for r in range(9))
    page = f"<html><body><table><tr><th>name</th><th colspan=1>n</th></tr>{rows}</table></body></html>"
    cells = "".join(
        f'<Row><Cell ss:Index="1"><Data ss:Type="String">n{r}</Data></Cell><Cell><Data ss:Type="Number">{r}</Data>'
        "</Cell></Row>" for r in range(9)
    )  # fmt: skip
    book = (
        '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>'
        '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" '
        'xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="S"><Table>'
        f'<Row><Cell><Data ss:Type="String">name</Data></Cell></Row>{cells}</Table></Worksheet></Workbook>'
    )
    return rnd.choice([page.encode(), book.encode(), b"a\tb\n1\tx\n2\ty\n", book.encode("utf-16")])


_INNER: Final[tuple[tuple[str, Maker], ...]] = (
    (".csv", csv_seed), (".json", json_seed), (".csv.gz", lambda rnd: gzip.compress(csv_seed(rnd))),
    (".csv", flood_seed), (".parquet", parquet_seed), (".db", sqlite_seed), (".xlsx", xlsx_seed),
)  # fmt: skip

#: Formats that nobody needs to be able to read: too deep, too much of one sign, or markup under another name.
HOSTILE: Final = frozenset({"deep", "flood"})
FORMATS: Final[dict[str, tuple[Maker, tuple[str, ...]]]] = {
    "csv": (csv_seed, ("csv", "tsv", "txt")),
    "json": (json_seed, ("json",)),
    "ndjson": (ndjson_seed, ("ndjson", "jsonl")),
    "deep": (deep_seed, ("json", "ndjson")),
    "flood": (flood_seed, ("csv", "json", "txt")),
    "parquet": (parquet_seed, ("parquet",)),
    "feather": (feather_seed, ("feather", "arrow")),
    "stream": (arrow_stream_seed, ("arrows", "arrow")),
    "zip": (zip_seed, ("zip",)),
    "tar": (tar_seed, ("tar",)),
    "nested": (nested_seed, ("zip",)),
    "gz": (lambda rnd: gzip.compress(csv_seed(rnd)), ("csv.gz",)),
    "bz2": (lambda rnd: bz2.compress(csv_seed(rnd)), ("csv.bz2",)),
    "xz": (lambda rnd: lzma.compress(json_seed(rnd)), ("json.xz",)),
    "xlsx": (xlsx_seed, ("xlsx", "xlsm")),
    "xlsb": (xlsb_seed, ("xlsb",)),
    "xls": (xls_seed, ("xls",)),
    "ods": (ods_seed, ("ods",)),
    "disguise": (text_in_disguise_seed, ("xls", "xlsx", "xlsm")),
    "sqlite": (sqlite_seed, ("sqlite", "db")),
    "duckdb": (duckdb_seed, ("duckdb",)),
}
