"""Thousands of damaged workbooks: each is looked at or refused in a sentence, and never anything else."""

from __future__ import annotations

import random
import struct
import zipfile
from datetime import date
from pathlib import Path

import pytest

from tabulaflow_core.data.files.formats.workbook.look import WorkbookKind, look
from tabulaflow_core.data.files.watch import Watch
from tabulaflow_core.errors import FileReadingStopped, FileUnreadable
from tests.data.files.workbook.look.binaries import number, record12, write_xlsb, xls
from tests.data.files.workbook.look.test_binaries import FORMATS, STYLES, cell, row_header, sheet_records
from tests.data.files.workbooks import Cell, ListObject, Sheet, write_xlsx, write_zip
from tests.data.files.workbooks_ods import write_ods

ROWS = [[date(2026, 3, d), Cell(0.5, "0%"), Cell(2.5, "#,##0 €", formula="1+1")] for d in range(1, 9)]
BOOK = [
    Sheet(
        "Sales",
        [
            ["Day", "Share", "Sum"],
            *([date(2026, 3, d), Cell(0.5, "0%"), Cell(2.5, "#,##0 €", formula="1+1")] for d in range(1, 9)),
        ],
        merged=["A1:B1", "A9:B11"],
        hidden_rows=[3],
        hidden_columns=[1],
        tables=[ListObject("T", "A1:C9")],
    ),
    Sheet("Other", [[1, "x", True]], state="hidden"),
]
#: Mutations a kind; 2,000 in all.
TIMES = 500
INTERESTING = (
    *(
        b"",
        b"\0",
        b"<",
        b">",
        b'"',
        b"'",
        b"&",
        b"&#0;",
        b"&x;",
        b"<!--",
        b"]]>",
        b"<![CDATA[",
        b"<?x",
        b"<!DOCTYPE a>",
    ),
    *(
        b"-1",
        b"0",
        b"99999999999999999999",
        b"1e999",
        b"\xff\xfe",
        b"\xc3",
        b"xmlns:x='y' ",
        b"</row>",
        b"</sheetData>",
    ),
    *(b"<sheetData>", b"<c r='ZZZ0'>", b'r="A99999999"', b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f"),
)


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, cut, doubled or put in."""
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        if not data:
            return data
        at = chance.randrange(len(data))
        to = min(len(data), at + chance.choice([1, 1, 2, 4, 8, 40, 400]))
        before, part, after = data[:at], data[at:to], data[to:]
        word = struct.pack("<I", chance.choice([0, 1, 0xFFFF, 0xFFFFFFFE, 2**31]))
        data = chance.choice(
            (
                before + bytes([chance.randrange(256)]) + data[at + 1 :],
                before + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :],
                before + after,
                before + part * chance.choice([2, 3, 50]) + after,
                before + chance.choice(INTERESTING) + after,
                before + chance.choice(INTERESTING) + part + after,
                before + word + data[at + 4 :],
                before if chance.random() < 0.3 else data,
            )
        )
    return data


def sound(path: Path, kind: WorkbookKind) -> Path:
    if kind == "xlsx":
        return write_xlsx(path, BOOK)
    if kind == "ods":
        return write_ods(path, BOOK)
    if kind == "xls":
        rows = b"".join(number(r, 0, 1, r) for r in range(300))
        path.write_bytes(xls({"a": (0, 0, sheet_records() + rows), "b": (1, 0, b"")}, formats=FORMATS, styles=STYLES))
        return path
    rows = b"".join(row_header(r) + cell(5, 0, 1, struct.pack("<d", r)) for r in range(20))
    return write_xlsb(
        path, {"a": (0, rows + record12(176, struct.pack("<IIII", 5, 6, 0, 2)))}, formats=FORMATS, styles=STYLES
    )


@pytest.mark.parametrize("kind", ["xlsx", "xlsb", "xls", "ods"])
def test_damaged_workbooks(tmp_path: Path, kind: WorkbookKind) -> None:
    chance = random.Random(f"damage {kind}")
    whole = sound(tmp_path / "sound", kind)
    data = whole.read_bytes()
    members: dict[str, bytes] = {}
    if kind != "xls":
        with zipfile.ZipFile(whole) as file:
            members = {name: file.read(name) for name in file.namelist()}
    looked_at, refusals = 0, set[str]()
    path = tmp_path / "damaged"
    for i in range(TIMES):
        if members and i % 4:  # inside one part, mostly, since a damaged zip is refused at once
            name = chance.choice(sorted(members))
            write_zip(path, members, {name: mutate(members[name], chance)})
        else:
            path.write_bytes(mutate(data, chance))
        try:
            look(path, kind, watch=Watch())
            looked_at += 1
        except FileReadingStopped:
            pass
        except FileUnreadable as refusal:
            refusals.add(refusal.user_message)
    assert all(sentence.endswith(".") for sentence in refusals)
    assert 20 < looked_at < TIMES, "some damage is harmless and some is not"
