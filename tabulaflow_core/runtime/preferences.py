"""What a person has set for themselves: the model, endpoints with their keys, how much to think, and limits.

A key is encrypted in the store together with the address it is for, or held in this process only; it is never given
back to a page, and never sent to another address than the one it was entered with.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from tabulaflow_core.config import Limits
from tabulaflow_core.errors import ConfigurationError, SecretUnreadable
from tabulaflow_core.models.catalog import PROVIDERS
from tabulaflow_core.models.contracts import ReasoningLevel
from tabulaflow_core.principal import Principal
from tabulaflow_core.store.store import Store

_log = logging.getLogger(__name__)

KeyPlace = Literal["store", "process"]
_CHOSEN: Final = "chosen"
_ENDPOINT: Final = "endpoint:"
_LABELS: Final = {"compatible": "Another server (Chat Completions)"}
_LONGEST_KEY: Final = 4_000
#: A key in memory is forgotten when its person has not been here for so long.
_HELD_SECONDS: Final = 12 * 3600.0
#: What was read of the store counts for so long.
_FRESH_SECONDS: Final = 1.0
#: People of whom that is remembered.
_READ_LATELY: Final = 1024
_NOT_AN_ADDRESS: Final = "This is not an address. It looks like https://host/v1 or http://127.0.0.1:8000/v1."

_now = time.monotonic


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a person has chosen; every field may be left to the server.

    Attributes:
        model: `provider:model`; empty for the server's default.
        reasoning: How much a model should think; a model without this level leaves it out.
        result_rows: Rows of a result before it is cut, at most what the server allows.
        query_seconds: Seconds of one statement, likewise.
        turn_seconds: Seconds of one question, likewise.
    """

    model: str = ""
    reasoning: ReasoningLevel | None = None
    result_rows: int | None = None
    query_seconds: float | None = None
    turn_seconds: float | None = None

    def limits(self, server: Limits) -> Limits:
        """The bounds in force: the tighter ones of the person's and the server's."""
        return replace(
            server,
            result_rows=min(self.result_rows or server.result_rows, server.result_rows),
            query_seconds=min(self.query_seconds or server.query_seconds, server.query_seconds),
            turn_seconds=min(self.turn_seconds or server.turn_seconds, server.turn_seconds),
        )


_PREFERENCES: Final = TypeAdapter(Preferences)


@dataclass(frozen=True, slots=True)
class EndpointInfo:
    """A person's own way to a provider, without its key.

    Attributes:
        base_url: Empty for the provider's usual address.
        key: Where the key is held; None when there is none.
        message: Why the key cannot be used, empty otherwise.
    """

    provider: str
    base_url: str = ""
    key: KeyPlace | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class ProviderInfo:
    """A provider to which a person can have a way of their own.

    Attributes:
        takes_address: It listens at more than one place.
        needs_key: It answers nothing without a key.
    """

    name: str
    label: str
    takes_address: bool
    needs_key: bool


def providers() -> tuple[ProviderInfo, ...]:
    """All of them."""
    return tuple(
        ProviderInfo(p.name, _LABELS.get(p.name, p.label), bool(p.url_envs), p.key_needed)
        for p in PROVIDERS.values()
        if p.key_envs
    )


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A person's own way to a provider with its key, for whoever makes a client."""

    base_url: str
    api_key: str = field(repr=False)


