"""Built-in functions of Redshift that only compute.

Source: the SQL functions reference. Left out: the leader node's functions of PostgreSQL that read its catalogue or
files, system administration functions, and functions of the user, which may call a Lambda.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.names import names

SCALARS: tuple[str, ...] = names(
    """
    abs acos add_months any_value approximate array array_concat array_flatten ascii asin atan atan2 avg bit_and
    bit_or bool_and bool_or bpcharcmp btrim cast cbrt ceil ceiling char_length character_length charindex checksum
    chr coalesce collate concat convert convert_timezone cos cot count crc32 cume_dist current_database
    current_date current_schema current_time current_timestamp current_user date date_cmp date_part date_part_year
    date_trunc dateadd datediff decode degrees dense_rank difference exists exp extract first_value floor fnv_hash
    from_hex func_sha1 get_array_length get_number_attributes getdate greatest initcap interval_cmp is_array
    is_object is_scalar is_valid_json is_valid_json_array isnull json_array_length json_extract_array_element_text
    json_extract_path_text json_parse json_serialize json_size lag last_day last_value lead least left len length
    listagg ln log lower lpad ltrim max md5 median min mod months_between next_day nth_value ntile nullif nvl nvl2
    octet_length percent_rank percentile_cont percentile_disc pi position pow power quote_ident quote_literal
    radians random rank ratio_to_report regexp_count regexp_instr regexp_replace regexp_substr repeat replace
    replicate reverse right round row_number rpad rtrim sha sha1 sha2 sign sin size soundex split_part
    split_to_array sqrt stddev stddev_pop stddev_samp strpos strtol subarray substr substring sum sysdate tan
    textlen timeofday timestamp_cmp timezone to_char to_date to_hex to_number to_timestamp to_varbyte translate
    trim trunc try_cast unnest upper var_pop var_samp variance version width_bucket
    """
)
"""Functions and aggregates, sorted."""

TABLES: tuple[str, ...] = names(
    """
    generate_series unnest
    """
)
"""Functions that may stand in FROM, sorted."""
