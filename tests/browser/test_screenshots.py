"""The pictures' list names what was taken, and a picture with few colours stays the picture."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from PIL import Image

from tests.browser.screenshots import index, shrink

pytestmark = pytest.mark.browser


def test_the_list_has_a_line_a_state_and_leaves_out_what_was_not_taken(tmp_path: Path) -> None:
    for name in ("usage-wide-light", "usage-narrow-dark", "empty-chat-wide-dark"):
        (tmp_path / f"{name}.png").touch()
    assert index(tmp_path).splitlines()[-4:] == [
        "| State | wide, light | wide, dark | narrow, light | narrow, dark |",
        "|---|---|---|---|---|",
        "| empty chat |  | ![](empty-chat-wide-dark.png) |  |  |",
        "| usage | ![](usage-wide-light.png) |  |  | ![](usage-narrow-dark.png) |",
    ]


def test_few_colours_keep_size_and_hue(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.linear_gradient("L").convert("RGB").save(path)
    shrink(path)
    with Image.open(path) as small:
        assert (small.size, small.mode) == ((256, 256), "P")
        assert abs(small.convert("L").getpixel((10, 200)) - 200) < 12
