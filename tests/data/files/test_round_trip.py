"""Tables that are written in random dialects come back the same; `benchmarks/round_trip.py` runs thousands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.files.round_trip import Maker, check


@pytest.mark.parametrize("first", range(1, 151, 10))
def test_random_tables_come_back_the_same(tmp_path: Path, first: int) -> None:
    wrong = {seed: check(Maker(seed).make(), tmp_path) for seed in range(first, first + 10)}
    assert {seed: what for seed, what in wrong.items() if what} == {}


def test_a_case_is_made_from_its_number_alone() -> None:
    assert Maker(7).make().content == Maker(7).make().content


def test_a_difference_is_found(tmp_path: Path) -> None:
    case = Maker(7).make()
    case.columns[0].values[0] = "another value"
    assert check(case, tmp_path)
