"""Archives: every member by itself, with safe names, bounds and a word on what was left out."""

from __future__ import annotations

import bz2
import gzip
import io
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from tabulaflow_core.data.files import ReadBounds, ReadOptions, Watch
from tabulaflow_core.errors import FileUnreadable
from tests.data.files.conftest import Reader
from tests.data.files.containers.conftest import ReadAll

TEXT = b"a,b\n1,x\n2,y\n"
ROWS = [(1, "x"), (2, "y")]


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], packed: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packed) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(*members: tuple[str, bytes], links: tuple[tuple[str, str], ...] = ()) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for name, target in links:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return buffer.getvalue()


def test_each_member_is_a_part_with_a_report(read_all: ReadAll) -> None:
    seen = read_all(
        zipped(("orders.csv", TEXT), ("2026/people.json", b'[{"n": "Ana"}]'), ("photo.png", b"\x89PNG\r\n\x1a\nxx")),
        "export.zip",
    )
    assert seen.tables == {"export_orders": ROWS, "export_people": [("Ana",)]}
    assert seen.parts == {"orders.csv": "read", "2026/people.json": "read", "photo.png": "unreadable"}
    assert "PNG picture" in seen.part("photo.png").message
    assert seen.told("photo.png", "PNG")
    orders, people = seen.reading.tables
    assert orders.part == "orders.csv"
    assert orders.report is not None
    assert orders.report.decision("delimiter") is not None
    assert people.report is not None
    assert people.report.format == "json"
    assert seen.reading.report.rows_in_table == 3


def test_what_the_system_puts_there_is_no_table(read_all: ReadAll) -> None:
    seen = read_all(
        zipped(
            ("data/", b""), ("data/a.csv", TEXT), ("__MACOSX/data/._a.csv", b"\0\1"), (".DS_Store", b"\0\1"),
            ("README.txt", b"Made in spring."), ("none.csv", b""),
        ),
        "d.zip",
    )  # fmt: skip
    assert seen.tables == {"d": ROWS}
    assert seen.parts == {"data/a.csv": "read", "README.txt": "off", "none.csv": "empty"}
    assert seen.told("2 hidden files")
    assert seen.told("README.txt")
    assert seen.reading.report.decision("delimiter") is not None
    assert list(read_all(zipped(("README.txt", TEXT), ("b.csv", TEXT)), "e.zip", parts=("README.txt",)).tables) == ["e"]


def test_parts_are_chosen_and_read_by_their_own_choices(read_all: ReadAll) -> None:
    content = zipped(("a.csv", TEXT), ("b.csv", b"x;y\n1;2\n"), ("c.csv", TEXT))
    seen = read_all(content, "t.zip", parts=("a.csv", "b.csv"), by_part={"b.csv": ReadOptions(header=False)})
    assert list(seen.tables) == ["t_a", "t_b"]
    assert seen.tables["t_b"] == [("x", "y"), ("1", "2")]
    assert seen.parts["c.csv"] == "off"
    with pytest.raises(FileUnreadable, match=r"holds no “d.csv”\. It holds “a.csv”"):
        read_all(content, "t.zip", parts=("d.csv",))


def test_an_archive_in_an_archive_once(read_all: ReadAll) -> None:
    inner = zipped(("a.csv", TEXT), ("b.csv", TEXT))
    seen = read_all(zipped(("inner.zip", inner), ("c.csv.gz", gzip.compress(TEXT))), "t.zip")
    assert sorted(seen.parts) == ["c.csv.gz", "inner.zip/a.csv", "inner.zip/b.csv"]
    assert sorted(seen.tables) == ["t_c", "t_inner_a", "t_inner_b"]
    assert list(read_all(zipped(("i.zip", inner)), "t.zip", parts=("i.zip/b.csv",)).parts.values()) == ["off", "read"]
    with pytest.raises(FileUnreadable, match="archive in an archive in an archive"):
        read_all(zipped(("x.zip", zipped(("y.zip", inner)))), "t.zip")


