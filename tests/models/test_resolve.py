"""Names, facts, defaults and prices."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tabulaflow_core.models
from tabulaflow_core.config import Settings
from tabulaflow_core.errors import NoModelAvailable, UnknownModel
from tabulaflow_core.models import (
    AssistantMessage,
    ModelRequest,
    ScriptedModel,
    ToolCall,
    ToolSpec,
    Usage,
    UserMessage,
    default_model_name,
    estimate_request_tokens,
    estimate_tokens,
    preload_model,
    resolve_model,
    usage_from,
    why_not_ready,
)
from tabulaflow_core.models.catalog import PROVIDERS, endpoint_for, facts_for
from tabulaflow_core.models.openai import OpenAIChatModel, OpenAIResponsesModel


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache")


def test_the_public_names_are_true() -> None:
    exported = tabulaflow_core.models.__all__
    assert exported == sorted(exported, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert all(getattr(tabulaflow_core.models, name) is not None for name in exported)
    with pytest.raises(AttributeError):
        tabulaflow_core.models.nonesuch  # noqa: B018


def test_importing_is_cheap() -> None:
    code = (
        "import sys, tabulaflow_core.models as m; m.resolve_model('scripted');"
        "print([n for n in ('openai', 'genai_prices', 'httpx2', 'xllamacpp') if n in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "env", "kind", "url"),
    [
        ("openai:gpt-5.6-sol", {"OPENAI_API_KEY": "k"}, OpenAIResponsesModel, "https://api.openai.com/v1"),
        ("gpt-4.1-mini", {"OPENAI_API_KEY": "k"}, OpenAIResponsesModel, "https://api.openai.com/v1"),
        ("ollama:qwen3:8b", {}, OpenAIChatModel, "http://127.0.0.1:11434/v1"),
        ("ollama:qwen3", {"OLLAMA_BASE_URL": "http://box:11434/"}, OpenAIChatModel, "http://box:11434/v1"),
        (
            "azure:gpt-4o",
            {"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com", "AZURE_OPENAI_API_KEY": "k"},
            OpenAIChatModel,
            "https://x.openai.azure.com/openai/v1",
        ),
        ("compatible:any", {"TABULAFLOW_BASE_URL": "http://h:1/v1"}, OpenAIChatModel, "http://h:1/v1"),
        ("compatible:any", {"OPENAI_BASE_URL": "http://h:2/v1"}, OpenAIChatModel, "http://h:2/v1"),
    ],
)
def test_names_resolve(name: str, env: dict[str, str], kind: type, url: str, settings: Settings) -> None:
    model = resolve_model(name, settings=settings, env=env)
    assert isinstance(model, kind)
    assert model.facts.base_url == url
    assert why_not_ready(name, settings=settings, env=env) is None
    assert resolve_model(model, settings=settings) is model


@pytest.mark.parametrize("name", ["", "nonsense", "nonsense:x", "openai:", "scripted:nonesuch", ":x"])
def test_unknown_names_are_told(name: str, settings: Settings) -> None:
    with pytest.raises((UnknownModel, NoModelAvailable)) as caught:
        resolve_model(name, settings=settings, env={})
    assert caught.value.user_message.endswith(".")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("openai:gpt-5.6-sol", "OPENAI_API_KEY"),
        ("azure:x", "AZURE_OPENAI_ENDPOINT"),
        ("groq:x", "GROQ_API_KEY"),
        ("compatible:x", "TABULAFLOW_BASE_URL"),
    ],
)
def test_what_is_missing_is_told(name: str, says: str, settings: Settings) -> None:
    with pytest.raises(NoModelAvailable, match=says):
        resolve_model(name, settings=settings, env={})
    assert says in (why_not_ready(name, settings=settings, env={}) or "")


def test_the_default(settings: Settings, tmp_path: Path) -> None:
    assert default_model_name(settings, env={}) is None
    with pytest.raises(NoModelAvailable, match="OPENAI_API_KEY"):
        resolve_model(None, settings=settings, env={})
    assert default_model_name(settings, env={"OPENAI_API_KEY": "k"}) == "openai:gpt-5.6-sol"
    chosen = Settings(data_dir=tmp_path, cache_dir=tmp_path, model="scripted")
    assert default_model_name(chosen, env={"OPENAI_API_KEY": "k"}) == "scripted"
    assert isinstance(resolve_model(None, settings=chosen, env={}), ScriptedModel)


def test_a_key_goes_to_its_own_address_only() -> None:
    env = {"TABULAFLOW_BASE_URL": "http://h/v1", "OPENAI_API_KEY": "sk-openai"}
    assert endpoint_for(PROVIDERS["compatible"], env).api_key == ""
    env = {"OPENAI_BASE_URL": "http://h/v1", "TABULAFLOW_API_KEY": "t", "OPENAI_API_KEY": "sk-openai"}
    endpoint = endpoint_for(PROVIDERS["compatible"], env)
    assert endpoint.api_key == "sk-openai"
    assert "sk-openai" not in repr(endpoint)


def test_facts() -> None:
    sol = facts_for("openai:gpt-5.6-sol")
    assert (sol.wire, sol.context_tokens, sol.temperature) == ("responses", 1_050_000, False)
    assert sol.reasoning == ("none", "low", "medium", "high")
    assert facts_for("openai:something-new").wire == "responses"
    small = facts_for("ollama:qwen2.5-coder:1.5b")
    assert (small.profile, small.local, small.price) == ("compact", True, "local")
    assert facts_for("ollama:qwen3:32b").profile == "standard"
    assert facts_for("local:qwen2.5-coder-1.5b").tools == "text"
    away = facts_for("vllm:x", base_url="http://gpu.example/v1")
    assert (away.local, away.price) == (False, "unknown")
    proxied = facts_for("openai:gpt-4o", base_url="http://127.0.0.1:4000/v1")
    assert (proxied.local, proxied.price) == (False, "table")
    anything = facts_for("compatible:gpt-4o", base_url="http://127.0.0.1:4000/v1")
    assert (anything.local, anything.price) == (False, "unknown")
    assert facts_for("ollama:gpt-oss:120b-cloud").price == "unknown"


def test_prices() -> None:
    sol = facts_for("openai:gpt-5.6-sol")
    usage = usage_from(sol, input_tokens=1_000_000, output_tokens=0)
    assert usage.api_cost_usd is not None
    assert usage.api_cost_usd > 0
    assert usage.price_source == "genai-prices"
    cached = usage_from(sol, input_tokens=1_000_000, output_tokens=0, cached_input_tokens=900_000)
    assert cached.api_cost_usd is not None
    assert 0 < cached.api_cost_usd < usage.api_cost_usd
    unknown = usage_from(facts_for("openai:no-such-model"), input_tokens=10, output_tokens=10)
    assert (unknown.api_cost_usd, unknown.price_source) == (None, "unknown")
    uncounted = usage_from(sol, input_tokens=None, output_tokens=None)
    assert (uncounted.api_cost_usd, uncounted.price_source, uncounted.api_requests) == (None, "unknown", 1)
    local = usage_from(facts_for("local:x"), input_tokens=10, output_tokens=10)
    assert (local.api_cost_usd, local.price_source) == (0.0, "local")
    both = usage + unknown
    assert both.api_cost_usd is None
    assert Usage() + usage == usage


def test_token_estimates() -> None:
    assert estimate_tokens("") == 0
    assert 8 <= estimate_tokens("Which products are below their reorder point?") <= 13
    sql = "SELECT product, reorder_point - on_hand AS to_order FROM inventory WHERE on_hand < reorder_point"
    assert 18 <= estimate_tokens(sql) <= 36
    assert 2 <= estimate_tokens("日本語") <= 5
    assert estimate_tokens("a" * 60_000) >= 7_000


def test_tokens_of_a_request_are_those_of_its_parts() -> None:
    tool = ToolSpec("run_query", "Run one query.", {"type": "object"})
    call = ToolCall("c1", "run_query", {"sql": "SELECT 1"}, '{"sql": "SELECT 1"}')
    request = ModelRequest((UserMessage("Größe? 12345"), AssistantMessage("", (call,))), (tool,))
    expected = 2 * 4 + estimate_tokens("Größe? 12345") + estimate_tokens(call.name) + estimate_tokens(call.raw)
    expected += sum(map(estimate_tokens, (tool.name, tool.description, '{"type":"object"}')))
    assert estimate_request_tokens(request) == estimate_request_tokens(request) == expected


def test_tokens_by_kind() -> None:
    assert [estimate_tokens(text) for text in ("abcdefg", "1234", "a.b", "a b", "a\n\nb", "a    b")] == [
        2,
        2,
        3,
        2,
        3,
        3,
    ]
    assert estimate_tokens("日" * 10) == 8
    assert estimate_tokens("x" * 6 * 100_000) == 100_000


def test_preloading_leaves_the_first_call_nothing_to_load() -> None:
    code = (
        "import sys; from tabulaflow_core.models import preload_model;"
        "print(preload_model('openai:gpt-5.6-sol', env={'OPENAI_API_KEY': 'k'}).facts.name);"
        "print({'openai', 'genai_prices', 'httpx2'} <= sys.modules.keys());"
        "from tabulaflow_core.models.openai.client import load_certificates;"
        "print(load_certificates.cache_info().currsize)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.split() == ["openai:gpt-5.6-sol", "True", "1"]


def test_preloading_takes_what_resolving_takes(settings: Settings) -> None:
    model = ScriptedModel()
    assert preload_model(model, settings=settings) is model
    with pytest.raises(NoModelAvailable):
        preload_model(None, settings=settings, env={})
