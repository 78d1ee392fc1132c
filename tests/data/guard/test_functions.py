"""The tables of functions: sorted, and without what is known to act."""

from __future__ import annotations

import pytest

from tabulaflow_core.data.guard import functions
from tabulaflow_core.data.guard.functions import (
    ansi,
    clickhouse,
    common,
    databricks,
    duckdb,
    mysql,
    oracle,
    postgres,
    redshift,
    sqlite,
)

TABLES = {
    f"{module.__name__.rpartition('.')[2]}.{name}": getattr(module, name)
    for module in (ansi, clickhouse, common, databricks, duckdb, mysql, oracle, postgres, redshift, sqlite)
    for name in ("SCALARS", "TABLES")
}
DANGEROUS = frozenset(
    """
    benchmark bytecode crosstab currval cursor_to_xml database_to_xml dblink dblink_exec duckdb_databases
    duckdb_extensions duckdb_logs duckdb_secrets duckdb_settings duckdb_variables edit enable_logging eval
    external_query force_checkpoint fsdir fts3_tokenizer get_lock getenv getvariable glob_files
    histogram_values is_used_lock json_execute_serialized_sql lastval lo_create lo_export lo_from_bytea lo_get
    lo_import lo_put lo_unlink load_extension load_file loread lowrite master_pos_wait nextval opendatasource
    openquery openrowset parquet_scan pg_advisory_lock pg_cancel_backend pg_current_logfile pg_export_snapshot
    pg_hba_file_rules pg_logical_emit_message pg_ls_dir pg_notify pg_promote pg_read_binary_file pg_read_file
    pg_reload_conf pg_rotate_logfile pg_show_all_settings pg_sleep pg_sleep_for pg_sleep_until pg_stat_file
    pg_stat_get_activity pg_switch_wal pg_terminate_backend pragma_database_list pragma_optimize query
    query_table query_to_xml query_to_xmlschema read_blob read_csv read_csv_auto read_json read_parquet
    read_text readfile release_lock schema_to_xml seq_scan set_config setseed setval sleep sleep_ms sniff_csv
    sqlite_log sys_eval sys_exec table_to_xml tables_used ts_rewrite ts_stat txid_current which_secret
    write_log writefile xpath_table zipfile
    """.split()  # noqa: SIM905
)


@pytest.mark.parametrize("table", sorted(TABLES))
def test_sorted_without_repetition(table: str) -> None:
    names = TABLES[table]
    assert list(names) == sorted(set(names))


@pytest.mark.parametrize("table", sorted(TABLES))
def test_holds_nothing_that_acts(table: str) -> None:
    assert not DANGEROUS & set(TABLES[table])
    assert not [
        n for n in TABLES[table] if n.startswith(("lo_", "pg_read", "pg_ls_", "pg_advisory", "read_", "dblink"))
    ]


def test_names_are_plain_lower_case() -> None:
    for names in TABLES.values():
        assert all(name.isascii() and name == name.lower() and name.replace("_", "a").isalnum() for name in names)


def test_every_listed_duckdb_function_exists_in_the_engine() -> None:
    import duckdb as engine

    with engine.connect() as connection:
        rows = connection.execute("SELECT DISTINCT lower(function_name) FROM duckdb_functions()").fetchall()
    known = {row[0] for row in rows}
    # A macro of a file may bear any other name, and would be called.
    grammar = {"cast", "coalesce", "columns", "exists", "grouping", "grouping_id", "ifnull", "try", "try_cast"}
    assert set(duckdb.SCALARS) - known <= grammar
    assert set(duckdb.TABLES) <= known


def test_a_scalar_of_duckdb_and_sqlite_may_not_stand_in_from() -> None:
    assert "lower" in functions.scalars("duckdb")
    assert "lower" not in functions.table_functions("duckdb")
    assert "lower" in functions.table_functions("postgres")
