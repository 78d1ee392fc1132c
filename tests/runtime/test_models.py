"""Which models there are, in words for a person."""

from __future__ import annotations

import dataclasses

from tabulaflow_core.config import Settings
from tabulaflow_core.runtime.models import statuses


def test_the_scripted_demo_has_one_name() -> None:
    settings = dataclasses.replace(Settings.from_env(), model="scripted:demo")
    first = statuses(settings)[0]
    assert (first.name, first.label, first.ready) == ("scripted:demo", "Scripted demo", True)
