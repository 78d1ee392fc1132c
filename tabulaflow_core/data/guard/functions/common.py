"""Functions that only compute, in the dialects that have no table of their own.

Source: the function lists in the manuals of T-SQL, Snowflake, BigQuery and Trino.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.names import names

SCALARS: tuple[str, ...] = names(
    """
    abs acos any_value approx_count_distinct approx_distinct approx_percentile approx_quantiles approx_top_count
    array_agg array_append array_cat array_compact array_concat array_construct array_contains array_distinct
    array_except array_intersect array_join array_length array_max array_min array_position array_remove
    array_size array_slice array_sort array_to_string array_union arrays_overlap ascii asin atan atan2 avg bit_and
    bit_count bit_or bit_xor booland_agg boolor_agg cardinality cast cbrt ceil ceiling char char_length
    character_length charindex checksum_agg choose chr coalesce collate concat concat_ws contains corr cos
    cosine_distance cot count count_big count_if countif covar_pop covar_samp cume_dist current_date
    current_datetime current_time current_timestamp current_user date date_add date_diff date_format date_part
    date_sub date_trunc dateadd datediff datediff_big datefromparts datename datepart datetime datetime_add
    datetime_diff datetime_sub datetime_trunc datetimefromparts datetrunc day day_name day_of_week day_of_year
    dayname dayofmonth dayofweek dayofyear degrees dense_rank difference div div0 div0null editdistance element_at
    ends_with endswith eomonth exists exp extract farm_fingerprint filter first_value flatten floor format
    format_date format_datetime format_timestamp from_hex from_iso8601_date from_iso8601_timestamp from_unixtime
    from_utf8 generate_array generate_date_array generate_timestamp_array generate_uuid generator get get_path
    getdate getutcdate greatest grouping grouping_id hashbytes hex histogram hour ieee_divide if iff ifnull iif
    initcap instr is_inf is_nan isdate isjson isnull isnumeric json_agg json_array json_array_length json_extract
    json_extract_array json_extract_scalar json_extract_string_array json_format json_keys json_modify json_object
    json_parse json_query json_query_array json_size json_value json_value_array kurtosis lag last_day last_value
    lcase lead least left len length listagg ln log log10 log2 logical_and logical_or lower lpad ltrim make_date
    map map_agg map_entries map_filter map_from_entries map_keys map_values max max_by md5 median min min_by
    minute mod mode month monthname nchar newid next_day now nth_value ntile nullif nullifzero nvl nvl2 object_agg
    object_construct object_keys offset ordinal parse_date parse_datetime parse_json parse_timestamp parsename
    patindex percent_rank percentile_cont percentile_disc pi position pow power quarter quotename radians rand
    random range_bucket rank ratio_to_report reduce regexp_contains regexp_count regexp_extract regexp_extract_all
    regexp_instr regexp_like regexp_replace regexp_split regexp_substr repeat replace replicate reverse right
    round row row_number rpad rtrim safe_add safe_divide safe_multiply safe_negate safe_offset safe_ordinal
    safe_subtract seq1 seq2 seq4 seq8 sequence sha1 sha2 sha256 sha512 sign sin skewness slice soundex space split
    split_part split_to_table sqrt square starts_with startswith stddev stddev_pop stddev_samp stdev stdevp str
    str_replace strftime string string_agg string_split strip_null_value strpos strtok struct stuff substr
    substring sum switchoffset sysdatetime sysdatetimeoffset sysutcdatetime tan time time_add time_diff time_slice
    time_sub time_trunc timestamp timestamp_add timestamp_diff timestamp_micros timestamp_millis timestamp_seconds
    timestamp_sub timestamp_trunc timestampadd timestampdiff to_array to_boolean to_char to_date to_decimal
    to_double to_hex to_iso8601 to_json to_json_string to_number to_object to_time to_timestamp to_timestamp_ltz
    to_timestamp_ntz to_timestamp_tz to_unixtime to_utf8 to_varchar to_variant todatetimeoffset transform
    translate trim trunc truncate try try_cast try_parse try_to_date try_to_decimal try_to_number try_to_timestamp
    typeof ucase unicode unix_date unix_millis unix_seconds unnest upper url_extract_host url_extract_parameter
    url_extract_path uuid var var_pop var_samp variance varp week weekofyear width_bucket year year_of_week
    yearofweek zeroifnull zip
    """
)
"""Functions and aggregates, sorted."""

TABLES: tuple[str, ...] = names(
    """
    flatten generate_array generate_date_array generate_series generator openjson sequence split_to_table
    string_split table unnest
    """
)
"""Functions that may stand in FROM, sorted."""
