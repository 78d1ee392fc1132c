"""The doctor, against servers with and without faults."""

from __future__ import annotations

import pytest

from tabulaflow_core.errors import ModelRejected
from tabulaflow_core.models import DoctorReport, Finding, ModelRequest, probe_endpoint
from tabulaflow_core.models.scripted import Step, call, hang, text
from tests.modelserver import ModelServer


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
