"""Parquet: columns that already have types, copied batch by batch."""

from __future__ import annotations

from typing import Final

from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.formats.arrow import reading, write_arrow
from tabulaflow_core.data.files.report import ReadingReport
from tabulaflow_core.errors import FileUnreadable

_MAGIC: Final = b"PAR1"
#: In place of the magic bytes when the footer is encrypted: parquet.apache.org, Encryption.
_ENCRYPTED: Final = b"PARE"


class ParquetReader:
    """Reads Parquet files."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """True for the magic bytes."""
        return head.startswith((_MAGIC, _ENCRYPTED))

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Copy the file's one table.

        Raises:
            FileReadingStopped: Somebody stopped it.
            FileUnreadable: The file is damaged or encrypted.
        """
        from pyarrow import parquet

        with job.path.open("rb") as file:
            file.seek(max(0, job.path.stat().st_size - 4))
            tail = file.read()
            file.seek(0)
            head = file.read(4)
        if _ENCRYPTED in (head, tail):
            raise FileUnreadable(f"{job.name} is an encrypted Parquet file. Export it without encryption.")
        if tail != _MAGIC:
            raise FileUnreadable(
                f"{job.name} is a Parquet file without its end: it was cut off. Copy it again, or export it again."
            )
        # Nanoseconds of the old INT96 times would reach only from 1677 to 2262.
        with reading(job, "Parquet"), parquet.ParquetFile(job.path, coerce_int96_timestamp_unit="us") as file:
            batches = file.iter_batches(batch_size=65_536, use_threads=False)
            return write_arrow(job, file.schema_arrow, batches, "parquet", file.metadata.num_rows)
