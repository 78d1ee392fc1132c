"""What every test gets: its own folders and no way out but loopback."""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path

import pytest

_real_connect = socket.socket.connect


def _loopback_only(self: socket.socket, address: object) -> None:
    if self.family in (socket.AF_INET, socket.AF_INET6):
        host = str(address[0])  # type: ignore[index]
        try:
            inside = host == "localhost" or ipaddress.ip_address(host).is_loopback
        except ValueError:
            inside = False
        if not inside:
            raise OSError(f"a test tried to reach {host}")
    return _real_connect(self, address)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def own_surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data and a cache folder of the test's own, no keys, no sockets beyond loopback."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("TABULAFLOW_DATA_DIR", str(home / "data"))
    monkeypatch.setenv("TABULAFLOW_CACHE_DIR", str(home / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "TABULAFLOW_BASE_URL",
        "TABULAFLOW_API_KEY",
        "TABULAFLOW_MODEL",
        "TABULAFLOW_LOCAL_MODEL",
        "TABULAFLOW_DATABASE_URL",
        "TABULAFLOW_SECRET_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(socket.socket, "connect", _loopback_only)
    return home
