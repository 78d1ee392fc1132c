"""Built-in MariaDB and MySQL functions that only compute.

Source: the function indexes of the MariaDB knowledge base (11.8) and of the MySQL manual (9.x), read through by
hand. Left out: files, locks, waits, replication, sequences, the server's own keys and `sys`.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.names import names

SCALARS: tuple[str, ...] = names(
    """
    abs acos add_months adddate addtime aes_decrypt aes_encrypt all any any_value area as_binary as_text
    as_wkb as_wkt asbinary ascii asin astext aswkb aswkt atan atan2 avg bin bin_to_uuid binary bit_and
    bit_count bit_length bit_or bit_xor cast ceil ceiling centroid char char_length character_length charset
    chr coalesce coercibility collation column_check column_create column_exists column_get column_json
    column_list compress concat concat_ws connection_id conv convert convert_tz convexhull cos cot count crc32
    crc32c cume_dist curdate current_date current_role current_time current_timestamp current_user curtime
    database date date_add date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear decode
    decode_oracle default degrees dense_rank dimension distance elt encode endpoint envelope equals exists exp
    export_set extract extractvalue field find_in_set first_value floor format format_bytes format_pico_time
    found_rows from_base64 from_days from_unixtime geometrycollection geometrytype get_format glength greatest
    group_concat grouping hex hour if ifnull in inet6_aton inet6_ntoa inet_aton inet_ntoa insert instr
    interval is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 is_uuid isclosed isempty isnull isring issimple
    json_array json_array_append json_array_insert json_array_intersect json_arrayagg json_compact
    json_contains json_contains_path json_depth json_detailed json_equals json_exists json_extract json_insert
    json_key_value json_keys json_length json_loose json_merge json_merge_patch json_merge_preserve
    json_normalize json_object json_object_filter_keys json_object_to_array json_objectagg json_overlaps
    json_pretty json_query json_quote json_remove json_replace json_schema_valid json_schema_validation_report
    json_search json_set json_storage_free json_storage_size json_table json_type json_unquote json_valid
    json_value kdf lag last_day last_insert_id last_value lcase lead least left length lengthb linestring ln
    localtime localtimestamp locate log log10 log2 lower lpad ltrim make_set makedate maketime match max
    mbrcontains mbrequal mbrintersects mbrwithin md5 median microsecond mid min minute mod month monthname
    months_between multilinestring multipoint multipolygon name_const natural_sort_key now nth_value ntile
    nullif numgeometries numinteriorrings numpoints nvl nvl2 oct octet_length ord percent_rank percentile_cont
    percentile_disc period_add period_diff pi point polygon position pow power quarter quote radians rand
    random_bytes rank regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse right round
    row row_count row_number rownum rpad rtrim schema sec_to_time second session_user sformat sha sha1 sha2
    sign sin some soundex space sqrt srid st_area st_asbinary st_asgeojson st_astext st_aswkb st_aswkt
    st_boundary st_buffer st_centroid st_collect st_contains st_convexhull st_crosses st_difference
    st_dimension st_disjoint st_distance st_distance_sphere st_endpoint st_envelope st_equals st_exteriorring
    st_frechetdistance st_geohash st_geomcollfromtext st_geometryfromtext st_geometryn st_geometrytype
    st_geomfromgeojson st_geomfromtext st_geomfromwkb st_hausdorffdistance st_interiorringn st_intersection
    st_intersects st_isclosed st_isempty st_isring st_issimple st_isvalid st_latfromgeohash st_latitude
    st_length st_linefromtext st_lineinterpolatepoint st_linestringfromtext st_longfromgeohash st_longitude
    st_makeenvelope st_mlinefromtext st_mpointfromtext st_mpolyfromtext st_numgeometries st_numinteriorring
    st_numinteriorrings st_numpoints st_overlaps st_perimeter st_pointatdistance st_pointfromgeohash
    st_pointfromtext st_pointn st_pointonsurface st_polyfromtext st_polygonfromtext st_relate st_simplify
    st_srid st_startpoint st_swapxy st_symdifference st_touches st_transform st_union st_validate st_within
    st_x st_y startpoint std stddev stddev_pop stddev_samp str_to_date strcmp string_to_vector subdate substr
    substring substring_index subtime sum sys_guid sysdate system_user tan time time_format time_to_sec
    timediff timestamp timestampadd timestampdiff to_base64 to_char to_date to_days to_number to_seconds trim
    trunc truncate ucase uncompress uncompressed_length unhex unix_timestamp updatexml upper user utc_date
    utc_time utc_timestamp uuid uuid_short uuid_to_bin uuid_v4 uuid_v7 validate_password_strength value values
    var_pop var_samp variance vec_distance vec_distance_cosine vec_distance_euclidean vec_fromtext vec_totext
    vector_dim vector_to_string version week weekday weekofyear weight_string x y year yearweek
    """
)
"""Functions and aggregates, sorted."""

TABLES: tuple[str, ...] = names(
    """
    json_table
    """
)
"""Functions that may stand in FROM, sorted."""
