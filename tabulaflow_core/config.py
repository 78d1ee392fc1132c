"""Settings: read once from the environment, passed down explicitly.

Every variable is listed in `docs/configuration.md`; a test compares the two.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import platformdirs

from tabulaflow_core.errors import ConfigurationError

#: Digits of a whole number: more would not fit into 64 bits.
_LONGEST_WHOLE: Final = 18


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one turn and one result.

    Attributes:
        result_rows: Rows a query may return before it is cut.
        result_bytes: Bytes of Arrow data a query may return before it is cut.
        query_seconds: Wall time of one statement.
        display_rows: Rows a page shows at once.
        model_calls: Model calls of one turn.
        turn_seconds: Wall time of one turn.
        turn_tokens: Tokens of one turn, in and out, cached ones included.
        turn_cost_usd: US dollars of one turn, as far as prices are known; None for no bound.
        upload_bytes: Size of one file from a browser.
    """

    result_rows: int = 1_000_000
    result_bytes: int = 256 * 1024 * 1024
    query_seconds: float = 60.0
    display_rows: int = 1_000
    model_calls: int = 12
    turn_seconds: float = 300.0
    turn_tokens: int = 500_000
    turn_cost_usd: float | None = None
    upload_bytes: int = 200 * 1024 * 1024


def _default_data_dir() -> Path:
    return Path(platformdirs.user_data_dir("tabulaflow", appauthor=False))


def _default_cache_dir() -> Path:
    return Path(platformdirs.user_cache_dir("tabulaflow", appauthor=False))


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one process.

    Attributes:
        data_dir: Conversations, results, uploaded files (`TABULAFLOW_DATA_DIR`).
        cache_dir: What can be fetched again: model weights (`TABULAFLOW_CACHE_DIR`).
        database_url: The store, empty for SQLite in `data_dir` (`TABULAFLOW_DATABASE_URL`).
        model: The default model, empty to choose by what is there (`TABULAFLOW_MODEL`).
        local_model: A GGUF file to use as the embedded model (`TABULAFLOW_LOCAL_MODEL`).
        local_threads: Threads of the embedded model, 0 to choose (`TABULAFLOW_LOCAL_THREADS`).
        weight_sources: Where weights may come from, in order, of `hub` and `index` (`TABULAFLOW_WEIGHT_SOURCES`).
        file_roots: Folders from which a page may open database files (`TABULAFLOW_FILE_ROOTS`, path-separated).
        secret_keys: Fernet keys of the store's secrets, the newest first; empty for a key file in the user's
            configuration folder (`TABULAFLOW_SECRET_KEY`, comma-separated).
        hidden_columns: Patterns of columns that no model sees, of any source (`TABULAFLOW_HIDDEN_COLUMNS`,
            comma-separated).
        limits: Bounds (`TABULAFLOW_MAX_ROWS`, `TABULAFLOW_MAX_RESULT_MB`, `TABULAFLOW_QUERY_SECONDS`,
            `TABULAFLOW_MODEL_CALLS`, `TABULAFLOW_TURN_SECONDS`, `TABULAFLOW_TURN_TOKENS`,
            `TABULAFLOW_TURN_COST_USD`, `TABULAFLOW_MAX_UPLOAD_MB`).
    """

    data_dir: Path = field(default_factory=_default_data_dir)
    cache_dir: Path = field(default_factory=_default_cache_dir)
    database_url: str = field(default="", repr=False)
    model: str = ""
    local_model: Path | None = None
    local_threads: int = 0
    weight_sources: tuple[str, ...] = ("hub", "index")
    file_roots: tuple[Path, ...] = ()
    secret_keys: tuple[str, ...] = field(default=(), repr=False)
    hidden_columns: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Settings:
        """Read the settings from `env` (default: the process environment).

        Raises:
            ConfigurationError: A variable has a value that cannot be used.
        """
        env = os.environ if env is None else env
        limits = Limits()
        sources = tuple(s.strip() for s in env.get("TABULAFLOW_WEIGHT_SOURCES", "hub,index").split(",") if s.strip())
        if unknown := set(sources) - {"hub", "index"}:
            raise ConfigurationError(
                f"TABULAFLOW_WEIGHT_SOURCES names {sorted(unknown)!r}; it takes 'hub', 'index' or both, with a comma."
            )
        local_model = env.get("TABULAFLOW_LOCAL_MODEL", "")
        return cls(
            data_dir=_path(env, "TABULAFLOW_DATA_DIR") or _default_data_dir(),
            cache_dir=_path(env, "TABULAFLOW_CACHE_DIR") or _default_cache_dir(),
            database_url=env.get("TABULAFLOW_DATABASE_URL", ""),
            model=env.get("TABULAFLOW_MODEL", ""),
            local_model=Path(local_model).expanduser() if local_model else None,
            local_threads=_whole(env, "TABULAFLOW_LOCAL_THREADS", 0),
            weight_sources=sources,
            file_roots=tuple(
                Path(p).expanduser().resolve() for p in env.get("TABULAFLOW_FILE_ROOTS", "").split(os.pathsep) if p
            ),
            secret_keys=tuple(k.strip() for k in env.get("TABULAFLOW_SECRET_KEY", "").split(",") if k.strip()),
            hidden_columns=tuple(p.strip() for p in env.get("TABULAFLOW_HIDDEN_COLUMNS", "").split(",") if p.strip()),
            limits=Limits(
                result_rows=_whole(env, "TABULAFLOW_MAX_ROWS", limits.result_rows),
                result_bytes=int(_number(env, "TABULAFLOW_MAX_RESULT_MB", limits.result_bytes / 2**20) * 2**20),
                query_seconds=_number(env, "TABULAFLOW_QUERY_SECONDS", limits.query_seconds),
                model_calls=_whole(env, "TABULAFLOW_MODEL_CALLS", limits.model_calls),
                turn_seconds=_number(env, "TABULAFLOW_TURN_SECONDS", limits.turn_seconds),
                turn_tokens=_whole(env, "TABULAFLOW_TURN_TOKENS", limits.turn_tokens),
                turn_cost_usd=_number(env, "TABULAFLOW_TURN_COST_USD", 0.0) or None,
                upload_bytes=int(_number(env, "TABULAFLOW_MAX_UPLOAD_MB", limits.upload_bytes / 2**20) * 2**20),
            ),
        )


def _path(env: Mapping[str, str], name: str) -> Path | None:
    value = env.get(name, "")
    return Path(value).expanduser() if value else None


def _whole(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_WHOLE and int(text) >= 1):
        raise ConfigurationError(f"{name} is {text[:40]!r}; it takes a whole number of at least 1.")
    return int(text)


def _number(env: Mapping[str, str], name: str, default: float, *, least: float = 1e-3) -> float:
    text = env.get(name, "")
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value < math.inf:
        raise ConfigurationError(f"{name} is {text[:40]!r}; it takes a number of at least {least:g}.")
    return value
