"""How far stored values are looked at."""

from __future__ import annotations

from typing import Final

#: Different values of a column; one with more is free text or a key, where likeness says little.
MOST_VALUES: Final = 5000
#: A look at stored values is a help, not the query: it may not take long.
SECONDS: Final = 2.0
