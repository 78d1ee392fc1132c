"""Long files in one pass: whole blocks of lines become typed rows at once, and every value is checked.

The first rows are staged and typed with care. From then on, DuckDB cuts block after block into cells, compares
each cell with the text that its value gives again, and writes the values in their types. One cell in doubt sends
its block the careful way, as text into the stage. At the end, the types are decided anew over all rows by the
same code as ever: typed rows show their text through a view, or their shapes where that is quicker. So a table
and its report are the same whichever way the rows went.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.files.columns import Typing
from tabulaflow_core.data.files.convert import TRIMMED, literal
from tabulaflow_core.data.files.fast_columns import BlockSigns, fast_column
from tabulaflow_core.data.files.fast_table import TypedTable
from tabulaflow_core.data.files.lines import Lines, count_byte
from tabulaflow_core.data.files.stage import Stage
from tabulaflow_core.data.files.storage import Workbench

if TYPE_CHECKING:
    from tabulaflow_core.data.files.formats.text_plan import Plan

#: Bytes of one block; larger ones keep two threads busy, smaller ones find a bad cell sooner.
_MOST: Final = 64 << 20
_LEAST: Final = 2 << 20
#: Bytes that DuckDB reads at once: half of a block, so that its two threads share it, and not less, since each piece
#: ends in a group of rows that is not full, and such groups are written once more at the end.
_LEAST_BUFFER: Final = 8 << 20
#: Bytes at the end of a file that are read with care, for notes and totals.
_SPARE: Final = 1 << 20
#: Rows that must be typed with care first.
_FIRST_ROWS: Final = 5_000
#: Bytes of blocks in doubt after which a file is no longer tried, besides a quarter of the good ones.
_PATIENCE: Final = 96 << 20
#: The delimiter of files that have none.
_NEVER: Final = "\x01"
#: What `str.isspace` is true for.
_SPACES: Final = r"[\s\pZ\x{1c}-\x{1f}\x{85}]+"
#: Up to so many rows, a table is searched for totals everywhere; its text is then needed as text.
_FEWEST: Final = 200_000


class Miscounted(Exception):
    """The bytes of the typed cells are not those of the file; it is read again with care."""


@dataclass(slots=True)
class _Block:
    """Lines that are tried at once: where they stand in the file, and the file from which DuckDB reads them."""

    first: int
    start: int
    size: int
    rows: int = 0
    cell_bytes: int = 0
    path: Path | None = None
    signs: BlockSigns | None = None


class FastRows(TypedTable):
    """Typed rows of one text file (`storage.TypedRows`).

    Args:
        plan: How the file is encoded, cut and laid out.
        decide: Types the rows that are staged so far.
    """

    def __init__(self, bench: Workbench, stage: Stage, plan: Plan, decide: Callable[[], Typing]) -> None:
        super().__init__(bench)
        self._stage, self._decide = stage, decide
        self._dialect, self._codec, layout = plan.sniffed.dialect, plan.encoding.codec, plan.layout
        self._repeated = layout.header[0].strip() if layout.header else ""
        one = not self._dialect.delimiter and not self._dialect.places and stage.width == 1
        self._cut = _NEVER if one else self._dialect.delimiter
        usual = (one or self._dialect.plain) and self._dialect.quote in ("", '"') and not self._dialect.escape
        simple = not (layout.comment or plan.rulers or plan.bounded) and plan.quick and plan.line_end != "mixed"
        self.usable = usual and simple and (one or stage.width > 1)
        self._utf8 = self._codec.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig", "ascii")
        self._most = min(_MOST if self._utf8 else _MOST // 4, max(_LEAST, bench.watch.bounds.memory_bytes // 10))
        self._size = self._most
        self._buffer = bytearray()
        self._good = self._bad = 0
        self._cell_bytes = 0
        self._turn = 0

    def take(self, lines: Lines) -> None:
        """Take blocks as long as they are beyond doubt; the next lines must be read with care, or are the last."""
        if not self.usable or self._stage.records < _FIRST_ROWS:
            return
        block = self._next(lines)
        if block is None or not self._begin():
            if block:
                lines.give_back(block.first, block.start)
            return
        while block:
            running = self._start(block)
            following = self._meanwhile(running, lines) if running else None
            if running and self._ended(running, block, lines):
                block = following
                continue
            for waiting in (following, block):
                if waiting:
                    lines.give_back(waiting.first, waiting.start)
            block = self._smaller(block, lines)

    def _meanwhile(self, running: Future[list[tuple[object, ...]]], lines: Lines) -> _Block | None:
        """The next block, made while the one before is on its way into the table."""
        try:
            return self._next(lines)
        except BaseException:
            self._bench.end(running)
            raise

    def _smaller(self, block: _Block, lines: Lines) -> _Block | None:
        """A smaller block after one in doubt, None when its beginning must be read with care."""
        self._bad += block.size
        self.usable = self._bad < _PATIENCE + self._good // 4
        again = self._size > _LEAST and self.usable
        self._size = max(self._size // 4, _LEAST)
        return self._next(lines) if again else None

    def _begin(self) -> bool:
        """Type the rows so far and bring those that are text into the table; False when that cannot be."""
        self._stage.settle()
        if not self._columns:
            columns = [fast_column(self._bench, c) for c in self._decide().columns]
            if not all(columns):
                self.usable = False
                return False
            self._create([c for c in columns if c])
        self._add_texts([c.expression for c in self._columns])
        return True

    def _next(self, lines: Lines) -> _Block | None:
        """The next block, in a file of its own when nothing in it is a reason for care."""
        found = lines.whole(self._buffer, self._size, spare=_SPARE)
        if found is None:
            return None
        first, start, taken, count = found
        block = _Block(first, start, taken)
        self._bench.watch.advance("reading", block.start, lines.size)
        raw = self._buffer
        if self._buffer.find(b"\r", 0, block.size) >= 0:
            raw = self._buffer[: block.size]
            if raw.count(b"\r") != raw.count(b"\r\n"):
                return block
            raw = raw.replace(b"\r\n", b"\n")
        if not self._utf8:
            raw = self._buffer[: block.size] if raw is self._buffer else raw
            raw = bytearray(raw.decode(self._codec, "replace").encode())
        size = block.size if raw is self._buffer else len(raw)

        def holds(mark: str) -> bool:
            """Look for the rarest of its bytes first."""
            code = mark.encode()
            return raw.find(code[-1 if code[0] == 0xC2 else 0], 0, size) >= 0 and raw.find(code, 0, size) >= 0

        if holds("\0") or holds("\ufffd") or (self._cut == _NEVER and holds(_NEVER)):
            return block
        block.rows = count if raw is self._buffer else raw.count(b"\n", 0, size)
        quotes = count_byte(raw, b'"', size) if self._dialect.quote and holds('"') else 0
        self._bench.watch.advance("reading", block.start, lines.size)
        block.cell_bytes = size - block.rows * self._stage.width - quotes
        edges = [m for m in TRIMMED if m not in "\r\n" and m != self._dialect.delimiter and holds(m)]
        block.signs = BlockSigns(quotes > 0, holds("\\"), "".join(edges))
        self._turn = 1 - self._turn
        block.path = self._bench.folder / f"block-{self._turn}.csv"
        with block.path.open("r+b" if block.path.exists() else "wb") as file:  # its pages are there already
            file.write(memoryview(raw)[:size])
            file.truncate()
        return block

    def _start(self, block: _Block) -> Future[list[tuple[object, ...]]] | None:
        if block.path is None or block.signs is None:
            return None
        names = [c.source for c in self._columns]
        # A row of nothing, or of the blanks that no cell is trimmed of, is no row.
        rest = ", ".join(names[1:])
        empty = f"{names[0]} IS NULL AND coalesce({rest}) IS NULL" if rest else f"{names[0]} IS NULL"
        spaces = f"{names[0]} > '~' AND regexp_full_match(concat({', '.join(names)}), {literal(_SPACES)})"
        values = [c.checked(block.signs) for c in self._columns]
        again = f"{names[0]} = {literal(self._repeated)}" if self._repeated else "false"
        values[0] = f"CASE WHEN ({empty}) OR ({spaces}) OR {again} THEN error('doubt') ELSE {values[0]} END"
        columns = "{" + ", ".join(f"{literal(n)}: 'VARCHAR'" for n in names) + "}"
        quote = literal(self._dialect.quote)
        source = (
            f"read_csv({literal(str(block.path))}, auto_detect = false, columns = {columns}, header = false, "
            f"delim = {literal(self._cut)}, quote = {quote}, escape = {quote}, new_line = '\\n', "
            "comment = '', nullstr = '', strict_mode = true, null_padding = false, ignore_errors = false, "
            f"buffer_size = {max(block.path.stat().st_size // 2 + 1, _LEAST_BUFFER)})"
        )
        tried = ", ".join(["*", *(c.value for c in self._columns if c.value)])
        return self._insert(values, f"(SELECT {tried} FROM {source})")

    def _ended(self, running: Future[list[tuple[object, ...]]], block: _Block, lines: Lines) -> bool:
        """Wait for the block; True when it is in the table."""
        if not self._inserted(running, block.first, block.rows, lines.done - block.size, lines.size):
            return False
        self._stage.count_typed(block.rows)
        self._cell_bytes += block.cell_bytes
        self._good += block.size
        self._size = min(self._size * 2, self._most)
        return True

    def close(self) -> None:
        """Let `stage` show the typed rows too.

        Raises:
            Miscounted: The cells in the table are not as long as those in the file.
        """
        if not self._runs:
            self._bench.execute(f"DROP TABLE IF EXISTS {self._table}")
            return
        self._stage.settle(keep_tail=True)
        self._show(self._stage.rename("texts"), [c.source for c in self._columns])
        self._look()
        if self._stage.rows <= _FEWEST:
            self._stage.take_all("stage")
            self.drop()
            self._bench.texts = self._stage.rename("stage")

    def _look(self) -> None:
        """Find the shapes of the typed rows, and count their bytes."""
        rows = self._typed_rows
        length = 0
        for index, column in enumerate(self._columns):
            name = self._name(index)
            if column.engine_type == "VARCHAR":
                (size,) = self._bench.one(f"SELECT sum(strlen({name})) FROM {rows}")
                length += int(str(size or 0))
            else:
                self._shapes[column.source] = column.shapes(self._bench, name, rows)
                length += sum(len(s.text) * s.count for s in self._shapes[column.source])
        if length != self._cell_bytes:
            self.drop()
            raise Miscounted
