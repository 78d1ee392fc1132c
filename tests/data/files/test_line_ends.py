"""Line ends that are mixed in one file, and CR that is part of a cell."""

from __future__ import annotations

import pytest

from tests.data.files.conftest import Reader


@pytest.mark.parametrize(
    "content",
    [
        "a;b\n1;x\n2;y\r3;z\n4;w\n",
        "a;b\r\n1;x\r2;y\r\n3;z\r\n4;w\r\n",
        "a;b\r1;x\r\n2;y\r\n3;z\n4;w",
        "a;b\r1;x\r2;y\r3;z\n4;w\r",
        'a;b\n1;"x"\r2;y\n3;z\n4;w\r\n',
    ],
)
def test_lines_that_end_with_cr_and_with_lf(read: Reader, content: str) -> None:
    seen = read(content)
    assert seen.rows == [(1, "x"), (2, "y"), (3, "z"), (4, "w")]
    assert seen.choice("line_end") == "CR and LF"
    assert seen.report.rows_in_file == 5


def test_a_column_without_a_delimiter_has_all_line_ends(read: Reader) -> None:
    assert read("name\r\nAnn\rBob\r\nCy\r\n").rows == [("Ann",), ("Bob",), ("Cy",)]


def test_cr_within_a_cell_stays_there(read: Reader) -> None:
    assert read('a,b\r\n1,"x\ry"\r\n2,"p"\r\n3,q\r\n').rows == [(1, "x\ry"), (2, "p"), (3, "q")]
    assert read("a,b,c\r\n1,x\ry,2\r\n3,z,4\r\n").rows == [(1, "x\ry", 2), (3, "z", 4)]
    assert read("id,name\r\r\n1,Ann\r\r\n2,Bob\r\r\n").rows == [(1, "Ann"), (2, "Bob")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_cr_ends_a_line_far_down(read: Reader, encoding: str) -> None:
    lines = [f"{n},city {n},{n}.5" for n in range(90_000)]
    ends = ["\r" if n in (80_000, 85_000) else "\n" for n in range(90_000)]
    seen = read(("id,city,v\n" + "".join(map("".join, zip(lines, ends, strict=True)))).encode(encoding))
    assert (len(seen.rows), seen.types) == (90_000, ["integer", "text", "number"])
    assert seen.rows[80_001][:2] == (80_001, "city 80001")
