"""What a person is told of how a text file was read."""

from __future__ import annotations

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files import dialect, encoding
from tabulaflow_core.data.files import layout as lay
from tabulaflow_core.data.files.columns import Typing
from tabulaflow_core.data.files.formats import ReadJob
from tabulaflow_core.data.files.formats.text_plan import Plan
from tabulaflow_core.data.files.naming import clean_header, column_names
from tabulaflow_core.data.files.report import Certainty, Decision, Misfit, ReadingReport, ReadOptions
from tabulaflow_core.data.files.stage import Stage

_LINE_ENDS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR", "mixed": "CR and LF"}


def text_report(
    job: ReadJob, plan: Plan, stage: Stage, typing: Typing, options: ReadOptions, footer: int, count: int
) -> ReadingReport:
    """The report of one table.

    Args:
        footer: Lines below the table that were left out.
        count: Rows of the table.
    """
    misfits: list[Misfit] = [m for c in typing.columns for m in c.misfits] + stage.extras
    return ReadingReport(
        format="text",
        decisions=tuple([*_decisions(plan, options, footer), *typing.decisions]),
        columns=tuple(c.report() for c in typing.columns),
        skipped=tuple(sorted(stage.skipped, key=lambda s: s.line)),
        skipped_count=stage.skipped_count,
        misfits=tuple(misfits),
        misfit_count=sum(c.misfit_count for c in typing.columns) + len(stage.extras),
        blank_lines=stage.blank,
        rows_in_file=stage.records + plan.aside + len(plan.layout.skipped) + len(plan.layout.header_lines),
        rows_in_table=count,
        notices=tuple(_notices(job, plan, stage, footer) + typing.notices),
    )


def _decisions(plan: Plan, options: ReadOptions, footer: int) -> list[Decision]:
    layout, sniffed = plan.layout, plan.sniffed
    cut = sniffed.dialect

    def told(value: object, otherwise: Certainty = "likely") -> Certainty:
        return otherwise if value is None else "told"

    rows = len(layout.header_lines)
    first = layout.header_lines[0] if rows else 0
    above = max((s.line for s in layout.skipped if s.why == "above the table"), default=plan.skip)
    delimiter = dialect.delimiter_name(cut)
    choices = dialect.CHOICES if delimiter in dialect.CHOICES else (delimiter, *dialect.CHOICES)
    encodings = dict.fromkeys([plan.encoding.codec, *plan.encoding.rivals, *encoding.USUAL])
    found = [
        Decision(
            "encoding",
            plan.encoding.codec,
            plan.encoding.certainty,
            plan.encoding.reason,
            option="encoding",
            choices=tuple(encodings),
        ),
        Decision("line_end", _LINE_ENDS[plan.line_end], "certain"),
        Decision("delimiter", delimiter, sniffed.certainty, sniffed.reason, option="delimiter", choices=choices),
        Decision("quote", cut.quote or "none", told(options.quote), option="quote", choices=('"', "'", "none")),
        Decision("escape", cut.escape or "none", told(options.escape), option="escape", choices=("none", "\\")),
        Decision(
            "comment",
            layout.comment or "none",
            told(options.comment),
            option="comment",
            choices=tuple(dict.fromkeys(("none", "#", "//", "%", "--", layout.comment or "none"))),
        ),
        Decision("header", f"line {first}" if rows else "none", layout.certainty, layout.reason),
        Decision(
            "header_rows",
            str(rows),
            told(options.header_rows, layout.certainty),
            layout.reason,
            option="header_rows",
            choices=("0", "1", "2", "3"),
        ),
        Decision(
            "skip_lines",
            str(above),
            told(options.skip_lines, "certain" if not above else "likely"),
            "lines above the table",
            option="skip_lines",
        ),
        Decision(
            "skip_end",
            str(options.skip_end or footer),
            told(options.skip_end, "certain" if not footer else "likely"),
            "lines below the table",
            option="skip_end",
        ),
        Decision(
            "keep_totals",
            "true" if options.keep_totals else "false",
            "told" if options.keep_totals else "likely",
            "rows of totals and notes below the table are kept as data"
            if options.keep_totals
            else "rows that are the sums of others, and notes below the table, are left out",
            option="keep_totals",
            choices=("true", "false"),
        ),
    ]
    return found


