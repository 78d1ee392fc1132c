"""What a person is told of one table of a workbook."""

from __future__ import annotations

from collections.abc import Sequence

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.formats.workbook.blocks import Block
from tabulaflow_core.data.files.formats.workbook.book import SheetCells
from tabulaflow_core.data.files.formats.workbook.shown import address, column_letters, span
from tabulaflow_core.data.files.formats.workbook.table import BlockTable
from tabulaflow_core.data.files.layout import joined, total_label
from tabulaflow_core.data.files.naming import clean_header, column_names
from tabulaflow_core.data.files.report import Certainty, Decision, Misfit, Part, ReadingReport, ReadOptions

_SHOWN = 5
_PAIRED = (
    "The columns on both sides of the blank ones were read as one table, because their rows pair up. "
    "If they are several tables, choose so."
)
_BESIDE = {
    "one": "the rows go on behind the blank columns",
    "several": "each side of the blank columns has a header and rows of its own",
}


def report_of(
    sheet: SheetCells,
    table: BlockTable,
    kind: str,
    options: ReadOptions,
    *,
    notices: Sequence[str] = (),
    parts: tuple[Part, ...] = (),
) -> ReadingReport:
    """The report of one table.

    Args:
        kind: The format of the file.
        options: The choices that held for the sheet.
        notices: Sentences that hold for the whole file, to stand first.
    """
    typing, head, block = table.typing, table.head, table.block
    misfits: list[Misfit] = [m for c in typing.columns for m in c.misfits]
    rows_in_file = table.rows + table.skipped_count + len(head.rows)
    return ReadingReport(
        format=kind,
        decisions=tuple(
            d for d in (*_decisions(sheet, table, options), *typing.decisions) if kind != "html" or d.name != "sheet"
        ),
        columns=tuple(c.report() for c in typing.columns),
        skipped=tuple(sorted(table.skipped, key=lambda s: s.line)),
        skipped_count=table.skipped_count,
        misfits=tuple(misfits),
        misfit_count=sum(c.misfit_count for c in typing.columns),
        blank_lines=table.blank,
        rows_in_file=rows_in_file,
        rows_in_table=table.rows,
        notices=(*notices, *_layout_notices(table), *_cell_notices(sheet, block), *typing.notices),
        parts=parts,
    )


def _decisions(sheet: SheetCells, table: BlockTable, options: ReadOptions) -> list[Decision]:
    head, block = table.head, table.block
    place = span(table.first_row, table.columns[0], table.last_row, table.columns[-1])
    why = f"the table “{block.name}”" if block.name else ""
    reason = "; ".join(filter(None, [_header_lines(table), head.reason]))
    rows = str(len(head.rows))
    end = options.skip_end or (sheet.grid.height - table.body_end if table.notes else 0)
    totals = "rows of totals and notes below the table are kept as data"
    if not options.keep_totals:
        totals = "rows that are the sums of others, and notes below the table, are left out"
    found = [
        Decision("sheet", sheet.look.name, "certain"),
        Decision("range", place, "certain" if block.name else "likely", why),
        Decision("header_rows", rows, head.certainty, reason, "header_rows", tuple(sorted({"0", "1", "2", "3", rows}))),
        Decision("keep_totals", "true" if options.keep_totals else "false", "told" if options.keep_totals else "likely",
                 totals, "keep_totals", ("true", "false")),
    ]  # fmt: skip
    if block.beside:
        found.append(
            Decision("beside", block.beside, "told" if options.beside else "likely", _BESIDE[block.beside], "beside",
                     ("one", "several"))
        )  # fmt: skip
    if block.alone:
        above = str(options.skip_lines if options.skip_lines is not None else table.first_row)
        told: Certainty = "told" if options.skip_lines is not None else "likely"
        found.append(Decision("skip_lines", above, told, "rows above the table", "skip_lines"))
        told = "told" if options.skip_end is not None else "likely"
        found.append(Decision("skip_end", str(end), told, "rows below the table", "skip_end"))
    return found


def _header_lines(table: BlockTable) -> str:
    if not table.header_lines:
        return ""
    first, last = table.header_lines[0], table.header_lines[-1]
    return f"row {first}" if first == last else f"rows {first} to {last}"


