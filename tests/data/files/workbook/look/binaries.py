"""Writes compound files, XLS and XLSB workbooks for tests, record by record."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.data.files.workbooks import write_zip

END, FREE, TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def compound(streams: Mapping[str, bytes], *, folders: Sequence[str] = ()) -> bytes:
    """A compound file; streams below 4,096 bytes go into the small stream, as they must."""
    sectors: list[bytes] = []
    table: list[int] = []

    def store(data: bytes) -> int:
        if not data:
            return END
        first = len(sectors)
        count = -(-len(data) // 512)
        for i in range(count):
            sectors.append(data[i * 512 : (i + 1) * 512].ljust(512, b"\0"))
            table.append(first + i + 1 if i + 1 < count else END)
        return first

    small, small_table = b"", []
    places: dict[str, int] = {}
    for name, data in streams.items():
        if len(data) >= 4096:
            places[name] = store(data)
        else:
            count = -(-len(data) // 64)
            places[name] = len(small_table)
            small_table += [len(small_table) + i + 1 for i in range(count - 1)] + [END]
            small += data.ljust(count * 64, b"\0")

    def entry(name: str, kind: int, start: int, size: int) -> bytes:
        text = name.encode("utf-16-le") + b"\0\0"
        return text.ljust(64, b"\0") + struct.pack("<HBB12s36xIQ", len(text), kind, 1, b"\xff" * 12, start, size)

    root = entry("Root Entry", 5, store(small), len(small))
    directory = root + b"".join(entry(n, 2, places[n], len(d)) for n, d in streams.items())
    directory += b"".join(entry(n, 1, 0, 0) for n in folders)
    directory_at = store(directory.ljust(-(-len(directory) // 512) * 512, b"\0"))
    small_at = store(struct.pack(f"<{len(small_table)}I", *small_table).ljust(512, b"\xff"))
    tables = -(-(len(sectors) + 1) // 127)
    at = len(sectors)
    table += [TABLE] * tables
    data = struct.pack(f"<{len(table)}I", *table).ljust(tables * 512, b"\xff")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIII", 0, tables, directory_at, 0, 4096, small_at, 1, END, 0)
    header += struct.pack("<109I", *([at + i for i in range(tables)] + [FREE] * (109 - tables)))
    return header + b"".join(sectors) + data


def record(kind: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def xls(
    sheets: Mapping[str, tuple[int, int, bytes]], *, formats: Sequence[tuple[int, str]] = (),
    styles: Sequence[int] = (0,), before: bytes = b"", folders: Sequence[str] = (),
) -> bytes:  # fmt: skip
    """An XLS file: for each sheet its state, its kind and its records; `styles` are the format ids of cell styles."""
    bof = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 6))
    head = bof + before
    for number, code in formats:
        head += record(0x41E, struct.pack("<HHB", number, len(code), 1) + code.encode("utf-16-le"))
    for number in styles:
        head += record(0xE0, struct.pack("<HH16x", 0, number))
    length = len(head) + sum(4 + 8 + 2 * len(name) for name in sheets) + 4
    listed, bodies = b"", b""
    for name, (state, kind, records) in sheets.items():
        listed += record(
            0x85, struct.pack("<IBBBB", length + len(bodies), state, kind, len(name), 1) + name.encode("utf-16-le")
        )
        bodies += bof + records + record(0x0A)
    stream = head + listed + record(0x0A) + bodies
    return compound({"Workbook": stream.ljust(4096, b"\0")}, folders=folders)


def number(row: int, column: int, style: int, value: float) -> bytes:
    return record(0x203, struct.pack("<HHHd", row, column, style, value))


def record12(kind: int, data: bytes = b"") -> bytes:
    """A record of XLSB."""
    head = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    size, length = len(data), b""
    while True:
        length += bytes([size & 0x7F | (0x80 if size > 0x7F else 0)])
        size >>= 7
        if not size:
            return head + length + data


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def write_xlsb(
    path: Path, sheets: Mapping[str, tuple[int, bytes]], *, formats: Sequence[tuple[int, str]] = (),
    styles: Sequence[int] = (0,), date_1904: bool = False,
) -> Path:  # fmt: skip
    """An XLSB file: for each sheet its state and the records between the beginning and the end of its data."""
    rels = f'<Relationship Id="rIdS" Type="{REL}/styles" Target="styles.bin"/>'
    book = record12(131) + record12(153, struct.pack("<III", int(date_1904), 0, 0)) + record12(143)
    members: dict[str, str | bytes] = {}
    for n, (name, (state, records)) in enumerate(sheets.items(), 1):
        book += record12(156, struct.pack("<II", state, n) + wide(f"rId{n}") + wide(name))
        rels += f'<Relationship Id="rId{n}" Type="{REL}/worksheet" Target="worksheets/sheet{n}.bin"/>'
        body = record12(129) + record12(148, struct.pack("<IIII", 0, 9, 0, 9)) + record12(145)
        members[f"xl/worksheets/sheet{n}.bin"] = body + records + record12(146) + record12(130)
    styled = record12(278) + record12(615, struct.pack("<I", len(formats)))
    styled += b"".join(record12(44, struct.pack("<H", number) + wide(code)) for number, code in formats)
    styled += record12(616) + record12(626, struct.pack("<I", 1)) + record12(47, struct.pack("<HH12x", 0xFFFF, 9))
    styled += record12(627) + record12(617, struct.pack("<I", len(styles)))
    styled += (
        b"".join(record12(47, struct.pack("<HH12x", 0, number)) for number in styles) + record12(618) + record12(279)
    )
    members |= {
        "xl/workbook.bin": book + record12(144) + record12(132),
        "xl/styles.bin": styled,
        "xl/_rels/workbook.bin.rels": f"<Relationships>{rels}</Relationships>",
        "_rels/.rels": f'<Relationships><Relationship Id="rId1" Type="{REL}/officeDocument" Target="xl/workbook.bin"/>'
        "</Relationships>",
        "[Content_Types].xml": "<Types/>",
    }
    return write_zip(path, members)
