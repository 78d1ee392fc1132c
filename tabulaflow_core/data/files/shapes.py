"""What DuckDB counts over all values of staged columns: their shapes, and what a conversion would lose.

A query on a table costs a little for each of its columns, whatever it asks for; so the columns of a short and wide
table are asked for many at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tabulaflow_core.data.files import convert, scripts
from tabulaflow_core.data.files.infer import Shape
from tabulaflow_core.data.files.storage import Workbench

#: A column with more shapes than this is text, whatever the shapes are.
_MOST_SHAPES: Final = 3000
#: Cells are compared by this much of their beginning.
_SHAPE_CHARS: Final = 64
#: Whether there are digits or signs of another script; a match is far cheaper than to translate them in vain.
_FOREIGN: Final = f"(strlen(v) <> length(v) AND regexp_matches(v, '{scripts.ANY}'))"
#: `values.shape_of` in SQL; the usual forms are told by a match, which costs a tenth of a translation.
_SHAPE: Final = (
    "CASE WHEN regexp_full_match(v, '[0-9]+') THEN repeat('9', length(v)) "
    "WHEN regexp_full_match(v, '[0-9]+\\.[0-9]+') "
    "THEN repeat('9', instr(v, '.') - 1) || '.' || repeat('9', length(v) - instr(v, '.')) "
    "WHEN regexp_full_match(v, '[0-9]{4}-[0-9]{2}-[0-9]{2}') THEN '9999-99-99' "
    f"WHEN NOT {_FOREIGN} THEN translate(left(v, {_SHAPE_CHARS}), '0123456789', '9999999999') "
    f"ELSE trim({scripts.folding(f'left(v, {_SHAPE_CHARS})', digits='9' * 10)}) END"
)
_ZERO: Final = (
    f"CASE WHEN {_FOREIGN} THEN regexp_matches(v, '{scripts.LEADING_ZERO}') "
    "ELSE left(v, 1) = '0' AND substr(v, 2, 1) BETWEEN '0' AND '9' END"
)
#: What may be the name of a column of `stage`.
_NAME: Final = re.compile(r"\b[a-z]+[0-9]+\b")
#: Columns, and cells, that one query looks at.
_TOGETHER: Final = 200
_CELLS: Final = 200_000


@dataclass(frozen=True, slots=True)
class Conversion:
    """How a column is converted: SQL of its value, and SQL that is true for cells which are to have one."""

    source: str
    expression: str
    meant: str

    def over(self, cell: str) -> tuple[str, str]:
        """Both for another column."""

        def other(match: re.Match[str]) -> str:
            return cell if match[0] == self.source else match[0]

        return _NAME.sub(other, self.expression), _NAME.sub(other, self.meant)


@dataclass(frozen=True, slots=True)
class Lost:
    """How many values of a column its conversion loses, and which: SQL of a table and a condition."""

    source: str
    count: int
    where: str


def lost_values(bench: Workbench, conversions: Sequence[Conversion], rows: int) -> Iterator[Lost]:
    """The columns of `stage` whose conversion loses values; empty cells are none.

    Args:
        rows: Rows of `stage`.
    """
    alike: dict[tuple[str, str], list[Conversion]] = {}
    for one in conversions:
        alike.setdefault(one.over("v"), []).append(one)
    together = 1 if bench.typed is not None else max(1, min(_TOGETHER, _CELLS // max(rows, 1)))
    for (expression, meant), group in alike.items():
        for start in range(0, len(group), together):
            some = group[start : start + together]
            table = bench.unknown(some[0].source, some[0].expression)
            cells = f"unnest(range({len(some)})) AS place, unnest([{', '.join(c.source for c in some)}]) AS v"
            cells = cells if len(some) > 1 else f"0 AS place, {some[0].source} AS v"
            found = bench.rows(
                f"SELECT place, count(*) FROM (SELECT {cells} FROM {table}) "
                f"WHERE v <> '' AND ({expression}) IS NULL AND {meant} GROUP BY place ORDER BY place"
            )
            for place, count in found:
                one = some[int(str(place))]
                where = f"{table} WHERE {one.source} <> '' AND ({one.expression}) IS NULL AND {one.meant}"
                yield Lost(one.source, int(str(count)), where)


def column_shapes(bench: Workbench, sources: Sequence[str], rows: int) -> list[list[Shape]]:
    """The shapes of each of these columns of `stage`, the most frequent first.

    Args:
        rows: Rows of `stage`.
    """
    together = min(_TOGETHER, _CELLS // max(rows, 1))
    if bench.typed is not None or together < 2:
        return [_one_column(bench, source) for source in sources]
    found: list[list[Shape]] = []
    for start in range(0, len(sources), together):
        found += _many_columns(bench, sources[start : start + together])
    return found


def _one_column(bench: Workbench, source: str) -> list[Shape]:
    sql = (
        "SELECT shape, count(*), count_if(zero), count_if(foreign_signs) FROM ("
        f"SELECT {_SHAPE} AS shape, {_ZERO} AS zero, {_FOREIGN} AS foreign_signs "
        f"FROM (SELECT {convert.trimmed(source)} AS v FROM {bench.unknown(source)}) WHERE v IS NOT NULL"
        f") GROUP BY shape ORDER BY 2 DESC, 1 LIMIT {_MOST_SHAPES + 1}"
    )
    return bench.with_known([_shape(*row) for row in bench.rows(sql)], source)


def _many_columns(bench: Workbench, sources: Sequence[str]) -> list[list[Shape]]:
    sql = (
        "SELECT place, shape, count(*), count_if(zero), count_if(foreign_signs) FROM ("
        f"SELECT place, {_SHAPE} AS shape, {_ZERO} AS zero, {_FOREIGN} AS foreign_signs FROM ("
        f"SELECT unnest(range({len(sources)})) AS place, unnest([{', '.join(sources)}]) AS v FROM {bench.texts}"
        ") WHERE v <> '') GROUP BY place, shape ORDER BY 1, 3 DESC, 2"
    )
    found: list[list[Shape]] = [[] for _ in sources]
    for place, *row in bench.rows(sql):
        found[int(str(place))].append(_shape(*row))
    return [list(islice(shapes, _MOST_SHAPES + 1)) for shapes in found]


def _shape(text: object, count: object, zeros: object, foreign: object) -> Shape:
    return Shape(str(text), int(str(count)), int(str(zeros)), int(str(foreign)))
