"""Text with delimiters: CSV, TSV and their many cousins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files import layout as lay
from tabulaflow_core.data.files import sums
from tabulaflow_core.data.files.clean import CleanBlocks
from tabulaflow_core.data.files.columns import Typing, drop_frame, type_columns, write_table
from tabulaflow_core.data.files.encoding import wide_codec
from tabulaflow_core.data.files.fast import FastRows, Miscounted
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.formats.text_plan import Plan, Sample, make_plan, take_sample
from tabulaflow_core.data.files.formats.text_report import text_report
from tabulaflow_core.data.files.formats.text_tables import find_tables
from tabulaflow_core.data.files.lines import open_lines
from tabulaflow_core.data.files.naming import clean_header, column_names
from tabulaflow_core.data.files.report import Part, ReadingReport, ReadOptions
from tabulaflow_core.data.files.source import refuse_binary
from tabulaflow_core.data.files.spaced import RULER
from tabulaflow_core.data.files.stage import Stage, TooNarrow
from tabulaflow_core.data.files.tokens import Record, Tokenizer
from tabulaflow_core.errors import FileUnreadable


class TextReader:
    """Reads text whose encoding, delimiter and layout it finds out by itself."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Always true: it is asked last, and refuses what is no text."""
        return True

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Write the file's table, or its tables when blank lines part several.

        Raises:
            FileUnreadable: The file is no text, or holds nothing.
        """
        if not _utf32(job):
            refuse_binary(job.path, job.name)
        sample = take_sample(job)
        plan = make_plan(job, sample, job.options)
        told = job.options.skip_lines is not None or job.options.skip_end or job.options.header_rows is not None
        ranges = [] if told else find_tables(sample, plan.sniffed)
        if len(ranges) > 1:
            return _read_several(job, sample, ranges)
        table, report = _read_one(job, plan, job.options, job.table)
        return [table], report


def _utf32(job: ReadJob) -> bool:
    """True for text of four bytes a character, most of which are zero."""
    with job.path.open("rb") as file:
        codec = wide_codec(file.read(4096))
    return codec is not None and codec.startswith("utf-32")


def _read_several(
    job: ReadJob, sample: Sample, ranges: list[tuple[int, int]]
) -> tuple[list[WrittenTable], ReadingReport]:
    """Each table of the file with its own report, and one report of the file with its parts."""
    tables: list[WrittenTable] = []
    parts: list[Part] = []
    for number, (first, last) in enumerate(ranges, 1):
        name = f"table {number}"
        if job.options.parts is not None and name not in job.options.parts:
            parts.append(Part(name, "table", "off"))
            continue
        options = job.options.for_part(name)
        inner = replace(sample, lines=[line for line in sample.lines if first <= line[0] <= last])
        plan = make_plan(job, inner, options)
        plan.first_line, plan.last_line, plan.other_table, plan.part = first, last, True, name
        table, report = _read_one(job, plan, options, f"{job.table}_{number}")
        tables.append(replace(table, report=report, part=name))
        parts.append(Part(name, "table", "read", tables=(table.name,)))
    if not tables:
        raise FileUnreadable(f"{job.name} holds {len(ranges)} tables, and none of them was chosen. Choose one.")
    reports = [t.report for t in tables if t.report]
    report = ReadingReport(
        format="text",
        decisions=tuple(d for d in reports[0].decisions if d.name in ("encoding", "line_end")),
        rows_in_file=sum(r.rows_in_file for r in reports),
        rows_in_table=sum(r.rows_in_table for r in reports),
        skipped_count=sum(r.skipped_count for r in reports),
        misfit_count=sum(r.misfit_count for r in reports),
        blank_lines=sum(r.blank_lines for r in reports),
        notices=(f"The file holds {len(ranges)} tables, parted by blank lines; each was read by itself.",),
        parts=tuple(parts),
    )
    return tables, report


def _read_one(job: ReadJob, plan: Plan, options: ReadOptions, name: str) -> tuple[WrittenTable, ReadingReport]:
    width = plan.layout.width
    while True:
        try:
            stage = _stage(job, plan, options, width)
            footer = _finish(stage, options)  # the last rows too may turn out to be wider than the table
            break
        except TooNarrow as error:
            width = error.width
        except Miscounted:
            plan.quick = False
    names = column_names([clean_header(c) for c in plan.layout.header], width)
    job.bench.stage = "finding types"
    typing = _typed(job, plan, stage, options, names)
    for column, note in zip(typing.columns, plan.layout.notes, strict=False):
        column.note = "; ".join(filter(None, (column.note, note)))
    if plan.sniffed.dialect.delimiter == "|":
        drop_frame(typing)
    job.bench.stage = "writing"
    count = write_table(job.bench, name, typing)
    report = text_report(job, plan, stage, typing, options, footer, count)
    columns = tuple(c.name for c in typing.columns)
    return WrittenTable(name, columns, tuple(c.kind for c in typing.columns), count), report


def _stage(job: ReadJob, plan: Plan, options: ReadOptions, width: int) -> Stage:
    """Read the whole file into the stage, but for the lines above the table."""
    job.bench.stage = "reading"
    stage = Stage(job.bench, width)
    layout = plan.layout
    names = column_names([clean_header(c) for c in layout.header], width)
    delimiter = plan.sniffed.dialect.delimiter
    fast = FastRows(job.bench, stage, plan, lambda: type_columns(job.bench, names, layout.header, options, delimiter))
    fast.usable = fast.usable and options.missing is None  # words of a person are looked for in the text of cells
    plan.aside = 0
    tokenizer = Tokenizer(plan.sniffed.dialect, width - (plan.packed.count - 1 if plan.packed else 0))
    whole = plan.sniffed.dialect.plain and not plan.packed
    clean = CleanBlocks(plan.sniffed.dialect, width, comment=layout.comment) if whole else None
    if plan.packed:
        plan.packed.flags.clear()
    with open_lines(job.path, plan.encoding.codec, plan.line_end, job.watch) as lines:
        while True:
            if not tokenizer.waiting:
                fast.take(lines)
            first, block = lines.block()
            if not block and not tokenizer.waiting:
                break
            if first > plan.skip and not (plan.bounded or tokenizer.waiting) and not "".join(block).strip():
                stage.blank += len(block)  # millions of blank lines are no work
                continue
            # The first block holds the header, the last one notes and totals.
            if clean and clean.usable and not plan.bounded and first > 1 and not tokenizer.waiting and lines.more:
                table = clean.cut(first, block)
                if table is not None:
                    stage.add_clean(table)
                    continue
            wanted = _wanted(enumerate(block, first), plan, stage)
            rows = _rows_only(tokenizer.records(wanted, _wanted(lines, plan, stage)), layout)
            stage.add_all(map(plan.packed.record, rows) if plan.packed else rows)
        stage.damaged = lines.damaged
    fast.close()
    for line in layout.skipped:
        stage.skipped.insert(len([s for s in stage.skipped if s.line < line.line]), line)
    stage.skipped_count += len(layout.skipped)
    return stage


def _rows_only(records: Iterator[Record], layout: lay.Layout) -> Iterator[Record]:
    """The records without those above the table and its header lines."""
    aside = {s.line for s in layout.skipped}.union(layout.header_lines)
    for record in records:
        if record.line not in aside:
            yield record


def _wanted(lines: Iterator[tuple[int, str]], plan: Plan, stage: Stage) -> Iterator[tuple[int, str]]:
    """The lines that are to be cut into cells; the others are noted."""
    comment = plan.layout.comment
    for number, text in lines:
        why = ""
        if number < plan.first_line:
            continue
        if plan.last_line is not None and number > plan.last_line:
            if plan.other_table or not text.strip():
                continue
            why = "below the table"
        elif number <= plan.skip:
            why = "above the table"
        elif comment and text.lstrip().startswith(comment):
            if number in plan.layout.header_lines:
                continue
            why = "comment"
        elif plan.rulers and RULER.match(text.strip()):
            why = "ruler"
        if not why and plan.tails and (match := plan.tails.search(text)):
            plan.aside += 1
            stage.skip(Record(number, [match.group().strip()]), "comment behind a row")
            yield number, text[: match.start()]
        elif not why:
            yield number, text
        elif text.strip():
            plan.aside += 1
            stage.skip(Record(number, [text.strip()]), why)


def _finish(stage: Stage, options: ReadOptions) -> int:
    """Write the last rows; the number of notes below the table that were left out."""
    tail = list(stage.tail)
    footer = 0 if options.keep_totals else lay.footer_length(stage.head, tail, stage.width)
    for record in tail[len(tail) - footer :]:
        stage.skip(record, "below the table")
    stage.finish(len(tail) - footer)
    return footer


def _typed(job: ReadJob, plan: Plan, stage: Stage, options: ReadOptions, names: list[str]) -> Typing:
    """The types of the columns, decided without the rows that only repeat others."""

    def types() -> Typing:
        return type_columns(job.bench, names, plan.layout.header, options, plan.sniffed.dialect.delimiter)

    repeated = sums.take_repeated_headers(stage, plan.layout.header) if plan.layout.header else 0
    totals = [] if options.keep_totals else sums.take_totals(stage)
    typing = types()
    judged = sums.judge(stage, typing, totals)
    kept = [one for one in judged if not one.kind]
    if kept:
        sums.put_back(stage, [one.record for one in kept])
        typing = types()
    if repeated:
        typing.notices.append(
            f"{counted(repeated, 'line')} {agreed(repeated, 'repeats', 'repeat')} "
            f"the header and {agreed(repeated, 'was', 'were')} left out."
        )
    for one in judged:
        if one.kind:
            stage.skip(one.record, one.kind)
            typing.notices.append(
                f"The {one.kind} on line {one.record.line} (“{lay.joined(one.record, 80)}”) is not part of the table, "
                "so that sums do not count it twice."
            )
        elif one.label:
            typing.notices.append(
                f"Line {one.record.line} looks like a total (“{one.label}”) but is not the sum of the rows "
                "above; it was kept."
            )
    return typing
