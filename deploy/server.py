"""What a server does around the pages, whoever starts it: security headers, making ready, and closing.

Streamlit runs a page's script for the first time when the first visitor comes. Everything that visitor would wait
for, some seconds of imports above all, is done here before the server answers at all.
"""

from __future__ import annotations

import asyncio
import logging
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Final

import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_log = logging.getLogger(__name__)

#: The second layer against remote images in what a model writes; the first is that the pages break every image mark.
#: 'unsafe-eval' and blob: are what plotly and the data grid need.
POLICY: Final = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' ws: wss:",
        "worker-src 'self' blob:",
        "frame-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
    )
)
HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)
#: The pages with all that they import, and what the first answer needs.
_MODULES: Final = (
    "pages.ui.chat",
    "pages.ui.dashboards",
    "pages.ui.sources",
    "pages.ui.settings",
    "pages.ui.usage",
    "plotly.graph_objects",
)


class SecurityHeaders:
    """Adds `HEADERS` to every HTTP response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and the response back."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        await self._app(scope, receive, send_with_headers)


MIDDLEWARE: Final = (Middleware(SecurityHeaders),)


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Make ready, and at the end stop the running turns and close every connection."""
    from tabulaflow_core.runtime.singleton import close_runtime

    await asyncio.to_thread(_make_ready)
    await asyncio.to_thread(_keep_schedules)
    if not st.get_option("server.headless"):  # `streamlit run` opens a browser only for a script without an `st.App`
        webbrowser.open(f"http://localhost:{st.get_option('server.port')}{st.get_option('server.baseUrlPath')}")
    yield
    await asyncio.to_thread(close_runtime)


def say_sorry(error: Exception) -> bool:
    """What a person reads when a page breaks; the log has the rest. True: Streamlit draws nothing of its own."""
    _log.error("a page broke", exc_info=error)
    st.error(
        "Something went wrong inside this program, and this page could not be drawn to its end. Reload it; if it "
        "happens again, the log of the server says what it was. Your data and conversations are as they were.",
        icon=":material/error:",
    )
    return True


def _keep_schedules() -> None:
    """Refresh dashboards by their schedules while the server runs: a page's script does not run before a visit."""
    from tabulaflow_core.errors import TabulaflowError
    from tabulaflow_core.runtime import get_runtime

    try:
        get_runtime().start_schedules()
    except TabulaflowError as error:
        _log.warning("no schedule is kept until the server is started again: %s", error.user_message)


def _make_ready() -> None:
    """Import what the pages need, open the store, and read the sample shop for whoever has nothing yet."""
    from pages.ui import state
    from tabulaflow_core.errors import TabulaflowError

    for name in _MODULES:
        import_module(name)
    try:
        state.welcome()
    except TabulaflowError as error:  # every page says it too, and a store that is away may come back
        _log.warning("the server starts without being ready: %s", error.user_message)
