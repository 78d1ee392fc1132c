"""docs/cli.md is what the parsers say."""

from __future__ import annotations

from pathlib import Path

from tabulaflow_core.cli.docs import cli_markdown
from tabulaflow_core.cli.main import build_parser

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == cli_markdown(), "run: python -m tabulaflow_core.cli.docs > docs/cli.md"


def test_every_argument_is_explained() -> None:
    assert "|  |" not in cli_markdown()


def test_the_help_names_every_command() -> None:
    text = build_parser().format_help()
    for command in ("ask", "read", "sql", "model", "examples"):
        assert command in text
