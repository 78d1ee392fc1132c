"""Times with AM and PM in the forms that programs and languages write, alone and behind a date; dates with gaps."""

from __future__ import annotations

import datetime as dt

import pytest

from tests.data.files.conftest import Reader

TIMES = [dt.time(9, 5), dt.time(12, 30), dt.time(0, 15)]


@pytest.mark.parametrize(
    "forms",
    [
        "9:05 AM|12:30 PM|12:15 AM",
        "9:05AM|12:30PM|12:15AM",
        "9:05\u202fAM|12:30\u202fPM|12:15\u202fAM",
        "9:05\u00a0a.\u00a0m.|12:30 p. m.|12:15 a.m.",
        "9.05 am|12.30 pm|12.15 am",
        "AM 9:05|PM 12:30|AM 0:15",
        "오전 9:05|오후 12:30|오전 12:15",
        "上午9:05|下午12:30|上午12:15",
        "午前9:05|午後12:30|午前0:15",
        "9:05 π.μ.|12:30 μ.μ.|12:15 πμ",
    ],
)
def test_halves_of_days(read: Reader, forms: str) -> None:
    seen = read("k;v\n" + "".join(f"{n};{form}\n" for n, form in enumerate(forms.split("|"))))
    assert seen.column("v") == TIMES
    days = [f"2024-01-{day:02} {form}" for day, form in enumerate(forms.split("|"), 1)]
    if "." not in days[0].split()[1]:
        seen = read("k;v\n" + "".join(f"{n};{day}\n" for n, day in enumerate(days)))
        assert seen.column("v") == [dt.datetime(2024, 1, day, t.hour, t.minute) for day, t in enumerate(TIMES, 1)]


def test_fractions_of_seconds(read: Reader) -> None:
    seen = read("k,v,w\n1,9:05:30.250 PM,3/14/2024 9:05:30.250 PM\n2,12:05:30.5 AM,3/15/2024 12:05:30.500 AM\n")
    assert seen.column("v") == [dt.time(21, 5, 30, 250_000), dt.time(0, 5, 30, 500_000)]
    assert seen.column("w")[1] == dt.datetime(2024, 3, 15, 0, 5, 30, 500_000)


def test_no_time_has_an_hour_above_twelve_and_a_half(read: Reader) -> None:
    seen = read("k,v\n1,13:05 PM\n2,14:00 PM\n3,9:00 AM\n")
    assert seen.column("v") == ["13:05 PM", "14:00 PM", "9:00 AM"]
    assert seen.told("“v” was kept as text", "2 of its 3 values are not times")


@pytest.mark.parametrize(
    "forms",
    [
        "2024. 1. 5.|2024. 2. 17.|2024. 12. 3.",
        "2024.01.05.|2024.02.17.|2024.12.03.",
        "5. 1. 2024|17. 2. 2024|3. 12. 2024",
        "5. 1. 24|17. 2. 24|3. 12. 24",
        "05.01.2024.|17.02.2024.|03.12.2024.",
    ],
)
def test_dates_with_gaps_and_a_last_dot(read: Reader, forms: str) -> None:
    seen = read("k;v\n" + "".join(f"{n};{form}\n" for n, form in enumerate(forms.split("|"))))
    assert seen.column("v") == [dt.date(2024, 1, 5), dt.date(2024, 2, 17), dt.date(2024, 12, 3)]
    timed = "".join(f"{n};{form} 9:05\n" for n, form in enumerate(forms.split("|")))
    assert read("k;v\n" + timed).column("v")[1] == dt.datetime(2024, 2, 17, 9, 5)
