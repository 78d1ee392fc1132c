"""Navigation around every page, and the guard that keeps a cold deep link from going past it.

A folder called `pages/` makes Streamlit serve each file by itself until `st.navigation` was called once in the
process. So a first visit to a deep link would run a page without this shell, and without any gate the shell has.
`require_shell`, the first line of every page, notices that, registers the pages and runs the script again.
"""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from pages.ui import dialogs, sidebar, state
from tabulaflow_core.errors import TabulaflowError

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

_inside_shell: ContextVar[bool] = ContextVar("inside_shell", default=False)

_LOGO: Final = Path(__file__).parent / "logo.svg"
_ICON: Final = Path(__file__).parent / "icon.svg"
#: Streamlit's own Stop ends the script that watches a turn and not the turn, which has a Stop of its own.
#: What a person or a model writes may be from right to left; each piece of a query keeps its place all the same.
_STYLE: Final = """<style>
[data-testid=stStatusWidget] button {display: none}
[data-testid=stText], [data-testid=stText] *, textarea, input[type=text] {unicode-bidi: plaintext; text-align: start}
[class*=st-key-rtl-] :is(div, p, ul, ol, li, h1, h2, h3, h4, h5, h6, table) {direction: rtl; text-align: start}
[class*=st-key-rtl-] :is(p, li, h1, h2, h3, h4, h5, h6, td, th) {unicode-bidi: plaintext; text-align: start}
[class*=st-key-rtl-] :is(ul, ol) {padding-left: 0; padding-right: 1em}
[data-testid=stCode] code span {unicode-bidi: isolate}
</style>"""
CHAT: Final = "pages/chat.py"
DATA: Final = "pages/data.py"
DASHBOARDS: Final = "pages/dashboards.py"
USAGE: Final = "pages/usage.py"
SETTINGS: Final = "pages/settings.py"


def all_pages() -> list[StreamlitPage]:
    """Every page, also those a person may not see yet: an unknown deep link would show an error box."""
    return [
        st.Page(CHAT, title="Chat", icon=":material/forum:", default=True),
        st.Page(DATA, title="Data", icon=":material/database:"),
        st.Page(DASHBOARDS, title="Dashboards", icon=":material/dashboard:"),
        st.Page(USAGE, title="Usage", icon=":material/monitoring:"),
        st.Page(SETTINGS, title="Settings", icon=":material/settings:"),
    ]


def run_shell() -> None:
    """Draw the frame and run the chosen page inside it."""
    _configure()
    st.html(_STYLE)
    # Where the sidebar is closed, as on a phone, the name beside the sign would push the menu off the screen.
    st.logo(str(_LOGO), size="large", icon_image=str(_ICON))
    page = st.navigation(all_pages())
    token = _inside_shell.set(True)
    try:
        dialogs.enter(page.url_path)
        state.begin_visit()
        sidebar.draw()
        page.run()
    except TabulaflowError as error:
        st.error(error.user_message, icon=":material/error:")
    finally:
        _inside_shell.reset(token)


def require_shell() -> None:
    """Stop a page that runs outside the shell, and start it again inside. The first line of every page."""
    if not _inside_shell.get():
        _configure()
        st.navigation(all_pages())
        st.rerun()


def _configure() -> None:
    """Before any navigation: else the browser takes the page's own icon, and fetches it from the internet."""
    st.set_page_config(page_title="TabulaFlow", page_icon=_ICON, layout="wide")
