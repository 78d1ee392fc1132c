"""Long files of flat records in one pass: whole blocks of records become typed rows at once, every value checked.

The first rows are decoded one by one and typed with care. From then on, the names of the columns cut block after
block into cells, and DuckDB compares each cell with the text that its value gives again. One cell in doubt sends its
block the careful way. So a table and its report are the same whichever way the rows went.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tabulaflow_core.data.files.columns import Typing
from tabulaflow_core.data.files.convert import literal
from tabulaflow_core.data.files.fast_columns import BlockSigns
from tabulaflow_core.data.files.fast_table import TypedTable
from tabulaflow_core.data.files.formats.json_columns import JsonColumn, json_column
from tabulaflow_core.data.files.formats.json_flat import CUT, FlatBlock, flat_block

if TYPE_CHECKING:
    from tabulaflow_core.data.files.formats.json_feed import Feed
    from tabulaflow_core.data.files.formats.json_table import Staging

_MOST: Final = 32 << 20
_LEAST: Final = 2 << 20
_LEAST_BUFFER: Final = 8 << 20
#: Rows that must be typed with care first.
_FIRST_ROWS: Final = 5_000
#: Bytes of blocks in doubt after which a file is no longer tried, besides a quarter of the good ones.
_PATIENCE: Final = 64 << 20
#: What stands for a cell that a short line does not have.
_NONE: Final = "\x01"


@dataclass(slots=True)
class _Block:
    """Records that are tried at once: the bytes of the file, their first line, and the file that DuckDB reads."""

    data: bytes
    line: int
    first: int
    flat: FlatBlock | None
    path: Path

    @property
    def held(self) -> bytes:
        """What is to be read again when it does not become rows; the rest went back already."""
        return self.data[: self.flat.taken] if self.flat else self.data


class JsonRows(TypedTable):
    """Typed rows of one list of records.

    Args:
        staging: Where the other rows are.
        decide: Types the rows that are staged so far.
    """

    def __init__(self, staging: Staging, decide: Callable[[], Typing]) -> None:
        bench = staging.job.bench
        super().__init__(bench)
        self._staging, self._decide = staging, decide
        self._most = min(_MOST, max(_LEAST, bench.watch.bounds.memory_bytes // 20))
        self._size = self._most
        self._good = self._bad = 0
        self._next_try = _FIRST_ROWS
        self._turn = 0
        self.usable = True

    def take(self, feed: Feed, element: int | None) -> int:
        """Take blocks as long as they are beyond doubt.

        Args:
            feed: Stands where a record begins.
            element: How many elements of a list were before; None for records that have lines of their own.

        Returns:
            The rows taken.
        """
        if not self.usable or self._staging.total < self._next_try:
            return 0
        taken = 0
        block = self._next(feed, element)
        while (flat := block.flat) is not None and self._begin(flat):
            running = self._start(flat, block.path)
            after = None if element is None else block.first - 1 + flat.rows
            try:
                following = self._next(feed, after)
            except BaseException:
                self._bench.end(running)
                raise
            if self._ended(running, block, feed):
                taken += flat.rows
                block = following
                continue
            feed.give_back(block.held + following.held, block.line)
            if not self._smaller(flat.taken, flat.rows):
                return taken
            block = self._next(feed, None if element is None else block.first - 1)
        feed.give_back(block.held, block.line)
        if not taken:
            self._smaller(len(block.data), _FIRST_ROWS)
        return taken

    def _smaller(self, size: int, rows: int) -> bool:
        """Whether a smaller block is tried after one in doubt; if not, its rows are read with care."""
        self._bad += size
        self.usable = self._bad < _PATIENCE + self._good // 4
        again = self._size > _LEAST and self.usable
        self._size = max(self._size // 4, _LEAST)
        self._next_try = self._staging.total + (0 if again else rows)
        return again

    def _begin(self, flat: FlatBlock) -> bool:
        """Type the rows so far and bring those that are text into the table; False when that cannot be."""
        self._staging.flush()
        if not self._columns:
            self._create([json_column(self._bench, c) for c in self._decide().columns])
        if any(key not in self._staging.index for key in flat.keys):
            return False
        self._add_texts([c.expression for c in self._columns])
        return True

    def _next(self, feed: Feed, element: int | None) -> _Block:
        """The next block, in a file of its own when its records are flat and alike."""
        line = feed.line
        data = feed.block(self._size)
        flat = flat_block(data, lines=element is None)
        self._turn = 1 - self._turn
        path = self._bench.folder / f"block-{self._turn}.csv"
        first = line if element is None else element + 1
        if flat is None:
            return _Block(data, line, first, None, path)
        feed.give_back(memoryview(data)[flat.taken :], line + data.count(b"\n", 0, flat.taken))
        with path.open("r+b" if path.exists() else "wb") as file:  # its pages are there already
            file.write(flat.cells)
            file.truncate()
        return _Block(data, line, first, flat, path)

    def _start(self, flat: FlatBlock, path: Path) -> Future[list[tuple[object, ...]]]:
        places = {key: self._staging.index[key] for key in flat.keys}
        cells = {}
        for at, key in enumerate(flat.keys):
            begin = key + flat.colon
            cell = f"CASE WHEN starts_with(r{at}, {literal(begin)}) THEN substr(r{at}, {len(begin) + 1}) "
            cells[places[key]] = f"{cell} ELSE error('doubt') END"
        names = ", ".join(f"{literal(f'r{i}')}: 'VARCHAR'" for i in range(len(flat.keys)))
        source = (
            f"read_csv({literal(str(path))}, auto_detect = false, columns = {{{names}}}, header = false, "
            f"delim = {literal(CUT)}, quote = '', escape = '', new_line = '\\n', comment = '', "
            f"nullstr = {literal(_NONE)}, strict_mode = true, null_padding = false, ignore_errors = false, "
            f"buffer_size = {max(path.stat().st_size // 2 + 1, _LEAST_BUFFER)})"
        )
        cut = ", ".join(f"{cells.get(i, 'CAST(NULL AS VARCHAR)')} AS t{i}" for i in range(len(self._columns)))
        columns = [c for c in self._columns if isinstance(c, JsonColumn)]
        tokens = ", ".join(c.token(f"t{i}", escapes=flat.escapes) for i, c in enumerate(columns))
        tried = ", ".join(["*", *(c.value for c in columns if c.value)])
        signs = BlockSigns(quotes=False, backslashes=False, edges="")
        select = f"(SELECT {tried} FROM (SELECT {tokens} FROM (SELECT {cut} FROM {source})))"
        return self._insert([c.checked(signs) for c in columns], select)

    def _ended(self, running: Future[list[tuple[object, ...]]], block: _Block, feed: Feed) -> bool:
        """Wait for the block; True when it is in the table."""
        assert block.flat is not None
        if not self._inserted(running, block.first, block.flat.rows, feed.done, feed.size):
            return False
        self._staging.count_typed(block.flat.rows)
        self._good += block.flat.taken
        self._size = min(self._size * 2, self._most)
        return True

    def close(self) -> None:
        """Let `stage` show the typed rows too, and tell `staging` what they hold."""
        if not self._runs:
            self._bench.execute(f"DROP TABLE IF EXISTS {self._table}")
            return
        self._bench.execute("DROP TABLE IF EXISTS texts")
        self._bench.execute("ALTER TABLE stage RENAME TO texts")
        self._show("texts", [f"c{i}" for i in range(len(self._staging.places))])
        rows = self._typed_rows
        for index, column in enumerate(self._columns):
            name = self._name(index)
            blank = f"count_if({name} = '')" if column.engine_type == "VARCHAR" else "0"
            count, empty = self._bench.one(f"SELECT count({name}), {blank} FROM {rows}")
            self._staging.seen[index].add_typed(column.kind, int(str(count)), int(str(empty)))
            if column.engine_type != "VARCHAR":
                self._shapes[column.source] = column.shapes(self._bench, name, rows)
