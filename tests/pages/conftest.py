"""The app without a browser, on the scripted model and the real runtime."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tabulaflow_core.runtime.singleton import close_runtime

APP = Path(__file__).parent.parent.parent / "app.py"


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    """The app, not run yet, with a store of its own."""
    monkeypatch.setenv("TABULAFLOW_MODEL", "scripted")
    close_runtime()
    yield AppTest.from_file(str(APP), default_timeout=30)
    close_runtime()
