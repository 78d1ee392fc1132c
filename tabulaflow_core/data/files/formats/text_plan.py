"""How a text file is to be read, decided from its first lines before all of it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from tabulaflow_core.data.files import layout as lay
from tabulaflow_core.data.files.dialect import Sniffed, sniff
from tabulaflow_core.data.files.encoding import Encoding, detect_encoding, unknown
from tabulaflow_core.data.files.formats import ReadJob
from tabulaflow_core.data.files.lines import SAMPLE_CHARS, LineEnd, detect_line_end, open_lines
from tabulaflow_core.data.files.packed import Packed, packed
from tabulaflow_core.data.files.report import ReadOptions
from tabulaflow_core.data.files.spaced import RULER
from tabulaflow_core.data.files.tokens import Record, Tokenizer
from tabulaflow_core.data.files.values import looks_like
from tabulaflow_core.errors import FileUnreadable

_SAMPLE_LINES = 5_000
_SEPARATOR = re.compile(r"[\"']?sep=(.{1,3}?)[\"']?[,;\t]*", re.IGNORECASE)

NumberedLines = list[tuple[int, str]]


@dataclass(slots=True)
class Plan:
    """What the sample of a file told.

    Attributes:
        skip: Lines up to this one stand above the table.
        first_line: Lines before this one belong to another table of the file.
        last_line: The last line to read; None for all.
        other_table: Lines after `last_line` belong to another table, and are not left out.
        rulers: Lines that only underline are left out.
        tails: Comments at the end of lines, behind the last number.
        aside: Lines left out before they were cut into cells, counted while the file is read.
        part: The name of the table in its file, when there are several.
        quick: Whole blocks of lines may be tried at once (`fast`).
        packed: How the first cell of each line is taken apart, when it holds several.
    """

    encoding: Encoding
    line_end: LineEnd
    sniffed: Sniffed
    layout: lay.Layout
    skip: int = 0
    first_line: int = 0
    last_line: int | None = None
    other_table: bool = False
    rulers: bool = False
    tails: re.Pattern[str] | None = None
    aside: int = 0
    part: str = ""
    quick: bool = True
    packed: Packed | None = None
    notices: list[str] = field(default_factory=list)

    @property
    def bounded(self) -> bool:
        """True when lines must be looked at one by one, since only some of them count."""
        return self.first_line > 0 or self.last_line is not None


@dataclass(slots=True)
class Sample:
    """The first lines of a file, and what holds for all of its tables."""

    encoding: Encoding
    line_end: LineEnd
    lines: NumberedLines
    whole: bool


def take_sample(job: ReadJob) -> Sample:
    """Read the first lines.

    Raises:
        FileUnreadable: The encoding is not known.
    """
    told = job.options.encoding
    encoding = Encoding(told, "told", "as told") if told else detect_encoding(job.path)
    try:
        line_end = detect_line_end(job.path, encoding.codec)
        with open_lines(job.path, encoding.codec, line_end) as lines:
            sample = _first(lines, job.options.skip_lines or 0)
            whole = next(lines, None) is None
            _refuse_wide(job, sample)
    except LookupError as error:
        raise FileUnreadable(unknown(encoding.codec)) from error
    return Sample(encoding, line_end, sample, whole)


def _refuse_wide(job: ReadJob, sample: NumberedLines) -> None:
    """Refuse a first line of more columns than a table may have, before every way to cut it is tried."""
    first = next((text for _, text in sample if text.strip()), "")
    most = job.watch.bounds.columns
    found = max(first.count(mark) for mark in ",;\t|") + 1
    if found > most and '"' not in first:
        raise FileUnreadable(
            f"{job.name} has {found:,} columns, more than the {most:,} that a table may have. "
            "Turn its rows and columns around, or export fewer of them."
        )


def _first(lines: Iterator[tuple[int, str]], skip: int) -> NumberedLines:
    """The first line, which may name the delimiter, and the first ones behind those that are to be skipped."""
    sample: NumberedLines = list(islice(lines, min(skip, 1)))
    size = 0
    for number, text in islice(lines, max(skip - 1, 0), max(skip - 1, 0) + _SAMPLE_LINES):
        sample.append((number, text))
        size += len(text)
        if size > SAMPLE_CHARS:
            break
    return sample


def make_plan(job: ReadJob, sample: Sample, options: ReadOptions) -> Plan:
    """Decide the dialect and the layout.

    Raises:
        FileUnreadable: There is nothing but blanks and comments.
    """
    lines = sample.lines
    skip, delimiter = options.skip_lines or 0, options.delimiter
    if delimiter is None and lines and (match := _SEPARATOR.fullmatch(lines[0][1].strip(" \r\n"))):
        delimiter, skip = match.group(1), max(skip, 1)
    last_line = _last_line(job, sample, options.skip_end) if options.skip_end else None
    lines = [line for line in lines if line[0] > skip and (last_line is None or line[0] <= last_line)]
    if not any(text.strip() for _, text in lines):
        raise FileUnreadable(f"{job.name} holds no data, only blank lines. Export it again, or choose another file.")
    rulers = sum(bool(RULER.match(text.strip())) for _, text in [li for li in lines if li[1].strip()][:12]) > 0
    lines = [line for line in lines if not (rulers and RULER.match(line[1].strip()))] or lines
    told = None if options.comment is None else "" if options.comment == "none" else options.comment

    def cut(mark: str) -> Sniffed:
        body = _without(lines, mark)
        return sniff(body or lines, delimiter=delimiter, quote=options.quote, escape=options.escape)

    mark = lay.comment_mark(lines, "") if told is None else told
    sniffed = cut(mark)
    if told is None and (again := lay.comment_mark(lines, sniffed.dialect.delimiter)) != mark:
        mark = again
        sniffed = cut(mark)
    records = _cut(_without(lines, mark), sniffed)
    several = packed(_without(lines, mark), sniffed.dialect) if delimiter is None else None
    if several:
        records = list(map(several.record, records))
        sniffed = replace(sniffed, width=sniffed.width + several.count - 1)
    if not records:
        raise FileUnreadable(f"{job.name} holds no data, only comments. Export it again, or choose another file.")
    layout = lay.find_layout(
        records,
        sniffed.width,
        header=options.header,
        header_rows=options.header_rows,
        from_first=options.skip_lines is not None,
    )
    layout.comment = mark
    if mark and not layout.header and options.header is None and options.header_rows is None:
        _header_in_comment(layout, lines, records[0].line, sniffed)
    plan = Plan(sample.encoding, sample.line_end, sniffed, layout, skip, last_line=last_line)
    plan.packed, plan.quick = several, several is None
    plan.rulers = rulers and sniffed.width > 1
    plan.tails = _tails(records[layout.first :], mark, sniffed.dialect.delimiter) if mark else None
    return plan


def _without(lines: NumberedLines, mark: str) -> NumberedLines:
    return [line for line in lines if not (mark and line[1].lstrip().startswith(mark))]


def _cut(lines: NumberedLines, sniffed: Sniffed) -> list[Record]:
    return [r for r in Tokenizer(sniffed.dialect, sniffed.width).records(lines) if not lay.is_blank(r)]


def _header_in_comment(layout: lay.Layout, lines: NumberedLines, first: int, sniffed: Sniffed) -> None:
    """Take the names from the last comment line above a table that has no header of its own."""
    above = [line for line in lines if line[0] < first and line[1].lstrip().startswith(layout.comment)]
    if not above:
        return
    number, text = above[-1]
    record = next(Tokenizer(sniffed.dialect).records([(number, text.lstrip()[len(layout.comment) :].lstrip())]))
    if len(record.cells) == layout.width + 1 and record.cells[0].endswith(":"):
        del record.cells[0]  # `#Fields: date time …` of a server's log
    if len(record.cells) == layout.width > 1 and all(looks_like(c) == "text" for c in record.cells):
        layout.header, layout.header_lines = record.cells, [number]
        layout.certainty, layout.reason = "likely", "the last comment line above the table names its columns"


def _tails(body: list[Record], mark: str, delimiter: str) -> re.Pattern[str] | None:
    """Comments behind the last cell of lines, when that cell is a number or a date without them."""
    cells = [r.cells[-1] for r in body if r.cells]
    marked = [c for c in cells if mark in c]
    bare = [looks_like(c.split(mark)[0]) for c in cells]
    if not marked or sum(kind in ("number", "date", "empty") for kind in bare) < len(bare):
        return None
    rest = f"[^{re.escape(delimiter)}]*" if len(delimiter) == 1 else ".*"
    return re.compile(rf"\s*{re.escape(mark)}{rest}$", re.DOTALL)


def _last_line(job: ReadJob, sample: Sample, skip_end: int) -> int:
    """The number of the last line that is not left out at the end."""
    if sample.whole:
        return sample.lines[-1][0] - skip_end if sample.lines else 0
    total = 0
    with open_lines(job.path, sample.encoding.codec, sample.line_end) as lines:
        while True:
            first, block = lines.block()
            if not block:
                break
            total = first + len(block) - 1
    return total - skip_end
