"""A team's server, for any ASGI server:

    uvicorn deploy.asgi:app --host 127.0.0.1 --port 8501        or        streamlit run deploy/asgi.py

The same as `streamlit run app.py`, which has the same headers and makes ready in the same way.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from deploy.server import MIDDLEWARE, lifespan, say_sorry

app = st.App(
    Path(__file__).parent.parent / "app.py", middleware=MIDDLEWARE, lifespan=lifespan, on_script_error=say_sorry
)
