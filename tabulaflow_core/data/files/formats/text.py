"""Text with delimiters: CSV, TSV and their many cousins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from tabulaflow_core.data.files import layout as lay
from tabulaflow_core.data.files.clean import CleanBlocks
from tabulaflow_core.data.files.columns import Typing, type_columns, write_table
from tabulaflow_core.data.files.dialect import Sniffed, delimiter_name, sniff
from tabulaflow_core.data.files.encoding import Encoding, detect_encoding
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.lines import SAMPLE_CHARS, LineEnd, detect_line_end, open_lines
from tabulaflow_core.data.files.naming import clean_header, column_names
from tabulaflow_core.data.files.report import Decision, Misfit, ReadingReport
from tabulaflow_core.data.files.source import refuse_binary
from tabulaflow_core.data.files.stage import Stage, TooNarrow
from tabulaflow_core.data.files.tokens import Record, Tokenizer
from tabulaflow_core.errors import FileUnreadable

_SAMPLE_LINES = 5_000


@dataclass(slots=True)
class _Plan:
    """What the sample of a file told."""

    encoding: Encoding
    line_end: LineEnd
    sniffed: Sniffed
    layout: lay.Layout
    skip: int = 0
    notices: list[str] = field(default_factory=list)


class TextReader:
    """Reads text whose encoding, delimiter and layout it finds out by itself."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Always true: it is asked last, and refuses what is no text."""
        return True

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Write the file's one table.

        Raises:
            FileUnreadable: The file is no text, or holds nothing.
        """
        refuse_binary(job.path, job.name)
        plan = _plan(job)
        width = plan.layout.width
        while True:
            try:
                stage = _stage(job, plan, width)
                break
            except TooNarrow as error:
                width = error.width
        header = [clean_header(c) for c in plan.layout.header]
        names = column_names([h or clean_header(s) for h, s in _pairs(header, plan.layout.labels, width)], width)
        footer, total = _tail(job, stage, width)
        typing = type_columns(job.bench, names, plan.layout.header, job.options, plan.sniffed.dialect.delimiter)
        if total is not None and not _adds_up(job, typing, total, width):
            stage.add_late(total)
            typing = type_columns(job.bench, names, plan.layout.header, job.options, plan.sniffed.dialect.delimiter)
            typing.notices.append(
                f"Line {total.line} looks like a total (“{lay.total_label(total)}”) but is not the sum of the rows "
                "above; it was kept."
            )
        elif total is not None:
            stage.skip(total, "totals row")
            typing.notices.append(
                f"The totals row on line {total.line} (“{lay.joined(total, 80)}”) is not part of the table, "
                "so that sums do not count it twice."
            )
        count = write_table(job.bench, job.table, typing)
        report = _report(job, plan, stage, typing, footer, count)
        types = tuple(c.kind for c in typing.columns)
        return [WrittenTable(job.table, tuple(names), types, count)], report


def _pairs(header: list[str], labels: list[str], width: int) -> list[tuple[str, str]]:
    return [(header[i] if i < len(header) else "", labels[i] if i < len(labels) else "") for i in range(width)]


def _plan(job: ReadJob) -> _Plan:
    options = job.options
    encoding = Encoding(options.encoding, "told", "as told") if options.encoding else detect_encoding(job.path)
    try:
        line_end = detect_line_end(job.path, encoding.codec)
        with open_lines(job.path, encoding.codec, line_end) as lines:
            sample = _sample(lines)
    except LookupError as error:
        raise FileUnreadable(f"“{encoding.codec}” is no known encoding. Try utf-8 or cp1252.") from error
    skip, delimiter = options.skip_lines or 0, options.delimiter
    if (
        delimiter is None
        and sample
        and sample[0][1].strip().lower().startswith("sep=")
        and len(sample[0][1].strip()) == 5
    ):
        delimiter, skip = sample[0][1].strip()[4], max(skip, 1)
    sample = [line for line in sample if line[0] > skip]
    if not any(text.strip() for _, text in sample):
        raise FileUnreadable(f"{job.name} holds no data, only blank lines. Export it again, or choose another file.")
    mark = lay.comment_mark(sample, "")
    body = [line for line in sample if not (mark and line[1].lstrip().startswith(mark))]
    sniffed = sniff(body, delimiter=delimiter, quote=options.quote)
    mark = mark and lay.comment_mark(sample, sniffed.dialect.delimiter)
    if not mark and len(body) < len(sample):
        sniffed = sniff(sample, delimiter=delimiter, quote=options.quote)
    tokenizer = Tokenizer(sniffed.dialect, sniffed.width)
    records = [r for r in tokenizer.records(body if mark else sample) if not lay.is_blank(r)]
    if not records:
        raise FileUnreadable(f"{job.name} holds no data, only comments. Export it again, or choose another file.")
    layout = lay.find_layout(records, sniffed.width, header=options.header)
    layout.comment = mark
    return _Plan(encoding, line_end, sniffed, layout, skip)


def _sample(lines: Iterator[tuple[int, str]]) -> list[tuple[int, str]]:
    sample: list[tuple[int, str]] = []
    size = 0
    for number, text in islice(lines, _SAMPLE_LINES):
        sample.append((number, text))
        size += len(text)
        if size > SAMPLE_CHARS:
            break
    return sample


def _stage(job: ReadJob, plan: _Plan, width: int) -> Stage:
    """Read the whole file into the stage, but for the lines above the table."""
    stage = Stage(job.bench, width)
    layout = plan.layout
    tokenizer = Tokenizer(plan.sniffed.dialect, width)
    clean = CleanBlocks(plan.sniffed.dialect, width, comment=layout.comment)
    with open_lines(job.path, plan.encoding.codec, plan.line_end) as lines:
        while True:
            first, block = lines.block()
            if not block and not tokenizer.waiting:
                break
            # The first block holds the header, the last one notes and totals.
            if clean.usable and first > 1 and not tokenizer.waiting and lines.more:
                table = clean.cut(first, block)
                if table is not None:
                    stage.add_clean(table)
                    continue
            wanted = _without_comments(enumerate(block, first), plan, stage)
            stage.add_all(_rows_only(tokenizer.records(wanted, _without_comments(lines, plan, stage)), layout))
    for line in layout.skipped:
        stage.skipped.insert(len([s for s in stage.skipped if s.line < line.line]), line)
    stage.skipped_count += len(layout.skipped)
    return stage


def _rows_only(records: Iterator[Record], layout: lay.Layout) -> Iterator[Record]:
    """The records without those above the table and its header lines."""
    above = {s.line for s in layout.skipped}
    for record in records:
        if record.line not in above and record.line not in layout.header_lines:
            yield record


def _without_comments(lines: Iterator[tuple[int, str]], plan: _Plan, stage: Stage) -> Iterator[tuple[int, str]]:
    for number, text in lines:
        if number <= plan.skip:
            stage.skip(Record(number, [text.strip()]), "above the table")
        elif plan.layout.comment and text.lstrip().startswith(plan.layout.comment):
            stage.skip(Record(number, [text.strip()]), "comment")
        else:
            yield number, text


def _tail(job: ReadJob, stage: Stage, width: int) -> tuple[int, Record | None]:
    """Write the last rows; the number of notes left out, and a row of totals that is still to be judged."""
    tail = list(stage.tail)
    if job.options.keep_totals:
        stage.finish(len(tail))
        return 0, None
    footer = lay.footer_length(stage.head, tail, width)
    for record in tail[len(tail) - footer :]:
        stage.skip(record, "below the table")
    keep = len(tail) - footer
    total = None
    if keep > 1 and width > 1 and lay.total_label(tail[keep - 1]) and lay.filled(tail[keep - 1]) > 1:
        total = tail[keep - 1]
    stage.finish(keep - (total is not None))
    return footer, total


def _adds_up(job: ReadJob, typing: Typing, total: Record, width: int) -> bool:
    """True when a number of the totals row is the sum of its column."""
    cells = (total.cells + [""] * width)[:width]
    bench = job.bench
    columns = ", ".join(f"? AS c{i}" for i in range(width))
    numeric = [c for c in typing.columns if c.kind in ("integer", "number")]
    if not numeric:
        return False
    bench.connection.execute(f"CREATE OR REPLACE TEMP TABLE totals AS SELECT {columns}", cells).fetchall()
    for column in numeric:
        value = f"CAST({column.expression} AS DOUBLE)"
        (stated,) = bench.one(f"SELECT {value} FROM totals")
        (summed,) = bench.one(f"SELECT sum({value}) FROM stage")
        if not isinstance(stated, float) or not isinstance(summed, float) or not stated:
            continue
        if abs(stated - summed) <= max(1e-6, abs(stated) * 1e-4):
            return True
    return False


def _report(job: ReadJob, plan: _Plan, stage: Stage, typing: Typing, footer: int, count: int) -> ReadingReport:
    layout, sniffed = plan.layout, plan.sniffed
    ends = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
    header = f"line {layout.header_lines[0]}" if layout.header else "none"
    decisions = [
        Decision("encoding", plan.encoding.codec, plan.encoding.certainty, plan.encoding.reason),
        Decision("line_end", ends[plan.line_end], "certain"),
        Decision("delimiter", delimiter_name(sniffed.dialect.delimiter), sniffed.certainty, sniffed.reason),
        Decision("quote", sniffed.dialect.quote or "none", "likely"),
        Decision("header", header, layout.certainty, layout.reason),
        *typing.decisions,
    ]
    if sniffed.dialect.escape:
        decisions.append(Decision("escape", sniffed.dialect.escape, "likely"))
    misfits: list[Misfit] = [m for c in typing.columns for m in c.misfits] + stage.extras
    return ReadingReport(
        format="text",
        decisions=tuple(decisions),
        columns=tuple(c.report() for c in typing.columns),
        skipped=tuple(stage.skipped),
        skipped_count=stage.skipped_count,
        misfits=tuple(misfits),
        misfit_count=sum(c.misfit_count for c in typing.columns) + len(stage.extras),
        blank_lines=stage.blank,
        rows_in_file=stage.records + len(layout.skipped) + bool(layout.header) + bool(layout.labels),
        rows_in_table=count,
        notices=tuple(_notices(job, plan, stage, footer) + typing.notices),
    )


def _notices(job: ReadJob, plan: _Plan, stage: Stage, footer: int) -> list[str]:
    layout = plan.layout
    notices = list(plan.notices)
    if plan.encoding.certainty == "guess":
        notices.append(f"The encoding is a guess ({plan.encoding.codec}). If letters look wrong, choose another.")
    if plan.sniffed.certainty == "guess":
        name = delimiter_name(plan.sniffed.dialect.delimiter)
        notices.append(f"The delimiter is a guess ({name}). If the columns look wrong, choose another.")
    if layout.skipped:
        notices.append(f"{len(layout.skipped)} line(s) above the table were skipped: “{layout.skipped[0].text[:80]}”.")
    if footer:
        first = next(s for s in stage.skipped if s.why == "below the table")
        notices.append(f"{footer} line(s) below the table were skipped, from line {first.line}: “{first.text[:80]}”.")
    if layout.comment:
        notices.append(f"Lines that begin with {layout.comment} were taken for comments.")
    if not layout.header:
        notices.append("The file has no header row, so the columns are called column_1, column_2 and so on.")
    elif layout.certainty == "guess":
        notices.append(f"Whether line {layout.header_lines[0]} is a header is a guess; it was taken for one.")
    if layout.labels:
        notices.append(
            "The header has two lines; the second named the columns that the first leaves blank: "
            f"“{' | '.join(x for x in layout.labels if x)[:80]}”."
        )
    notices += _name_notices(layout, stage.width)
    if stage.short_count:
        lines = ", ".join(map(str, stage.short[:5]))
        notices.append(
            f"{stage.short_count} row(s) are shorter than the table (line {lines}); their last columns are empty."
        )
    if stage.extras:
        first_extra = stage.extras[0]
        notices.append(
            f"{len(stage.extras)} cell(s) stand outside the columns of the table and are only in this report, "
            f"the first on line {first_extra.line}: “{first_extra.value[:60]}”."
        )
    for line, flaw in stage.flawed[:5]:
        notices.append(f"Line {line}: {flaw}; the quote was kept as a character.")
    if len(stage.flawed) > 5:
        notices.append(f"{len(stage.flawed) - 5} more lines have such a quote.")
    if stage.blank:
        notices.append(f"{stage.blank} blank line(s) were skipped.")
    if not stage.rows:
        notices.append("The table has a header but no rows.")
    return notices + _damaged(job, stage)


def _name_notices(layout: lay.Layout, width: int) -> list[str]:
    header = [clean_header(c) for c in layout.header] + [""] * (width - len(layout.header))
    notices = []
    names = column_names(layout.header, width)
    blank = [n for h, n in zip(header, names, strict=False) if not h]
    if layout.header and blank and not layout.labels:
        notices.append(f"{len(blank)} column(s) have no header and are called {', '.join(blank[:5])}.")
    renamed = [(h, n) for h, n in zip(header, names, strict=False) if h and h != n]
    if renamed:
        shown = ", ".join(f"“{h}” is “{n}”" for h, n in renamed[:5])
        notices.append(f"{len(renamed)} column name(s) appear more than once: {shown}.")
    return notices


def _damaged(job: ReadJob, stage: Stage) -> list[str]:
    if not stage.rows:
        return []
    tests = " OR ".join(f"contains(c{i}, chr(65533))" for i in range(stage.width))
    (bad,) = job.bench.one(f"SELECT count(*) FROM stage WHERE {tests}")
    if not bad:
        return []
    return [f"{bad} row(s) hold characters that the encoding does not know; they are shown as \ufffd."]
