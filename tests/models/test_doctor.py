"""The doctor, against servers with and without faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import ModelRejected
from tabulaflow_core.models import DoctorReport, Finding, ModelRequest, SystemMessage, UserMessage, probe_endpoint
from tabulaflow_core.models.openai import quirks
from tabulaflow_core.models.profiles import EndpointProfile, keep_profile, kept_profile
from tabulaflow_core.models.resolve import resolve_model
from tabulaflow_core.models.scripted import Step, call, hang, text
from tests.modelserver import ModelServer, status


def obliging(request: ModelRequest) -> list[Step]:
    """Call the tool when there is one; answer in JSON when asked to."""
    if request.tools:
        return [call("run_query", sql="SELECT count(*) FROM orders")]
    return [text('{"capital": "Paris"}' if "JSON" in request.messages[-1].text else "OK then")]


def writing(request: ModelRequest) -> list[Step]:
    """Write calls as text."""
    return [text('<tool_call>{{"name": "run_query", "arguments": {"sql": "SELECT 1"}}}</tool_call>')]


def found(report: DoctorReport) -> dict[str, bool | None]:
    return {finding.name: finding.ok for finding in report.findings}


async def test_an_endpoint_that_can_do_everything() -> None:
    with ModelServer(rule=obliging, models=["first", "second"]) as server:
        seen: list[Finding] = []
        report = await probe_endpoint(server.url, on_finding=seen.append)
        assert server.connections == 1
    assert tuple(seen) == report.findings
    assert report.ok
    assert report.models == ("first", "second")
    assert report.model == "first"
    assert set(found(report).values()) == {True}
    assert "TABULAFLOW_MODEL=compatible:first" in report.advice
    assert report.to_json()["ok"] is True


async def test_an_endpoint_with_habits() -> None:
    refuses = ["max_tokens", "temperature", "stream_options", "system", "response_format", "tool_choice"]
    with ModelServer(rule=writing, refuses=refuses) as server:
        report = await probe_endpoint(server.url, model="scripted-model")
    seen = found(report)
    assert seen["usage in the stream"] is False
    assert seen["temperature"] is None
    assert seen["tool calls"] is True
    messages = {finding.name: finding.message for finding in report.findings}
    assert "max_completion_tokens" in messages["length limit"]
    assert "developer" in messages["instructions"]
    assert "as text" in messages["tool calls"]
    assert not report.ok


async def test_wrong_key_wrong_address_unknown_model() -> None:
    with ModelServer(rule=obliging, api_key="right-key") as server:
        report = await probe_endpoint(server.url, api_key="wrong-key")
        assert not report.ok
        assert "key" in report.findings[0].message
        assert "wrong-key" not in str(report.to_json())
        report = await probe_endpoint(server.url, api_key="right-key", model="nonesuch")
        assert found(report)["lists models"] is False
        report = await probe_endpoint(server.url.removesuffix("/v1"), model="scripted-model", api_key="right-key")
        assert not report.ok
    report = await probe_endpoint(server.url)
    assert not report.ok
    assert "does not answer" in report.findings[0].message
    with pytest.raises(ModelRejected):
        await probe_endpoint("localhost:8000")


async def test_an_endpoint_that_falls_silent() -> None:
    with ModelServer() as server:
        server.enqueue(text("1, 2, 3")).enqueue(hang())
        report = await probe_endpoint(server.url, silence_seconds=0.3)
    assert found(report)["answers"] is True
    assert found(report)["stays up"] is False
    assert not report.ok


async def test_what_was_found_is_kept_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quirks, "_learnt", {})
    settings = Settings(cache_dir=tmp_path)
    refuses = ["max_tokens", "temperature", "stream_options", "system", "response_format", "tool_choice"]
    with ModelServer(rule=writing, refuses=refuses, lists={"max_model_len": 8192}) as server:
        report = await probe_endpoint(server.url, model="scripted-model")
        assert found(report)["window"] is True
        assert report.profile == EndpointProfile(
            stream_options=False,
            max_tokens="max_completion_tokens",
            temperature=False,
            system_role="developer",
            tool_choice=False,
            response_schema=False,
            tools="text",
            context_tokens=8192,
        )
        path = keep_profile(settings, server.url, report.model, report.profile)
        assert path is not None
        assert path.stat().st_mode & 0o077 == 0
        env = {"TABULAFLOW_BASE_URL": f"{server.url}/"}
        model = resolve_model("compatible:scripted-model", settings=settings, env=env)
        assert (model.facts.tools, model.facts.context_tokens) == ("text", 8192)
        before = server.refused
        server.enqueue(text("Hi."))
        request = ModelRequest((SystemMessage("S"), UserMessage("Q")), max_output_tokens=9, temperature=0.0)
        assert [part async for part in model.stream(request)]
        assert server.refused == before, "nothing has to be found out again"
        await model.close_async()
        other = resolve_model("compatible:another", settings=settings, env=env)
        assert (other.facts.tools, other.facts.context_tokens) == ("native", 0)


async def test_an_endpoint_that_does_not_answer_leaves_no_profile() -> None:
    with ModelServer() as server:
        server.enqueue(status(400, "No.")).enqueue(status(400, "No."))
        report = await probe_endpoint(server.url)
    assert (report.ok, report.profile) == (False, None)


@pytest.mark.parametrize("body", ["", "[]", "{", '{"http://h/v1 m": {"tools": "magic"}}', '{"http://h/v1 m": 5}'])
def test_a_spoilt_file_of_profiles_is_no_profile(tmp_path: Path, body: str) -> None:
    settings = Settings(cache_dir=tmp_path)
    (tmp_path / "endpoints.json").write_text(body)
    assert kept_profile(settings, "http://h/v1", "m") is None
    assert keep_profile(settings, "http://u:secret@h/v1", "m", EndpointProfile(temperature=False)) is not None
    assert kept_profile(settings, "http://h/v1/", "m") == EndpointProfile(temperature=False)
    assert "secret" not in (tmp_path / "endpoints.json").read_text()
