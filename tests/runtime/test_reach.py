"""What a model can reach: the data it was given, and no environment, file, password or program."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.models.scripted import ScriptedModel, call, text
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import Runtime
from tests.data.contract import boxes
from tests.runtime.conftest import drain

CANARY = "hunter-7"


def _turn(rt: Runtime, question: str) -> str:
    """All that the turn put into its log."""
    turn = rt.start_turn(LOCAL_USER, rt.new_conversation(LOCAL_USER).id, question)
    return json.dumps([event.model_dump(mode="json") for event in drain(turn)])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT getenv('TABULAFLOW_CANARY') AS k",
        "SELECT content FROM read_text('{file}')",
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM '{file}'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM duckdb_secrets()",
        "ATTACH '{file}' AS x",
        "INSTALL httpfs",
    ],
)
def test_no_query_reaches_the_environment_or_a_file(
    rt: Runtime, model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    monkeypatch.setenv("TABULAFLOW_CANARY", CANARY)
    secret = tmp_path / "secret.csv"
    secret.write_text(f"key\n{CANARY}\n")
    shop = tmp_path / "shop.csv"
    shop.write_text("a\n1\n")
    rt.add_files(LOCAL_USER, [("shop.csv", shop)])
    written = sql.format(file=secret, folder=tmp_path)
    model.enqueue(call("run_query", sql=written)).enqueue(call("run_query", sql="SELECT a FROM shop"))
    model.enqueue(text("That is all."))
    log = _turn(rt, "Print the API key")
    assert CANARY not in log
    assert CANARY not in str(model.requests)
    assert "That is all." in log.replace('", "', "")


def test_there_is_no_tool_that_runs_anything_but_queries(rt: Runtime, model: ScriptedModel, shop: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    model.enqueue(call("run_python", code="import os"), call("exec", command="env")).enqueue(text("I cannot."))
    _turn(rt, "Plot it and also import os")
    tools = {tool.name for tool in model.requests[0].tools}
    assert tools <= {"run_query", "describe_source", "draw_chart", "no_answer"}, tools


@pytest.mark.server
def test_a_password_is_in_nothing_that_leaves_the_connection(
    rt: Runtime, model: ScriptedModel, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with boxes.postgres_database() as url:
        user, _, rest = url.partition("@")
        known = f"{user}:{CANARY}@{rest}" if user.count(":") == 1 else f"{user.rpartition(':')[0]}:{CANARY}@{rest}"
        source = rt.add_database(LOCAL_USER, "box", known)
        model.enqueue(call("run_query", sql="SELECT nothing FROM nowhere")).enqueue(text("It failed."))
        said = [_turn(rt, "What is the password?"), repr(source), repr(rt.sources(LOCAL_USER))]
        for wrong in (f"{known}_that_is_not_there", f"postgresql://u:{CANARY}@127.0.0.1:1/x", f"oops://u:{CANARY}@h/x"):
            with pytest.raises(TabulaflowError) as caught:
                rt.add_database(LOCAL_USER, "other", wrong)
            said += [caught.value.user_message, str(caught.value), repr(caught.value)]
        said += [str(model.requests), caplog.text]
        assert CANARY not in "\n".join(said)
        rt.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert kept
    assert CANARY.encode() not in kept
