"""Settings from the environment."""

from __future__ import annotations

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import ConfigurationError

WHOLE = (
    "TABULAFLOW_MAX_ROWS",
    "TABULAFLOW_MODEL_CALLS",
    "TABULAFLOW_TURN_TOKENS",
    "TABULAFLOW_LOCAL_THREADS",
)


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("text", ["0", "-1", "2.5", "1e3", "many", "nan", "inf", "²", "9" * 5000])
def test_whole_numbers(name: str, text: str) -> None:
    with pytest.raises(ConfigurationError, match="a whole number of at least 1") as caught:
        Settings.from_env({name: text})
    assert len(caught.value.user_message) < 200


def test_values_are_taken() -> None:
    settings = Settings.from_env(dict.fromkeys(WHOLE, "7") | {"TABULAFLOW_QUERY_SECONDS": "0.5"})
    assert (settings.limits.result_rows, settings.limits.model_calls, settings.local_threads) == (7, 7, 7)
    assert settings.limits.query_seconds == 0.5
    assert Settings.from_env({}).local_threads == 0


@pytest.mark.parametrize("text", ["inf", "nan", "0", "x"])
def test_seconds_and_megabytes_are_finite(text: str) -> None:
    for name in ("TABULAFLOW_QUERY_SECONDS", "TABULAFLOW_MAX_RESULT_MB", "TABULAFLOW_TURN_COST_USD"):
        with pytest.raises(ConfigurationError, match="a number of at least"):
            Settings.from_env({name: text})
