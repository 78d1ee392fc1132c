"""The tools of the standard profile."""

from __future__ import annotations

from tabulaflow_core.agents.tools.describe_source import DescribeSource
from tabulaflow_core.agents.tools.draw_chart import DrawChart
from tabulaflow_core.agents.tools.no_answer import NoAnswer
from tabulaflow_core.agents.tools.protocol import Tool
from tabulaflow_core.agents.tools.run_query import RunQuery


def standard_tools() -> tuple[Tool, ...]:
    """Return the tools in the order offered; the order never changes, so that prompt caches hit."""
    return (RunQuery(), DescribeSource(), DrawChart(), NoAnswer())


__all__ = ["Tool", "standard_tools"]
