"""Types of staged columns, decided over the whole of each, and the table written in those types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tabulaflow_core.data.files import clocks, convert
from tabulaflow_core.data.files.absent import empty_cells
from tabulaflow_core.data.files.column_notices import tell, tell_of_told
from tabulaflow_core.data.files.date_order import above_twelve, date_order, fitting_orders, is_local
from tabulaflow_core.data.files.fast_columns import hastened
from tabulaflow_core.data.files.infer import (
    PLURAL,
    Finding,
    Shape,
    column_mark,
    decimal_mark,
    examine,
    grouping,
    unit_of,
)
from tabulaflow_core.data.files.report import (
    LISTED,
    Certainty,
    ColumnChoice,
    ColumnReport,
    ColumnType,
    DateOrder,
    Decision,
    Misfit,
    ReadOptions,
)
from tabulaflow_core.data.files.shapes import Conversion, Lost, column_shapes, lost_values
from tabulaflow_core.data.files.storage import Workbench, WrittenColumn
from tabulaflow_core.data.files.values import shape_of
from tabulaflow_core.data.files.words import MISSING

#: From this many rows on, text is told by a sample of about `_SPREAD` rows, spread evenly: most of it is no number.
_LONG = 100_000
_SPREAD = 4_000
#: From this many rows on, it pays to look for a quicker expression.
_MANY = 2_000
#: A comment on a column costs as much as its table has columns; a wide table has comments on its first ones only.
_COMMENT_COST = 100_000


@dataclass(slots=True)
class Column:
    """One column on its way into the table.

    Attributes:
        exact: A person gave the words that mean "no value": their cells are empty in the stage, in text too.
    """

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
    mark: str = "."
    bare: bool = False
    exact: bool = False

    @property
    def written(self) -> WrittenColumn:
        """What is needed to write it."""
        return WrittenColumn(self.source, self.name, self.engine_type, self.expression)

    @property
    def absent(self) -> dict[str, int]:
        """Words that were read as no value, with their counts; in text only those that a person gave."""
        return self.missing if self.kind != "text" or self.exact else {}

    def report(self) -> ColumnReport:
        """What the person is told."""
        return ColumnReport(
            self.name,
            self.header,
            self.kind,
            self.engine_type,
            self.certainty,
            self.note,
            self.absent,
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
    exact = options.missing is not None
    missing: frozenset[str] = frozenset() if exact else MISSING
    columns = [Column(f"c{i}", n, header[i] if i < len(header) else "", exact=exact) for i, n in enumerate(names)]
    bench.widen(len(columns))
    empty_cells(bench, [c.source for c in columns], options.missing or ())
    rows = int(str(bench.one("SELECT count(*) FROM stage")[0]))
    plain = _plain_text(bench, len(columns), missing, rows)
    looked_at = [c.source for c in columns if c.source not in plain]
    shapes = dict(zip(looked_at, column_shapes(bench, looked_at, rows), strict=True))
    findings = [
        Finding("text", total=1, fits=1) if c.source in plain else examine(shapes[c.source], missing=missing)
        for c in columns
    ]
    typing = Typing(columns)
    mark, sure, reason = decimal_mark(findings, delimiter)
    if options.decimal:
        mark, sure, reason = options.decimal, "told", "as told"
    if any(f.points or f.commas for f in findings if f.kind == "number") or options.decimal:
        typing.decisions.append(Decision("decimal_mark", mark, sure, reason, option="decimal", choices=(".", ",")))
    order, order_sure, order_reason = date_order(bench, columns, findings, options, mark, delimiter)
    if order_reason:
        fitting = fitting_orders(bench, columns, findings)
        choices = tuple(one for one in ("dmy", "mdy", "ymd") if one in (*fitting, order))
        if options.date_order and options.date_order not in fitting:
            typing.notices.append(_no_order(options.date_order, fitting))
        typing.decisions.append(
            Decision("date_order", order, order_sure, order_reason, option="date_order", choices=choices)
        )
    for column, finding in zip(columns, findings, strict=True):
        told = options.types.get(column.name)
        _choose(bench, column, finding, mark, order, options, told, typing)
        if rows >= _MANY:
            column.expression = hastened(bench, column)
    _settle(bench, columns, findings, missing, options, rows)
    typing.decisions += _further(columns, findings, options)
    tell(typing, order)
    tell_of_told(typing, options)
    return typing


def _no_order(order: DateOrder, fitting: Sequence[DateOrder]) -> str:
    """Why the order of day, month and year that a person chose cannot be followed."""
    names = {"dmy": "day first", "mdy": "month first", "ymd": "year first"}
    if not fitting:
        return "The order of day and month was chosen, but no date here can be read in two orders: it changes nothing."
    others = " or ".join(names[one] for one in fitting)
    return f"The dates cannot all be read {names[order]}, as was chosen: their numbers only fit {others}."


def _further(columns: list[Column], findings: list[Finding], options: ReadOptions) -> list[Decision]:
    """Decisions that follow from the columns: marks of thousands, the century of short years, missing words."""
    found = []
    typed = [(c, f) for c, f in zip(columns, findings, strict=True) if c.kind != "text"]
    groups = sorted({sign for c, f in typed if c.kind in ("integer", "number") for sign in grouping(f, c.mark)})
    if groups:
        names = {" ": "space", "\u00a0": "no-break space", "\u202f": "narrow space", "\u2009": "thin space"}
        shown = ", ".join(names.get(sign, sign) for sign in groups)
        found.append(Decision("thousands", shown, "likely", "digits stand in groups"))
    if any(len(form[2]) == 2 for c, f in typed if c.kind in ("date", "datetime") for form in f.forms):
        found.append(Decision("two_digit_years", "1969-2068", "likely", "years of two digits are those of this span"))
    words = sorted({word for c in columns for word in c.absent})
    if options.missing is not None:
        found.append(told_missing(options.missing))
    elif words:
        found.append(Decision("missing", ", ".join(words), "likely", "read as no value", option="missing"))
    return found


def told_missing(words: Sequence[str]) -> Decision:
    """The decision of a person on the words that mean "no value"."""
    return Decision("missing", ", ".join(words), "told", "read as no value", option="missing")


def _plain_text(bench: Workbench, width: int, missing: frozenset[str], rows: int) -> set[str]:
    """Columns of a long table whose spread sample shows them to be text; the others are looked at in whole."""
    if rows < _LONG or not width:
        return set()
    step = rows // _SPREAD
    sample = bench.rows(f"SELECT {bench.unknown_texts(width)} FROM stage WHERE line % {step} = 0")
    found = set()
    for index in range(width):
        cells = [shape_of(str(row[index])) for row in sample if row[index]]
        finding = examine([Shape(c, 1) for c in cells if c], missing=missing)
        if finding.kind == "text" and not finding.why and finding.total > _SPREAD // 4:
            found.add(f"c{index}")
    return found


def _choose(
    bench: Workbench,
    column: Column,
    finding: Finding,
    mark: str,
    order: DateOrder,
    options: ReadOptions,
    told: ColumnChoice | None,
    typing: Typing,
) -> None:
    column.missing = bench.emptied.get(column.source, {}) if column.exact else finding.missing
    column.certainty = finding.certainty
    column.bare = not finding.total and not column.missing and not column.header.strip()
    kind: ColumnChoice = told or finding.kind
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
        if is_local(finding) and not options.date_order and order != "ymd":
            first, second = above_twelve(bench, column.source, finding)
            if first and second and min(first, second) > max(first, second) * 0.05:
                column.note, kind = "some of its dates are day first, others month first", "text"
            elif first or second:
                own_order = "dmy" if first >= second else "mdy"
            else:
                column.certainty = "guess"
        if kind != "text":
            _as_date(bench, column, finding, own_order)
            return
    if kind in ("time", "duration", "other") and finding.clocks and _as_clock(bench, column, finding, kind):
        return
    if kind == "boolean":
        column.kind, column.engine_type = "boolean", "BOOLEAN"
        column.expression = convert.boolean_expression(column.source)
        return
    emptied = column.exact and column.missing and not finding.total
    column.note = column.note or ("it holds no values" if emptied else finding.why)
    _as_text(column)
    if finding.formulas:
        column.expression = convert.text_expression(column.source, formulas=True)


def _as_text(column: Column) -> None:
    column.kind, column.engine_type = "text", "VARCHAR"
    column.expression = convert.text_expression(column.source, exact=column.exact)


def _as_number(column: Column, finding: Finding, mark: str, sure: Certainty) -> None:
    column.mark = mark
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


def _as_date(bench: Workbench, column: Column, finding: Finding, order: DateOrder) -> None:
    zones = sum(n for f, n in finding.forms.items() if f[4])
    timed = any(f[3] for f in finding.forms)
    if zones and zones < finding.fits:
        column.note = "some of its times have a zone, others none"
        _as_text(column)
        return
    months = sum(n for f, n in finding.forms.items() if f[0] == "east_month")
    if 0 < months < finding.fits:
        column.note = "some of its values are months, others days"
        _as_text(column)
        return
    if timed and _finer_than_kept(bench, column, finding):
        column.note = "some of its times are finer than a millionth of a second"
        _as_text(column)
        return
    column.engine_type = "TIMESTAMP WITH TIME ZONE" if zones else "TIMESTAMP" if timed else "DATE"
    column.kind = "datetime" if timed else "date"
    column.expression = convert.date_expression(column.source, finding, order, column.engine_type)
    if is_local(finding):
        column.note = {"dmy": "day first", "mdy": "month first", "ymd": "year first"}[order]
    if months:
        column.note = "months, each held as its first day"
    if zones:
        column.note = "times are held in UTC"


def _as_clock(bench: Workbench, column: Column, finding: Finding, kind: ColumnChoice) -> bool:
    """Make it a column of times or durations where that is plain or told; else say what it may be."""
    value = convert.plain(column.source, finding)
    if kind == "duration":
        column.kind, column.engine_type, column.expression = "other", "INTERVAL", clocks.duration_expression(value)
        return True
    forms = set(finding.clocks)
    long = fine = False
    if kind != "time":
        where = f"{bench.unknown(column.source)} WHERE {clocks.beyond_a_day(value)}"
        long = bool(bench.one(f"SELECT count(*) FROM (SELECT 1 FROM {where} LIMIT 1)")[0])
        fine = _finer_than_kept(bench, column, finding)
    if kind == "time" or (not long and not fine and forms in ({"full"}, {"half"})):
        column.kind, column.engine_type = "other", "TIME"
        column.expression = clocks.time_expression(value, forms, told=kind == "time")
        return True
    shown = clocks.beyond_a_day(value) if long else f"regexp_matches({value}, '[0-9]')"
    (example,) = bench.one(f"SELECT arg_min({column.source}, line) FROM stage WHERE {shown}")
    column.note = clocks.described(forms, str(example), long=long)
    return False


def _finer_than_kept(bench: Workbench, column: Column, finding: Finding) -> bool:
    """True when a time has digits beyond the sixth decimal that are not zero."""
    if not finding.fine:
        return False
    test = f"regexp_matches({convert.plain(column.source, finding)}, '[.,][0-9]{{6}}[0-9]*[1-9]')"
    return bool(bench.one(f"SELECT count(*) FROM stage WHERE {test}")[0])


def _settle(
    bench: Workbench,
    columns: list[Column],
    findings: list[Finding],
    missing: frozenset[str],
    options: ReadOptions,
    rows: int,
) -> None:
    """Count what the conversions leave out; a column that loses too much stays text."""
    convertible = {c.source: (c, f) for c, f in zip(columns, findings, strict=True) if c.kind != "text"}
    asked = []
    for column, finding in convertible.values():
        absent = missing.union(word.casefold() for word in finding.missing)
        words = ", ".join(convert.literal(w) for w in sorted(absent)) or "''"
        value = convert.plain(column.source, finding) if finding.foreign else column.source
        asked.append(Conversion(column.source, column.expression, f"lower({value}) NOT IN ({words})"))
    for lost in lost_values(bench, asked, rows):
        column, finding = convertible[lost.source]
        _lose(bench, column, finding, lost, forced=options.types.get(column.name) is not None)


def _lose(bench: Workbench, column: Column, finding: Finding, lost: Lost, *, forced: bool) -> None:
    """Tell of the values that do not fit, or keep the column as text when they are many."""
    if not forced and (finding.total < 5 or lost.count > min(LISTED, max(1, finding.total * 0.05))):
        column.note = f"{lost.count} of its {finding.total} values are not {PLURAL[column.kind]}"
        column.certainty = "likely"
        _as_text(column)
        return
    column.misfit_count = lost.count
    column.certainty = "likely" if column.certainty == "certain" else column.certainty
    rows = bench.rows(f"SELECT line, {column.source} FROM {lost.where} ORDER BY line LIMIT {LISTED}")
    column.misfits = [Misfit(int(str(line)), column.name, str(text)) for line, text in rows]


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
    bench.widen(len(typing.columns))
    select = ", ".join(f"{c.expression} AS {convert.quoted(c.name)}" for c in typing.columns)
    if not bench.write_typed(target, [c.written for c in typing.columns]):
        bench.execute(f"CREATE TABLE {target} AS SELECT {select} FROM stage")
    comments = _COMMENT_COST // max(len(typing.columns), 1)
    for column in typing.columns:
        parts = []
        if column.header != column.name and column.header:
            parts.append(f"header in the file: {' '.join(column.header.split())}")
        if column.note:
            parts.append(column.note)
        if parts and comments > 0:
            comments -= 1
            comment = convert.literal("; ".join(parts))
            bench.execute(f"COMMENT ON COLUMN {target}.{convert.quoted(column.name)} IS {comment}")
    return int(str(bench.one(f"SELECT count(*) FROM {target}")[0]))
