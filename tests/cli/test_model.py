"""`tabulaflow model` and `tabulaflow examples`."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run


def test_the_list_says_what_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = run("model", "list", "--json").lines
    by_name = {line["name"]: line for line in lines}
    assert all(set(x) == {"name", "label", "ready", "reason", "local", "size_bytes", "default"} for x in lines)
    local = next(x for x in lines if x["local"])
    assert local["ready"] is False
    assert local["reason"]
    hosted = next(x for x in lines if not x["local"])
    assert "OPENAI_API_KEY" in hosted["reason"]
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    lines = run("model", "list", "--json").lines
    assert [x["name"] for x in lines if x["default"]] == [hosted["name"]]
    assert set(by_name) == {x["name"] for x in lines}
    assert hosted["name"] in run("model", "list").out


def test_pull_takes_a_file_and_is_not_needed_then(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tmp_path / "mine.gguf"
    weights.write_bytes(b"GGUF" + b"\0" * 100)
    ran = run("model", "pull", "--from", weights, "--json")
    assert ran.code == 0
    assert ran.lines[-1]["kind"] == "done"
    assert Path(ran.lines[-1]["path"]).read_bytes() == weights.read_bytes()
    assert all(line["kind"] == "progress" for line in ran.lines[:-1])


def test_pull_is_not_needed_when_a_model_can_be_used(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    ran = run("model", "pull", "--if-needed", "--yes")
    assert ran.code == 0
    assert ran.out.startswith("Nothing to fetch: openai:")


def test_pull_asks_first_and_refuses_what_is_no_model(run: Run, tmp_path: Path) -> None:
    ran = run("model", "pull")
    assert ran.code == 2
    assert "--yes" in ran.err
    text = tmp_path / "x.gguf"
    text.write_text("no")
    wrong = run("model", "pull", "--from", text)
    assert wrong.code == 1
    assert "GGUF" in wrong.err


def test_doctor_says_what_it_found(run: Run) -> None:
    assert run("model", "doctor").code == 2
    assert run("model", "doctor", "-m", "scripted").code == 0
    local = run("model", "doctor", "-m", "local", "--json")
    assert local.code == 1
    assert local.lines[0]["ok"] is False
    gone = run("model", "doctor", "--base-url", "http://127.0.0.1:9/v1", "--json")
    assert gone.code == 1
    assert gone.lines[0]["findings"][0]["ok"] is False
    assert run("model", "doctor", "-m", "openai:gpt-5").code == 1


def test_examples_are_listed_and_run_with_nothing(run: Run) -> None:
    assert [line["name"] for line in run("examples", "list", "--json").lines] == ["chat-sessions"]
    assert "chat-sessions" in run("examples", "list").out
    ran = run("examples", "run", "chat-sessions", "--model", "scripted")
    assert ran.code == 0
    assert "HDMI cable (12 on hand, reorder point 20)" in ran.out
    assert "Order 8 HDMI cables and 7 USB-C docks." in ran.out
    assert ran.out.count("SELECT") == 2
    assert ran.out.count("2 model calls") == 2
    lines = run("examples", "run", "chat-sessions", "--model", "scripted", "--json").lines
    assert [set(line) for line in lines] == [{"question", "text", "sql", "usage"}] * 2
    assert run("examples", "run", "nothing").code == 2


@pytest.mark.parametrize("model", ["openai:gpt-5.6-sol", "compatible:any"])
def test_the_example_runs_over_both_wires(run: Run, monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    from tabulaflow_core.models.scripts import SCRIPTS
    from tests.modelserver import ModelServer

    with ModelServer(rule=SCRIPTS["chat-sessions"]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("TABULAFLOW_BASE_URL", server.url)
        ran = run("examples", "run", "chat-sessions", "--model", model)
        assert ran.code == 0
        assert "Order 8 HDMI cables and 7 USB-C docks." in ran.out
        assert len(server.requests) == 4


def test_the_doctor_prints_its_findings(run: Run) -> None:
    from tabulaflow_core.models.scripts import SCRIPTS
    from tests.modelserver import ModelServer

    with ModelServer(rule=SCRIPTS["chat-sessions"]) as server:
        ran = run("model", "doctor", "--base-url", server.url)
        line = run("model", "doctor", "--base-url", server.url, "--json").lines[0]
    assert "It lists: scripted-model" in ran.out
    assert "is kept in" in ran.out
    assert line["kept"].endswith("endpoints.json")
    assert line["profile"]["tools"] == "native"
    assert {"base_url", "model", "models", "ok", "findings", "advice"} <= set(line)
    assert ran.code == (0 if line["ok"] else 1)
