"""The quick way for lines without any trouble: most files, and most of every file.

A block of lines is taken only when each line is well formed by itself: quotes only around whole cells, no
line break in a cell, no blank line, and the right number of cells. Any doubt sends the block to the tokenizer.
"""

from __future__ import annotations

import io
import re

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from tabulaflow_core.data.files.tokens import Dialect


class CleanBlocks:
    """Cuts well-formed blocks of lines into columns.

    Args:
        width: The number of cells that every line must have.
        comment: Beginning of comment lines, empty when there are none.
    """

    def __init__(self, dialect: Dialect, width: int, *, comment: str = "") -> None:
        self._dialect = dialect
        self._names = [f"c{i}" for i in range(width)]
        self.usable = bool(dialect.delimiter) and width > 1 and not dialect.escape and dialect.quote in ("", '"')
        cut = re.escape(dialect.delimiter)
        plain = rf'[^"{cut}\r\n]*' if dialect.quote else rf"[^{cut}\r\n]*"
        cell = rf'(?:"(?:[^"\r\n]|"")*"|{plain})' if dialect.quote else plain
        self._line = rf"^{cell}(?:{cut}{cell})*\r?\n?$"
        self._blank = rf"^[\s{cut}\"]*$"
        self._comment = rf"|^\s*{re.escape(comment)}" if comment else ""

    def cut(self, first: int, lines: list[str]) -> pa.Table | None:
        """Columns `line, c0, c1, …` of the block, or None when it must be read with care."""
        texts = pa.array(lines, pa.string())
        if pc.any(pc.match_substring_regex(texts, self._blank + self._comment)).as_py():
            return None
        if not pc.all(pc.match_substring_regex(texts, self._line)).as_py():
            return None
        try:
            table = csv.read_csv(
                io.BytesIO("".join(lines).encode()),
                read_options=csv.ReadOptions(use_threads=False, column_names=self._names, block_size=16 << 20),
                parse_options=csv.ParseOptions(
                    delimiter=self._dialect.delimiter,
                    quote_char=self._dialect.quote or False,
                    double_quote=True,
                    ignore_empty_lines=False,
                ),
                convert_options=csv.ConvertOptions(
                    column_types=dict.fromkeys(self._names, pa.string()), strings_can_be_null=False
                ),
            )
        except pa.ArrowInvalid:
            return None
        if table.num_rows != len(lines):
            return None
        return table.add_column(0, "line", pa.array(range(first, first + len(lines)), pa.int64()))
