"""Columns of JSON that are checked and converted in one pass (`fast_columns`), from the cells as they are written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tabulaflow_core.data.files.columns import Column
from tabulaflow_core.data.files.convert import literal
from tabulaflow_core.data.files.fast_columns import BlockSigns, FastColumn, Form, form_of
from tabulaflow_core.data.files.infer import Shape
from tabulaflow_core.data.files.storage import Workbench

_TEXT: Final = "CAST({v} AS VARCHAR)"
#: 0.00008, which others write as 8e-05.
_SMALL: Final = "abs({v}) < 1e-4 AND abs({v}) >= 1e-7"
_SMALL_TEXT: Final = (
    "CASE WHEN {v} < 0 THEN '-' ELSE '' END || '0.' "
    f"|| repeat('0', CAST(split_part({_TEXT}, 'e-', 2) AS INTEGER) - 1) "
    f"|| replace(ltrim(split_part({_TEXT}, 'e-', 1), '-'), '.', '')"
)
_WHOLE: Final = "trunc({v}) = {v} AND abs({v}) < 1e15"
#: How JavaScript writes doubles, 7.0 as 7; and how others do, without exponents too.
_SCRIPT: Final = Form(
    "TRY_CAST({c} AS {t})",
    f"CASE WHEN {_WHOLE} THEN CAST(CAST({{v}} AS BIGINT) AS VARCHAR) WHEN {_SMALL} THEN {_SMALL_TEXT} ELSE {_TEXT} END",
    "",
    (),
)
_PLAIN: Final = Form("TRY_CAST({c} AS {t})", f"CASE WHEN {_SMALL} THEN {_SMALL_TEXT} ELSE {_TEXT} END", "", ())
_ZONED: Final = tuple(
    Form(
        "TRY_CAST({c} AS {t})",
        f"strftime({{v}}, '{form}')",
        f"strlen({{c}}) = {length} AND {{c}} >= '1'",
        probes,
    )
    for form, length, probes in (
        ("%Y-%m-%dT%H:%M:%SZ", 20, ("2026-01-02T03:04:05Z", "1999-12-31T23:59:59Z", "2024-02-29T00:00:00Z")),
        ("%Y-%m-%dT%H:%M:%S.%gZ", 24, ("2026-01-02T03:04:05.006Z", "1999-12-31T23:59:59.990Z")),
    )
)
_SHAPE: Final = "translate(left({v}, 64), '0123456789', '9999999999')"


@dataclass(frozen=True, slots=True)
class JsonColumn(FastColumn):
    """One column of JSON: `source` is the cell without its quotes, NULL where there is no value."""

    def token(self, cell: str, *, escapes: bool) -> str:
        """SQL of the cell under the name `source`; an error where another kind of value stands.

        Args:
            cell: SQL of the cell as it is written.
            escapes: Whether there may be backslashes in it.
        """
        if self.kind in ("integer", "number", "boolean"):
            return f"nullif({cell}, 'null') AS {self.source}"
        inner = f"substr({cell}, 2, length({cell}) - 2)"
        quoted = f"(starts_with({cell}, chr(34)) AND ends_with({cell}, chr(34)) AND strlen({cell}) > 1)"
        sound = f"{quoted} AND NOT contains({inner}, chr(34))"
        choices = [f"WHEN {cell} IS NULL OR {cell} = 'null' THEN NULL"]
        if escapes:
            sound += f" AND NOT contains({cell}, chr(92))"
        choices.append(f"WHEN {sound} THEN {inner}")
        if escapes:
            # `\u0000` is left alone: a text of DuckDB may end there.
            valid = f"{quoted} AND NOT contains({cell}, {literal(chr(92) + 'u0000')}) AND json_valid({cell})"
            choices.append(f"WHEN {valid} THEN json_extract_string({cell}, '$')")
        return f"CASE {' '.join(choices)} ELSE error('doubt {self.source}') END AS {self.source}"

    def checked(self, signs: BlockSigns) -> str:
        """SQL that gives the value of a cell, and an error where another would be lost."""
        if self.kind == "boolean":
            known = f"{self.source} IS NULL OR {self.source} IN ('true', 'false')"
            return f"CASE WHEN {known} THEN {self.source} = 'true' ELSE error('doubt {self.source}') END"
        if self.form is None:
            return self.source
        return FastColumn.checked(self, signs)

    def text(self, column: str) -> str:
        """SQL that gives the text of a typed value again."""
        return f"CAST({column} AS VARCHAR)" if self.kind == "boolean" else FastColumn.text(self, column)

    def shapes(self, bench: Workbench, column: str, rows: str) -> list[Shape]:
        """The shapes of the typed values in `rows`, with their counts."""
        if self.form is _SCRIPT or self.form is _PLAIN:
            odd = f"({_WHOLE} OR abs({{v}}) < 1e-4)" if self.form is _SCRIPT else "(abs({v}) < 1e-4 AND {v} <> 0)"
            odd = odd.format(v=column)
            usual = FastColumn.shapes(self, bench, column, f"(SELECT * FROM {rows} WHERE NOT {odd})")
            return usual + self._by_text(bench, column, f"(SELECT * FROM {rows} WHERE {odd})")
        if self.kind == "boolean" or self.form in _ZONED:
            return self._by_text(bench, column, rows)
        return FastColumn.shapes(self, bench, column, rows)

    def _by_text(self, bench: Workbench, column: str, rows: str) -> list[Shape]:
        shape = _SHAPE.format(v=self.text(column))
        found = bench.rows(f"SELECT {shape} AS s, count(*) FROM {rows} WHERE {column} IS NOT NULL GROUP BY s")
        return [Shape(str(text), int(str(count))) for text, count in found]


def json_column(bench: Workbench, column: Column) -> JsonColumn:
    """The column in its quick form; one whose values cannot be had so is text for the time being."""
    own = JsonColumn(column.source, column.kind, column.engine_type, column.expression)
    if column.kind in ("text", "boolean"):
        return own
    form = form_of(bench, column)
    if column.engine_type == "DOUBLE" and form is not None:
        there = f"FROM stage WHERE {column.source} <> ''"
        whole, exponents = bench.one(
            f"SELECT count_if(NOT regexp_matches({column.source}, '[.eE]')), "
            f"count_if(contains({column.source}, 'e-0')) {there}"
        )
        form = _SCRIPT if whole else form if exponents else _PLAIN
    elif column.engine_type == "TIMESTAMP WITH TIME ZONE":
        form = next((f for f in _ZONED if _agrees(bench, column, f)), None)
    if form is None:
        return replace(own, kind="text", engine_type="VARCHAR", expression=column.source)
    return replace(own, form=form)


def _agrees(bench: Workbench, column: Column, form: Form) -> bool:
    """Whether the form gives the values of the column's own expression, and is that of its cells."""
    cast = form.value(column.source, column.engine_type)
    values = ", ".join(f"({literal(p)})" for p in form.probes)
    (same,) = bench.one(
        f"SELECT bool_and({form.canonical(column.source, column.engine_type)} AND "
        f"({column.expression}) IS NOT DISTINCT FROM {cast}) FROM (VALUES {values}) AS t({column.source})"
    )
    known = form.canonical(column.source, column.engine_type)
    (own,) = bench.one(f"SELECT bool_and({known}) FROM stage WHERE {column.source} IS NOT NULL")
    return same is True and own is True
