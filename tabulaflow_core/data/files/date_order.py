"""Whether the day or the month comes first, proved by the values of a whole file where they prove it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from tabulaflow_core.data.files import convert
from tabulaflow_core.data.files.infer import Finding
from tabulaflow_core.data.files.report import Certainty, DateOrder, ReadOptions
from tabulaflow_core.data.files.storage import Workbench

#: The share of dates that may not fit an order which is offered all the same.
_SLIPS: Final = 0.05


class HasSource(Protocol):
    """A column of the stage."""

    source: str
    name: str


def date_order(
    bench: Workbench,
    columns: Sequence[HasSource],
    findings: Sequence[Finding],
    options: ReadOptions,
    mark: str,
    delimiter: str,
) -> tuple[DateOrder, Certainty, str]:
    """The order of day and month, proved by a number above 12 anywhere in a column of dates; how sure, and why.

    The reason is empty when no column needs an order, and names the columns when it is a guess.
    """
    local = [(c, f) for c, f in zip(columns, findings, strict=True) if f.kind in ("date", "datetime") and is_local(f)]
    short = all(len(year) == 2 for _, f in local for form, _, year, *_ in f.forms if form == "local")
    if options.date_order and (options.date_order != "ymd" or short):  # years of four digits that stand last stay so
        return options.date_order, "told", "as told"
    if not local:
        return "dmy", "certain", ""
    names = ", ".join(f"“{c.name}”" for c, _ in local)
    if short and (found := _year_first(bench, local)):
        return "ymd", *found
    first = second = 0
    for column, finding in local:
        a, b = above_twelve(bench, column.source, finding)
        first, second = first + a, second + b
    if first and not second:
        return "dmy", "certain", f"{first} dates have a first number above 12"
    if second and not first:
        return "mdy", "certain", f"{second} dates have a second number above 12"
    if first and second:
        return ("dmy" if first >= second else "mdy"), "guess", f"some dates are day first, others month first: {names}"
    separators = {sep for _, f in local for form, sep, *_ in f.forms if form == "local"}
    if separators != {"/"} or mark == "," or delimiter == ";":
        return "dmy", "guess", f"no date of {names} shows the order; the marks are those of day first"
    return "mdy", "guess", f"no date of {names} shows the order; slashes are mostly month first"


def fitting_orders(
    bench: Workbench, columns: Sequence[HasSource], findings: Sequence[Finding]
) -> tuple[DateOrder, ...]:
    """The orders that fit the dates of the file, but for as few values as may be slips; empty without such dates."""
    local = [(c, f) for c, f in zip(columns, findings, strict=True) if f.kind in ("date", "datetime") and is_local(f)]
    fits: dict[DateOrder, bool] = dict.fromkeys(("dmy", "mdy", "ymd"), True)
    for column, finding in local:
        few = finding.fits * _SLIPS
        value = convert.plain(column.source, finding).replace("%", "%%")
        cut = r"'^([0-9]{1,2})[-/.] ?([0-9]{1,2})[-/.] ?([0-9]+)'"
        part = f"TRY_CAST(regexp_extract({value}, {cut}, %d) AS INTEGER)"
        a, b, c = part % 1, part % 2, part % 3
        day, month, year = bench.one(
            f"SELECT count(*) FILTER ({a} > 31 OR {b} > 12), count(*) FILTER ({a} > 12 OR {b} > 31), "
            f"count(*) FILTER ({b} > 12 OR {c} > 31) FROM stage"
        )
        fits["dmy"] &= int(str(day)) <= few
        fits["mdy"] &= int(str(month)) <= few
        fits["ymd"] &= int(str(year)) <= few
    return tuple(order for order, fit in fits.items() if fit) if local else ()


def is_local(finding: Finding) -> bool:
    """True when a date of the column is written as `03/04/2026`."""
    return any(form == "local" for form, *_ in finding.forms)


def _year_first(bench: Workbench, columns: Sequence[tuple[HasSource, Finding]]) -> tuple[Certainty, str] | None:
    """Whether dates of three short numbers begin with their year: sure above 31, else where the first hardly varies."""
    for column, finding in columns:
        value = convert.plain(column.source, finding).replace("%", "%%")
        parts = rf"TRY_CAST(regexp_extract({value}, '^([0-9]{{2}})-([0-9]{{1,2}})-([0-9]{{1,2}})', %d) AS INTEGER)"
        high, low, years, days = bench.one(
            f"SELECT count(*) FILTER ({parts % 1} > 31), count(*) FILTER ({parts % 3} > 31), "
            f"count(DISTINCT {parts % 1}), count(DISTINCT {parts % 3}) FROM stage"
        )
        if int(str(high)) and not int(str(low)):
            return "certain", f"{high} dates have a first number above 31"
        if not int(str(low)) and int(str(days)) > 2 * int(str(years)) > 0:
            return "guess", f"the first number of “{column.name}” hardly changes, as a year does"
    return None


def above_twelve(bench: Workbench, source: str, finding: Finding) -> tuple[int, int]:
    """How many local dates have a first number above 12, and how many a second one."""
    value = convert.plain(source, finding).replace("%", "%%")
    parts = rf"regexp_extract({value}, '^([0-9]{{1,2}})[-/.] ?([0-9]{{1,2}})[-/.] ?[0-9]', %d)"
    a, b = bench.one(
        f"SELECT count(*) FILTER (TRY_CAST({parts % 1} AS INTEGER) > 12), "
        f"count(*) FILTER (TRY_CAST({parts % 2} AS INTEGER) > 12) FROM stage"
    )
    return int(str(a)), int(str(b))
