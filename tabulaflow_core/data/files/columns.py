"""Types of staged columns, decided over the whole of each, and the table written in those types."""

from __future__ import annotations

from dataclasses import dataclass, field

from tabulaflow_core.data.files import convert
from tabulaflow_core.data.files.fast_columns import hastened
from tabulaflow_core.data.files.infer import Finding, Shape, column_mark, decimal_mark, examine, unit_of
from tabulaflow_core.data.files.report import (
    LISTED,
    Certainty,
    ColumnReport,
    ColumnType,
    DateOrder,
    Decision,
    Misfit,
    ReadOptions,
)
from tabulaflow_core.data.files.storage import Workbench, WrittenColumn
from tabulaflow_core.data.files.values import shape_of
from tabulaflow_core.data.files.words import MISSING

#: A column with more shapes than this is text, whatever the shapes are.
_MOST_SHAPES = 3000
#: Cells are compared by this much of their beginning.
_SHAPE_CHARS = 64
#: `values.shape_of` in SQL; the usual forms are told by a match, which costs a tenth of a translation.
_SHAPE = (
    "CASE WHEN regexp_full_match(v, '[0-9]+') THEN repeat('9', length(v)) "
    "WHEN regexp_full_match(v, '[0-9]+\\.[0-9]+') "
    "THEN repeat('9', instr(v, '.') - 1) || '.' || repeat('9', length(v) - instr(v, '.')) "
    "WHEN regexp_full_match(v, '[0-9]{4}-[0-9]{2}-[0-9]{2}') THEN '9999-99-99' "
    f"ELSE translate(left(v, {_SHAPE_CHARS}), '0123456789', '9999999999') END"
)
#: From this many rows on, text is told by a sample of about `_SPREAD` rows, spread evenly: most of it is no number.
_LONG = 100_000
_SPREAD = 4_000


@dataclass(slots=True)
class Column:
    """One column on its way into the table."""

    source: str
    name: str
    header: str
    kind: ColumnType = "text"
    engine_type: str = "VARCHAR"
    expression: str = ""
    certainty: Certainty = "certain"
    note: str = ""
    missing: dict[str, int] = field(default_factory=dict)
    misfits: list[Misfit] = field(default_factory=list)
    misfit_count: int = 0
    unit: str = ""
    bare: bool = False

    @property
    def written(self) -> WrittenColumn:
        """What is needed to write it."""
        return WrittenColumn(self.source, self.name, self.engine_type, self.expression)

    def report(self) -> ColumnReport:
        """What the person is told."""
        return ColumnReport(
            self.name,
            self.header,
            self.kind,
            self.engine_type,
            self.certainty,
            self.note,
            self.missing if self.kind != "text" else {},
            self.misfit_count,
        )


@dataclass(slots=True)
class Typing:
    """The typed columns and the decisions that hold for the whole file."""

    columns: list[Column]
    decisions: list[Decision] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def type_columns(bench: Workbench, names: list[str], header: list[str], options: ReadOptions, delimiter: str) -> Typing:
    """Decide the types of the columns of `stage`."""
    missing = frozenset(w.casefold() for w in options.missing) if options.missing is not None else MISSING
    columns = [Column(f"c{i}", n, header[i] if i < len(header) else "") for i, n in enumerate(names)]
    plain = _plain_text(bench, len(columns), missing)
    findings = [examine([] if c.source in plain else _shapes(bench, c.source), missing=missing) for c in columns]
    typing = Typing(columns)
    mark, sure, reason = decimal_mark(findings, delimiter)
    if options.decimal:
        mark, sure, reason = options.decimal, "told", "as told"
    if any(f.points or f.commas for f in findings if f.kind == "number") or options.decimal:
        typing.decisions.append(Decision("decimal_mark", mark, sure, reason))
    order, order_sure, order_reason = _date_order(bench, columns, findings, options, mark, delimiter)
    if order_reason:
        typing.decisions.append(Decision("date_order", order, order_sure, order_reason))
    for column, finding in zip(columns, findings, strict=True):
        told = options.types.get(column.name)
        _choose(bench, column, finding, mark, order, options, told, typing)
        column.expression = hastened(bench, column)
        _settle(bench, column, finding, missing, forced=told is not None)
    _tell(typing, order, order_sure)
    _tell_of_told(typing, options)
    return typing


