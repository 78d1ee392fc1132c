"""What an answer rests on, as chips: each opens to the whole sentence and to the place where it can be changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

import streamlit as st

from pages.ui import safe

Place = Literal["data", "settings", "query"]
_CHIP: Final = 44
_SETTINGS: Final = re.compile(r"reasoning level|cut at the limit|model's output limit")
#: How sentences on the reading of a file begin: with the name of its table.
_OF_TABLE: Final = re.compile(r"[^:“”\n]{1,120}: .*(?:guess|was read|can be read|does not show|the file)", re.DOTALL)
_LINKS: Final[dict[Place, tuple[str, str, str]]] = {
    "data": ("pages/data.py", "Change how the file is read", ":material/database:"),
    "settings": ("pages/settings.py", "Change it on the Settings page", ":material/settings:"),
}


def draw(assumptions: Sequence[str], *, key: str) -> None:
    """One chip each; nothing where nothing was assumed."""
    if not assumptions:
        return
    with st.container(horizontal=True, gap="small"):
        for at, sentence in enumerate(assumptions):
            chip = safe.label(sentence, length=_CHIP)
            with st.popover(chip, icon=":material/lightbulb:", key=f"{key}-assumed-{at}"):
                st.markdown(f"**The answer rests on this**\n\n{safe.markdown(sentence)}")
                place = place_of(sentence)
                if place in _LINKS:
                    page, label, icon = _LINKS[place]
                    st.page_link(page, label=label, icon=icon)
                else:
                    st.caption("Change the query below the table under *SQL*, or say it differently with *Edit*.")


def place_of(sentence: str) -> Place:
    """Where a person changes what `sentence` says."""
    if _SETTINGS.search(sentence):
        return "settings"
    return "data" if _OF_TABLE.match(sentence) else "query"
