"""Times of day and durations: a TIME where it gives back what was written, else text that says what it is."""

from __future__ import annotations

import datetime as dt

import pytest

from tests.data.files.conftest import Reader


def test_whole_times_of_day(read: Reader) -> None:
    seen = read("k,t\na,08:05:00\nb,23:59:59\nc,00:00:00\n")
    assert (seen.types[1], seen.report.columns[1].engine_type) == ("other", "TIME")
    assert seen.column("t") == [dt.time(8, 5), dt.time(23, 59, 59), dt.time(0)]
    assert read("k,t\na,08:05:00.125\nb,23:59:59.999\n").column("t")[0] == dt.time(8, 5, 0, 125_000)
    assert read("k,t\na,08:05:00\nb,n/a\nc,09:00:00\n").column("t") == [dt.time(8, 5), None, dt.time(9)]


def test_halves_of_the_day(read: Reader) -> None:
    seen = read("k,t\na,1:30 PM\nb,12:05 am\nc,9:15:30 p.m.\nd,12 PM\n")
    assert seen.column("t") == [dt.time(13, 30), dt.time(0, 5), dt.time(21, 15, 30), dt.time(12)]
    assert read("k,t\na,13:30 PM\nb,12:05 am\n").column("t") == ["13:30 PM", "12:05 am"]


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        (["8:05", "17:30"], "times or durations"),
        (["08:05", "17:30"], "times or durations"),
        (["1:02:03", "12:30:00"], "times or durations"),
        (["26:15", "3:00"], "durations"),
        (["08:00:00", "25:00:00"], "durations"),
        (["126:00:00", "3:00:00"], "durations"),
        (["PT1H30M", "PT45S"], "durations"),
        (["2h 15m", "45m"], "durations"),
        (["15 min", "90 min"], "durations"),
        (["1 day 02:00:00", "2 days 00:30:00"], "durations"),
    ],
)
def test_what_stays_as_it_is_written(read: Reader, cells: list[str], what: str) -> None:
    seen = read("k,t\n" + "".join(f"a,{c}\n" for c in cells))
    assert seen.column("t") == cells
    assert any(seen.told("kept as text", f"its values are {what}", cell) for cell in cells)


def test_the_example_shows_why_it_is_a_duration(read: Reader) -> None:
    assert read("k,t\na,n/a\nb,08:00:00\nc,25:00:00\n").told("durations, such as 25:00:00")


def test_finer_than_a_time_holds(read: Reader) -> None:
    assert read("k,t\na,08:05:00.1234567\nb,09:00:00.0000001\n").column("t")[0] == "08:05:00.1234567"


def test_measures_are_no_durations(read: Reader) -> None:
    seen = read("k,t\na,5 m\nb,10 m\n")
    assert seen.column("t") == ["5 m", "10 m"]
    assert not seen.report.notices


def test_as_told(read: Reader) -> None:
    assert read("k,t\na,8:05\nb,17:30\n", types={"t": "time"}).column("t") == [dt.time(8, 5), dt.time(17, 30)]
    seen = read(
        "a,b,c,d,e\n26:15,-1:02:03.5,PT1H30M,2h 15m,1 day 02:00:00\n3:00,0:00:00,PT0.5S,1.5 h,10 days 00:00:01\n",
        types=dict.fromkeys("abcde", "duration"),
    )
    hours = [value.total_seconds() / 3600 for value in seen.rows[0] if isinstance(value, dt.timedelta)]
    assert hours == pytest.approx([26.25, -(1 + 2 / 60 + 3.5 / 3600), 1.5, 2.25, 26])
    assert seen.rows[1] == (
        dt.timedelta(hours=3),
        dt.timedelta(0),
        dt.timedelta(milliseconds=500),
        dt.timedelta(minutes=90),
        dt.timedelta(days=10, seconds=1),
    )
    assert {c.engine_type for c in seen.report.columns} == {"INTERVAL"}
    assert read("k,t\na,08:05:00\nb,09:00:00\n", types={"t": "text"}).column("t") == ["08:05:00", "09:00:00"]


def test_what_does_not_fit_is_told(read: Reader) -> None:
    seen = read("k,t\na,8:05\nb,26:15\n", types={"t": "time"})
    assert seen.column("t") == [dt.time(8, 5), None]
    assert seen.told("no time", "26:15")
    assert read("k,t\na,word\nb,other\n", types={"t": "time"}).told("cannot be read as time")


@pytest.mark.parametrize("cells", [["1E5", "12E3", "7e2"], ["12345", "98E45", "77123"], ["1E5", "A12", "B7", "3E2"]])
def test_codes_with_an_e_stay_text(read: Reader, cells: list[str]) -> None:
    seen = read("k,v\n" + "".join(f"a,{c}\n" for c in cells))
    assert seen.column("v") == cells
    assert seen.told("kept as text")


def test_powers_of_ten_are_numbers(read: Reader) -> None:
    assert read("k,v\na,1.5E+10\nb,2.5E+3\n").column("v") == [1.5e10, 2500]
    assert read("k,v\na,1e-3\nb,2e-4\n").column("v") == [0.001, 0.0002]
    assert read("k,v\na,1E5\nb,12\nc,2.5\n").column("v") == [100000, 12, 2.5]
    assert read("k,v\na,1E5\nb,12E3\n", types={"v": "number"}).column("v") == [100000, 12000]