def _layout_notices(table: BlockTable) -> list[str]:
    head, notices = table.head, []
    above = [s for s in table.skipped if s.why == "above the table"]
    if above:
        notices.append(
            f"{counted(head.titles, 'row')} above the table "
            f"{agreed(head.titles, 'was', 'were')} skipped: “{above[0].text[:80]}”."
        )
    below = [s for s in table.skipped if s.why == "below the table"]
    if below:
        notices.append(
            f"{counted(table.notes, 'row')} below the table {agreed(table.notes, 'was', 'were')} "
            f"skipped, from row {below[0].line}: “{below[0].text[:80]}”."
        )
    if table.sums:
        kind, record = table.sums[-1]
        line, text = record.line, joined(record, 80)
        if len(table.sums) == 1:
            notices.append(
                f"The {kind} {line} (“{text}”) is not part of the table, so that sums do not count it twice."
            )
        else:
            notices.append(
                f"{len(table.sums)} rows of totals and subtotals are not part of the table, so that sums do not count "
                f"them twice, such as row {line} (“{text}”)."
            )
    if table.total is not None:
        line, text = table.total.line, joined(table.total, 80)
        if table.total_kept:
            notices.append(
                f"Row {line} looks like a total (“{total_label(table.total)}”) but is not the sum of the rows above; "
                "it was kept."
            )
        else:
            notices.append(
                f"The totals row {line} (“{text}”) is not part of the table, so that sums do not count it twice."
            )
    if table.repeated:
        notices.append(
            f"{counted(table.repeated, 'row')} that {agreed(table.repeated, 'repeats', 'repeat')} "
            f"the header {agreed(table.repeated, 'was', 'were')} left out."
        )
    if not head.rows:
        notices.append("The table has no header row, so the columns are called column_1, column_2 and so on.")
    elif head.certainty == "guess":
        notices.append(f"Whether {_header_lines(table)} is a header is a guess; it was taken for one.")
    if len(head.rows) > 1:
        how = "groups stand in the notes of the columns" if head.groups else "the names are made of all of them"
        notices.append(f"The header has {len(head.rows)} rows; {how}.")
    notices += _name_notices(table)
    notices += [_PAIRED] * (table.block.beside == "one")
    if table.left_out:
        letters = ", ".join(column_letters(c) for c in table.left_out[:_SHOWN])
        more = ", …" if len(table.left_out) > _SHOWN else ""
        notices.append(
            f"{counted(len(table.left_out), 'blank column')} "
            f"{agreed(len(table.left_out), 'was', 'were')} left out ({letters}{more})."
        )
    if table.merged_body:
        area = table.merged_body[0]
        first = table.columns[area.first_column]
        place = span(area.first_row, first, area.last_row, first)
        notices.append(
            f"{counted(len(table.merged_body), 'merged cell')} {agreed(len(table.merged_body), 'holds', 'hold')} "
            f"one value for several rows; it was given to each of them "
            f"(the first is {place})."
        )
    if table.blank:
        notices.append(f"{counted(table.blank, 'blank row')} {agreed(table.blank, 'was', 'were')} skipped.")
    if not table.rows:
        notices.append("The table has a header but no rows.")
    return notices


def _name_notices(table: BlockTable) -> list[str]:
    if not table.head.rows:
        return []
    header = [clean_header(h) for h in table.header]
    names = column_names(header, len(header))
    notices = list(table.head.below.notices)
    blank = [n for h, n in zip(header, names, strict=True) if not h]
    if blank:
        notices.append(
            f"{counted(len(blank), 'column')} {agreed(len(blank), 'has', 'have')} no header "
            f"and {agreed(len(blank), 'is', 'are')} called {', '.join(blank[:_SHOWN])}."
        )
    renamed = [f"“{h}” is “{n}”" for h, n in zip(header, names, strict=True) if h and h != n]
    if renamed:
        notices.append(
            f"{counted(len(renamed), 'column name')} {agreed(len(renamed), 'appears', 'appear')} "
            f"more than once: {', '.join(renamed[:_SHOWN])}."
        )
    return notices


def _cell_notices(sheet: SheetCells, block: Block) -> list[str]:
    """What the second look tells of the cells of a block."""
    look, notices = sheet.look, []
    inside = [
        (r, c)
        for r, c in look.formulas_without_value
        if block.first_row <= r <= block.last_row and block.first_column <= c <= block.last_column
    ]
    if inside:
        more = look.formulas_without_value_count - len(look.formulas_without_value)
        count = len(inside) + bool(more)
        many = f"{len(inside)} or more formulas" if more else counted(count, "formula")
        places = ", ".join(address(r, c) for r, c in inside[:_SHOWN]) + (", …" if len(inside) > _SHOWN else "")
        notices.append(
            f"{many} {agreed(count, 'has', 'have')} no "
            f"stored value and {agreed(count, 'is', 'are')} empty here ({places}). "
            "Open the workbook in a spreadsheet program and save it, so that they are calculated."
        )
    wrong = [
        (r, c, word)
        for r, c, word in sheet.errors.places
        if block.first_row <= r <= block.last_row and block.first_column <= c <= block.last_column
    ]
    if wrong:
        more = sheet.errors.count > len(sheet.errors.places)
        places = ", ".join(f"{word} in {address(r, c)}" for r, c, word in wrong[:_SHOWN])
        notices.append(
            f"{len(wrong)}{' or more cells' if more else agreed(len(wrong), ' cell', ' cells')} "
            f"{agreed(len(wrong) + more, 'holds an error and is', 'hold an error and are')} empty here: "
            f"{places}{', …' if len(wrong) > _SHOWN else ''}."
        )
    if sheet.errors.count and not sheet.errors.places:
        notices.append(
            f"{counted(sheet.errors.count, 'cell')} of the sheet {agreed(sheet.errors.count, 'holds', 'hold')} "
            f"an error or an empty text and {agreed(sheet.errors.count, 'is', 'are')} empty here; "
            "in an ODS file the two are not told apart."
        )
    rows = sum(max(0, min(s.last, block.last_row) - max(s.first, block.first_row) + 1) for s in look.hidden_rows)
    if rows:
        notices.append(
            f"{counted(rows, 'row')} {agreed(rows, 'is', 'are')} hidden in the workbook, "
            f"by a filter or by hand; {agreed(rows, 'it was', 'they were')} read as well."
        )
    columns = [
        column_letters(c)
        for s in look.hidden_columns
        for c in range(max(s.first, block.first_column), min(s.last, block.last_column) + 1)
    ]
    if columns:
        shown = ", ".join(columns[:_SHOWN])
        notices.append(
            f"{counted(len(columns), 'column')} {agreed(len(columns), 'is', 'are')} hidden in "
            f"the workbook ({shown}); {agreed(len(columns), 'it was', 'they were')} read as well."
        )
    return notices
