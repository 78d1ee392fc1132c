"""Dates and moments as programs write them: Oracle, SAS, DB2, Unix, web servers and issue trackers."""

from __future__ import annotations

import datetime as dt

import pytest

from tests.data.files.conftest import Reader

DAYS = [dt.datetime(2024, 1, 5, 10, 11, 12), dt.datetime(2024, 2, 17, 13, 15), dt.datetime(2024, 12, 31)]


@pytest.mark.parametrize(
    "forms",
    [
        "05-JAN-24 10.11.12.000000 AM|17-FEB-24 01.15.00.000000 PM|31-DEC-24 12.00.00.000000 AM",
        "05JAN2024:10:11:12|17FEB2024:13:15:00|31DEC2024:00:00:00",
        "2024-01-05-10.11.12.000000|2024-02-17-13.15.00.000000|2024-12-31-00.00.00.000000",
        "Fri Jan  5 10:11:12 2024|Sat Feb 17 13:15:00 2024|Tue Dec 31 00:00:00 2024",
        "05/Jan/24 10:11:12 AM|17/Feb/24 1:15 PM|31/Dec/24 12:00 AM",
    ],
)
def test_moments_of_programs(read: Reader, forms: str) -> None:
    lines = [f"{n};{form}\n" for n, form in enumerate(forms.split("|"))]
    assert read("k;v\n" + "".join(lines)).column("v") == DAYS
    assert read("k;v\n" + "".join(lines[:2])).type_of("v") == "datetime"


@pytest.mark.parametrize(
    "forms",
    [
        "05/Jan/2024:10:11:12 +0000|17/Feb/2024:14:15:00 +0100|31/Dec/2024:00:00:00 +0000",
        "Fri Jan 05 10:11:12 +0000 2024|Sat Feb 17 14:15:00 +0100 2024|Tue Dec 31 00:00:00 +0000 2024",
        "Fri Jan  5 10:11:12 UTC 2024|Sat Feb 17 13:15:00 UTC 2024|Tue Dec 31 00:00:00 UTC 2024",
    ],
)
def test_moments_with_a_zone(read: Reader, forms: str) -> None:
    seen = read("k;v\n" + "".join(f"{n};{form}\n" for n, form in enumerate(forms.split("|"))))
    assert seen.column("v") == [day.replace(tzinfo=dt.UTC) for day in DAYS]


def test_days_of_sas_and_what_is_none(read: Reader) -> None:
    assert read("k,v\n1,05JAN2024\n2,17FEB2024\n").column("v") == [dt.date(2024, 1, 5), dt.date(2024, 2, 17)]
    assert read("k,v\n1,05ABC2024\n2,17DEF2024\n").type_of("v") == "text"
    assert read("k,v\n1,3 April 2026\n2,5 May 2026\n").type_of("v") == "text"  # words, and two of them prove nothing
