"""Chat with your own data: connectors, sessions and answers whose every figure leads to its query.

Start at `tabulaflow_core.data` (sources) and `tabulaflow_core.agents` (`ChatSession`).
"""

__version__ = "0.1.0"
