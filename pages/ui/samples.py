"""The sample shop on the data page: offered to who has nothing, told of to who has data of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import opened, state
from tabulaflow_core.runtime import FileOutcome, get_runtime
from tabulaflow_core.samples import SAMPLE_FILES


def draw_offer() -> None:
    """The way to the samples for who has nothing."""
    st.button("Use the sample shop", key="samples", icon=":material/storefront:", on_click=_bring)


def draw_nothing_yet() -> None:
    """On the chat page of who has nothing to ask: both ways to have something."""
    st.info("There is no data to ask yet. Bring a file or a database, or try the sample shop.", icon=":material/info:")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link("pages/data.py", label="Bring data", icon=":material/upload_file:", width="content")
        draw_offer()


def draw_beside(above: DeltaGenerator, files: Sequence[FileOutcome], *, databases: int) -> None:
    """One sentence on the samples for who has data of their own, with the way to have it otherwise.

    Args:
        above: Where news stand; without any the sentence stands below the person's own data.
        databases: How many the person has connected.
    """
    there = get_runtime().samples(state.principal())
    shipped = {path.name for path in SAMPLE_FILES.values()}
    own = databases or any(file.name not in shipped for file in files if file.status == "loaded")
    if there == "away":
        with above if opened.newest() else st.container():
            _draw("The sample shop was put away: questions go to your own data only.", "Bring it back", _bring_to_stay)
    elif there == "here" and own:
        with st.container():
            _draw("The sample shop stands beside your own data, and questions may go to it.", "Put it away", _put_away)


def _draw(sentence: str, offer: str, act: Callable[[], None]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="sample-shop"):
        st.caption(f":material/storefront: {sentence}", width="content")
        st.button(offer, key="sample-shop-act", type="tertiary", on_click=act)


def _bring() -> None:
    get_runtime().add_samples(state.principal())


def _bring_to_stay() -> None:
    get_runtime().add_samples(state.principal(), stay=True)


def _put_away() -> None:
    get_runtime().put_samples_away(state.principal())
