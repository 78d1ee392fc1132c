"""Built-in functions of Databricks SQL that only compute.

Source: the alphabetical list of built-in functions. Left out: whatever reads files, tables by name or the network
(`read_files`, `http_request`, `ai_query`, `secret`, `reflect`, `java_method`).
"""

from __future__ import annotations

from tabulaflow_core.data.guard.names import names

SCALARS: tuple[str, ...] = names(
    """
    abs acos acosh add_months aggregate any any_value approx_count_distinct approx_percentile approx_top_k array
    array_agg array_append array_compact array_contains array_distinct array_except array_insert array_intersect
    array_join array_max array_min array_position array_prepend array_remove array_repeat array_size array_sort
    array_union arrays_overlap arrays_zip ascii asin asinh atan atan2 atanh avg base64 bigint bin binary bit_and
    bit_count bit_length bit_or bit_xor bool_and bool_or boolean bround btrim cardinality cast cbrt ceil ceiling
    char char_length character_length charindex chr coalesce collect_list collect_set concat concat_ws contains
    conv convert_timezone corr cos cosh cot count count_if count_min_sketch covar_pop covar_samp crc32 csc
    cume_dist curdate current_catalog current_database current_date current_schema current_timestamp
    current_timezone current_user date date_add date_diff date_format date_from_unix_date date_part date_sub
    date_trunc dateadd datediff day dayname dayofmonth dayofweek dayofyear decimal decode degrees dense_rank div
    double e element_at elt encode endswith equal_null every exists exp explode explode_outer expm1 extract
    factorial filter find_in_set first first_value flatten float floor forall format_number format_string from_csv
    from_json from_unixtime from_utc_timestamp get get_json_object getdate greatest grouping grouping_id hash hex
    hour hypot if iff ifnull in initcap inline instr int isnan isnotnull isnull json_array_length json_object_keys
    json_tuple kurtosis lag last last_day last_value lcase lead least left len length levenshtein like listagg ln
    localtimestamp locate log log10 log1p log2 lower lpad ltrim make_date make_dt_interval make_interval
    make_timestamp make_ym_interval map map_concat map_contains_key map_entries map_filter map_from_arrays
    map_from_entries map_keys map_values map_zip_with mask max max_by md5 mean median min min_by minute mod mode
    monotonically_increasing_id month months_between named_struct nanvl negative next_day now nth_value ntile
    nullif nullifzero nvl nvl2 octet_length overlay parse_json parse_url percent_rank percentile percentile_approx
    percentile_cont percentile_disc pi pmod posexplode position positive pow power printf quarter radians rand
    randn rank reduce regexp regexp_count regexp_extract regexp_extract_all regexp_instr regexp_like
    regexp_replace regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx
    regr_sxy regr_syy repeat replace reverse right rint rlike round row_number rpad rtrim schema_of_json sec
    second sentences sequence sha sha1 sha2 shiftleft shiftright sign signum sin sinh size skewness slice smallint
    some sort_array soundex space split split_part sqrt stack startswith std stddev stddev_pop stddev_samp
    str_to_map string string_agg struct substr substring substring_index sum tan tanh timediff timestamp
    timestamp_micros timestamp_millis timestamp_seconds timestampadd timestampdiff tinyint to_char to_csv to_date
    to_json to_number to_timestamp to_unix_timestamp to_utc_timestamp to_varchar to_variant_object transform
    transform_keys transform_values translate trim trunc try_add try_avg try_cast try_divide try_element_at
    try_multiply try_subtract try_sum try_to_number try_to_timestamp try_variant_get typeof ucase unbase64 unhex
    unix_date unix_micros unix_millis unix_seconds unix_timestamp upper url_decode url_encode uuid var_pop
    var_samp variance variant_get weekday weekofyear width_bucket window xpath xpath_boolean xpath_double
    xpath_int xpath_string xxhash64 year zeroifnull zip_with
    """
)
"""Functions and aggregates, sorted."""

TABLES: tuple[str, ...] = names(
    """
    explode explode_outer inline json_tuple posexplode range stack
    """
)
"""Functions that may stand in FROM, sorted."""