def test_a_broken_member_of_an_inner_archive_takes_no_tables_with_it(read_all: ReadAll) -> None:
    """The second member of both fails: what was written of the first must stay."""
    inner = zipped(("good.csv", TEXT), ("bad.csv", b"\x89PNG\r\n\x1a\n" * 9))
    seen = read_all(zipped(("first.csv", TEXT), ("in.zip", inner)), "out.zip")
    assert seen.tables == {"out_first": ROWS, "out_in_good": ROWS}
    assert seen.parts["in.zip/bad.csv"] == "unreadable"


def test_equal_names(read_all: ReadAll) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = zipped(("a.csv", b"a,b\n9,z\n"), ("a.csv", TEXT))
    seen = read_all(twice, "t.zip")
    assert (seen.tables, seen.parts) == ({"t": ROWS}, {"a.csv (1)": "off", "a.csv": "read"})
    assert read_all(twice, "t.zip", parts=("a.csv (1)",)).tables == {"t": [(9, "z")]}
    both = read_all(zipped(("x/a.csv", TEXT), ("y/a.csv", TEXT), ("A.csv.gz", gzip.compress(TEXT))), "t.zip")
    assert sorted(both.tables) == ["t_a", "t_x_a", "t_y_a"]


def test_names_in_other_code_pages(read_all: ReadAll) -> None:
    def raw(name: bytes) -> bytes:
        content = bytearray(zipped(("x" * len(name) + ".csv", TEXT), ("other.csv", TEXT)))
        return bytes(content.replace(b"x" * len(name), name))

    assert "Größe.csv" in read_all(zipped(("Größe.csv", TEXT), ("b.csv", TEXT)), "t.zip").parts
    assert "Größe.csv" in read_all(raw("Größe".encode()), "t.zip").parts
    assert "Größe.csv" in read_all(raw("Größe".encode("cp437")), "t.zip").parts
    entry = zipfile.ZipInfo("x.csv")
    path = "données.csv".encode()
    entry.extra = struct.pack("<HHBI", 0x7075, len(path) + 5, 1, 0) + path
    assert "données.csv" in read_all(zipped((entry, TEXT), ("b.csv", TEXT)), "t.zip").parts


