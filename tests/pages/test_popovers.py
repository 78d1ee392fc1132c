"""What every button that opens something has in common."""

from __future__ import annotations

import ast
from pathlib import Path

from pages import ui


def test_an_opened_button_can_be_read_in_the_dark() -> None:
    """Streamlit draws an open tertiary popover in a darkened primary colour: nearly black on black."""
    faulty = []
    for path in Path(next(iter(ui.__path__))).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "popover":
                kinds = [key.value for key in node.keywords if key.arg == "type"]
                faulty += [f"{path.name}:{node.lineno}" for kind in kinds if ast.unparse(kind) == "'tertiary'"]
    assert faulty == []
