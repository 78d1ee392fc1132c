"""A page of Streamlit that draws hostile texts as the app's pages do, each in every place where markdown is read."""

from __future__ import annotations

import os

import streamlit as st

from pages.ui import safe
from tests.browser.hostile import TEXTS

target = os.environ["HOSTILE_TARGET"]
for name, pattern in TEXTS.items():
    text = pattern.replace("TARGET", target).replace("HOST", target.split("/")[2])
    with st.container(key=f"case-{name.replace(' ', '-').replace(',', '')}"):
        st.markdown(safe.prose(text))
        st.markdown(safe.markdown(text))
        st.caption(f"Said: {safe.markdown(text)}")
        st.error(safe.markdown(text))
        st.metric(safe.label(text), "1")
        st.button(safe.label(text, length=500), key=f"button {name}", help=safe.markdown(text))
        st.tabs([safe.label(text, length=500)], key=f"tabs {name}")
        with st.expander(safe.label(text, length=500)):
            st.text(text)
st.title("drawn")