def test_members_behind_a_password(read_all: ReadAll) -> None:
    content = bytearray(zipped(("a.csv", TEXT), ("b.csv", TEXT)))
    first, central = content.index(b"PK\x03\x04"), content.index(b"PK\x01\x02")
    content[first + 6] |= 1
    content[central + 8] |= 1
    seen = read_all(bytes(content), "t.zip")
    assert seen.tables == {"t": ROWS}
    assert "locked by a password" in seen.part("a.csv").message
    alone = bytearray(zipped(("a.csv", TEXT)))
    alone[6] |= 1
    alone[alone.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(FileUnreadable, match="locked by a password; unpack it yourself"):
        read_all(bytes(alone), "t.zip")


@pytest.mark.parametrize(("method", "name"), [(9, "Deflate64"), (93, "Zstandard"), (77, "method 77")])
def test_methods_of_packing_that_are_not_unpacked(read_all: ReadAll, method: int, name: str) -> None:
    content = bytearray(zipped(("a.csv", TEXT), ("b.csv", TEXT)))
    content[8:10] = method.to_bytes(2, "little")
    central = content.index(b"PK\x01\x02")
    content[central + 10 : central + 12] = method.to_bytes(2, "little")
    seen = read_all(bytes(content), "t.zip")
    assert seen.tables == {"t": ROWS}
    assert f"packed by {name}, which is not unpacked here" in seen.part("a.csv").message


def test_nothing_is_written_outside_and_links_are_not_followed(read_all: ReadAll, tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.csv")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    content = zipped(
        ("../../out.csv", TEXT), ("/abs/b.csv", TEXT), ("C:\\data\\c.csv", TEXT), (link, b"/etc/passwd"),
    )  # fmt: skip
    before = sorted(p for p in tmp_path.parent.rglob("*") if "out" in p.name)
    seen = read_all(content, "t.zip")
    assert seen.parts == {
        "out.csv": "read", "abs/b.csv": "read", "data/c.csv": "read", "link.csv": "unreadable",
    }  # fmt: skip
    assert seen.told("out.csv", "leads outside")
    assert sorted(p for p in tmp_path.parent.rglob("*") if "out" in p.name) == before
    seen = read_all(tarred(("a.csv", TEXT), links=(("b.csv", "/etc/passwd"), ("c.csv", "a.csv"))), "t.tar")
    assert seen.parts == {"a.csv": "read", "b.csv": "unreadable", "c.csv": "unreadable"}
    assert "not followed" in seen.part("b.csv").message


@pytest.mark.parametrize("suffix", ["tar", "tgz", "tar.gz", "tar.bz2"])
def test_tar(read_all: ReadAll, suffix: str) -> None:
    content = tarred(("d/a.csv", TEXT), ("d/b.csv", TEXT))
    packed = gzip.compress(content) if suffix.endswith("gz") else content
    packed = bz2.compress(content) if suffix.endswith("bz2") else packed
    seen = read_all(packed, f"t.{suffix}")
    assert seen.tables == {"t_a": ROWS, "t_b": ROWS}


def test_bombs(read_all: ReadAll) -> None:
    blanks = b"a\n" + b"0" * 20_000_000
    with pytest.raises(FileUnreadable, match="more than 200 times its size"):
        read_all(zipped(("a.csv", blanks)), "t.zip", watch=Watch(bounds=ReadBounds(unpacked_ratio=200)))
    with pytest.raises(FileUnreadable, match="more than 1 MB"):
        read_all(zipped(("a.csv", blanks)), "t.zip", watch=Watch(bounds=ReadBounds(unpacked_bytes=1024**2)))
    with pytest.raises(FileUnreadable, match="more than 2 files"):
        read_all(zipped(*((f"{i}.csv", TEXT) for i in range(3))), "t.zip", watch=Watch(bounds=ReadBounds(members=2)))
    over = bytearray(zipped(("a.csv", TEXT), ("b.csv", TEXT)))
    second = over.rindex(b"PK\x01\x02")
    over[second + 42 : second + 46] = bytes(4)  # both entries point at the first file
    with pytest.raises(FileUnreadable, match="lie over each other"):
        read_all(bytes(over), "t.zip")


def test_members_do_not_mix(read_all: ReadAll) -> None:
    """A long text, one that fails after its rows were taken, and JSON leave nothing to each other."""
    lines = b"id,name\n" + b"".join(b"%d,n%d\n" % (i, i) for i in range(60_000))
    members = (("a.csv", lines), ("b.json", b'[{"x": 1}]'), ("c.csv", lines), ("d.json", b"[{"), ("e.csv", TEXT))
    seen = read_all(zipped(*members), "t.zip")
    assert {name: len(rows) for name, rows in seen.tables.items()} == {
        "t_a": 60_000, "t_b": 1, "t_c": 60_000, "t_e": 2,
    }  # fmt: skip
    assert seen.tables["t_c"][-1] == (59_999, "n59999")
    assert seen.tables["t_b"] == [(1,)]


def test_damaged_archives(read_all: ReadAll, read: Reader) -> None:
    content = bytearray(zipped(("a.csv", TEXT), ("b.csv", TEXT), packed=zipfile.ZIP_STORED))
    content[content.index(b"1,x")] ^= 1
    seen = read_all(bytes(content), "t.zip")
    assert seen.parts == {"a.csv": "unreadable", "b.csv": "read"}
    assert "damaged" in seen.part("a.csv").message
    with pytest.raises(FileUnreadable, match="damaged zip file"):
        read(bytes(content)[:-30], "t.zip")
    with pytest.raises(FileUnreadable, match="without any file that holds data"):
        read(zipped(), "t.zip")
    with pytest.raises(FileUnreadable, match=r"no file that can be read. a.png: .*; b.csv: it is empty"):
        read(zipped(("a.png", b"\x89PNG\r\n\x1a\nxx"), ("b.csv", b"")), "t.zip")
