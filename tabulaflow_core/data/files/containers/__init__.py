"""Files that hold files: compressed ones are unpacked, the members of archives are read one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tabulaflow_core.data.files.containers.archive import archive_kind, open_archive
from tabulaflow_core.data.files.containers.budget import Budget
from tabulaflow_core.data.files.containers.members import Outcome, read_members
from tabulaflow_core.data.files.containers.streams import codec_of, unpack
from tabulaflow_core.data.files.formats import ReadJob, reader_for
from tabulaflow_core.data.files.formats.names import misnamed
from tabulaflow_core.data.files.report import ReadingReport
from tabulaflow_core.errors import FileUnreadable

#: Compressions around each other, such as an archive in gzip; and archives within each other.
_MOST_LAYERS = 3
_MOST_ARCHIVES = 2

__all__ = ["Budget", "Outcome", "read_content"]


def read_content(job: ReadJob, folder: Path, budget: Budget, *, archives: int = 0) -> Outcome:
    """Read a file, whatever it is packed in.

    Args:
        folder: Where unpacked bytes may stand for as long as they are read.
        budget: What may still be unpacked.
        archives: How many archives this file is in.

    Raises:
        FileReadingStopped: Somebody stopped it.
        FileUnreadable: Nothing in it can be read, with what to do.
    """
    unpacked: list[Path] = []
    try:
        path, name = job.path, job.name
        for _ in range(_MOST_LAYERS):
            codec = codec_of(path, name)
            if codec is None:
                break
            path, name = unpack(path, name, codec, folder, budget)
            for older in unpacked:
                older.unlink()
            unpacked = [path]
        else:
            if codec_of(path, name):
                raise FileUnreadable(f"{job.name} is compressed more than {_MOST_LAYERS} times. Unpack it yourself.")
        inner = replace(job, path=path, name=name)
        kind = archive_kind(path, name)
        if kind is None:
            tables, report = reader_for(path, name).read(inner)
            return tables, _told(name, report.format, report)
        if archives >= _MOST_ARCHIVES:
            raise FileUnreadable(f"{name} is an archive in an archive in an archive. Unpack it yourself.")

        def read(member: ReadJob) -> Outcome:
            return read_content(member, folder, budget, archives=archives + 1)

        with open_archive(inner, kind) as members:
            tables, report = read_members(inner, kind, members, folder, budget, read)
            return tables, _told(name, kind, report)
    finally:
        for path in unpacked:
            path.unlink(missing_ok=True)


def _told(name: str, found: str, report: ReadingReport) -> ReadingReport:
    """The report, with a word on a name that says something else."""
    told = misnamed(name, found)
    return replace(report, notices=(told, *report.notices)) if told else report
