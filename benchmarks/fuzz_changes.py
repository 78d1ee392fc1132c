"""Changes to sound files: of their bytes, or of what they hold with the container around it kept sound.

A damaged container is refused at its door. What lies behind it is only reached when checksums, lengths of members
and magic bytes still hold, so most changes are made inside.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import re
import struct
import tarfile
import zipfile
from collections.abc import Callable
from typing import Final

import numpy as np

from benchmarks.fuzz_seeds import WORDS

Change = Callable[[random.Random, bytes], bytes]

#: What an attribute or a text of XML may claim.
_CLAIMS: Final = (
    b"", b"0", b"-1", b"1", b"99999", b"4294967295", b"99999999999999999999", b"1e999", b"nan", b"x", b"A1", b"ZZZ9",
    b"A1:XFD1048576", b"XFD1048576", b"A1:A1", b"B2:A1", b"s", b"str", b"b", b"e", b"d", b"inlineStr", b"n", b"true",
    b"hidden", b"../../x", b"/xl/workbook.xml", b"rId1", b"yyyy", b"[h]:mm:ss", b"0.00%", b"General", b"&#65;",
    b"_x000D_", b"2026-02-30", b"PT99999999H", b"percentage", b"currency", b"float", b"date", b"time", b"#N/A", b"1.5",
    "ü".encode(), b"a" * 5000,
)  # fmt: skip
_ATTRIBUTE: Final = re.compile(rb"""=(["'])(.*?)\1""", re.DOTALL)
_TEXT: Final = re.compile(rb">([^<>]{1,200})<")
_ELEMENT: Final = re.compile(rb"<([A-Za-z][\w:]*)\b[^<>]*/>|<([A-Za-z][\w:]*)\b[^<>]*>[^<]{0,80}</\2>")
_VALUE: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null')
_VALUES: Final = (
    b"1", b"-1", b"1e999", b"1e-400", b"123456789012345678901234567890", b"null", b"true", b"NaN", b'"\\ud800"', b'""',
    b"[]", b"{}", b'{"a":[{"a":1}]}', b'"2026-02-30"', b"[1,[2,[3]]]", b"-0", b'"\\u0000"',
)  # fmt: skip
_NUMBERS: Final = (0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**40, 2**63 - 1, 2**63)
_DUCKDB_HEADER: Final = 4096


def mutated(rnd: random.Random, data: bytes) -> bytes:
    """The same bytes with some changes; none at all now and then."""
    buffer = bytearray(data)
    for _ in range(rnd.choice([0, 1, 1, 2, 5, 20])):
        at, length = rnd.randrange(len(buffer) + 1), rnd.choice([1, 1, 2, 8, 100])
        match rnd.randrange(8):
            case 0:
                buffer[at : at + length] = b""
            case 1:
                signs = [b'"', b"\n", b"\r", b"\0", b",", b"\xff\xfe", b"\xf0\x9f", b"{", b"]"]
                buffer[at:at] = rnd.choice(signs) * length
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
                buffer[at:at] = rnd.choice(WORDS).encode()
    return bytes(buffer)


def overwritten(rnd: random.Random, data: bytes, first: int = 0, last: int | None = None) -> bytes:
    """Some bytes or numbers of a part replaced, all others at their places."""
    last = len(data) if last is None else last
    buffer = bytearray(data)
    if last - first < 16:
        return data
    for _ in range(rnd.choice([1, 1, 2, 4, 12])):
        at = rnd.randrange(first, last - 8)
        match rnd.randrange(5):
            case 0:
                buffer[at] ^= 1 << rnd.randrange(8)
            case 1:
                buffer[at] = rnd.randrange(256)
            case 2:
                place = first + (at - first) // 4 * 4
                buffer[place : place + 4] = struct.pack("<I", rnd.choice(_NUMBERS) & 0xFFFFFFFF)
            case 3:
                place = first + (at - first) // 8 * 8
                buffer[place : place + 8] = struct.pack("<Q", rnd.choice(_NUMBERS))
            case _:
                buffer[at : at + 2] = struct.pack(">H", rnd.choice(_NUMBERS) & 0xFFFF)
    return bytes(buffer)


def xml_changed(rnd: random.Random, data: bytes) -> bytes:
    """XML that is still well-formed, mostly, and says something else."""
    for _ in range(rnd.choice([1, 1, 2, 5, 15])):
        pattern, group = rnd.choice([(_ATTRIBUTE, 2), (_ATTRIBUTE, 2), (_TEXT, 1), (_ELEMENT, 0)])
        places = [m.span(group) for m in pattern.finditer(data)]
        if not places:
            continue
        first, last = rnd.choice(places)
        part = data[first:last]
        if pattern is _ELEMENT:
            new = rnd.choice([b"", part * 2, part * 40, data[slice(*rnd.choice(places))]])
        else:
            new = rnd.choice([rnd.choice(_CLAIMS), data[slice(*rnd.choice(places))], part[:-1], part + b"0"])
        data = data[:first] + new + data[last:]
    return data if rnd.random() < 0.95 else mutated(rnd, data)


def json_changed(rnd: random.Random, data: bytes) -> bytes:
    """JSON that is still sound, mostly, with other values or keys."""
    for _ in range(rnd.choice([1, 2, 8])):
        places = [m.span() for m in _VALUE.finditer(data)]
        if places:
            first, last = rnd.choice(places)
            data = data[:first] + rnd.choice(_VALUES) + data[last:]
    return data


def zip_changed(rnd: random.Random, data: bytes) -> bytes:
    """A sound zip with something else in one or two of its members, or without one, or with one twice."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        members = [(info.filename, old.read(info), info.compress_type) for info in old.infolist()]
    if not members:
        return data
    data_parts = [i for i, (name, inside, _) in enumerate(members) if len(inside) > 100 and "[" not in name]
    for _ in range(rnd.choice([1, 1, 2])):
        at = rnd.choice(data_parts) if data_parts and rnd.random() < 0.8 else rnd.randrange(len(members))
        name, inside, method = members[at]
        if rnd.random() < 0.95:
            members[at] = (name, inner_change(rnd, name, inside), method)
        elif len(members) > 1:
            members.pop(at)
            break
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name, inside, method in members:
            new.writestr(name, inside, method)
    return buffer.getvalue()


def inner_change(rnd: random.Random, name: str, data: bytes) -> bytes:
    """The change that suits a member by its name."""
    suffix = name.rpartition(".")[2].lower()
    change = {
        "xml": xml_changed, "rels": xml_changed, "bin": overwritten, "zip": zip_changed, "json": json_changed,
        "gz": gz_changed, "parquet": parquet_changed, "db": overwritten, "xlsx": zip_changed,
    }.get(suffix, mutated)  # fmt: skip
    try:
        return change(rnd, data)
    except (zipfile.BadZipFile, OSError, EOFError):  # an earlier change has broken it
        return mutated(rnd, data)


def tar_changed(rnd: random.Random, data: bytes) -> bytes:
    """A sound tape archive with something else in a member, or a header that is only damaged."""
    if rnd.random() < 0.4:
        return overwritten(rnd, data)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as old, tarfile.open(fileobj=buffer, mode="w") as new:
        for info in old:
            stream = old.extractfile(info)
            inside = mutated(rnd, stream.read()) if stream else b""
            info.size = len(inside)
            if rnd.random() < 0.1:
                info.type, info.linkname = rnd.choice([tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE]), "../../x"
                info.size, inside = 0, b""
            new.addfile(info, io.BytesIO(inside))
    return buffer.getvalue()


def gz_changed(rnd: random.Random, data: bytes) -> bytes:
    """Sound gzip of something else."""
    inside = gzip.decompress(data)
    try:
        return gzip.compress(tar_changed(rnd, inside) if inside[257:262] == b"ustar" else mutated(rnd, inside))
    except tarfile.TarError:
        return gzip.compress(mutated(rnd, inside))


def bz2_changed(rnd: random.Random, data: bytes) -> bytes:
    """Sound bzip2 of something else."""
    return bz2.compress(mutated(rnd, bz2.decompress(data)))


def xz_changed(rnd: random.Random, data: bytes) -> bytes:
    """Sound xz of something else."""
    return lzma.compress(json_changed(rnd, lzma.decompress(data)))


def parquet_changed(rnd: random.Random, data: bytes) -> bytes:
    """A Parquet file with its magic bytes and the length of its footer, and other pages or another footer."""
    footer = int.from_bytes(data[-8:-4], "little")
    begin = max(4, len(data) - 8 - footer)
    return overwritten(rnd, data, *rnd.choice([(4, begin), (begin, len(data) - 8), (4, len(data) - 8)]))


def arrow_changed(rnd: random.Random, data: bytes) -> bytes:
    """An Arrow file with its magic bytes and the length of its footer; other lengths, offsets and values."""
    if not data.startswith(b"ARROW1"):
        return overwritten(rnd, data, 8)
    footer = int.from_bytes(data[-10:-6], "little")
    begin = max(16, len(data) - 10 - footer)
    places = [(16, begin), (16, begin), (begin, len(data) - 10), (16, min(begin, 600))]
    return overwritten(rnd, data, *rnd.choice(places))


def sqlite_changed(rnd: random.Random, data: bytes) -> bytes:
    """A SQLite file with its header, and other bytes on one of its pages; often the first, which has the schema."""
    size = int.from_bytes(data[16:18], "big")
    size = 65536 if size == 1 else size
    page = rnd.choice([0, rnd.randrange(max(1, len(data) // size))])
    part = rnd.choice([12, 100, size])  # the header of a page and its list of cells, or all of it
    first = page * size + (100 if not page else 0)
    return overwritten(rnd, data, first, min(len(data), max(first + part, first + 20)))


def duckdb_changed(rnd: random.Random, data: bytes) -> bytes:
    """A DuckDB file with other bytes in its headers or blocks, and checksums that hold again."""
    block = 262_144 if (len(data) - 3 * _DUCKDB_HEADER) % 262_144 == 0 else 16_384
    places = [(i * _DUCKDB_HEADER, _DUCKDB_HEADER) for i in range(3)]
    places += [(at, block) for at in range(3 * _DUCKDB_HEADER, len(data) - block + 1, block)]
    first, size = rnd.choice(places if rnd.random() < 0.3 else places[3:] or places)
    used = len(data[first : first + size].rstrip(b"\0"))
    changed = bytearray(overwritten(rnd, data, first + 8, first + min(size, max(used, 64))))
    changed[first : first + 8] = duckdb_checksum(bytes(changed[first + 8 : first + size])).to_bytes(8, "little")
    return bytes(changed)


def duckdb_checksum(data: bytes) -> int:
    """What DuckDB writes before a block, whose length is a multiple of eight bytes."""
    words = np.frombuffer(data, dtype="<u8") * np.uint64(0xBF58476D1CE4E5B9)
    return int(np.bitwise_xor.reduce(words)) ^ 5381


#: Changes inside, by format; what is not named is changed as bytes.
INSIDE: Final[dict[str, Change]] = {
    "json": json_changed, "ndjson": json_changed, "parquet": parquet_changed, "feather": arrow_changed,
    "stream": arrow_changed, "zip": zip_changed, "nested": zip_changed, "tar": tar_changed, "gz": gz_changed,
    "bz2": bz2_changed, "xz": xz_changed, "xlsx": zip_changed, "xlsb": zip_changed, "xls": overwritten,
    "ods": zip_changed, "disguise": xml_changed, "sqlite": sqlite_changed, "duckdb": duckdb_changed,
}  # fmt: skip


def changed(rnd: random.Random, kind: str, data: bytes) -> bytes:
    """A file of a format, changed inside where that is known how, else anywhere."""
    inside = INSIDE.get(kind)
    return mutated(rnd, data) if inside is None or rnd.random() < 0.2 else inside(rnd, data)