def _notices(job: ReadJob, plan: Plan, stage: Stage, footer: int) -> list[str]:
    layout = plan.layout
    notices = list(plan.notices)
    if plan.encoding.certainty == "guess":
        name = encoding.described(plan.encoding.codec)
        notices.append(f"The encoding is a guess ({name}). If letters look wrong, choose another.")
    if plan.sniffed.certainty == "guess":
        name = dialect.delimiter_name(plan.sniffed.dialect)
        notices.append(f"The delimiter is a guess ({name}). If the columns look wrong, choose another.")
    if above := [s for s in layout.skipped if s.why == "above the table"]:
        notices.append(
            f"{counted(len(above), 'line')} above the table "
            f"{agreed(len(above), 'was', 'were')} skipped: “{above[0].text[:80]}”."
        )
    if footer:
        first = next(s for s in stage.skipped if s.why == "below the table")
        notices.append(
            f"{counted(footer, 'line')} below the table {agreed(footer, 'was', 'were')} "
            f"skipped, from line {first.line}: “{first.text[:80]}”."
        )
    if layout.comment:
        notices.append(f"Lines that begin with {layout.comment} were taken for comments.")
    if plan.packed and (flags := plan.packed.notice()):
        notices.append(flags)
    notices += _header_notices(layout, stage.width)
    if stage.short_count:
        lines = ", ".join(map(str, stage.short[:5]))
        notices.append(
            f"{counted(stage.short_count, 'row')} {agreed(stage.short_count, 'is', 'are')} "
            f"shorter than the table (line {lines}); their last columns are empty."
        )
    if stage.extras:
        first_extra = stage.extras[0]
        notices.append(
            f"{counted(len(stage.extras), 'cell')} {agreed(len(stage.extras), 'stands', 'stand')} outside "
            f"the columns of the table and {agreed(len(stage.extras), 'is', 'are')} only in this report, "
            f"the first on line {first_extra.line}: “{first_extra.value[:60]}”."
        )
    for line, flaw in stage.flawed[:5]:
        notices.append(f"Line {line}: {flaw}; the quote was kept as a character.")
    if len(stage.flawed) > 5:
        notices.append(f"{len(stage.flawed) - 5} more lines have such a quote.")
    if stage.blank:
        notices.append(f"{counted(stage.blank, 'blank line')} {agreed(stage.blank, 'was', 'were')} skipped.")
    if not stage.rows:
        notices.append("The table has a header but no rows.")
    return notices + _damaged(job, stage)


def _header_notices(layout: lay.Layout, width: int) -> list[str]:
    notices = []
    if not layout.header:
        notices.append("The file has no header row, so the columns are called column_1, column_2 and so on.")
    elif layout.certainty == "guess":
        notices.append(f"Whether line {layout.header_lines[0]} is a header is a guess; it was taken for one.")
    notices += layout.notices
    header = [clean_header(c) for c in layout.header] + [""] * (width - len(layout.header))
    names = column_names(layout.header, width)
    blank = [n for h, n in zip(header, names, strict=False) if not h]
    if layout.header and blank and not layout.shifted:
        notices.append(
            f"{counted(len(blank), 'column')} {agreed(len(blank), 'has', 'have')} no "
            f"header and {agreed(len(blank), 'is', 'are')} called {', '.join(blank[:5])}."
        )
    renamed = [(h, n) for h, n in zip(header, names, strict=False) if h and h != n]
    if renamed:
        shown = ", ".join(f"“{h}” is “{n}”" for h, n in renamed[:5])
        notices.append(
            f"{counted(len(renamed), 'column name')} "
            f"{agreed(len(renamed), 'appears', 'appear')} more than once: {shown}."
        )
    return notices


def _damaged(job: ReadJob, stage: Stage) -> list[str]:
    if not stage.rows or not stage.damaged:
        return []
    tests = " OR ".join(f"contains(c{i}, chr(65533))" for i in range(stage.width))
    (found_bad,) = job.bench.one(f"SELECT count(*) FROM {job.bench.texts} WHERE {tests}")
    bad = int(str(found_bad))
    if not bad:
        return []
    found = job.bench.rows(f"SELECT line FROM {job.bench.texts} WHERE {tests} ORDER BY line LIMIT 5")
    lines = ", ".join(str(line) for (line,) in found)
    return [
        f"{counted(bad, 'row')} {agreed(bad, 'holds', 'hold')} characters that the encoding "
        f"does not know (line {lines}); {agreed(bad, 'it is', 'they are')} shown as \ufffd."
    ]
