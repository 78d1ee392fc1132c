"""The app: `streamlit run app.py`.

Streamlit imports this file once, for the server, and runs it as a script for every view of a page.
"""

from __future__ import annotations

import streamlit as st

if __name__ == "__main__":
    from pages.ui.shell import run_shell

    run_shell()
else:
    from deploy.server import MIDDLEWARE, lifespan, say_sorry

    app = st.App(__file__, middleware=MIDDLEWARE, lifespan=lifespan, on_script_error=say_sorry)