def _plain_text(bench: Workbench, width: int, missing: frozenset[str]) -> set[str]:
    """Columns of a long table whose spread sample shows them to be text; the others are looked at in whole."""
    (rows,) = bench.one("SELECT count(*) FROM stage")
    if int(str(rows)) < _LONG:
        return set()
    step = int(str(rows)) // _SPREAD
    sample = bench.rows(f"SELECT {bench.unknown_texts(width)} FROM stage WHERE line % {step} = 0")
    found = set()
    for index in range(width):
        cells = [shape_of(str(row[index])) for row in sample if row[index]]
        finding = examine([Shape(c, 1) for c in cells if c], missing=missing)
        if finding.kind == "text" and not finding.why and finding.total > _SPREAD // 4:
            found.add(f"c{index}")
    return found


def _shapes(bench: Workbench, source: str) -> list[Shape]:
    value = convert.trimmed(source)
    sql = (
        "SELECT shape, count(*), count_if(zero) FROM ("
        f"SELECT {_SHAPE} AS shape, "
        "(left(v, 1) = '0' AND substr(v, 2, 1) BETWEEN '0' AND '9') AS zero "
        f"FROM (SELECT {value} AS v FROM {bench.unknown(source)}) WHERE v IS NOT NULL"
        f") GROUP BY shape ORDER BY 2 DESC, 1 LIMIT {_MOST_SHAPES + 1}"
    )
    return bench.with_known([Shape(str(s), int(str(n)), int(str(z))) for s, n, z in bench.rows(sql)], source)


def _date_order(
    bench: Workbench, columns: list[Column], findings: list[Finding], options: ReadOptions, mark: str, delimiter: str
) -> tuple[DateOrder, Certainty, str]:
    """The order of day and month, proved by a number above 12 anywhere in a column of dates."""
    local = [(c, f) for c, f in zip(columns, findings, strict=True) if f.kind in ("date", "datetime") and _is_local(f)]
    if options.date_order:
        return options.date_order, "told", "as told"
    if not local:
        return "dmy", "certain", ""
    first = second = 0
    for column, _ in local:
        a, b = _above_twelve(bench, column.source)
        first, second = first + a, second + b
    if first and not second:
        return "dmy", "certain", f"{first} dates have a first number above 12"
    if second and not first:
        return "mdy", "certain", f"{second} dates have a second number above 12"
    if first and second:
        return ("dmy" if first >= second else "mdy"), "guess", "some dates are day first, others month first"
    separators = {sep for _, f in local for form, sep, *_ in f.forms if form == "local"}
    if separators != {"/"} or mark == "," or delimiter == ";":
        return "dmy", "guess", "no date shows the order; its marks are those of day first"
    return "mdy", "guess", "no date shows the order; slashes are mostly month first"


def _is_local(finding: Finding) -> bool:
    return any(form == "local" for form, *_ in finding.forms)


def _above_twelve(bench: Workbench, source: str) -> tuple[int, int]:
    value = convert.trimmed(source)
    parts = rf"regexp_extract({value}, '^([0-9]{{1,2}})[-/.]([0-9]{{1,2}})[-/.][0-9]', %d)"
    a, b = bench.one(
        f"SELECT count_if(TRY_CAST({parts % 1} AS INTEGER) > 12), count_if(TRY_CAST({parts % 2} AS INTEGER) > 12) "
        "FROM stage"
    )
    return int(str(a)), int(str(b))