class PreferenceBook:
    """The preferences of every principal. Belongs to the engine loop."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: dict[tuple[str, str], tuple[Endpoint, float]] = {}
        self._read_lately: dict[str, tuple[float, dict[str, str]]] = {}
        self._changes = 0

    async def get_async(self, principal: Principal) -> Preferences:
        """What this person has chosen; what another version kept and this one cannot read is left to the server."""
        return _chosen((await self._all(principal)).get(_CHOSEN))

    async def set_async(self, principal: Principal, chosen: Preferences) -> None:
        """Keep `chosen` in place of what was chosen before."""
        body = json.dumps(_PREFERENCES.dump_python(chosen))
        await self._set(principal, _CHOSEN, body)

    async def set_endpoint_async(
        self, principal: Principal, provider: str, *, base_url: str, api_key: str, keep: KeyPlace
    ) -> None:
        """Keep a person's own address and key for a provider, in place of the earlier ones; without both, forget them.

        Args:
            keep: `store` encrypts them at rest; `process` holds them until this server stops, or
                for twelve hours after the person's last visit.

        Raises:
            ConfigurationError: The provider takes no key, or the address or the key cannot be one.
        """
        endpoint = _checked(provider, base_url, api_key)
        self._held.pop((principal.id, provider), None)
        kept: str | None = None
        if endpoint is not None and keep == "process":
            self._held[principal.id, provider] = (endpoint, _now())
        elif endpoint is not None:
            kept = self._store.secrets.encrypt(
                principal, json.dumps({"base_url": endpoint.base_url, "api_key": endpoint.api_key})
            )
        await self._set(principal, f"{_ENDPOINT}{provider}", kept)

    async def endpoints_async(self, principal: Principal) -> tuple[EndpointInfo, ...]:
        """The person's own ways to providers, without keys."""
        infos = []
        for provider, endpoint in (await self._endpoints(principal)).items():
            if isinstance(endpoint, str):
                infos.append(EndpointInfo(provider, message=endpoint))
                continue
            place: KeyPlace = "process" if (principal.id, provider) in self._held else "store"
            infos.append(EndpointInfo(provider, endpoint.base_url, place if endpoint.api_key else None))
        return tuple(infos)

    async def endpoint_async(self, principal: Principal, provider: str) -> Endpoint | None:
        """The person's own way to a provider; None where there is none or it cannot be read."""
        endpoint = (await self._endpoints(principal)).get(provider)
        return endpoint if isinstance(endpoint, Endpoint) else None

    async def environment_async(self, principal: Principal) -> Mapping[str, str]:
        """The environment in which this person's models are resolved: the server's, with their own ways in it.

        Where a person gives an address, the server's key for that provider is taken out: it is not for that address.
        """
        env = dict(os.environ)
        for name, endpoint in (await self._endpoints(principal)).items():
            provider = PROVIDERS[name]
            if not isinstance(endpoint, Endpoint):
                continue
            if endpoint.base_url and provider.url_envs:
                for variable in (*provider.url_envs, *provider.key_envs):
                    env.pop(variable, None)
                env[provider.url_envs[0]] = endpoint.base_url
                env[provider.key_envs[0]] = endpoint.api_key
            elif endpoint.api_key:
                place = next((i for i, url in enumerate(provider.url_envs) if env.get(url)), 0)
                env[provider.key_envs[min(place, len(provider.key_envs) - 1)]] = endpoint.api_key
        return env

    async def _endpoints(self, principal: Principal) -> dict[str, Endpoint | str]:
        found: dict[str, Endpoint | str] = {}
        for name, body in (await self._all(principal)).items():
            provider = name.removeprefix(_ENDPOINT)
            if name.startswith(_ENDPOINT) and provider in PROVIDERS:
                found[provider] = self._read(principal, provider, body)
        now = _now()
        for (owner, provider), (held, used) in tuple(self._held.items()):
            if now - used > _HELD_SECONDS:
                del self._held[owner, provider]
            elif owner == principal.id:
                self._held[owner, provider] = (held, now)
                found[provider] = held
        return dict(sorted(found.items()))

    async def _all(self, principal: Principal) -> dict[str, str]:
        """What is kept, read once a second at most: a page asks several times in each of its runs.

        A change made here is seen at once, one made by another process within that second.
        """
        read, kept = self._read_lately.get(principal.id, (0.0, {}))
        if read and time.monotonic() - read < _FRESH_SECONDS:
            return kept
        changes = self._changes
        kept = await self._store.preferences.all_async(principal)
        if changes == self._changes:  # else it may be what was there before
            if len(self._read_lately) >= _READ_LATELY:
                self._read_lately.clear()
            self._read_lately[principal.id] = (time.monotonic(), kept)
        return kept

    async def _set(self, principal: Principal, name: str, body: str | None) -> None:
        try:
            await self._store.preferences.set_async(principal, name, body)
        finally:
            self._changes += 1
            self._read_lately.pop(principal.id, None)

    def _read(self, principal: Principal, provider: str, body: str) -> Endpoint | str:
        try:
            content = json.loads(self._store.secrets.decrypt(principal, body))
        except SecretUnreadable:
            return f"The key for {PROVIDERS[provider].label} cannot be read any more. Enter it again."
        return Endpoint(str(content["base_url"]), str(content["api_key"]))


def _chosen(body: str | None) -> Preferences:
    if body is None:
        return Preferences()
    try:
        return _PREFERENCES.validate_json(body)
    except ValidationError:
        _log.warning("preferences of another version were left out")
        return Preferences()


def _checked(provider: str, base_url: str, api_key: str) -> Endpoint | None:
    known = PROVIDERS.get(provider)
    if known is None or not known.key_envs:
        raise ConfigurationError("This provider takes neither an address nor a key.")
    url, key = base_url.strip().rstrip("/"), api_key.strip()
    if not url and not key:
        return None
    if url:
        if not known.url_envs:
            raise ConfigurationError(f"{known.label} has one address only. Leave the address empty.")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
            raise ConfigurationError(_NOT_AN_ADDRESS)
        if known.url_suffix and not url.endswith(known.url_suffix):
            url += known.url_suffix
    if len(key) > _LONGEST_KEY or not key.isascii() or any(char.isspace() for char in key):
        raise ConfigurationError("This is not a key: it has blanks or letters that no key has. Copy it again.")
    return Endpoint(url, key)
