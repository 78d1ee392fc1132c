"""`tabulaflow ask`, over the scripted model."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from .conftest import Run

QUESTION = "Which products are below their reorder point?"
FOLLOW_UP = "How many units of each should I order to reach those levels?"


def test_the_answer_goes_to_stdout_and_the_progress_to_stderr(run: Run, inventory: Path) -> None:
    ran = run("ask", QUESTION, "-s", f"inventory={inventory}", "-m", "scripted")
    assert ran.code == 0
    assert ran.out.startswith("Below their reorder point: HDMI cable (12 on hand, reorder point 20) and USB-C dock")
    assert "SELECT product, on_hand, reorder_point FROM inventory" in ran.out
    assert "HDMI cable       12             20" in ran.out
    assert "2 model calls" in ran.err
    assert "\x1b" not in ran.out + ran.err  # no terminal, no colours


def test_json_ends_with_the_result(run: Run, inventory: Path) -> None:
    ran = run("ask", QUESTION, "-s", f"inventory={inventory}", "-m", "scripted", "--json")
    kinds = [line["kind"] for line in ran.lines]
    assert ran.code == 0
    assert kinds[0] == "turn_started"
    assert kinds.count("turn_finished") == 1
    last = ran.lines[-1]
    assert last["kind"] == "turn_finished"
    result = last["result"]
    assert set(result) == {"text", "outcome", "tables", "charts", "assumptions", "usage"}
    table = result["tables"][-1]
    assert set(table) == {"id", "source", "sql", "columns", "rows", "row_count", "truncated"}
    assert table["source"] == "inventory"
    assert table["columns"] == ["product", "on_hand", "reorder_point"]
    assert table["rows"] == [["HDMI cable", 12, 20], ["USB-C dock", 8, 15]]
    assert {"api_requests", "input_tokens", "output_tokens", "api_cost_usd", "seconds"} <= set(result["usage"])
    assert result["usage"]["api_cost_usd"] == 0.0
    for chart in result["charts"]:
        assert set(chart) == {"type", "title", "table_id", "plotly"}
        assert chart["table_id"] == table["id"]
        assert chart["plotly"]["data"]
    assert "".join(line.get("content", "") for line in ran.lines) == result["text"]


def test_rows_bounds_the_tables_but_not_the_count(run: Run, inventory: Path) -> None:
    ran = run("ask", QUESTION, "-s", f"inventory={inventory}", "-m", "scripted", "--json", "--rows", 1)
    table = ran.lines[-1]["result"]["tables"][-1]
    assert (len(table["rows"]), table["row_count"]) == (1, 2)


def test_a_session_goes_on_without_naming_the_source_again(run: Run, inventory: Path, tmp_path: Path) -> None:
    kept = tmp_path / "talk.json"
    first = run("ask", QUESTION, "-s", f"inventory={inventory}", "-m", "scripted", "--session", kept, "--json")
    second = run("ask", FOLLOW_UP, "-m", "scripted", "--session", kept, "--json")
    assert (first.code, second.code) == (0, 0)
    assert second.lines[-1]["result"]["text"] == "Order 8 HDMI cables and 7 USB-C docks."
    told = json.loads(kept.read_text())["messages"]
    assert [m["text"] for m in told if m["kind"] == "user" and not m["host"]] == [QUESTION, FOLLOW_UP]
    assert stat.S_IMODE(kept.stat().st_mode) & 0o077 == 0
    assert len(list((tmp_path / "talk.json.results").glob("*.arrow"))) == 2


async def test_results_of_a_session_are_found_by_a_later_run(tmp_path: Path) -> None:
    import pyarrow as pa

    from tabulaflow_core.cli.session_results import FolderResultStore
    from tabulaflow_core.errors import NotFound
    from tabulaflow_core.output import StoredResult
    from tabulaflow_core.principal import LOCAL_USER

    table = pa.table([pa.array([1]), pa.array(["x"])], names=["n", "n"])
    made = StoredResult(source="s", dialect="sqlite", sql="SELECT 1", table=table, notes=("cut",))
    await FolderResultStore(tmp_path).put_async(LOCAL_USER, made)
    assert await FolderResultStore(tmp_path).get_async(LOCAL_USER, made.id) == made
    (tmp_path / "r_00.arrow").write_text("damaged")
    for unknown in ("r_00", "r_01", "../talk", ""):
        with pytest.raises(NotFound):
            await FolderResultStore(tmp_path).get_async(LOCAL_USER, unknown)


def test_a_failed_turn_keeps_the_session_file(run: Run, inventory: Path, tmp_path: Path, monkeypatch: object) -> None:
    kept = tmp_path / "talk.json"
    kept.write_text("{}")
    ran = run("ask", QUESTION, "-s", f"inventory={inventory}", "-m", "scripted", "--session", kept)
    assert ran.code == 2
    assert "is not a session file" in ran.err
    assert kept.read_text() == "{}"


def test_a_password_is_not_written_and_must_be_given_again(tmp_path: Path) -> None:
    from tabulaflow_core.cli.exits import UsageError
    from tabulaflow_core.cli.session_file import SessionFile
    from tabulaflow_core.cli.sources import SourceSpec

    path = tmp_path / "talk.json"
    SessionFile(path).save((), (SourceSpec("db", "postgresql://me:hush@127.0.0.1/x"),))
    assert "hush" not in path.read_text()
    again = SessionFile.load(path)
    with pytest.raises(UsageError, match="give the source 'db' again"):
        again.merged(())
    given = (SourceSpec("db", "postgresql://me:hush@127.0.0.1/x"),)
    assert again.merged(given) == given


def test_a_source_given_later_must_not_clash_with_an_earlier_one(inventory: Path, tmp_path: Path) -> None:
    from tabulaflow_core.cli.exits import UsageError
    from tabulaflow_core.cli.session_file import SessionFile
    from tabulaflow_core.cli.sources import SourceSpec

    kept = SessionFile(tmp_path / "talk.json", sources=(SourceSpec("stock", str(inventory)),))
    with pytest.raises(UsageError, match="two sources are called 'STOCK'"):
        kept.merged((SourceSpec("STOCK", str(inventory)),))


def test_without_a_model_both_ways_out_are_named(run: Run, inventory: Path) -> None:
    ran = run("ask", QUESTION, "-s", f"inventory={inventory}")
    assert ran.code == 1
    assert "OPENAI_API_KEY" in ran.err
    assert "tabulaflow model pull" in ran.err
    last = run("ask", QUESTION, "-s", f"inventory={inventory}", "--json").lines[-1]
    assert (last["kind"], last["error"]["type"]) == ("turn_failed", "NoModelAvailable")


def test_a_turn_that_fails_ends_with_turn_failed(run: Run, inventory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABULAFLOW_BASE_URL", "http://127.0.0.1:9/v1")
    ran = run("ask", QUESTION, "-s", f"inventory={inventory}", "-m", "compatible:x", "--json")
    assert ran.code == 1
    assert ran.lines[-1]["kind"] == "turn_failed"
    assert set(ran.lines[-1]["error"]) == {"type", "user_message"}
    assert ran.lines[-1]["error"]["type"] == "ModelUnavailable"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["ask", "q", "-m", "scripted"], "name a source"),
        (["ask", " ", "-s", "a={file}", "-m", "scripted"], "the question is empty"),
        (["ask", "q", "-s", "nonsense", "-m", "scripted"], "is not ALIAS=PATH_OR_URL"),
        (["ask", "q", "-s", "1x={file}", "-m", "scripted"], "is not ALIAS=PATH_OR_URL"),
        (["ask", "q", "-s", "a=/no/such/file.csv", "-m", "scripted"], "there is no file"),
        (["ask", "q", "-s", f"a={'x' * 5000}.csv", "-m", "scripted"], "there is no file"),
        (["ask", "q", "-s", "a={file}", "-m", "scripted", "--session", "x" * 5000], "cannot be reached"),
        (["ask", "q", "-s", "a={file}", "-s", "a={file}", "-m", "scripted"], "two sources are called 'a'"),
        (["ask", "q", "-s", "a={file}", "-s", "A={file}", "-m", "scripted"], "two sources are called 'A'"),
        (["ask", "q", "-s", "pg_catalog={file}", "-m", "scripted"], "databases keep for themselves"),
        (["ask", "q", "-s", "a={file}", "-m", "scripted", "--session", "/dev/null"], "a folder or a device"),
        (["ask"], "QUESTION"),
        (["nothing"], "invalid choice"),
        ([], "COMMAND"),
    ],
)
def test_a_wrong_use_says_how(run: Run, inventory: Path, argv: list[str], said: str) -> None:
    ran = run(*[arg.format(file=inventory) for arg in argv])
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""


def test_a_password_in_a_wrong_option_is_not_shown(run: Run) -> None:
    ran = run("ask", "q", "-s", "postgresql://me:hush@127.0.0.1/x", "-m", "scripted")
    assert ran.code == 2
    assert "hush" not in ran.err


def test_a_hidden_column_stays_hidden_in_later_runs(run: Run, tmp_path: Path) -> None:
    people, kept = tmp_path / "people.csv", tmp_path / "talk.json"
    people.write_text("id,whereabouts\n1,nightingale\n2,nightingale\n")
    options = ["-s", f"people={people}", "-m", "scripted", "--session", kept, "--json"]
    run("ask", "List everything", *options, "--hide-column", "whereabouts")
    run("ask", "List everything again", "-m", "scripted", "--session", kept, "--json")
    written = json.loads(kept.read_text())
    assert written["hidden_columns"] == ["whereabouts"]
    assert "people" in str(written["messages"])
    assert "whereabouts" not in str(written["messages"])
    assert "nightingale" not in str(written["messages"])
