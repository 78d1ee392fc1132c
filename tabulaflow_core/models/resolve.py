"""From a name to a model that can be asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import NoModelAvailable, UnknownModel
from tabulaflow_core.models.catalog import (
    DEFAULT_LOCAL_MODEL,
    DEFAULT_OPENAI_MODEL,
    PROVIDERS,
    Endpoint,
    Provider,
    endpoint_for,
    facts_for,
)
from tabulaflow_core.models.contracts import ChatModel
from tabulaflow_core.models.profiles import kept_profile, with_profile

if TYPE_CHECKING:
    from tabulaflow_core.models.local import LocalModelStatus

_NOTHING = (
    "No language model is set up. Set OPENAI_API_KEY, or choose a server with TABULAFLOW_MODEL (such as ollama:qwen3), "
    "or fetch the embedded model with `tabulaflow model pull`."
)


def resolve_model(
    name: str | ChatModel | None, *, settings: Settings | None = None, env: Mapping[str, str] | None = None
) -> ChatModel:
    """Return the model called `name`; a model that already is one is returned as it is.

    Args:
        name: `provider:model`, a bare model name of OpenAI's, `scripted`, or None for the default.
        settings: By default those of the environment.
        env: Addresses and keys of providers; by default the process environment.

    Raises:
        NoModelAvailable: There is no default model, or the provider's key or address is missing.
        UnknownModel: The name names no known provider.
    """
    if name is not None and not isinstance(name, str):
        return name
    env = os.environ if env is None else env
    settings = settings or Settings.from_env()
    name = name or default_model_name(settings, env=env)
    if name is None:
        raise NoModelAvailable(_NOTHING)
    provider, full_name = parse_name(name)
    if provider.name == "scripted":
        return _scripted(full_name)
    if provider.name == "local":
        from tabulaflow_core.models.local import LocalModel

        return LocalModel(full_name, settings=settings)
    return _remote(provider, full_name, endpoint_for(provider, env), settings)


def preload_model(
    name: str | ChatModel | None, *, settings: Settings | None = None, env: Mapping[str, str] | None = None
) -> ChatModel:
    """Like `resolve_model`, with all loaded that the model's first call would load: modules, certificates, prices.

    That takes up to a second: call it in a worker thread, so that nobody waits for it.
    """
    model = resolve_model(name, settings=settings, env=env)
    if model.facts.wire != "scripted":
        from tabulaflow_core.models.openai.client import load_transport
        from tabulaflow_core.models.prices import load_prices

        load_transport()
        if model.facts.price == "table":
            load_prices(model.facts)
    return model


def default_model_name(settings: Settings | None = None, *, env: Mapping[str, str] | None = None) -> str | None:
    """Return the model to use when none is named, or None.

    `TABULAFLOW_MODEL` wins; then OpenAI when `OPENAI_API_KEY` is set; then the embedded model when its weights are
    here.
    """
    env = os.environ if env is None else env
    settings = settings or Settings.from_env()
    if settings.model:
        return settings.model
    if env.get("OPENAI_API_KEY", "").strip():
        return DEFAULT_OPENAI_MODEL
    status = _local_status(settings)
    return status.name if status.ready else None


def why_not_ready(name: str, *, settings: Settings | None = None, env: Mapping[str, str] | None = None) -> str | None:
    """Return a sentence on what the model still needs, or None when it can be asked. Asks nobody."""
    env = os.environ if env is None else env
    settings = settings or Settings.from_env()
    try:
        provider, full_name = parse_name(name)
    except UnknownModel as error:
        return error.user_message
    if provider.name == "scripted":
        return None
    if provider.name == "local":
        return _local_status(settings).reason or None
    return _missing(provider, full_name, endpoint_for(provider, env))


def parse_name(name: str) -> tuple[Provider, str]:
    """Split a model's name; return its provider and its full name.

    Raises:
        UnknownModel: No such provider, or no model is named.
    """
    name = name.strip()
    head, colon, model = name.partition(":")
    if name == "scripted":
        return PROVIDERS["scripted"], "scripted:demo"
    if name == "local":
        return PROVIDERS["local"], DEFAULT_LOCAL_MODEL
    if not colon and head.startswith(("gpt-", "o1", "o3", "o4")):
        return PROVIDERS["openai"], f"openai:{head}"
    if head not in PROVIDERS:
        known = ", ".join(sorted(PROVIDERS))
        raise UnknownModel(f"{name!r} is not a model: write `provider:model` with one of the providers {known}.")
    if not model.strip():
        raise UnknownModel(f"{name!r} names no model: write `{head}:` and the model's name behind it.")
    return PROVIDERS[head], f"{head}:{model.strip()}"


def _scripted(name: str) -> ChatModel:
    from tabulaflow_core.models.scripted import ScriptedModel, scripted_facts
    from tabulaflow_core.models.scripts import SCRIPTS

    script = name.partition(":")[2]
    if script not in SCRIPTS:
        raise UnknownModel(f"There is no script {script!r}; there are {', '.join(sorted(SCRIPTS))}.")
    return ScriptedModel(rule=SCRIPTS[script], facts=scripted_facts(name))


def _remote(provider: Provider, name: str, endpoint: Endpoint, settings: Settings) -> ChatModel:
    from tabulaflow_core.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from tabulaflow_core.models.openai.quirks import remember_profile

    if missing := _missing(provider, name, endpoint):
        raise NoModelAvailable(missing)
    facts = facts_for(name, base_url=endpoint.url)
    if facts.wire == "responses":
        return OpenAIResponsesModel(facts, base_url=endpoint.url, api_key=endpoint.api_key)
    if (profile := kept_profile(settings, endpoint.url, name.partition(":")[2])) is not None:
        facts = with_profile(facts, profile)
        remember_profile(facts, endpoint.url, profile)
    return OpenAIChatModel(facts, base_url=endpoint.url, api_key=endpoint.api_key)


def _missing(provider: Provider, name: str, endpoint: Endpoint) -> str | None:
    if not endpoint.url:
        return f"{name!r} needs an address: set {endpoint.url_env}, such as http://127.0.0.1:8000/v1."
    if urlsplit(endpoint.url).scheme not in ("http", "https") or not urlsplit(endpoint.url).hostname:
        return f"{endpoint.url_env} is not an address; it looks like http://127.0.0.1:8000/v1."
    if provider.key_needed and not endpoint.api_key:
        return f"{name!r} needs a key: set {endpoint.key_env}, or choose another model."
    return None


def _local_status(settings: Settings) -> LocalModelStatus:
    from tabulaflow_core.models.local import local_model_status

    return local_model_status(settings)
