"""Settings in the test's own folders, and pip kept away from any network."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabulaflow_core.config import Settings
from tests.models.local.fakes import write_wheels


@pytest.fixture
def settings() -> Settings:
    return Settings.from_env()


@pytest.fixture
def models(settings: Settings) -> Path:
    return settings.cache_dir / "models"


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip takes packages from; holds every piece."""
    folder = tmp_path / "wheels"
    write_wheels(folder)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder
