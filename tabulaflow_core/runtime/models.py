"""Which models there are, and the one open client of each."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from typing import Final

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import NoModelAvailable
from tabulaflow_core.models.contracts import ChatModel
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.preferences import Endpoint, PreferenceBook
from tabulaflow_core.runtime.views import ModelStatus

ModelFactory = Callable[[str], ChatModel]

_NOTHING: Final = (
    "There is no language model yet. Fetch the embedded one on the chat page or with `tabulaflow model pull`, "
    "enter a key on the Settings page, or set OPENAI_API_KEY and start again."
)
#: What an injected factory is asked for when nothing else is configured.
_INJECTED: Final = "scripted:demo"


class Models:
    """Clients by name and by the way to them, opened once. Belongs to the engine loop.

    Args:
        factory: Makes the client of a name; by default `tabulaflow_core.models.resolve_model`.
    """

    def __init__(self, settings: Settings, preferences: PreferenceBook, *, factory: ModelFactory | None = None) -> None:
        self._settings = settings
        self._preferences = preferences
        self._factory = factory
        self._open: dict[tuple[str, Endpoint | None], ChatModel] = {}
        self._retired: list[ChatModel] = []
        self._lock = asyncio.Lock()

    async def default_name_async(self, principal: Principal) -> str | None:
        """The model to use when none is named: the person's, else the server's; None when there is none."""
        chosen = (await self._preferences.get_async(principal)).model
        if chosen:
            return chosen
        env = await self._preferences.environment_async(principal)
        return await asyncio.to_thread(self._default_name, env)

    def _default_name(self, env: Mapping[str, str]) -> str | None:
        from tabulaflow_core.models.resolve import default_model_name

        return default_model_name(self._settings, env=env) or (_INJECTED if self._factory is not None else None)

    async def statuses_async(self, principal: Principal) -> tuple[ModelStatus, ...]:
        """The models that could answer this person, each with what it still needs."""
        chosen = (await self._preferences.get_async(principal)).model
        env = await self._preferences.environment_async(principal)
        return await asyncio.to_thread(statuses, self._settings, chosen=chosen, env=env)

    async def get_async(self, principal: Principal, name: str | None) -> tuple[str, ChatModel]:
        """The name and the client of `name`, or of the default model, by this person's own way to it.

        It is made in a thread: its libraries take up to a second to import, and running turns must not wait for that.

        Raises:
            NoModelAvailable: No name was given and there is no default.
            UnknownModel: The name is not one.
        """
        wanted = name or await self.default_name_async(principal)
        if wanted is None:
            raise NoModelAvailable(_NOTHING)
        endpoint = await self._preferences.endpoint_async(principal, wanted.partition(":")[0])
        env = await self._preferences.environment_async(principal)
        async with self._lock:
            key = (wanted, endpoint)
            if key not in self._open:
                self._open[key] = await asyncio.to_thread(self._make, wanted, env)
            return wanted, self._open[key]

    def renew(self, name: str) -> None:
        """Make the clients of `name` anew when they are next asked for: more is known of it now.

        Those of running turns go on and are closed in the end.
        """
        for key in [key for key in self._open if key[0] == name]:
            self._retired.append(self._open.pop(key))

    def _make(self, name: str, env: Mapping[str, str]) -> ChatModel:
        if self._factory is not None:
            return self._factory(name)
        from tabulaflow_core.models.resolve import resolve_model

        return resolve_model(name, settings=self._settings, env=env)

    async def close_async(self) -> None:
        """Close every client."""
        models = [*self._open.values(), *self._retired]
        self._open.clear()
        self._retired.clear()
        for model in models:
            await model.close_async()
        # The embedded model's child process is shared by every client of this process, so no client ends it.
        if "tabulaflow_core.models.local.server" in sys.modules:
            from tabulaflow_core.models.local import close_shared_server

            await asyncio.to_thread(close_shared_server)


def statuses(settings: Settings, *, chosen: str = "", env: Mapping[str, str] | None = None) -> tuple[ModelStatus, ...]:
    """The default model, the hosted one and the embedded one, each with what it still needs. Blocks: reads files.

    Args:
        chosen: A model that the person chose.
        env: Addresses and keys; by default the process environment.
    """
    from tabulaflow_core.models.catalog import DEFAULT_OPENAI_MODEL, PROVIDERS, facts_for
    from tabulaflow_core.models.local import local_model_status
    from tabulaflow_core.models.resolve import parse_name, why_not_ready

    found: dict[str, ModelStatus] = {}
    for given in filter(None, (chosen, settings.model, DEFAULT_OPENAI_MODEL)):
        try:
            provider, name = parse_name(given)
        except ValueError:  # said by `why_not_ready` in words
            found[given] = ModelStatus(
                given, given, ready=False, reason=why_not_ready(given, settings=settings, env=env) or ""
            )
            continue
        if provider.name == "local" or name in found:
            continue
        reason = why_not_ready(name, settings=settings, env=env) or ""
        label = f"{PROVIDERS[provider.name].label}: {name.partition(':')[2]}"
        if provider.name == "scripted":  # there is one, and its name says nothing more
            label = "Scripted demo"
        facts = facts_for(name)
        compact = facts.profile == "compact"
        found[name] = ModelStatus(name, label, ready=not reason, reason=reason, local=facts.local, compact=compact)
    local = local_model_status(settings)
    found[local.name] = ModelStatus(
        local.name,
        local.label,
        ready=local.ready,
        reason=local.reason,
        local=True,
        size_bytes=local.size_bytes,
        compact=True,
    )
    return tuple(found.values())
