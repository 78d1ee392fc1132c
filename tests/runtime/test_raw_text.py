"""Lines of a file as they stand in it, packed or not, and a sentence for what has none."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from tabulaflow_core.errors import NotFound, SourceError
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import Runtime
from tabulaflow_core.runtime.raw_text import raw_lines

TEXT = "Umsätze 2026\r\n\r\nname;wert\r\nMüller;1,5\r\n"


def put(folder: Path, body: bytes, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(body)
    return path


def test_lines_have_their_numbers_and_no_ends(tmp_path: Path) -> None:
    path = put(tmp_path, TEXT.encode())
    assert raw_lines(path) == ((1, "Umsätze 2026"), (2, ""), (3, "name;wert"), (4, "Müller;1,5"))
    assert raw_lines(path, start=3, count=1) == ((3, "name;wert"),)
    assert raw_lines(path, start=5) == ()
    assert raw_lines(path, start=-3, count=0) == ()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_across_blocks(tmp_path: Path, end: str) -> None:
    lines = [f"{n:06}" + "x" * (n % 7) for n in range(30_000)]
    path = put(tmp_path, end.join(lines).encode())
    assert [line for _, line in raw_lines(path, start=20_000, count=500)] == lines[19_999:20_499]
    assert raw_lines(path, start=30_000) == ((30_000, lines[-1]),)


@pytest.mark.parametrize("encoding", ["windows-1252", "utf-16", "utf-16-le", "utf-8-sig", "mac-roman"])
def test_the_encoding_in_force_is_used(tmp_path: Path, encoding: str) -> None:
    path = put(tmp_path, TEXT.encode(encoding))
    assert raw_lines(path, encoding=encoding)[3] == (4, "Müller;1,5")


def test_what_the_encoding_cannot_read_is_shown_as_such(tmp_path: Path) -> None:
    assert raw_lines(put(tmp_path, b"M\xfcller\n"), encoding="utf-8") == ((1, "M\ufffdller"),)


def test_packed_files_show_what_is_in_them(tmp_path: Path) -> None:
    body = TEXT.encode()
    packed = {
        "a.gz": gzip.compress(body),
        "a.bz2": bz2.compress(body),
        "a.xz": lzma.compress(body),
        "a.zst": pa.compress(body, codec="zstd", asbytes=True),
    }
    for name, content in packed.items():
        assert raw_lines(put(tmp_path, content, name))[2] == (3, "name;wert")


def test_members_of_an_archive_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("__MACOSX/x", "rubbish")
        archive.writestr("2026/one.csv", "a,b\n")
        archive.writestr("two.csv", "c,d\n")
    assert raw_lines(path) == ((1, "a,b"),)
    assert raw_lines(path, part="two.csv") == raw_lines(path, part="two.csv", count=1) == ((1, "c,d"),)
    assert raw_lines(path, part="one.csv") == ((1, "a,b"),)
    with pytest.raises(NotFound, match=r"three\.csv"):
        raw_lines(path, part="three.csv")


def test_a_line_of_megabytes_is_cut(tmp_path: Path) -> None:
    path = put(tmp_path, b"x" * 3_000_000 + b"\nend\n")
    (_, long), end = raw_lines(path)
    assert len(long) < 11_000
    assert long.endswith("(2,990,000 more characters)")
    assert end == (2, "end")


def test_what_has_no_lines_is_said(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
    for path in (
        tmp_path / "a.xlsx",
        put(tmp_path, b"PAR1" + bytes(20), "a.parquet"),
        put(tmp_path, b"a\0b\0c\n", "a.bin"),
        put(tmp_path, gzip.compress(TEXT.encode())[:20], "cut.gz"),
        put(tmp_path, b"PK\x03\x04" + bytes(20), "cut.zip"),
    ):
        with pytest.raises(SourceError) as error:
            raw_lines(path)
        assert path.name in str(error.value) or "binary data" in str(error.value)
    with pytest.raises(NotFound):
        raw_lines(tmp_path / "gone.csv")


def test_the_page_reads_in_the_file_s_own_encoding(rt: Runtime) -> None:
    rt.add_files(LOCAL_USER, [("umsatz.csv", io.BytesIO("name;wert\nMüller;1,5\nGrün;2,5\n".encode("windows-1252")))])
    assert rt.raw_lines(LOCAL_USER, "umsatz.csv", start=2) == ((2, "Müller;1,5"), (3, "Grün;2,5"))
    rt.add_files(LOCAL_USER, [("picture.csv", io.BytesIO(b"\x89PNG\r\n\x1a\n" + bytes(40)))])
    with pytest.raises(SourceError):
        rt.raw_lines(LOCAL_USER, "picture.csv")
    with pytest.raises(NotFound):
        rt.raw_lines(LOCAL_USER, "other.csv")
