"""JSON in its many layouts: records, rows, columns, one document or one value a line, wrapped or not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from tabulaflow_core.counting import agreed, counted
from tabulaflow_core.data.files.encoding import Encoding, detect_encoding, unknown
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.formats.json_feed import (
    BLANK,
    Broken,
    Feed,
    Skipped,
    elements,
    open_feed,
    sequence,
    walk,
)
from tabulaflow_core.data.files.formats.json_found import Found
from tabulaflow_core.data.files.formats.json_loose import mended
from tabulaflow_core.data.files.formats.json_shapes import (
    answers_nothing,
    find_tables,
    is_joined,
    left_beside,
    meant,
    of_joined,
    of_records,
    of_rows,
    paged,
)
from tabulaflow_core.data.files.formats.json_table import write_records
from tabulaflow_core.data.files.formats.json_unwrap import EXTENDED, as_records, nothing, plain, streamed
from tabulaflow_core.data.files.formats.json_values import Decoder, Number, Value, too_deep, uncollected
from tabulaflow_core.data.files.naming import table_name, unique
from tabulaflow_core.data.files.report import Decision, Part, ReadingReport
from tabulaflow_core.errors import FileUnreadable

if TYPE_CHECKING:
    from tabulaflow_core.data.files.formats.json_found import Take

_SUFFIXES: Final = frozenset(
    {
        ".json",
        ".jsonl",
        ".ndjson",
        ".geojson",
        ".jsonlines",
        ".ldjson",
        ".geojsonl",
        ".topojson",
        ".jsonld",
        ".json5",
        ".json-seq",
        ".jsonseq",
    }
)
#: Suffixes of text, and none, under which content that begins as JSON records is taken for them.
_PERHAPS: Final = frozenset({"", ".txt", ".log", ".dat", ".data", ".out", ".download"})
_BEGINS: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"(?:[^"\\]|\\.)*"\s*:')
#: A decoded document takes so many times the bytes of its text.
_GROWS: Final = 16
_LEVELS: Final = 20
_SAMPLE_CHARS: Final = 1 << 20


class JsonReader:
    """Reads JSON; objects in records become columns of their own, lists stay together as JSON text."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """True for the suffixes of JSON, and for text that begins with an object, whatever it is called."""
        begins = _BEGINS.match(head) is not None
        return suffix in _SUFFIXES or (begins and (suffix in _PERHAPS or _is_document(head)))

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Write the document's tables; types are decided as those of a text file.

        Raises:
            FileReadingStopped: Somebody stopped it.
            FileUnreadable: It is no JSON, or holds no records.
        """
        told = job.options.encoding
        encoding = Encoding(told, "told", "as told") if told else detect_encoding(job.path)
        try:
            return _Document(job, encoding).read()
        except LookupError as error:
            raise FileUnreadable(unknown(encoding.codec)) from error


