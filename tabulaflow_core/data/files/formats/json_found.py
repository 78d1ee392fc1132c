"""What a table in a JSON document is, before it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tabulaflow_core.data.files.formats.json_values import Value

#: How rows lie in a document: objects; lists of cells; lists by column; objects by the name of the row; a cube.
Layout = Literal["records", "rows", "values", "columns", "index", "cube", "one record"]
Record = dict[str, Value]

if TYPE_CHECKING:
    from tabulaflow_core.data.files.formats.json_feed import Feed

    Take = Callable[[Feed, int | None], int]


@dataclass(slots=True)
class Found:
    """One table of a document.

    Attributes:
        path: The keys that lead to it.
        count: Its rows, as far as they are known.
        records: Its rows with their numbers, as often as they are wanted.
        notes: Sentences on what was left out.
        header: Whether the first row named the columns; None where that is no question.
        sure: Whether there is no doubt about the header.
        names: Columns that are known before any row.
        columns: The values of its columns, where they stand together, each with its name; all are equally long.
        batches: The same rows in batches, for long lists; its argument is called between them with the feed, where a
            record begins, and with the number of elements before or None, and gives the rows that it took itself.
        numeric: Columns that the document calls numbers, though their digits may be written as text.
    """

    path: tuple[str, ...]
    layout: Layout
    count: int
    records: Callable[[], Iterable[tuple[int, Record]]]
    notes: list[str] = field(default_factory=list)
    header: bool | None = None
    sure: bool = True
    names: list[str] = field(default_factory=list)
    columns: Callable[[], dict[str, list[Value]]] | None = None
    numeric: frozenset[str] = frozenset()
    batches: Callable[[Take], Iterator[list[tuple[int, Record]]]] | None = None

    @property
    def name(self) -> str:
        """The path as text."""
        return ".".join(self.path)


def cells_of(item: Value) -> list[Value]:
    """The cells of a row; a plain value is a row of one."""
    return item if isinstance(item, list) else [item]


def rows_named(names: list[str], items: Iterable[tuple[int, Value]]) -> Iterator[tuple[int, Record]]:
    """Rows as records: equal names stay apart, and so do columns without a name."""
    keys: list[str] = []
    for number, item in items:
        cells = cells_of(item)
        while len(keys) < len(cells):
            name = names[len(keys)] if len(keys) < len(names) else ""
            keys.append(free(name or f"column_{len(keys) + 1}", keys))
        yield number, dict(zip(keys, cells, strict=False))


def free(name: str, taken: list[str]) -> str:
    """The name, or one like it that is not taken."""
    chosen, count = name, 2
    while chosen in taken:
        chosen, count = f"{name}_{count}", count + 1
    return chosen
