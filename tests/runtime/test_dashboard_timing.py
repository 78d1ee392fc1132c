"""When schedules fire, also where clocks are changed."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tabulaflow_core.errors import ConfigurationError
from tabulaflow_core.output.dashboards import RefreshPolicy
from tabulaflow_core.runtime.dashboards.timing import checked, next_run

ZURICH = ZoneInfo("Europe/Zurich")


def at(text: str, zone: str = "Europe/Zurich") -> RefreshPolicy:
    return RefreshPolicy(at=text, time_zone=zone)


def test_no_schedule_never_fires() -> None:
    assert next_run(RefreshPolicy(max_age_seconds=60), after=datetime.now(UTC)) is None


def test_an_interval() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert next_run(RefreshPolicy(every_seconds=3600), after=now) == now + timedelta(hours=1)


@pytest.mark.parametrize(
    ("after", "policy", "fires"),
    [
        ("2026-06-01T05:00+00:00", at("07:30"), "2026-06-01T05:30+00:00"),
        ("2026-06-01T05:30+00:00", at("07:30"), "2026-06-02T05:30+00:00"),
        ("2026-12-01T22:59+00:00", at("00:00"), "2026-12-01T23:00+00:00"),
        ("2026-03-29T00:00+00:00", at("02:30"), "2026-03-29T01:30+00:00"),  # left out: 02:30 is read as 03:30
        ("2026-10-24T23:00+00:00", at("02:30"), "2026-10-25T00:30+00:00"),  # twice: the first
        ("2026-10-25T00:30+00:00", at("02:30"), "2026-10-26T01:30+00:00"),
        ("2026-01-01T00:00+00:00", at("12:00", "Pacific/Kiritimati"), "2026-01-01T22:00+00:00"),
    ],
)
def test_a_time_of_day(after: str, policy: RefreshPolicy, fires: str) -> None:
    assert next_run(policy, after=datetime.fromisoformat(after)) == datetime.fromisoformat(fires)


def test_it_fires_once_a_day_at_its_time() -> None:
    dice = random.Random(7)
    for _ in range(300):
        hour, minute = dice.randrange(24), dice.randrange(60)
        after = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=dice.randrange(365 * 86_400))
        fires = next_run(at(f"{hour:02}:{minute:02}"), after=after)
        assert fires is not None
        assert timedelta() < fires - after <= timedelta(hours=25)
        local = fires.astimezone(ZURICH)
        assert (local.hour, local.minute) == (hour, minute) or (hour == 2 and local.hour == 3)


@pytest.mark.parametrize(
    "policy",
    [
        RefreshPolicy(every_seconds=59),
        RefreshPolicy(max_age_seconds=0),
        RefreshPolicy(every_seconds=10**9),
        RefreshPolicy(every_seconds=60, at="07:00"),
        at("7"),
        at("25:00"),
        at("07:30; DROP"),
        at("07:00", "Mars/Olympus"),
        at("07:00", "../../etc/passwd"),
        at("07:00", ""),
    ],
)
def test_what_cannot_be_kept_is_said(policy: RefreshPolicy) -> None:
    with pytest.raises(ConfigurationError):
        checked(policy)
