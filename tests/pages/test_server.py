"""The server around the pages: found by `streamlit run`, with its headers, and ready before it answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest
from streamlit.web.server.app_discovery import discover_asgi_app

from deploy import server
from pages.ui import state
from tabulaflow_core.errors import StoreUnavailable
from tabulaflow_core.runtime import get_runtime
from tabulaflow_core.runtime.singleton import close_runtime

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def own_runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TABULAFLOW_MODEL", "scripted")
    close_runtime()
    yield
    close_runtime()


@pytest.mark.parametrize(("script", "name"), [("app.py", "app:app"), ("deploy/asgi.py", "asgi:app")])
def test_streamlit_run_finds_the_server(script: str, name: str) -> None:
    assert discover_asgi_app(ROOT / script).import_string == name


def test_every_response_carries_the_policy() -> None:
    routes = [Route("/", lambda _: PlainTextResponse("here"))]
    with TestClient(Starlette(routes=routes, middleware=[Middleware(server.SecurityHeaders)])) as client:
        for path in ("/", "/nowhere"):
            policy = client.get(path).headers["content-security-policy"]
            assert "img-src 'self' data: blob:" in policy
            assert "object-src 'none'" in policy


def test_the_first_visitor_finds_everything_ready() -> None:
    server._make_ready()
    assert [table.name for source in get_runtime().sources(state.principal()) for table in source.tables]
    assert {"pages.ui.chat", "pages.ui.sources", "plotly.graph_objects"} <= set(sys.modules)


def test_a_store_that_is_away_does_not_keep_the_server_from_starting(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away() -> None:
        raise StoreUnavailable("The database of the store does not answer.")

    monkeypatch.setattr(state, "welcome", away)
    server._make_ready()
    assert "does not answer" in caplog.text


def test_a_page_that_breaks_says_a_sentence_and_nothing_of_the_fault(caplog: pytest.LogCaptureFixture) -> None:
    def script() -> None:
        from deploy.server import say_sorry

        assert say_sorry(ValueError("secret detail")) is True

    page = AppTest.from_function(script).run()
    assert [box.value[:31] for box in page.error] == ["Something went wrong inside thi"]
    assert "secret" not in page.error[0].value
    assert "secret detail" in caplog.text


@pytest.mark.parametrize("script", ["app.py", "deploy/asgi.py"])
def test_every_start_has_all_of_it(script: str) -> None:
    source = (ROOT / script).read_text(encoding="utf-8")
    assert "middleware=MIDDLEWARE, lifespan=lifespan, on_script_error=say_sorry" in " ".join(source.split())
