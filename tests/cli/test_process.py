"""The command as a process: exit codes, signals, pipes, and how little `--help` loads."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "tabulaflow_core.cli"]
#: Generous: it is about ending at all, not about speed.
PATIENCE = 60
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

posix = pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")


def start(*argv: object, ahead: Sequence[str] = (), **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*ahead, *COMMAND, *map(str, argv)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, **more},
    )


@pytest.fixture
def silent_server() -> Iterator[str]:
    """An endpoint that takes the request and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


@posix
@pytest.mark.parametrize("ahead", [(), ("sh", "-c", 'trap "" INT; exec "$0" "$@"')], ids=["plain", "background"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_turn_says_so_and_exits_130(
    inventory: Path, tmp_path: Path, silent_server: str, number: int, ahead: tuple[str, ...]
) -> None:
    kept = tmp_path / "talk.json"
    options = ["-s", f"inventory={inventory}", "-m", "compatible:x", "--json", "--session", kept]
    process = start("ask", "anything?", *options, ahead=ahead, TABULAFLOW_BASE_URL=silent_server)
    assert json.loads(process.stdout.readline())["kind"] == "turn_started"
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    last = json.loads(out.splitlines()[-1])
    assert process.returncode == 130
    assert last["kind"] == "turn_interrupted"
    assert last["result"]["outcome"] == "interrupted"
    assert "Traceback" not in err
    assert "anything?" in kept.read_text()


@posix
def test_an_interrupted_statement_is_stopped(shop: Path) -> None:
    process = start("sql", "-s", f"shop={shop}", "-")
    process.stdin.write('{"id": 1, "sql": "SELECT 1"}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["rows"] == [[1]]
    process.stdin.write(json.dumps({"id": 2, "sql": ENDLESS}) + "\n")
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err


def test_a_statement_is_stopped_at_its_time(shop: Path) -> None:
    process = start("sql", "-s", f"shop={shop}", ENDLESS, "--timeout", 0.2, "--json")
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert json.loads(out)["refused"] is False
    assert "stopped" in json.loads(out)["error"]


@posix
def test_a_reader_that_leaves_early_is_no_fault(shop: Path) -> None:
    process = start("sql", "-s", f"shop={shop}", "-")
    process.stdout.close()
    process.stdin.write('{"id": 1, "sql": "SELECT 1"}\n')
    process.stdin.close()
    assert process.wait(timeout=PATIENCE) == 1
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from tabulaflow_core.cli.main import build_parser\n"
        "build_parser().format_help()\n"
        "heavy = 'pandas pyarrow duckdb sqlglot sqlalchemy openai plotly pydantic asyncio xllamacpp streamlit'\n"
        "print(sorted(set(heavy.split()) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.strip() == "[]"


def test_version_and_help_exit_with_zero() -> None:
    for option in ("--version", "--help"):
        done = subprocess.run([*COMMAND, option], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0
        assert done.stdout.startswith(("tabulaflow ", "usage: tabulaflow"))


@posix
def test_lines_with_a_byte_order_mark_windows_ends_and_one_too_long(shop: Path) -> None:
    process = start("sql", "-s", f"shop={shop}", "-", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    lines = [
        '\ufeff{"id": 1, "sql": "SELECT \'é\'"}\r\n',
        '{"id": 2, "sql": "' + "x" * (17 * 1024 * 1024) + '"}\n',
        '{"id": 3, "sql": "SELECT 3"}',
    ]
    out, err = process.communicate("".join(lines), timeout=PATIENCE)
    answers = [json.loads(line) for line in out.splitlines()]
    assert (process.returncode, err) == (0, "")
    assert [answer["id"] for answer in answers] == [1, None, 3]
    assert answers[0]["rows"] == [["é"]]
    assert "line 2 is not a JSON object" in answers[1]["error"]


@posix
def test_two_questions_at_once_in_one_session_file(inventory: Path, tmp_path: Path, silent_server: str) -> None:
    kept = tmp_path / "talk.json"
    options = ["-s", f"inventory={inventory}", "-m", "compatible:x", "--json", "--session", kept]
    first = start("ask", "first?", *options, TABULAFLOW_BASE_URL=silent_server)
    assert json.loads(first.stdout.readline())["kind"] == "turn_started"
    second = start("ask", "second?", *options, TABULAFLOW_BASE_URL=silent_server)
    out, _ = second.communicate(timeout=PATIENCE)
    assert second.returncode == 1
    assert json.loads(out)["error"]["type"] == "TurnInProgress"
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=PATIENCE)
    assert "first?" in kept.read_text()


def test_a_session_file_that_cannot_be_written_is_said_before_the_question(inventory: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    options = ["-s", f"inventory={inventory}", "-m", "scripted", "--json"]
    process = start("ask", "anything?", *options, "--session", tmp_path / "taken" / "talk.json")
    out, err = process.communicate(timeout=PATIENCE)
    (line,) = out.splitlines()
    assert process.returncode == 1
    assert json.loads(line)["error"]["type"] == "StoreUnavailable"
    assert "Traceback" not in err


@posix
@pytest.mark.parametrize(("closing", "code"), [(">&-", 0), ("2>&-", 0), (">/dev/full", 1), (">/dev/full 2>&-", 1)])
def test_streams_that_take_nothing(shop: Path, closing: str, code: int) -> None:
    if "/dev/full" in closing and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    words = [*COMMAND, "sql", "-s", f"shop={shop}", "SELECT 1", "--json"]
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closing}', "sh", *words], capture_output=True, encoding="utf-8", timeout=PATIENCE
    )
    assert done.returncode == code
    assert done.stderr.strip() in (
        "",
        "The output cannot be written: No space left on device. Make room, or write it elsewhere.",
    )


@posix
def test_no_standard_input_is_no_request(shop: Path) -> None:
    words = [*COMMAND, "sql", "-s", f"shop={shop}", "-"]
    done = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *words], capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
