"""A chart as PNG or SVG, made in the viewer's own browser by the button that plotly's toolbar has for it.

The markup and the script are fixed texts of this module; only a chart's key and a file name reach them, as data.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

_HTML: Final = '<div class="row"><button data-format="png">PNG</button><button data-format="svg">SVG</button></div>'
_CSS: Final = """
.row {display: flex; gap: 0.25rem}
button {
  font: inherit; font-size: 0.875rem; color: var(--st-text-color); background: none; cursor: pointer;
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius); padding: 0.15rem 0.6rem;
}
button:hover, button:focus-visible {color: var(--st-primary-color); border-color: var(--st-primary-color)}
"""
_JS: Final = """
export default function ({ parentElement, data }) {
  for (const button of parentElement.querySelectorAll("button")) {
    const format = button.dataset.format;
    button.title = "Save the chart as " + format.toUpperCase();
    button.onclick = () => {
      const chart = document.querySelector(".st-key-" + CSS.escape(data.chart) + " .js-plotly-plot");
      if (!chart || !chart._context) return;
      chart._context.toImageButtonOptions = { format, filename: data.name, scale: 2 };
      const save = [...chart.querySelectorAll(".modebar-btn")].find(
        (tool) => (tool.getAttribute("data-attr") || tool.getAttribute("data-title") || "").match(/toImage|Download/));
      if (save) save.click();
    };
  }
}
"""
_COMPONENT: Final = st.components.v2.component("tabulaflow_picture", html=_HTML, css=_CSS, js=_JS)


def draw(chart_key: str, *, title: str, key: str) -> None:
    """The two buttons for the chart drawn under `chart_key`."""
    name = "".join(char if char.isalnum() else "-" for char in title.casefold()[:60]).strip("-") or "chart"
    _COMPONENT(key=key, data={"chart": chart_key, "name": name}, width="content")
