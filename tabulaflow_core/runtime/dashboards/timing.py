"""When a schedule fires next."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tabulaflow_core.errors import ConfigurationError
from tabulaflow_core.output.dashboards import RefreshPolicy

#: Dashboards are no monitors: what is asked for more often is a load on somebody's database.
SHORTEST_SECONDS: Final = 60
_LONGEST_SECONDS: Final = 366 * 86_400


def checked(policy: RefreshPolicy) -> RefreshPolicy:
    """`policy`, if it can be kept.

    Raises:
        ConfigurationError: A time, a zone or a span that cannot be used; the message says which.
    """
    for seconds in (policy.every_seconds, policy.max_age_seconds):
        if seconds is not None and not SHORTEST_SECONDS <= seconds <= _LONGEST_SECONDS:
            raise ConfigurationError("A dashboard is refreshed at most once a minute, and at least once a year.")
    if policy.every_seconds is not None and policy.at is not None:
        raise ConfigurationError("A schedule has an interval or a time of day, not both.")
    if policy.at is not None:
        _time_of(policy.at)
    _zone_of(policy.time_zone)
    return policy


def next_run(policy: RefreshPolicy, *, after: datetime) -> datetime | None:
    """The first moment after `after`, which is aware, at which the schedule fires; None without a schedule.

    A time of day that a change of clocks leaves out fires as much later as the clock was put forward; one that comes
    twice fires the first time.
    """
    if policy.every_seconds is not None:
        return after + timedelta(seconds=policy.every_seconds)
    if policy.at is None:
        return None
    zone, at = _zone_of(policy.time_zone), _time_of(policy.at)
    day = after.astimezone(zone).date()
    for days in range(3):
        # By way of UTC: a local time that does not exist gets the offset from before the change, and so one that does.
        found = datetime.combine(day + timedelta(days=days), at, zone).astimezone(UTC)
        if found > after:
            return found
    raise AssertionError("every time of day comes within two days")


def _time_of(text: str) -> time:
    try:
        hour, minute = text.split(":")
        return time(int(hour), int(minute))
    except ValueError:
        raise ConfigurationError(f"{text!r} is no time of day. Write it as HH:MM, such as 07:30.") from None


def _zone_of(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ConfigurationError(f"{name!r} is no time zone. Take one such as Europe/Zurich or UTC.") from None
