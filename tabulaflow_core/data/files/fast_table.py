"""A table that is written while its file is read, in the types that its first rows have.

Every cell of a block was compared with the text that its value gives again. So the text of the typed rows can be had
from their values: a view shows it beside the rows that are only staged as text, and the types are decided over both.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace

from tabulaflow_core.data.files.convert import quoted
from tabulaflow_core.data.files.fast_columns import FastColumn, form_of
from tabulaflow_core.data.files.infer import Shape
from tabulaflow_core.data.files.storage import Workbench, WrittenColumn


@dataclass(slots=True)
class _Run:
    """Typed rows that follow each other: their first line, and their place in the table."""

    line: int
    start: int
    end: int


class TypedTable:
    """Typed rows of one file (`storage.TypedRows`), and the rows staged as text between them."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._columns: list[FastColumn] = []
        self._runs: list[_Run] = []
        self._rows = 0  # in the typed table
        self._text_rows = 0  # among them
        self._line = 0  # texts up to this line are in the typed table
        self._token = bench.folder.name.strip(".")
        self._table = f"out.main.{quoted(self._token)}"
        self._shapes: dict[str, list[Shape]] = {}
        bench.execute(f"DROP TABLE IF EXISTS {self._table}")

    def _create(self, columns: list[FastColumn]) -> None:
        self._columns = columns
        shape = ", ".join(f"{self._name(i)} {c.engine_type}" for i, c in enumerate(columns))
        self._bench.execute(f"CREATE TABLE {self._table} ({shape})")

    def _insert(self, values: Sequence[str], source: str) -> Future[list[tuple[object, ...]]]:
        """Begin to write rows; `_inserted` waits for them."""
        self._bench.execute("BEGIN")
        return self._bench.start(f"INSERT INTO {self._table} SELECT {', '.join(values)} FROM {source}")

    def _inserted(
        self, running: Future[list[tuple[object, ...]]], first: int, rows: int, done: int, total: int
    ) -> bool:
        """Wait for rows; True when all of them are in the table, else none of them.

        Args:
            first: Their first line.
            rows: How many they must be.
            done: How far the reading is, of `total`.
        """
        import duckdb

        try:
            ((count,),) = self._bench.wait(running, done, total)
            good = count == rows
        except (duckdb.InvalidInputException, duckdb.ConversionException):
            good = False
        self._bench.execute("COMMIT" if good else "ROLLBACK")
        if not good:
            return False
        last = self._runs[-1] if self._runs else None
        if last and last.end == self._rows and first == last.line + last.end - last.start:
            last.end += rows
        else:
            self._runs.append(_Run(first, self._rows, self._rows + rows))
        self._rows += rows
        return True

    def _show(self, texts: str, sources: Sequence[str]) -> None:
        """Make `stage` a view of the texts and of the typed rows as text.

        Args:
            sources: The columns of `texts`, among which are those of the typed rows.
        """
        self._bench.texts = texts
        own = {c.source: f"{c.text(self._name(i))} AS {c.source}" for i, c in enumerate(self._columns)}
        shown = ", ".join(own.get(source, f"NULL AS {source}") for source in sources)
        typed = [
            f"SELECT rowid + {run.line - run.start} AS line, {shown} FROM {self._table} WHERE {_within(run)}"
            for run in self._runs
        ]
        every = " UNION ALL ".join([f"SELECT line, {', '.join(sources)} FROM {texts}", *typed])
        self._bench.execute(f"CREATE OR REPLACE TEMP VIEW stage AS {every}")
        self._bench.typed = self

    @property
    def _typed_rows(self) -> str:
        """The rows that were written in their types, as what stands behind FROM."""
        within = " OR ".join(f"({_within(run)})" for run in self._runs)
        return f"(SELECT * FROM {self._table} WHERE {within})"

    def _name(self, index: int) -> str:
        return quoted(f"{self._token} {index}")

    def _add_texts(self, expressions: Sequence[str]) -> None:
        select = ", ".join(expressions)
        (count,) = self._bench.one(
            f"INSERT INTO {self._table} SELECT {select} FROM {self._bench.texts} WHERE line > {self._line}"
        )
        self._rows += int(str(count))
        self._text_rows += int(str(count))
        (last,) = self._bench.one(f"SELECT max(line) FROM {self._bench.texts}")
        self._line = int(str(last or 0))

    def shapes(self, source: str) -> list[Shape] | None:
        """The shapes of a typed column; None for text."""
        return self._shapes.get(source)

    def fit(self, source: str, expression: str) -> bool:
        """Whether the expression gives the typed values of the column for their texts."""
        column = next((c for c in self._columns if c.source == source), None)
        if column is None or column.expression == expression:
            return True
        if column.form is None:
            return False
        exponents = any("e" in s.text for s in self._shapes[source])
        other = replace(column, expression=expression)
        return form_of(self._bench, other, exponents=exponents, like=column.form) is not None

    def write(self, target: str, columns: Sequence[WrittenColumn]) -> bool:
        """Add the last texts and give the table its name, or write it anew when the types came out otherwise."""
        if not self._as_thought(columns):
            self._write_anew(target, columns)
            return True
        expressions = {c.source: c.expression for c in columns}
        self._add_texts([expressions.get(c.source, "NULL") for c in self._columns])
        names = {c.source: c.name for c in columns}
        for index, column in enumerate(self._columns):
            name = names.get(column.source)
            change = (
                f"RENAME COLUMN {self._name(index)} TO {quoted(name)}" if name else f"DROP COLUMN {self._name(index)}"
            )
            self._bench.execute(f"ALTER TABLE {self._table} {change}")
        self._bench.execute("DROP VIEW stage")
        self._bench.execute(f"ALTER TABLE {self._table} RENAME TO {target.split('.', 2)[2]}")
        return True

    def _as_thought(self, columns: Sequence[WrittenColumn]) -> bool:
        """Whether the table has the right types and rows, and the values that the expressions give."""
        texts = f"{self._bench.texts} WHERE line <= {self._line}"
        (left,) = self._bench.one(f"SELECT count(*) FROM {texts}")
        if left != self._text_rows:  # some were found to be totals or headers
            return False
        own = {c.source: c for c in self._columns}
        other: list[str] = []
        for written in columns:
            column = own.get(written.source)
            if (
                column is None
                or column.engine_type != written.engine_type
                or not self.fit(written.source, written.expression)
            ):
                return False
            if column.expression != written.expression:
                other.append(f"({column.expression}) IS DISTINCT FROM ({written.expression})")
        if not other:
            return True
        (changed,) = self._bench.one(f"SELECT count(*) FROM {texts} AND ({' OR '.join(other)})")
        return not changed

    def _write_anew(self, target: str, columns: Sequence[WrittenColumn]) -> None:
        """Write the table from the texts of all rows, in their order."""
        select = ", ".join(f"{c.expression} AS {quoted(c.name)}" for c in columns)
        self._bench.execute(f"CREATE TABLE {target} AS SELECT {select} FROM stage LIMIT 0")
        spans: list[tuple[int, int]] = []
        after = 0
        for run in self._runs:
            spans += [(after, run.line - 1), (run.line, run.line + run.end - run.start - 1)]
            after = spans[-1][1] + 1
        for low, high in [*spans, (after, 2**62)]:
            self._bench.execute(f"INSERT INTO {target} SELECT {select} FROM stage WHERE line BETWEEN {low} AND {high}")
        self.drop()

    def drop(self) -> None:
        """Let go of the typed rows and of the view of them."""
        self._bench.typed = None
        self._bench.execute("DROP VIEW stage")
        self._bench.execute(f"DROP TABLE {self._table}")


def _within(run: _Run) -> str:
    return f"rowid BETWEEN {run.start} AND {run.end - 1}"