def _choose(
    bench: Workbench,
    column: Column,
    finding: Finding,
    mark: str,
    order: DateOrder,
    options: ReadOptions,
    told: ColumnType | None,
    typing: Typing,
) -> None:
    column.missing, column.certainty = finding.missing, finding.certainty
    column.bare = not finding.total and not finding.missing and not column.header.strip()
    kind = told or finding.kind
    if kind in ("number", "integer") and finding.numbers:
        own, sure = (options.decimal, "told") if options.decimal else column_mark(finding, mark)
        if own is None:
            column.note = "its numbers use a decimal point and a decimal comma"
            kind = "text"
        else:
            _as_number(column, finding, own, "told" if sure == "told" else sure)
            return
    if kind in ("date", "datetime") and finding.forms:
        own_order = order
        if _is_local(finding) and not options.date_order:
            first, second = _above_twelve(bench, column.source)
            if first and second and min(first, second) > max(first, second) * 0.05:
                column.note, kind = "some of its dates are day first, others month first", "text"
            elif first or second:
                own_order = "dmy" if first >= second else "mdy"
            else:
                column.certainty = "guess"
        if kind != "text":
            _as_date(column, finding, own_order)
            return
    if kind == "boolean":
        column.kind, column.engine_type = "boolean", "BOOLEAN"
        column.expression = convert.boolean_expression(column.source)
        return
    column.note = column.note or finding.why
    _as_text(column)
    if finding.formulas:
        column.expression = convert.text_expression(column.source, formulas=True)


def _as_text(column: Column) -> None:
    column.kind, column.engine_type, column.expression = "text", "VARCHAR", convert.text_expression(column.source)


def _as_number(column: Column, finding: Finding, mark: str, sure: Certainty) -> None:
    column.engine_type = convert.number_type(finding, mark)
    if column.engine_type == "VARCHAR":
        column.note = "its numbers have more than 38 digits"
        _as_text(column)
        return
    column.kind = "integer" if column.engine_type in ("BIGINT", "HUGEINT") else "number"
    column.expression = convert.number_expression(column.source, finding, mark, column.engine_type)
    column.unit = next((u for s in finding.numbers if (u := unit_of(s.text))), "")
    notes = []
    if any(c in s.text for s in finding.numbers for c in ",."):
        used = "decimal comma" if mark == "," else "decimal point"
        notes.append(used if column.kind == "number" else "thousands marks were taken off")
    if column.unit:
        notes.append(f"values carry {column.unit}")
    if sure == "guess" and column.certainty != "told":
        column.certainty = "guess"
        notes.append("its marks can be read as decimals or as thousands")
    column.note = "; ".join(notes)


def _as_date(column: Column, finding: Finding, order: DateOrder) -> None:
    zones = sum(n for f, n in finding.forms.items() if f[4])
    timed = any(f[3] for f in finding.forms)
    if zones and zones < finding.fits:
        column.note = "some of its times have a zone, others none"
        _as_text(column)
        return
    column.engine_type = "TIMESTAMP WITH TIME ZONE" if zones else "TIMESTAMP" if timed else "DATE"
    column.kind = "datetime" if timed else "date"
    column.expression = convert.date_expression(column.source, finding, order, column.engine_type)
    if _is_local(finding):
        column.note = {"dmy": "day first", "mdy": "month first", "ymd": "year first"}[order]
    if zones:
        column.note = "times are held in UTC"


def _settle(bench: Workbench, column: Column, finding: Finding, missing: frozenset[str], *, forced: bool) -> None:
    """Count what the conversion leaves out; a column that loses too much stays text."""
    if column.kind == "text":
        return
    value = convert.trimmed(column.source)
    words = ", ".join(convert.literal(w) for w in sorted(missing)) or "''"
    lost = f"{value} IS NOT NULL AND lower({value}) NOT IN ({words}) AND ({column.expression}) IS NULL"
    rows_at_risk = bench.unknown(column.source, column.expression)
    count = int(str(bench.one(f"SELECT count(*) FROM {rows_at_risk} WHERE {lost}")[0]))
    if not count:
        return
    if not forced and count > min(LISTED, max(1, finding.total * 0.05)):
        column.note = f"{count} of its {finding.total} values are no {column.kind}"
        column.certainty = "likely"
        _as_text(column)
        return
    column.misfit_count = count
    column.certainty = "likely" if column.certainty == "certain" else column.certainty
    rows = bench.rows(f"SELECT line, {value} FROM {rows_at_risk} WHERE {lost} ORDER BY line LIMIT {LISTED}")
    column.misfits = [Misfit(int(str(line)), column.name, str(text)) for line, text in rows]


