"""Secrets at rest: the key's place, rotation, and what is said when it is lost."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import platformdirs
import pytest
from cryptography.fernet import Fernet

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import ConfigurationError, SecretUnreadable
from tabulaflow_core.principal import Principal
from tabulaflow_core.store import Secrets
from tabulaflow_core.store.secrets import key_file

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()
URL = "postgresql://reader:hunter2@db/sales"


@pytest.fixture
def plain(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


def test_a_key_is_made_once_outside_the_data_folder(plain: Settings, alice: Principal) -> None:
    token = Secrets(plain).encrypt(alice, URL)
    assert "hunter2" not in token
    path = key_file(plain)
    assert path.stat().st_mode & 0o777 == 0o600
    assert not path.resolve().is_relative_to(plain.data_dir.resolve())
    assert [each.name for each in path.parent.iterdir()] == ["secret.key"]
    assert Secrets(plain).decrypt(alice, token) == URL


def test_the_key_stays_outside_where_both_folders_are_one(
    plain: Settings, monkeypatch: pytest.MonkeyPatch, alice: Principal
) -> None:
    monkeypatch.setattr(platformdirs, "user_config_dir", lambda *_, **__: str(plain.data_dir))
    Secrets(plain).encrypt(alice, URL)
    assert not key_file(plain).is_relative_to(plain.data_dir)
    assert key_file(plain).exists()


def test_processes_that_start_at_once_agree_on_the_key(plain: Settings, alice: Principal) -> None:
    made: list[Secrets] = []
    threads = [threading.Thread(target=lambda: made.append(Secrets(plain))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    token = made[0].encrypt(alice, URL)
    assert {each.decrypt(alice, token) for each in made} == {URL}


def test_rotation(plain: Settings, alice: Principal) -> None:
    token = Secrets(replace(plain, secret_keys=(OLD,))).encrypt(alice, URL)
    both = Secrets(replace(plain, secret_keys=(NEW, OLD)))
    assert both.decrypt(alice, token) == URL
    assert not both.is_current(token)
    moved = both.encrypt(alice, both.decrypt(alice, token))
    assert both.is_current(moved)
    assert Secrets(replace(plain, secret_keys=(NEW,))).decrypt(alice, moved) == URL


def test_a_lost_key_asks_for_the_password(plain: Settings, alice: Principal) -> None:
    token = Secrets(replace(plain, secret_keys=(OLD,))).encrypt(alice, URL)
    with pytest.raises(SecretUnreadable, match="Enter the password again"):
        Secrets(replace(plain, secret_keys=(NEW,))).decrypt(alice, token)
    with pytest.raises(SecretUnreadable):
        Secrets(replace(plain, secret_keys=(OLD,))).decrypt(alice, token[:-4] + "AAA=")


def test_a_secret_moved_to_another_row_stays_closed(plain: Settings, alice: Principal, bob: Principal) -> None:
    secrets = Secrets(plain)
    with pytest.raises(SecretUnreadable):
        secrets.decrypt(bob, secrets.encrypt(alice, URL))


def test_what_is_no_key_is_refused_without_being_shown(plain: Settings) -> None:
    with pytest.raises(ConfigurationError, match="TABULAFLOW_SECRET_KEY") as caught:
        Secrets(replace(plain, secret_keys=("correct horse",)))
    assert "correct horse" not in str(caught.value)
    assert "correct horse" not in repr(replace(plain, secret_keys=("correct horse",)))


def test_keys_come_from_the_environment() -> None:
    assert Settings.from_env({"TABULAFLOW_SECRET_KEY": f"{NEW}, {OLD}"}).secret_keys == (NEW, OLD)
