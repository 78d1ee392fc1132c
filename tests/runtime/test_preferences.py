"""What a person sets is theirs alone; a key is in no file, log, prompt or message, and goes to its own address only."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from tabulaflow_core.agents.events import TurnFailed
from tabulaflow_core.config import Limits, Settings
from tabulaflow_core.errors import ConfigurationError, UnknownModel
from tabulaflow_core.models.catalog import PROVIDERS, endpoint_for
from tabulaflow_core.models.scripted import ScriptedModel, call, text
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import Preferences, Runtime, preferences
from tests.runtime.conftest import MakeRuntime, drain

KEY = "planted-key-0123456789abcdef"
OTHER = Principal("someone-else")
CLOSED = "http://127.0.0.1:9/v1"  # nobody listens on the discard port


def environment(rt: Runtime, who: Principal) -> dict[str, str]:
    return dict(rt._call(rt._services.preferences.environment_async(who)))


def test_limits_are_the_tighter_ones() -> None:
    server = Limits(result_rows=100, query_seconds=10, turn_seconds=60)
    mine = Preferences(result_rows=5, query_seconds=99, turn_seconds=None).limits(server)
    assert (mine.result_rows, mine.query_seconds, mine.turn_seconds) == (5, 10, 60)


def test_they_are_kept_and_of_one_person(make_runtime: MakeRuntime) -> None:
    rt = make_runtime()
    rt.set_preferences(LOCAL_USER, Preferences(model="scripted", reasoning="low", result_rows=7))
    again = make_runtime()
    assert again.preferences(LOCAL_USER) == Preferences(model="scripted:demo", reasoning="low", result_rows=7)
    assert again.preferences(OTHER) == Preferences()
    assert again.default_model(LOCAL_USER) == "scripted:demo"
    with pytest.raises(UnknownModel):
        rt.set_preferences(LOCAL_USER, Preferences(model="nobody:x"))


def test_they_are_read_once_a_second_and_a_change_is_seen(
    make_runtime: MakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere = make_runtime(), make_runtime()
    shelf, reads = here._services.store.preferences, []
    real = shelf.all_async

    async def counted(principal: Principal) -> dict[str, str]:
        reads.append(principal.id)
        return await real(principal)

    monkeypatch.setattr(shelf, "all_async", counted)
    for _ in range(20):
        here.preferences(LOCAL_USER)
        environment(here, LOCAL_USER)
    assert len(reads) < 10  # forty without it; a busy machine may need more than a second for them
    here.set_preferences(LOCAL_USER, Preferences(result_rows=7))
    assert here.preferences(LOCAL_USER).result_rows == 7
    assert here.preferences(OTHER) == Preferences()
    elsewhere.set_preferences(LOCAL_USER, Preferences(result_rows=8))
    monkeypatch.setattr(preferences, "_FRESH_SECONDS", 0.0)
    assert here.preferences(LOCAL_USER).result_rows == 8


def test_the_next_question_of_an_open_conversation_uses_them(rt: Runtime, model: ScriptedModel, shop: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    conversation = rt.new_conversation(LOCAL_USER)
    rows = []
    for limit in (None, 2):
        rt.set_preferences(LOCAL_USER, Preferences(result_rows=limit))
        model.enqueue(call("run_query", sql="SELECT * FROM orders")).enqueue(text("Here."))
        drain(rt.start_turn(LOCAL_USER, conversation.id, "All orders?"))
        result = rt.conversation(LOCAL_USER, conversation.id).turns[-1].result
        assert result is not None
        rows += [spec.row_count for spec in result.artifacts if spec.kind == "table"]
    assert rows == [3, 2]


@pytest.mark.parametrize("keep", ["store", "process"])
def test_a_planted_key_is_nowhere_to_be_read(
    keep: str, settings: Settings, make_runtime: MakeRuntime, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    rt = Runtime(replace(settings, model="compatible:small"))
    try:
        rt.set_endpoint(LOCAL_USER, "compatible", base_url=CLOSED, api_key=KEY, keep=keep)  # type: ignore[arg-type]
        assert KEY not in repr(rt.endpoints(LOCAL_USER))
        conversation = rt.new_conversation(LOCAL_USER)
        turn = rt.start_turn(LOCAL_USER, conversation.id, "How many?")
        time.sleep(0.1)
        turn.cancel()
        last = drain(turn)[-1]
        assert KEY not in last.model_dump_json()
        if isinstance(last, TurnFailed):
            assert CLOSED in last.error.user_message
        test = rt.test_model(LOCAL_USER, "compatible:small")
        deadline = time.monotonic() + 60
        while test.state == "running" and time.monotonic() < deadline:
            time.sleep(0.02)
        assert test.state == "failed"
        assert KEY not in test.message + repr(test.findings)
        assert environment(rt, LOCAL_USER)["TABULAFLOW_API_KEY"] == KEY
        assert environment(rt, OTHER).get("TABULAFLOW_API_KEY") != KEY
    finally:
        rt.close()
    assert KEY not in caplog.text
    files = [path for path in settings.data_dir.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    again = make_runtime()
    assert [info.key for info in again.endpoints(LOCAL_USER)] == (["store"] if keep == "store" else [])


@pytest.fixture
def echo() -> Iterator[tuple[str, list[str]]]:
    """A server that refuses every request and repeats the key that came with it: its address, and the keys it saw."""
    seen: list[str] = []

    class Echo(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            key = self.headers.get("Authorization", "")
            seen.append(key)
            body = json.dumps({"error": {"message": f"your key {key} is not good", "type": "bad"}}).encode()
            self.send_response(400)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", seen
    server.shutdown()
    server.server_close()
    thread.join(30)


def test_a_server_that_repeats_the_key_does_not_bring_it_out(
    settings: Settings, echo: tuple[str, list[str]], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("TABULAFLOW_API_KEY", "the-servers-own-key")
    url, seen = echo
    rt = Runtime(replace(settings, model="compatible:small"))
    try:
        rt.set_endpoint(LOCAL_USER, "compatible", base_url=url, api_key=KEY)
        conversation = rt.new_conversation(LOCAL_USER)
        events = drain(rt.start_turn(LOCAL_USER, conversation.id, "How many?"))
        test = rt.test_model(LOCAL_USER, "compatible:small")
        deadline = time.monotonic() + 60
        while test.state == "running" and time.monotonic() < deadline:
            time.sleep(0.02)
        said = "".join(event.model_dump_json() for event in events) + test.message + repr(test.findings)
    finally:
        rt.close()
    assert isinstance(events[-1], TurnFailed)
    assert set(seen) == {f"Bearer {KEY}"}
    assert KEY not in said + caplog.text
    assert not [p for p in settings.data_dir.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]


def test_the_servers_key_is_not_sent_to_a_persons_address(rt: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the-servers-own-key")
    rt.set_endpoint(LOCAL_USER, "openai", base_url=CLOSED)
    found = endpoint_for(PROVIDERS["openai"], environment(rt, LOCAL_USER))
    assert (found.url, found.api_key) == (CLOSED, "")
    rt.set_endpoint(LOCAL_USER, "openai", api_key=KEY)
    found = endpoint_for(PROVIDERS["openai"], environment(rt, LOCAL_USER))
    assert (found.url, found.api_key) == (PROVIDERS["openai"].base_url, KEY)


def test_another_address_needs_the_key_again(rt: Runtime) -> None:
    rt.set_endpoint(LOCAL_USER, "ollama", base_url="http://127.0.0.1:9", api_key=KEY)
    rt.set_endpoint(LOCAL_USER, "ollama", base_url="http://127.0.0.2:9")
    (info,) = rt.endpoints(LOCAL_USER)
    assert (info.base_url, info.key) == ("http://127.0.0.2:9/v1", None)
    assert KEY not in environment(rt, LOCAL_USER).values()


@pytest.mark.parametrize(
    ("provider", "url", "key"),
    [
        ("openai", "nowhere", ""),
        ("openai", "ftp://host/v1", ""),
        ("openai", f"https://me:{KEY}@host/v1", ""),
        ("groq", "https://host/v1", KEY),
        ("local", "", KEY),
        ("nobody", "", KEY),
        ("openai", "", "two words"),
        ("openai", "", "schlüssel"),
    ],
)
def test_what_cannot_be_is_refused_without_the_key(rt: Runtime, provider: str, url: str, key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        rt.set_endpoint(LOCAL_USER, provider, base_url=url, api_key=key)
    assert KEY not in caught.value.user_message
    assert not rt.endpoints(LOCAL_USER)


def test_a_key_in_memory_goes_when_nobody_comes_back(rt: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    rt.set_endpoint(LOCAL_USER, "openai", api_key=KEY, keep="process")
    now = time.monotonic()
    monkeypatch.setattr(preferences, "_now", lambda: now + 11 * 3600)
    assert [info.key for info in rt.endpoints(LOCAL_USER)] == ["process"]
    monkeypatch.setattr(preferences, "_now", lambda: now + 24 * 3600)
    assert not rt.endpoints(LOCAL_USER)
    assert KEY not in environment(rt, LOCAL_USER).values()


def test_a_lost_key_is_said(settings: Settings, make_runtime: MakeRuntime, tmp_path: Path) -> None:
    make_runtime().set_endpoint(LOCAL_USER, "openai", api_key=KEY)
    later = make_runtime(replace(settings, secret_keys=(Fernet.generate_key().decode(),)))
    (info,) = later.endpoints(LOCAL_USER)
    assert "Enter it again" in info.message
    assert info.key is None
