"""An invented shop, so that the first question can be asked before any upload. `generate.py` makes the files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent

#: Table name -> file.
SAMPLE_FILES: Final = {"inventory": _HERE / "inventory.csv", "sales": _HERE / "sales.csv"}

#: Questions that the samples answer, shown on an empty chat.
SAMPLE_QUESTIONS: Final = (
    "Which products are below their reorder point?",
    "What is the total revenue per region?",
    "How many units were sold in each month of 2026?",
    "What are the five products with the highest total revenue?",
)


@cache
def sample_columns() -> dict[str, list[str]]:
    """The names of the columns of each sample table, in order."""
    return {name: path.read_text(encoding="utf-8").partition("\n")[0].split(",") for name, path in SAMPLE_FILES.items()}