def _tell(typing: Typing, order: DateOrder, order_sure: Certainty) -> None:
    """Sentences on what a person should know of the columns."""
    columns = typing.columns
    for column in columns:
        if column.misfit_count:
            first = column.misfits[0]
            typing.notices.append(
                f"{column.misfit_count} value(s) of column “{column.name}” are no {column.kind} and are empty in the "
                f"table, the first on line {first.line}: “{first.value[:60]}”. Read the column as text to keep them."
            )
    doubtful = [c.name for c in columns if c.kind in ("date", "datetime") and c.certainty == "guess"]
    if doubtful:
        typing.notices.append(
            f"The dates of {_listed(doubtful)} do not show whether day or month comes first; "
            f"they were read {'day' if order == 'dmy' else 'month'} first."
        )
    marked = [c for c in columns if "decimals or as thousands" in c.note]
    for whole, words in ((True, "whole numbers"), (False, "decimals")):
        if names := [c.name for c in marked if (c.kind == "integer") == whole]:
            typing.notices.append(
                f"The numbers of {_listed(names)} can be read with decimals or with thousands marks; "
                f"they were read as {words}."
            )
    for column in columns:
        if column.kind == "text" and column.note and "it is empty" not in column.note:
            typing.notices.append(f"Column “{column.name}” was kept as text: {column.note}.")
    absent: dict[str, list[str]] = {}
    for column in columns:
        if column.missing and column.kind != "text":
            words = ", ".join(f"“{w}” ({n})" for w, n in list(column.missing.items())[:5])
            absent.setdefault(words, []).append(column.name)
    for words, names in absent.items():
        where = "column" if len(names) == 1 else "columns"
        typing.notices.append(f"In {where} {_listed(names)} these words were read as no value: {words}.")


def _listed(names: list[str]) -> str:
    """Names for a person, the first twelve of them."""
    shown = ", ".join(f"“{n}”" for n in names[:12])
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"


def _tell_of_told(typing: Typing, options: ReadOptions) -> None:
    """Sentences on types that were asked for and could not be given."""
    kinds = {column.name: column.kind for column in typing.columns}
    for name, told in options.types.items():
        if name not in kinds:
            known = ", ".join(f"“{n}”" for n in list(kinds)[:20])
            typing.notices.append(f"There is no column “{name}” to read as {told}; the columns are {known}.")
        elif kinds[name] != told and (told, kinds[name]) != ("number", "integer"):
            typing.notices.append(
                f"Column “{name}” cannot be read as {told}: its values are of another kind. "
                f"It was read as {kinds[name]}."
            )


def drop_frame(typing: Typing) -> None:
    """Leave out the first and the last column when both hold no name and no value: delimiters frame the table.

    An empty column at one edge only stays: the file has it, and a later file may fill it.
    """
    columns = typing.columns
    if len(columns) > 2 and columns[0].bare and columns[-1].bare:
        typing.columns = columns[1:-1]
        typing.notices.append("Delimiters stand before the first and after the last column; they were left out.")


def write_table(bench: Workbench, table: str, typing: Typing) -> int:
    """Write `out.main.<table>` in the decided types; the number of its rows."""
    target = f"out.main.{convert.quoted(table)}"
    select = ", ".join(f"{c.expression} AS {convert.quoted(c.name)}" for c in typing.columns)
    if not bench.write_typed(target, [c.written for c in typing.columns]):
        bench.execute(f"CREATE TABLE {target} AS SELECT {select} FROM stage")
    for column in typing.columns:
        parts = []
        if column.header != column.name and column.header:
            parts.append(f"header in the file: {' '.join(column.header.split())}")
        if column.note:
            parts.append(column.note)
        if parts:
            comment = convert.literal("; ".join(parts))
            bench.execute(f"COMMENT ON COLUMN {target}.{convert.quoted(column.name)} IS {comment}")
    return int(str(bench.one(f"SELECT count(*) FROM {target}")[0]))
