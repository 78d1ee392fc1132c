"""Lines that a person leaves out above the table."""

from __future__ import annotations

import pytest

from tabulaflow_core.errors import FileUnreadable
from tests.data.files.conftest import Reader


def test_more_lines_than_the_sample_holds_are_left_out(read: Reader) -> None:
    above = [f"note {i}, about;nothing" for i in range(6_000)]
    for first in (above, ["sep=;", *above[1:]], ["", *above[1:]]):
        text = "\n".join([*first, "x;y", "1;2", "3;4"]) + "\n"
        seen = read(text, skip_lines=6_000)
        assert (seen.names, seen.rows) == (["x", "y"], [(1, 2), (3, 4)])
        assert seen.report.skipped_count == sum(map(bool, first))
        assert seen.report.skipped[-1].why == "above the table"
    with pytest.raises(FileUnreadable, match="no data"):
        read("x,y\n" + "1,2\n" * 10, skip_lines=6_000)
