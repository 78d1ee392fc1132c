"""The whole conversation taken away from the page."""

from __future__ import annotations

import ast
import json

from streamlit.testing.v1 import AppTest

from pages.ui import take_conversation
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import get_runtime


def test_every_format_is_made_from_the_conversation(app: AppTest) -> None:
    app.run()
    assert "take-html" not in {str(button.key) for button in app.get("download_button")}
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    app.button(key="take-away").click().run()
    assert not app.exception
    assert {"Web page", "Python script", "Notebook"} <= {button.label for button in app.get("download_button")}
    view = get_runtime().conversation(LOCAL_USER, "".join(app.query_params["c"]))
    page = take_conversation.html_of(view)
    assert "HDMI cable" in page
    assert "<svg" in page
    assert "<path" not in page
    get_runtime().choose(LOCAL_USER, view.turns[0].id, "chart-0", {"type": "pie", "y": ["on_hand"]})
    view = get_runtime().conversation(LOCAL_USER, view.id)
    assert "<path" in take_conversation.html_of(view)  # the pie that the person chose
    script = take_conversation.script_of(view)
    ast.parse(script)
    assert "inventory.csv" in script
    assert "reorder_point" in script
    assert json.loads(take_conversation.notebook_of(view))["cells"]
