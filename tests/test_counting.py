"""Numbers of things in sentences."""

from __future__ import annotations

from tabulaflow_core.counting import agreed, counted


def test_one_and_several() -> None:
    assert [counted(n, "blank line") for n in (0, 1, 2, 1200)] == [
        "0 blank lines", "1 blank line", "2 blank lines", "1,200 blank lines",
    ]  # fmt: skip
    assert counted(3, "entry", "entries") == "3 entries"
    assert [agreed(n, "is", "are") for n in (1, 2)] == ["is", "are"]
