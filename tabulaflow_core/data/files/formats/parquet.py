"""Parquet: columns that already have types, copied batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.data.files.convert import quoted
from tabulaflow_core.data.files.formats import ReadJob, WrittenTable
from tabulaflow_core.data.files.naming import column_names
from tabulaflow_core.data.files.report import ColumnReport, ColumnType, ReadingReport
from tabulaflow_core.errors import FileUnreadable

if TYPE_CHECKING:
    import pyarrow as pa


class ParquetReader:
    """Reads Parquet files."""

    def accepts(self, head: bytes, suffix: str) -> bool:
        """True for the magic bytes."""
        return head.startswith(b"PAR1")

    def read(self, job: ReadJob) -> tuple[list[WrittenTable], ReadingReport]:
        """Copy the file's one table.

        Raises:
            FileUnreadable: The file is damaged or encrypted.
        """
        import pyarrow as pa
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(job.path) as file:
                batches = file.iter_batches(batch_size=65_536)
                return write_arrow(job, pa.RecordBatchReader.from_batches(file.schema_arrow, batches), "parquet")
        except (pa.ArrowException, OSError) as error:
            raise FileUnreadable(
                f"{job.name} is a Parquet file that cannot be read; it may be damaged or encrypted. Export it again."
            ) from error


def write_arrow(job: ReadJob, rows: pa.RecordBatchReader, kind: str) -> tuple[list[WrittenTable], ReadingReport]:
    """Write Arrow rows as the job's table, under clean and unique names, in DuckDB's types for theirs."""
    header = list(rows.schema.names)
    names = column_names(header, len(header))
    connection = job.bench.connection
    connection.register("incoming", _renamed(rows, names))
    target = f"out.main.{quoted(job.table)}"
    try:
        job.bench.execute(f"CREATE TABLE {target} AS SELECT * FROM incoming")
    finally:
        connection.unregister("incoming")
    described = job.bench.rows(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = 'out' ORDER BY column_index"
    )
    types = [str(t) for _, t in described]
    kinds = tuple(kind_of(t) for t in types)
    count = int(str(job.bench.one(f"SELECT count(*) FROM {target}")[0]))
    columns = tuple(ColumnReport(n, h, k, t) for n, h, k, t in zip(names, header, kinds, types, strict=True))
    renamed = [f"“{h}” is “{n}”" for h, n in zip(header, names, strict=True) if h != n]
    notices = (f"{len(renamed)} column name(s) were changed: {', '.join(renamed[:5])}.",) if renamed else ()
    report = ReadingReport(kind, columns=columns, rows_in_file=count, rows_in_table=count, notices=notices)
    return [WrittenTable(job.table, tuple(names), kinds, count)], report


def _renamed(rows: pa.RecordBatchReader, names: list[str]) -> pa.RecordBatchReader:
    import pyarrow as pa

    schema = pa.schema([field.with_name(name) for field, name in zip(rows.schema, names, strict=True)])
    batches = (pa.RecordBatch.from_arrays(batch.columns, schema=schema) for batch in rows)
    return pa.RecordBatchReader.from_batches(schema, batches)


def kind_of(engine_type: str) -> ColumnType:
    """The kind of value of a DuckDB type."""
    name = engine_type.upper()
    if "[" in name or ("(" in name and not name.startswith(("DECIMAL", "ENUM"))):
        return "other"
    if name in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UHUGEINT") or name in (
        "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    ):  # fmt: skip
        return "integer"
    if name.startswith("DECIMAL") or name in ("FLOAT", "DOUBLE"):
        return "number"
    if name.startswith("TIMESTAMP"):
        return "datetime"
    simple: dict[str, ColumnType] = {"BOOLEAN": "boolean", "DATE": "date", "VARCHAR": "text", "UUID": "text"}
    return "text" if name.startswith("ENUM") else simple.get(name, "other")
