"""Costs in words: a price that is not known is said to be so, and never counted as nothing."""

from __future__ import annotations

import pytest

from pages.ui import wording


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ([(0.0, "local"), (0.0, "local")], "free, runs here"),
        ([(None, "unknown"), (None, "unknown")], "price unknown"),
        ([(0.5, "table"), (None, "unknown"), (None, "unknown")], "$0.5000 + 2 of unknown price"),
        ([(0.0, "local"), (None, "unknown")], "1 of unknown price"),
        ([(0.5, "table"), (0.75, "table")], "$1.25"),
    ],
)
def test_the_sum_of_costs(costs: list[tuple[float | None, str]], said: str) -> None:
    assert wording.total_cost(costs) == said


def test_what_a_conversation_used() -> None:
    assert wording.running_cost([(None, "unknown")], tokens=1_200) == "1 question · 1,200 tokens · price unknown"
