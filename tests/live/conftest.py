"""The embedded model for live tests: the weights of the person's own cache, looked up before tests get own folders."""

from __future__ import annotations

import dataclasses
from importlib.util import find_spec

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.models.local import find_weights

# The fixtures of the whole suite point the variables elsewhere; what the person has is read now.
_PERSONS = Settings.from_env()


@pytest.fixture(scope="session")
def live_settings() -> Settings:
    """Settings whose embedded model has real weights; the test is skipped where there are none."""
    if find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed")
    path = find_weights(_PERSONS)
    if path is None:
        pytest.skip("no weights: run `tabulaflow model pull`, or set TABULAFLOW_LOCAL_MODEL")
    return dataclasses.replace(_PERSONS, local_model=path)
