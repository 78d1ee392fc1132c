"""Settings in the test's own folders, pip kept away from any network, and a stand-in for llama.cpp."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.models.local import server
from tests.models.local.fakes import write_wheels
from tests.models.local.standin import Llama


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


@pytest.fixture
def llama(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Llama]:
    """`import xllamacpp` gives the stand-in, in child processes; the shared server of the process is a fresh one."""
    made = Llama(tmp_path / "standin")
    with made.http:
        made.plan()
        monkeypatch.syspath_prepend(str(made.folder))
        monkeypatch.setenv(
            "PYTHONPATH", os.pathsep.join(filter(None, [str(made.folder), os.environ.get("PYTHONPATH")]))
        )
        monkeypatch.setattr(server, "_shared", None)
        yield made
        server.close_shared_server()


@pytest.fixture
def mine(settings: Settings, tmp_path: Path) -> Settings:
    """Settings that name a model file."""
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF and so on")
    return dataclasses.replace(settings, local_model=path, local_threads=3)
