"""Moments as a person says them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo


def ago(moment: datetime, *, now: datetime | None = None) -> str:
    """`just now`, `3 minutes ago`, `yesterday at 14:05`, `on 3 May 2026 at 14:05`; days are those of the server."""
    now = now or datetime.now(UTC)
    seconds = (now - moment).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        minutes = int(seconds // 60)
        return f"{minutes} {'minute' if minutes == 1 else 'minutes'} ago"
    here = moment.astimezone()
    days = (now.astimezone().date() - here.date()).days
    if days == 0:
        return f"today at {here:%H:%M}"
    if days == 1:
        return f"yesterday at {here:%H:%M}"
    return f"on {written(moment)}"


def written(moment: datetime) -> str:
    """`3 May 2026 at 14:05 CEST`, for what is read at another time; by the clock of the server."""
    here = moment.astimezone()
    return f"{here.day} {here:%B %Y} at {here:%H:%M} {here.tzname()}"


def clock(moment: datetime, time_zone: str) -> str:
    """`2 December 07:30, Europe/Zurich`."""
    there = moment.astimezone(ZoneInfo(time_zone))
    return f"{there.day} {there:%B %H:%M}, {time_zone}"
