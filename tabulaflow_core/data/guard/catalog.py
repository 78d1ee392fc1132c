"""Which relations and settings of an engine's own catalog may be read.

The catalogs hold password hashes, the text of other people's queries, connection strings and paths of the server. A
relation of a catalog is therefore allowed by name; a user's own table always is. A name counts even where a CTE of the
same name hides it: which one a server takes is not worth the risk.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

_PG_RELATIONS = name_set(
    """
    pg_aggregate pg_am pg_amop pg_amproc pg_attrdef pg_attribute pg_auth_members pg_available_extension_versions
    pg_available_extensions pg_cast pg_class pg_collation pg_constraint pg_conversion pg_database pg_depend
    pg_description pg_enum pg_extension pg_group pg_index pg_indexes pg_inherits pg_language pg_matviews
    pg_namespace pg_opclass pg_operator pg_opfamily pg_partitioned_table pg_policies pg_policy pg_proc
    pg_publication pg_publication_namespace pg_publication_rel pg_publication_tables pg_range pg_rewrite pg_roles
    pg_rules pg_sequence pg_sequences pg_shdepend pg_stat_all_indexes pg_stat_all_tables pg_stat_database
    pg_stat_progress_analyze pg_stat_progress_cluster pg_stat_progress_create_index pg_stat_progress_vacuum
    pg_stat_sys_tables pg_stat_user_functions pg_stat_user_indexes pg_stat_user_tables pg_stat_xact_user_tables
    pg_statio_all_indexes pg_statio_all_sequences pg_statio_all_tables pg_statio_user_indexes
    pg_statio_user_sequences pg_statio_user_tables pg_statistic_ext pg_stats pg_stats_ext pg_tables pg_tablespace
    pg_timezone_abbrevs pg_timezone_names pg_transform pg_trigger pg_ts_config pg_ts_config_map pg_ts_dict
    pg_ts_parser pg_ts_template pg_type pg_user pg_views
    """
)
_PG_INFORMATION_SCHEMA_REFUSED = ("user_mapping", "foreign_", "_pg_")
_MYSQL_INFORMATION_SCHEMA = name_set(
    """
    applicable_roles character_sets check_constraints collation_character_set_applicability collations
    column_statistics columns enabled_roles engines events geometry_columns index_statistics key_column_usage keywords
    parameters partitions periods referential_constraints routines schemata sequences spatial_ref_sys sql_functions
    st_geometry_columns statistics table_constraints table_statistics tables triggers view_column_usage
    view_routine_usage view_table_usage views
    """
)
_DUCKDB_RELATIONS = name_set(
    """
    duckdb_columns duckdb_constraints duckdb_indexes duckdb_schemas duckdb_tables duckdb_types duckdb_views pg_am
    pg_attrdef pg_attribute pg_class pg_constraint pg_depend pg_description pg_enum pg_index pg_indexes pg_namespace
    pg_proc pg_sequence pg_sequences pg_tables pg_type pg_views sqlite_master sqlite_schema sqlite_temp_master
    sqlite_temp_schema
    """
)
_SQLITE_RELATIONS = name_set(
    """
    sqlite_master sqlite_schema sqlite_sequence sqlite_stat1 sqlite_stat2 sqlite_stat3 sqlite_stat4
    sqlite_temp_master sqlite_temp_schema
    """
)
_SQLITE_VIRTUAL_REFUSED = name_set("bytecode completion dbstat fsdir lsdir tables_used zipfile")
_TSQL_SYS = name_set("all_columns columns foreign_keys indexes objects partitions schemas tables types views")
_CLICKHOUSE_SYSTEM = name_set("columns databases numbers numbers_mt one tables")
_BIGQUERY_INFORMATION_SCHEMA = name_set(
    "column_field_paths columns key_column_usage partitions schemata table_constraints table_options tables views"
)
_DATABRICKS_FORMATS = name_set("avro binaryfile csv delta iceberg json orc parquet text xml")
_PLAIN_INFORMATION_SCHEMA = name_set("columns key_column_usage schemata table_constraints tables views")
_SYSTEM_PREFIXES = ("sys", "pg_", "dba_", "v$", "mon$", "rdb$", "mysql", "performance_schema", "dbc", "v_catalog")
_FILE_ENDINGS = name_set(
    """
    arrow arrows avro br bz2 csv dat db duckdb feather geojson geojsonl gpkg gz ipc json jsonl kml lance log lz4 md
    ndjson orc parq parquet pq psv shp sqlite sqlite3 sql tsv txt vortex xls xlsb xlsm xlsx xml yaml yml zip zst
    """
)
_PATH_CHARACTERS = frozenset("/\\*?[]")

SETTINGS = {
    "postgres": name_set(
        """
        bytea_output client_encoding datestyle default_transaction_isolation default_transaction_read_only
        extra_float_digits intervalstyle is_superuser lc_collate lc_ctype lc_messages lc_monetary lc_numeric lc_time
        max_connections search_path server_encoding server_version server_version_num session_authorization
        standard_conforming_strings statement_timeout timezone transaction_isolation transaction_read_only work_mem
        """
    ),
    "duckdb": name_set(
        "calendar default_collation default_null_order default_order memory_limit null_order schema search_path threads"
        " timezone worker_threads"
    ),
    "mysql": name_set(
        """
        autocommit character_set_client character_set_connection character_set_database character_set_results
        character_set_server collation_connection collation_database collation_server default_week_format
        div_precision_increment group_concat_max_len innodb_version lc_time_names lower_case_table_names
        max_allowed_packet max_execution_time max_statement_time read_only sql_mode sql_select_limit system_time_zone
        time_zone timestamp transaction_isolation transaction_read_only tx_isolation tx_read_only version
        version_comment
        """
    ),
}
"""Settings that tell how values are read or shown; the others may hold paths and secrets."""


def check_setting(name: str, dialect: str) -> None:
    """Raises `Refusal` unless the setting is one that only tells how values are read or shown."""
    if name.lower() not in SETTINGS.get(dialect, frozenset()):
        raise Refusal(RefusalCode.SETTING, f"The setting {name} may hold paths or secrets and may not be read.")


def check_relation(parts: tuple[str, ...], dialect: str) -> None:
    """Raises `Refusal` if the relation is a part of the catalog that may not be read, or really a file.

    Args:
        parts: The name as written, from the catalog or schema down to the relation, without quotes.
        dialect: The engine.
    """
    lowered = tuple(part.lower() for part in parts)
    name, schema = lowered[-1], lowered[-2] if len(lowered) > 1 else ""
    allowed = True
    match dialect:
        case "postgres":
            allowed = _postgres(name, schema)
        case "mysql":
            allowed = schema not in ("mysql", "performance_schema", "sys")
            allowed = allowed and (schema != "information_schema" or name in _MYSQL_INFORMATION_SCHEMA)
        case "duckdb":
            _not_a_file(parts)
            system = name.startswith(("duckdb_", "pg_", "pragma_", "sqlite_"))
            allowed = name in _DUCKDB_RELATIONS if system or schema == "pg_catalog" else True
        case "sqlite":
            allowed = _sqlite(name)
        case "tsql":
            allowed = ("sys" not in lowered[:-1] or name in _TSQL_SYS) and not name.startswith("sys") and len(parts) < 4
        case "snowflake":
            allowed = lowered[0] != "snowflake" and not any(part.startswith("@") for part in parts)
        case "trino":
            allowed = not (len(parts) == 3 and lowered[0] == "system")
        case _:
            allowed = _others(lowered, dialect)
    if not allowed:
        shown = ".".join(parts)
        raise Refusal(
            RefusalCode.CATALOG,
            f"{shown} is a part of the database's own catalog that may hold secrets, paths or other people's queries.",
        )


def _others(parts: tuple[str, ...], dialect: str) -> bool:
    """The rules of engines of the generic connector; parts in lower case."""
    name, qualifiers = parts[-1], parts[:-1]
    match dialect:
        case "bigquery":
            return "information_schema" not in ".".join(parts).split(".")[:-1] or (
                name.rpartition(".")[2] in _BIGQUERY_INFORMATION_SCHEMA
            )
        case "oracle":
            own = name.startswith(("v$", "gv$", "v_$", "gv_$", "x$", "dba_", "cdb_", "user$", "link$"))
            return (
                not own and not {"sys", "system", "dbsnmp", "xdb"} & set(qualifiers) and not name.startswith("all_db")
            )
        case "databricks":
            path = bool(_PATH_CHARACTERS & set("".join(parts))) or bool(_DATABRICKS_FORMATS & set(qualifiers))
            return not path and (parts[0] != "system" or "information_schema" in qualifiers)
        case "clickhouse":
            return "system" not in qualifiers or name in _CLICKHOUSE_SYSTEM
        case "redshift":
            return not name.startswith(("stl_", "stv_", "svl_", "svcs_", "sys_", "svv_external")) and _postgres(
                name, qualifiers[-1] if qualifiers else ""
            )
    if qualifiers and qualifiers[-1] == "information_schema":
        return name in _PLAIN_INFORMATION_SCHEMA
    return not any(part.startswith(_SYSTEM_PREFIXES) for part in parts)


def _postgres(name: str, schema: str) -> bool:
    if schema == "information_schema":
        return not name.startswith(_PG_INFORMATION_SCHEMA_REFUSED)
    if schema.startswith("pg_toast"):
        return False
    return name in _PG_RELATIONS if name.startswith("pg_") or schema == "pg_catalog" else True


def _sqlite(name: str) -> bool:
    from tabulaflow_core.data.guard.functions import table_functions

    if name.startswith("sqlite_"):
        return name in _SQLITE_RELATIONS
    if name.startswith("pragma_"):
        return name in table_functions("sqlite")
    return name not in _SQLITE_VIRTUAL_REFUSED


def _not_a_file(parts: tuple[str, ...]) -> None:
    """DuckDB reads a file where a table of that name is missing, also for `folder.csv` without quotes."""
    whole = ".".join(parts)
    ending = whole.rpartition(".")[2].lower().strip() if "." in whole else ""
    if ending in _FILE_ENDINGS or _PATH_CHARACTERS & set(whole) or "://" in whole:
        raise Refusal(
            RefusalCode.FILE,
            f"{whole!r} in place of a table would read a file. Ask for a table of the source instead.",
        )
