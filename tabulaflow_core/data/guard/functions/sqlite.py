"""Built-in SQLite functions that only compute, to version 3.51, with those of FTS5, JSON and math.

Source: the pages on core, aggregate, window, date, math and JSON functions of the SQLite documentation.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.names import names

SCALARS: tuple[str, ...] = names(
    """
    abs acos acosh asin asinh atan atan2 atanh avg bm25 cast ceil ceiling changes char coalesce concat
    concat_ws cos cosh count cume_dist current_date current_time current_timestamp date datetime degrees
    dense_rank exists exp first_value floor format glob group_concat hex highlight if ifnull iif instr json
    json_array json_array_insert json_array_length json_error_position json_extract json_group_array
    json_group_object json_insert json_object json_patch json_pretty json_quote json_remove json_replace
    json_set json_type json_valid jsonb jsonb_array jsonb_array_insert jsonb_extract jsonb_group_array
    jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set julianday
    lag last_insert_rowid last_value lead length like likelihood likely ln log log10 log2 lower ltrim match
    matchinfo max median min mod nth_value ntile nullif octet_length offsets percent_rank percentile
    percentile_cont percentile_disc pi pow power printf quote radians random randomblob rank regexp replace
    round row_number rtreedepth rtrim sign sin sinh snippet soundex sqlite_compileoption_get
    sqlite_compileoption_used sqlite_source_id sqlite_version sqrt strftime string_agg substr substring
    subtype sum tan tanh time timediff total total_changes trim trunc typeof unhex unicode unistr unistr_quote
    unixepoch unlikely upper zeroblob
    """
)
"""Functions and aggregates, sorted."""

TABLES: tuple[str, ...] = names(
    """
    generate_series json_each json_tree jsonb_each jsonb_tree pragma_application_id pragma_collation_list
    pragma_compile_options pragma_data_version pragma_encoding pragma_foreign_key_check
    pragma_foreign_key_list pragma_foreign_keys pragma_freelist_count pragma_function_list
    pragma_index_info pragma_index_list pragma_index_xinfo pragma_integrity_check pragma_module_list
    pragma_page_count pragma_page_size pragma_pragma_list pragma_quick_check pragma_schema_version
    pragma_table_info pragma_table_list pragma_table_xinfo pragma_user_version
    """
)
"""Functions that may stand in FROM, sorted."""
