"""A team's server: the same app with security headers, which `streamlit run app.py` cannot set.

    streamlit run deploy/asgi.py        or        uvicorn deploy.asgi:app --host 127.0.0.1 --port 8501

The content security policy is the second layer against remote images in what a model writes; the first is that the
pages break every image mark.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabulaflow_core.runtime import get_runtime

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


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """End the running turns and close every connection when the server stops."""
    yield
    get_runtime().close()


app = st.App(Path(__file__).parent.parent / "app.py", middleware=[Middleware(SecurityHeaders)], lifespan=lifespan)
