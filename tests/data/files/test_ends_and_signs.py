"""Rows that end with a delimiter or a total, and signs of currencies and dashes that are no minus."""

from __future__ import annotations

import pytest

from tests.data.files.conftest import Reader


def test_rows_that_end_with_a_delimiter_have_no_more_columns(read: Reader) -> None:
    assert read("a,b,c\n1,2,3,\n4,5,6,\n7,8,9,\n").names == ["a", "b", "c"]
    rows = "".join(f"{i};{i * 2};x;{'late' if i == 5 else ''}\n" for i in range(12))
    seen = read("a;b;c\n" + rows)
    assert seen.names[:3] == ["a", "b", "c"]
    assert seen.rows[2][:3] == (2, 4, "x")


def test_a_dash_in_place_of_decimals_is_no_sign(read: Reader) -> None:
    assert read("k;v\na;12,-\nb;35,50\nc;-7,-\nd;8,50-\n").column("v") == [12, 35.5, -7, -8.5]
    assert read("k;v\na;CHF 12.–\nb;CHF 35.50\nc;CHF 7.-\n").column("v") == [12, 35.5, 7]


@pytest.mark.parametrize("price", ["€ 5,50", "5,50 €", "£5.50", "¥550"])
def test_a_currency_sign_is_the_only_strange_byte(read: Reader, price: str) -> None:
    seen = read(f"k;v\na;{price}\nb;{price}\n".encode("cp1252"))
    assert seen.type_of("v") in ("integer", "number")
    assert read("k;v\na;Ø 12\nb;Rør\n".encode("cp1252")).column("v") == ["Ø 12", "Rør"]


def test_totals_in_further_words_and_without_a_sum(read: Reader) -> None:
    assert len(read("ville;n\nA;10\nB;20\nC;30\nEnsemble;60\n").rows) == 3
    assert len(read("ville;n\nA;10\nB;20\nC;30\nEnsemble;7\n").rows) == 4
    assert len(read("a,b,c,d\n1,2,3,x\n4,5,6,y\n7,8,9,z\n,,Total,\n").rows) == 3
