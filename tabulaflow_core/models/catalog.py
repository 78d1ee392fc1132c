"""The one table of providers and of what is true of their models.

A model that the table does not know, of a provider that it knows, works with the provider's facts. Windows and
reasoning levels are the providers' published ones (November 2026); prices stand in `genai-prices`.
"""

from __future__ import annotations

import fnmatch
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import urlsplit

from tabulaflow_core.models.contracts import ModelFacts, ReasoningLevel, Wire

OPENAI_URL: Final = "https://api.openai.com/v1"
DEFAULT_OPENAI_MODEL: Final = "openai:gpt-5.6-sol"
DEFAULT_LOCAL_MODEL: Final = "local:qwen2.5-coder-1.5b"


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider listens and how it is spoken to.

    Attributes:
        base_url: Where it listens when no variable says otherwise; empty when the user must say.
        url_envs: Variables that say where, the first one set wins.
        key_envs: Variables that hold the key. The key of the variable at the place of the address found is meant for
            that address, so that a key never goes to another one.
        key_needed: It answers nothing without a key.
        priced: `genai-prices` has a table of its prices.
        runs_weights: It computes where it listens, and does not pass requests on.
        url_suffix: Added to an address that does not end so.
        hint: What to look at when nobody listens.
    """

    name: str
    label: str
    wire: Wire
    base_url: str = ""
    url_envs: tuple[str, ...] = ()
    key_envs: tuple[str, ...] = ()
    key_needed: bool = False
    priced: bool = False
    runs_weights: bool = False
    url_suffix: str = ""
    hint: str = "Check the address and your network."


_ALL = (
    Provider(
        "openai",
        "OpenAI",
        "responses",
        OPENAI_URL,
        ("OPENAI_BASE_URL",),
        ("OPENAI_API_KEY",),
        key_needed=True,
        priced=True,
    ),
    Provider(
        "ollama",
        "Ollama",
        "chat",
        "http://127.0.0.1:11434/v1",
        ("OLLAMA_BASE_URL",),
        ("OLLAMA_API_KEY",),
        runs_weights=True,
        url_suffix="/v1",
        hint="Start it with `ollama serve`, or set OLLAMA_BASE_URL to where it listens.",
    ),
    Provider(
        "vllm",
        "vLLM",
        "chat",
        "http://127.0.0.1:8000/v1",
        ("VLLM_BASE_URL",),
        ("VLLM_API_KEY",),
        runs_weights=True,
        url_suffix="/v1",
        hint="Start it with `vllm serve MODEL`, or set VLLM_BASE_URL to where it listens.",
    ),
    Provider(
        "lmstudio",
        "LM Studio",
        "chat",
        "http://127.0.0.1:1234/v1",
        ("LMSTUDIO_BASE_URL",),
        ("LMSTUDIO_API_KEY",),
        runs_weights=True,
        url_suffix="/v1",
        hint="Start its local server, or set LMSTUDIO_BASE_URL to where it listens.",
    ),
    Provider(
        "azure",
        "Azure OpenAI",
        "chat",
        "",
        ("AZURE_OPENAI_ENDPOINT",),
        ("AZURE_OPENAI_API_KEY",),
        key_needed=True,
        priced=True,
        url_suffix="/openai/v1",
        hint="Check AZURE_OPENAI_ENDPOINT and your network.",
    ),
    Provider(
        "openrouter",
        "OpenRouter",
        "chat",
        "https://openrouter.ai/api/v1",
        (),
        ("OPENROUTER_API_KEY",),
        key_needed=True,
        priced=True,
    ),
    Provider(
        "groq", "Groq", "chat", "https://api.groq.com/openai/v1", (), ("GROQ_API_KEY",), key_needed=True, priced=True
    ),
    Provider(
        "mistral",
        "Mistral",
        "chat",
        "https://api.mistral.ai/v1",
        (),
        ("MISTRAL_API_KEY",),
        key_needed=True,
        priced=True,
    ),
    Provider(
        "deepseek",
        "DeepSeek",
        "chat",
        "https://api.deepseek.com",
        (),
        ("DEEPSEEK_API_KEY",),
        key_needed=True,
        priced=True,
    ),
    Provider(
        "compatible",
        "The endpoint",
        "chat",
        "",
        ("TABULAFLOW_BASE_URL", "OPENAI_BASE_URL"),
        ("TABULAFLOW_API_KEY", "OPENAI_API_KEY"),
        hint="Check TABULAFLOW_BASE_URL; it usually ends in /v1.",
    ),
    Provider("local", "The embedded model", "chat", hint="Ask again: it is started anew."),
    Provider("scripted", "The scripted demo", "scripted"),
)
PROVIDERS: Final[Mapping[str, Provider]] = MappingProxyType({provider.name: provider for provider in _ALL})


@dataclass(frozen=True, slots=True)
class _Known:
    """Facts of the models whose lower-case name fits `pattern`; the first row that fits counts."""

    pattern: str
    context_tokens: int = 0
    reasoning: tuple[ReasoningLevel, ...] = ()
    temperature: bool = True
    profile: Literal["standard", "compact"] = "standard"
    tools: Literal["native", "text"] = "native"


_THREE: Final[tuple[ReasoningLevel, ...]] = ("low", "medium", "high")
_FOUR: Final[tuple[ReasoningLevel, ...]] = ("none", "low", "medium", "high")

_KNOWN = (
    _Known("openai:gpt-[67]*", 1_050_000, _FOUR, temperature=False),
    _Known("openai:gpt-5.[4-9]-mini*", 400_000, _FOUR, temperature=False),
    _Known("openai:gpt-5.[4-9]-nano*", 400_000, _FOUR, temperature=False),
    _Known("openai:gpt-5.[4-9]*", 1_050_000, _FOUR, temperature=False),
    _Known("openai:gpt-5.[1-3]*", 400_000, _FOUR, temperature=False),
    _Known("openai:gpt-5*", 400_000, _THREE, temperature=False),
    _Known("openai:o[134]*", 200_000, _THREE, temperature=False),
    _Known("openai:gpt-4.1*", 1_000_000),
    _Known("openai:gpt-4o*", 128_000),
    _Known("azure:gpt-[567]*", 400_000, _THREE, temperature=False),
    _Known("azure:o[134]*", 200_000, _THREE, temperature=False),
    _Known("local:*", 8_192, profile="compact", tools="text"),
    _Known("*gpt-oss*", 131_072, _THREE),
    _Known("deepseek:*", 128_000),
    _Known("mistral:*", 128_000),
    # Below about four thousand million parameters a model wants the short prompt, whoever serves it.
    _Known("*[-:_/]0.[0-9]*b*", profile="compact"),
    _Known("*[-:_/][1-3]b*", profile="compact"),
    _Known("*[-:_/][1-3].[0-9]b*", profile="compact"),
)


def facts_for(name: str, *, base_url: str | None = None) -> ModelFacts:
    """Return what is true of `provider:model`.

    Args:
        name: Its provider must be in `PROVIDERS`.
        base_url: Where it really listens; Ollama and its like on this machine cost nothing and keep the data here.
    """
    provider = PROVIDERS[name.partition(":")[0]]
    known = next((row for row in _KNOWN if fnmatch.fnmatchcase(name.lower(), row.pattern)), _Known("*"))
    url = provider.base_url if base_url is None else base_url
    here = _runs_here(provider, name, url)
    return ModelFacts(
        name=name,
        wire=provider.wire,
        context_tokens=known.context_tokens,
        tools=known.tools,
        profile=known.profile,
        reasoning=known.reasoning,
        price="local" if here else "table" if provider.priced else "unknown",
        temperature=known.temperature,
        local=here,
        base_url=url,
        api_key_env=provider.key_envs[0] if provider.key_envs else "",
    )


def _runs_here(provider: Provider, name: str, url: str) -> bool:
    """Say whether the model computes on this machine.

    An endpoint of unknown kind may pass everything on to a host that costs money, and so do Ollama's `cloud` models;
    neither counts as local, wherever it listens.
    """
    if provider.name in ("local", "scripted"):
        return True
    return provider.runs_weights and is_loopback(url) and not name.endswith("cloud")


def is_loopback(url: str) -> bool:
    """Say whether `url` points at this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask and with which key; `url_env` and `key_env` name the variables for messages."""

    url: str
    api_key: str
    url_env: str
    key_env: str

    def __repr__(self) -> str:
        return f"Endpoint(url={self.url!r}, api_key={'…' if self.api_key else ''!r})"


def endpoint_for(provider: Provider, env: Mapping[str, str]) -> Endpoint:
    """Read the address and the key of `provider` from `env`; either may be empty."""
    place = next((i for i, name in enumerate(provider.url_envs) if env.get(name)), None)
    url = provider.base_url if place is None else env[provider.url_envs[place]].strip().rstrip("/")
    if place is not None and provider.url_suffix and not url.endswith(provider.url_suffix):
        url += provider.url_suffix
    key_place = min(place or 0, len(provider.key_envs) - 1)
    key_env = provider.key_envs[key_place] if provider.key_envs else ""
    url_env = provider.url_envs[place or 0] if provider.url_envs else ""
    return Endpoint(url, env.get(key_env, "").strip(), url_env, key_env)
