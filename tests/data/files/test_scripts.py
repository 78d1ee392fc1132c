"""Numbers and dates in the digits and signs of other scripts."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from tabulaflow_core.data.files.values import looks_like
from tests.data.files.conftest import Reader


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["١٢٣", "٤٥", "-٧"], [123, 45, -7]),
        (["۱۲۳", "۴۵", "۷"], [123, 45, 7]),
        (["१२३", "४५", "७"], [123, 45, 7]),
        (["１２３", "４５", "－７"], [123, 45, -7]),
        (["๑๒๓", "๔๕", "๗"], [123, 45, 7]),
        (["١٬٢٣٤٫٥", "٢٫٥", "٣٫٠"], [1234.5, 2.5, 3.0]),
        (["１，２３４．５", "２．５", "３．０"], [1234.5, 2.5, 3.0]),
        (["٥٠٪", "٢٥٪", "٧٪"], [50, 25, 7]),
        (["\u200f-١٢", "١٢-", "(١٢)"], [-12, -12, -12]),
        (["12", "١٢", "１２"], [12, 12, 12]),
        (["\u3000１２", "３\u3000", "４"], [12, 3, 4]),
        (["￥１２０", "￥３０", "￥９"], [120, 30, 9]),
    ],
)
def test_numbers(read: Reader, cells: list[str], values: list[float]) -> None:
    seen = read("k;v\n" + "".join(f"a;{c}\n" for c in cells))
    assert [float(str(v)) for v in seen.column("v")] == values
    assert seen.type_of("v") in ("integer", "number")


def test_the_decimal_mark_of_arabic_is_one_in_any_file(read: Reader) -> None:
    seen = read("k;v;w\na;٢٫٥٠٠;1,5\nb;١٫٢٣٤;2,75\n")
    assert seen.column("v") == [Decimal("2.500"), Decimal("1.234")]


def test_codes_and_texts_keep_their_digits(read: Reader) -> None:
    seen = read("k;v;w\na;००१२;第１課\nb;०१३०;第２課\nc;००१४;٣ كتب\n")
    assert seen.column("v") == ["००१२", "०१३०", "००१४"]
    assert seen.column("w") == ["第１課", "第２課", "٣ كتب"]
    assert read("k;v\na;١٢\nb;٤٥\n", types={"v": "text"}).column("v") == ["١٢", "٤٥"]


def test_a_missing_word_in_wide_signs(read: Reader) -> None:
    assert read("k;v\na;１２\nb;－\nc;３\n").column("v") == [12, None, 3]


@pytest.mark.parametrize(
    "cells",
    [
        ["2024年1月31日", "2024年02月01日", "2024年12月3日"],
        ["２０２４年１月３１日", "２０２４年２月１日", "２０２４年１２月３日"],
        ["2024년 1월 31일", "2024년 2월 1일", "2024년 12월 3일"],
        ["2024年1月31日(水)", "2024年2月1日（木）", "2024年12月3日 火曜日"],
        ["2024年1月31日 星期三", "2024年2月1日 星期四", "2024年12月3日 星期二"],
        ["٢٠٢٤-٠١-٣١", "٢٠٢٤-٠٢-٠١", "٢٠٢٤-١٢-٠٣"],
        ["٣١/٠١/٢٠٢٤", "٠١/٠٢/٢٠٢٤", "٠٣/١٢/٢٠٢٤"],
        ["２０２４／０１／３１", "２０２４／０２／０１", "２０２４／１２／０３"],
    ],
)
def test_dates(read: Reader, cells: list[str]) -> None:
    seen = read("k;v\n" + "".join(f"a;{c}\n" for c in cells))
    assert seen.column("v") == [dt.date(2024, 1, 31), dt.date(2024, 2, 1), dt.date(2024, 12, 3)]


def test_dates_with_a_time_and_months(read: Reader) -> None:
    seen = read("k,v\na,2024年1月31日 10時5分30秒\nb,2024年1月31日9時05分\nc,2024年2月1日 08:30\n")
    assert seen.column("v") == [
        dt.datetime(2024, 1, 31, 10, 5, 30),
        dt.datetime(2024, 1, 31, 9, 5),
        dt.datetime(2024, 2, 1, 8, 30),
    ]
    months = read("k,v\na,2024年01月\nb,2024年2月\n")
    assert months.column("v") == [dt.date(2024, 1, 1), dt.date(2024, 2, 1)]
    assert months.report.columns[1].note == "months, each held as its first day"
    assert read("k,v\na,2024年01月\nb,2024年2月3日\n").types == ["text", "text"]
    assert read("k,v\na,2024年13月1日\nb,2024年2月30日\n").column("v") == ["2024年13月1日", "2024年2月30日"]


def test_one_cell() -> None:
    assert [looks_like(c) for c in ("１２", "٣٫٥", "2024年1月31日", "第１課", "－")] == [
        "number", "number", "date", "text", "empty",
    ]  # fmt: skip