def _is_document(head: bytes) -> bool:
    """True for the beginning of records in a list: a cell of a CSV file may hold an object, but is no list of them."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")


class _Document:
    """One file on its way to tables."""

    def __init__(self, job: ReadJob, encoding: Encoding) -> None:
        self.job = job
        self.codec = encoding.codec
        self.decoder = Decoder()
        self.skipped = Skipped()
        self.notices: list[str] = []
        self.decisions = [Decision("encoding", encoding.codec, encoding.certainty, encoding.reason, "encoding")]
        self.document: dict[str, Value] | None = None

    def read(self) -> tuple[list[WrittenTable], ReadingReport]:
        job = self.job
        with job.path.open(encoding=self.codec, errors="replace", newline="") as text:
            sample = text.read(_SAMPLE_CHARS)
        if not sample.strip(BLANK):
            raise FileUnreadable(f"{job.name} holds no data, only blanks. Export it again, or choose another file.")
        self.decoder.change = plain if EXTENDED.search(sample) else None
        if _is_lines(sample):
            return self._write([self._sequence()])
        if job.path.stat().st_size * _GROWS > job.watch.bounds.memory_bytes:
            return self._write(self._long(sample.lstrip(BLANK)[:1]))
        return self._write(self._whole())

    def _sequence(self) -> Found:
        """Values behind each other, mostly one a line."""
        self.decisions.append(Decision("records", "one a line", "certain"))

        def batches(take: Take) -> Iterator[list[tuple[int, Value]]]:
            self.skipped = Skipped()
            with open_feed(self.job, self.codec, self.decoder) as feed:
                yield from sequence(feed, self.skipped, take)

        def items() -> Iterator[tuple[int, Value]]:
            return chain.from_iterable(batches(nothing))

        first = list(islice(items(), 1000))
        good = len(first)
        if self.skipped.count > good:
            line = self.skipped.lines[0]
            raise self._broken(Broken(line.line, line.why.removeprefix("no JSON: ")))
        if good and all(isinstance(v, list) for _, v in first):
            return of_rows((), [v for _, v in first], self.job.options.header, items)
        return streamed((), batches)

    def _whole(self) -> list[Found]:
        """A document that fits into the memory."""
        text = self.job.path.read_text(encoding=self.codec, errors="replace").strip(BLANK)
        with uncollected():
            value, rest = self._decode(text)
        if rest.strip(BLANK + ",;"):
            return [self._sequence()]
        self.decisions.append(Decision("records", "one document", "certain"))
        return self._tables(value)

    def _decode(self, text: str) -> tuple[Value, str]:
        """The value at the beginning, and what comes after it.

        Comments and the like are taken out when it cannot be read with them.
        """
        try:
            try:
                value, end = self.decoder.decode(text)
                return value, text[end:]
            except json.JSONDecodeError as error:
                lone = Broken(error.lineno, error.msg if error.pos < len(text) else "it ends too early")
            loose, what = mended(text)
            change, self.decoder = self.decoder.change, Decoder(strict=False)
            self.decoder.change = change
            try:
                value, end = self.decoder.decode(loose)
            except json.JSONDecodeError:
                raise self._broken(lone) from None
        except RecursionError:
            raise too_deep(self.job.name, self.job.watch.bounds.nesting) from None
        what = what or ["line breaks or tabs in texts"]
        self.notices.append(f"The file is not strict JSON: it has {' and '.join(what)}, which did no harm.")
        return value, loose[end:]

    def _tables(self, value: Value) -> list[Found]:
        header = self.job.options.header
        if isinstance(value, list) and (inner := paged(value)):
            value = inner
        if isinstance(value, dict) and value:
            self.document = value
            found = find_tables(value, header)
            first = found[0]
            if first.path:
                why = "the only list of records in the document" if len(found) == 1 else "the longest list of records"
                self.decisions.append(Decision("path", first.name, "likely", why))
            return found
        if not isinstance(value, list) or not value or all(v is None for v in value) or answers_nothing(value):
            raise FileUnreadable(f"{self.job.name} holds no records. Export it again, or choose another file.")
        if all(isinstance(v, list) for v in value):
            if not any(value):
                raise FileUnreadable(f"{self.job.name} holds no records, only empty lists. Export it again.")
            return [of_joined((), value) if is_joined(value) else of_rows((), value, header)]
        found_records = of_records((), value)
        found_records.notes += _nulls(value)
        return [found_records]

    def _long(self, opened: str) -> list[Found]:
        """A document that does not fit into the memory: lists of records, element by element."""
        self.decisions.append(Decision("records", "one document", "certain"))
        if opened == "[":
            return [self._long_list()]
        counts: dict[tuple[str, ...], int] = {}
        try:
            with open_feed(self.job, self.codec, self.decoder) as feed:
                for path, values in walk(feed, levels=_LEVELS):
                    objects = sum(isinstance(v, dict) for v in values)
                    if path and path[-1] == "" and objects:
                        counts[path] = counts.get(path, 0) + objects
                rest = feed.peek()
        except Broken as error:
            raise self._broken(error) from None
        if rest:
            return [self._sequence()]
        if not counts:
            raise self._too_large()
        found = [self._inner(path, count) for path, count in counts.items()]
        best = max(found, key=lambda f: f.count)
        beside = [f for f in found if f.path[:-1] == best.path[:-1]] if best.path else [best]
        return beside + [f for f in found if f not in beside]

    def _long_list(self) -> Found:
        first = [v for _, v in islice(self._elements(("",)), 1000)]
        if first and all(isinstance(v, list) for v in first):
            return of_rows((), first, self.job.options.header, lambda: self._elements(("",)))
        return streamed((), self._batches)

    def _inner(self, path: tuple[str, ...], count: int) -> Found:
        return Found(path[:-1], "records", count, lambda: as_records(self._elements(path)))

    def _batches(self, take: Take) -> Iterator[list[tuple[int, Value]]]:
        """The elements of the list that is the document."""
        try:
            with open_feed(self.job, self.codec, self.decoder) as feed:
                yield from elements(feed, take)
                self._end(feed)
        except Broken as error:
            raise self._broken(error) from None

    def _elements(self, wanted: tuple[str, ...]) -> Iterator[tuple[int, Value]]:
        number = 0
        try:
            with open_feed(self.job, self.codec, self.decoder) as feed:
                for path, values in walk(feed, levels=_LEVELS):
                    if path == wanted:
                        yield from enumerate(values, number + 1)
                        number += len(values)
                self._end(feed)
        except Broken as error:
            raise self._broken(error) from None

    def _end(self, feed: Feed) -> None:
        if rest := feed.peek():
            raise Broken(feed.line, f"after the end of the document there is more: {rest}")

    def _write(self, found: list[Found]) -> tuple[list[WrittenTable], ReadingReport]:
        """Write the tables that are wanted, and list the others."""
        job = self.job
        chosen = self._chosen(found)
        names = [job.table] if len(chosen) == 1 else _names(job.table, chosen)
        written: list[WrittenTable] = []
        for table, name in zip(chosen, names, strict=True):
            part = table.name if len(found) > 1 else ""
            inner = replace(job, options=job.options.for_part(table.name)) if part else job
            own, report = write_records(inner, name, table, self.decisions, part)
            written.append(replace(own, report=report))
        notices = [*self.notices, *self._told(found, chosen)]
        parts = _parts(found, written) if len(found) > 1 else ()
        reports = [t.report for t in written if t.report]
        skipped = tuple(self.skipped.lines)
        if len(written) == 1:
            (report,) = reports
            whole = replace(
                report,
                notices=(*notices, *report.notices),
                rows_in_file=report.rows_in_file + self.skipped.count,
                skipped=skipped,
                skipped_count=self.skipped.count,
                parts=parts,
            )
            return [replace(written[0], report=None)], whole
        notices.insert(0, f"The document holds {len(written)} tables: {', '.join(t.name for t in written[:10])}.")
        return written, ReadingReport(
            "json",
            tuple(self.decisions),
            skipped=skipped,
            skipped_count=self.skipped.count,
            rows_in_file=sum(r.rows_in_file for r in reports),
            rows_in_table=sum(r.rows_in_table for r in reports),
            notices=tuple(notices),
            parts=parts,
        )

    def _chosen(self, found: list[Found]) -> list[Found]:
        wanted = self.job.options.parts
        if wanted is None:
            return found[: meant(found)]
        for name in wanted:
            if name not in (f.name for f in found):
                shown = ", ".join(f"“{f.name}”" for f in found[:10])
                raise FileUnreadable(f"{self.job.name} holds no “{name}”. It holds {shown}.")
        return [f for f in found if f.name in wanted] or found[:1]

    def _told(self, found: list[Found], chosen: list[Found]) -> list[str]:
        notices = []
        if self.skipped.count:
            first = self.skipped.lines[0]
            notices.append(
                f"{counted(self.skipped.count, 'line')} {agreed(self.skipped.count, 'is', 'are')} no JSON "
                f"and {agreed(self.skipped.count, 'was', 'were')} left out, the first is line {first.line}: "
                f"“{first.text[:80]}”."
            )
        if self.document is not None and chosen[0].path:
            used = {f.name for f in chosen}
            beside = [b for b in left_beside(self.document, chosen[0].path) if b.split(" (")[0] not in used]
            if beside:
                more = f" and {len(beside) - 10} more" if len(beside) > 10 else ""
                notices.append(f"Left out beside “{chosen[0].name}”: {', '.join(beside[:10])}{more}.")
        if self.decoder.repeated:
            keys = ", ".join(f"“{k}”" for k in list(self.decoder.repeated)[:5])
            notices.append(f"Some objects have a key twice ({keys}); the last value was taken.")
        if self.decoder.not_numbers:
            notices.append("Some numbers are NaN or Infinity, which JSON does not have; they were read as no value.")
        return notices

    def _broken(self, error: Broken) -> FileUnreadable:
        return FileUnreadable(
            f"{self.job.name} is not valid JSON: line {error.line} cannot be read ({error.why}). "
            "Export it again, or mend that line."
        )

    def _too_large(self) -> FileUnreadable:
        most = self.job.watch.bounds.memory_bytes // _GROWS // 1024**2
        return FileUnreadable(
            f"{self.job.name} is larger than {most} MB and no list of records, so it cannot be read bit by bit. Export "
            "it with one record a line (NDJSON), or raise the bound (memory_bytes, --max-memory on the command line)."
        )


def _is_lines(sample: str) -> bool:
    """Whether each line is a value of its own, as far as the first lines tell."""
    lines = [line for line in re.split(r"\r\n|\n|\r", sample) if line.strip(BLANK)]
    if len(sample) == _SAMPLE_CHARS and len(lines) > 1:
        lines.pop()  # it may be cut
    if len(lines) < 2:
        return False
    decoder = Decoder()
    good = []
    for line in lines[:20]:
        text = line.strip(BLANK)
        try:
            value, end = decoder.decode(text)
            good.append(isinstance(value, list | dict | Number) and not text[end:].strip(BLANK))
        except (ValueError, RecursionError):
            good.append(False)
    return (good[0] and (len(good) < 3 or any(good[1:]))) or sum(good) * 2 > len(good) > 2


def _nulls(items: list[Value]) -> list[str]:
    nulls = sum(item is None for item in items)
    return (
        [f"{counted(nulls, 'record')} {agreed(nulls, 'is', 'are')} null and {agreed(nulls, 'was', 'were')} left out."]
        if nulls
        else []
    )


def _names(table: str, found: list[Found]) -> list[str]:
    last = [table_name(f.path[-1]) for f in found]
    chosen = [n if last.count(n) == 1 else table_name(f.name) for n, f in zip(last, found, strict=True)]
    return [f"{table}_{name}" for name in unique(chosen)]


def _parts(found: list[Found], written: list[WrittenTable]) -> tuple[Part, ...]:
    tables = {t.part: t.name for t in written}
    return tuple(
        Part(f.name, "table", "read", tables=(tables[f.name],))
        if f.name in tables
        else Part(f.name, "table", "off", message=f"{counted(f.count, 'row')} elsewhere in the document")
        for f in found
    )
