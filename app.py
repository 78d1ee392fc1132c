"""The shell of the page: `streamlit run app.py`."""

from __future__ import annotations

from pages.ui.shell import run_shell

run_shell()
