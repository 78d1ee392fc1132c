"""Secrets at rest: encrypted for one principal, with a key that does not lie beside the data."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Final

import platformdirs

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import ConfigurationError, SecretUnreadable
from tabulaflow_core.principal import Principal

_LOST: Final = (
    "The password of this source cannot be read any more, because the key that encrypted it is gone. "
    "Enter the password again."
)


class Secrets:
    """Encrypts and decrypts with Fernet (AES-128-CBC and HMAC-SHA-256); the newest key encrypts, every key decrypts.

    The owner is part of what is encrypted: a secret copied into another's row stays unreadable there.

    Raises:
        ConfigurationError: A key is not a Fernet key, or the key file cannot be made or read.
    """

    def __init__(self, settings: Settings) -> None:
        from cryptography.fernet import Fernet, MultiFernet

        keys = settings.secret_keys or (_key_from_file(key_file(settings)),)
        try:
            fernets = [Fernet(key) for key in keys]
        except (ValueError, TypeError):
            raise ConfigurationError(
                "TABULAFLOW_SECRET_KEY holds no Fernet key: 32 bytes as URL-safe base64. Make one with "
                'python -c "from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())".'
            ) from None
        self._newest = fernets[0]
        self._fernet = MultiFernet(fernets)

    def encrypt(self, principal: Principal, text: str) -> str:
        """`text` for the database, readable for `principal` only."""
        return self._fernet.encrypt(json.dumps({"owner": principal.id, "text": text}).encode()).decode()

    def decrypt(self, principal: Principal, token: str) -> str:
        """What `encrypt` was given.

        Raises:
            SecretUnreadable: The key is gone, the token was changed, or it is another's.
        """
        from cryptography.fernet import InvalidToken

        try:
            content = json.loads(self._fernet.decrypt(token.encode()))
        except InvalidToken:
            raise SecretUnreadable(_LOST) from None
        if content["owner"] != principal.id:
            raise SecretUnreadable(_LOST)
        return str(content["text"])

    def is_current(self, token: str) -> bool:
        """Whether the newest key encrypted `token`; if not, encrypt it anew, so that the older key can go."""
        from cryptography.fernet import InvalidToken

        try:
            self._newest.decrypt(token.encode())
        except InvalidToken:
            return False
        return True


def key_file(settings: Settings) -> Path:
    """Where the key lies when none is configured: never inside the data folder, whose copy is then worth nothing."""
    folder = Path(platformdirs.user_config_dir("tabulaflow", appauthor=False))
    data = settings.data_dir.resolve()
    if folder.resolve().is_relative_to(data):  # on macOS and Windows both folders are the same one
        folder = data.with_name(f"{data.name}-keys")
    return folder / "secret.key"


def _key_from_file(path: Path) -> str:
    try:
        if not path.exists():
            _create_key(path)
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"The key file {path} cannot be made or read. Make its folder writable, or set TABULAFLOW_SECRET_KEY."
        ) from error


def _create_key(path: Path) -> None:
    from cryptography.fernet import Fernet

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent)  # made with mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(Fernet.generate_key())
        os.link(name, path)  # whole or not at all, and only one of two processes that start at once
    except FileExistsError:
        return
    finally:
        os.unlink(name)
