r"""Tables of Eurostat: the first cell of each line holds several, and letters behind the numbers are flags.

freq,unit,geo\TIME_PERIOD	2022 	2023
A,PC,AT	3.1 b	:
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from tabulaflow_core.data.files.records import is_blank
from tabulaflow_core.data.files.tokens import Dialect, Record, Tokenizer

#: Names of dimensions, and behind a backslash the name of the one that lies across.
_HEAD = re.compile(r"[^,\\]+(?:,[^,\\]+)*\\[^,\\]+")
#: A number, or the mark that there is none, with flags behind it.
_FLAGGED = re.compile(r"(:|[+-]?[0-9][0-9.]*)\s*([a-z]{1,5})")


@dataclass(slots=True)
class Packed:
    """Takes records apart.

    Attributes:
        count: Cells in the first one.
        flags: How often each flag stood behind a number.
    """

    count: int
    flags: Counter[str] = field(default_factory=Counter)

    def record(self, record: Record) -> Record:
        """The record with a cell for each dimension, and without flags."""
        first, *rest = record.cells
        values = []
        for cell in rest:
            if match := _FLAGGED.fullmatch(cell.strip()):
                cell = match.group(1)
                self.flags[match.group(2)] += 1
            values.append(cell)
        return replace(record, cells=[*first.partition("\\")[0].split(","), *values])

    def notice(self) -> str:
        """A sentence on the flags; empty when there were none."""
        if not self.flags:
            return ""
        found = ", ".join(f"{flag} ({count})" for flag, count in self.flags.most_common(8))
        return f"Letters behind the values are flags, and are not part of the table: {found}."


def packed(lines: list[tuple[int, str]], dialect: Dialect) -> Packed | None:
    """How to take the first cells apart, when the header and every line that is looked at are made so."""
    if dialect.delimiter != "\t":
        return None
    records = [r for r in Tokenizer(dialect).records(lines) if not is_blank(r)]
    if len(records) < 2 or not _HEAD.fullmatch(records[0].cells[0].strip()):
        return None
    commas = records[0].cells[0].count(",")
    return Packed(commas + 1) if all(r.cells[0].count(",") == commas for r in records) else None
