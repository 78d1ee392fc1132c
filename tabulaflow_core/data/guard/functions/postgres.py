"""Built-in PostgreSQL functions that only compute.

Taken from `pg_proc` of PostgreSQL 15 (immutable and stable functions, aggregates and window functions, without
those of the engine's own machinery), read through by hand, with the later ones of the manual to version 18 and the
well-known ones of pg_trgm, fuzzystrmatch, unaccent, hstore and pgcrypto. Left out: whatever takes SQL or a table
by name as text, reads files or settings, or shows what other sessions do.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.names import names

SCALARS: tuple[str, ...] = names(
    """
    abbrev abs aclexplode acos acosd acosh age akeys all any any_value area array array_agg array_append
    array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions
    array_prepend array_remove array_replace array_reverse array_sample array_shuffle array_sort
    array_to_json array_to_string array_to_tsvector array_upper ascii asin asind asinh atan atan2 atan2d
    atand atanh avals avg bit bit_and bit_count bit_length bit_or bit_xor bool bool_and bool_or bound_box
    box bpchar btrim cardinality casefold cash_words cast cbrt ceil ceiling center char char_length
    character_length chr cidr circle clock_timestamp coalesce col_description concat concat_ws convert
    convert_from convert_to corr cos cosd cosh cot cotd count covar_pop covar_samp crc32 crc32c cume_dist
    current_database current_date current_schema current_schemas current_time current_timestamp
    current_user daitch_mokotoff date date_add date_bin date_part date_subtract date_trunc datemultirange
    daterange decode degrees dense_rank dexp diagonal diameter difference digest div dlog1 dlog10
    dmetaphone dmetaphone_alt dround dtrunc encode enum_first enum_last enum_range erf erfc every exists
    exp extract factorial family first_value float4 float8 floor format format_type gamma gcd
    gen_random_uuid generate_series generate_subscripts get_bit get_byte get_current_ts_config
    getdatabaseencoding greatest grouping has_any_column_privilege has_column_privilege
    has_database_privilege has_foreign_data_wrapper_privilege has_function_privilege
    has_language_privilege has_parameter_privilege has_schema_privilege has_sequence_privilege
    has_server_privilege has_table_privilege has_tablespace_privilege has_type_privilege hashint4 hashint8
    hashtext hashtextextended height hmac host hostmask hstore_to_json inet_merge inet_same_family initcap
    int2 int4 int4multirange int4range int8 int8multirange int8range interval is_normalized isclosed
    isempty isfinite ishorizontal isopen isparallel isperp isvertical json json_agg json_agg_strict
    json_array json_array_elements json_array_elements_text json_array_length json_arrayagg
    json_build_array json_build_object json_each json_each_text json_exists json_extract_path
    json_extract_path_text json_object json_object_agg json_object_agg_strict json_object_agg_unique
    json_object_keys json_objectagg json_populate_record json_populate_recordset json_query json_scalar
    json_serialize json_strip_nulls json_table json_to_record json_to_recordset json_to_tsvector
    json_typeof json_value jsonb_agg jsonb_agg_strict jsonb_array_elements jsonb_array_elements_text
    jsonb_array_length jsonb_build_array jsonb_build_object jsonb_concat jsonb_contains jsonb_delete
    jsonb_delete_path jsonb_each jsonb_each_text jsonb_exists jsonb_extract_path jsonb_extract_path_text
    jsonb_insert jsonb_object jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique
    jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz
    jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first
    jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record jsonb_populate_recordset
    jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset
    jsonb_to_tsvector jsonb_typeof justify_days justify_hours justify_interval lag last_value lcm lead
    least left length levenshtein levenshtein_less_equal lgamma like like_escape line ln localtime
    localtimestamp log log10 lower lower_inc lower_inf lpad lseg ltrim macaddr macaddr8 macaddr8_set7bit
    make_date make_interval make_time make_timestamp make_timestamptz masklen max md5 metaphone min
    min_scale mod mode money multirange multirange_cmp mxid_age name nameconcatoid netmask network
    normalize notlike now npoints nth_value ntile nullif num_nonnulls num_nulls numeric numeric_div_trunc
    numeric_exp numeric_ln numeric_log numeric_sqrt nummultirange numnode numrange obj_description
    octet_length oid oidvectortypes overlaps overlay parse_ident path pclose percent_rank percentile_cont
    percentile_disc pg_available_extensions pg_backend_pid pg_char_to_encoding pg_client_encoding
    pg_collation_for pg_collation_is_visible pg_column_compression pg_column_is_updatable pg_column_size
    pg_conf_load_time pg_conversion_is_visible pg_current_snapshot pg_current_xact_id_if_assigned
    pg_database_size pg_describe_object pg_encoding_max_length pg_encoding_to_char pg_function_is_visible
    pg_get_constraintdef pg_get_expr pg_get_function_arg_default pg_get_function_arguments
    pg_get_function_identity_arguments pg_get_function_result pg_get_function_sqlbody pg_get_functiondef
    pg_get_indexdef pg_get_keywords pg_get_object_address pg_get_partition_constraintdef pg_get_partkeydef
    pg_get_replica_identity_index pg_get_ruledef pg_get_serial_sequence pg_get_statisticsobjdef
    pg_get_statisticsobjdef_columns pg_get_statisticsobjdef_expressions pg_get_triggerdef pg_get_userbyid
    pg_get_viewdef pg_has_role pg_identify_object pg_identify_object_as_address
    pg_index_column_has_property pg_index_has_property pg_indexam_has_property pg_indexes_size
    pg_is_in_recovery pg_is_other_temp_schema pg_jit_available pg_lsn pg_my_temp_schema
    pg_opclass_is_visible pg_operator_is_visible pg_opfamily_is_visible pg_partition_ancestors
    pg_partition_root pg_partition_tree pg_postmaster_start_time pg_relation_filenode
    pg_relation_is_publishable pg_relation_is_updatable pg_relation_size pg_sequence_last_value
    pg_sequence_parameters pg_size_bytes pg_size_pretty pg_snapshot_xip pg_snapshot_xmax pg_snapshot_xmin
    pg_stat_get_dead_tuples pg_stat_get_last_analyze_time pg_stat_get_last_autoanalyze_time
    pg_stat_get_last_autovacuum_time pg_stat_get_last_vacuum_time pg_stat_get_live_tuples
    pg_stat_get_numscans pg_stat_get_tuples_deleted pg_stat_get_tuples_fetched pg_stat_get_tuples_inserted
    pg_stat_get_tuples_returned pg_stat_get_tuples_updated pg_statistics_obj_is_visible
    pg_table_is_visible pg_table_size pg_tablespace_size pg_timezone_abbrevs pg_timezone_names
    pg_total_relation_size pg_trigger_depth pg_ts_config_is_visible pg_ts_dict_is_visible
    pg_ts_parser_is_visible pg_ts_template_is_visible pg_type_is_visible pg_typeof pg_visible_in_snapshot
    pg_xact_commit_timestamp phraseto_tsquery pi plainto_tsquery point polygon popen position pow power
    querytree quote_ident quote_literal quote_nullable radians radius random random_normal range_agg
    range_intersect_agg range_merge rank regclass regexp_count regexp_instr regexp_like regexp_match
    regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx
    regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat replace
    reverse right round row row_number row_security_active row_to_json rpad rtrim scale session_user
    set_bit set_byte set_masklen setweight sha224 sha256 sha384 sha512 shobj_description show_trgm sign
    similar_escape similar_to_escape similarity sin sind sinh skeys slope some soundex split_part sqrt
    starts_with statement_timestamp stddev stddev_pop stddev_samp strict_word_similarity string_agg
    string_to_array string_to_table strip strpos substr substring sum svals tan tand tanh text textlen
    time timeofday timestamp timestamptz timetz timezone to_ascii to_bin to_char to_date to_hex to_json
    to_jsonb to_number to_oct to_regclass to_regcollation to_regnamespace to_regoper to_regoperator
    to_regproc to_regprocedure to_regrole to_regtype to_timestamp to_tsquery to_tsvector
    transaction_timestamp translate treat trim trim_array trim_scale trunc ts_debug ts_delete ts_filter
    ts_headline ts_lexize ts_parse ts_rank ts_rank_cd ts_token_type tsmultirange tsquery_cmp
    tsquery_phrase tsrange tstzmultirange tstzrange tsvector_to_array txid_current_if_assigned
    txid_current_snapshot txid_snapshot_xip txid_snapshot_xmax txid_snapshot_xmin txid_visible_in_snapshot
    unaccent unicode_assigned unicode_version unistr unnest upper upper_inc upper_inf
    uuid_extract_timestamp uuid_extract_version uuid_generate_v4 uuidv4 uuidv7 var_pop var_samp varbit
    varchar variance version websearch_to_tsquery width width_bucket word_similarity xid xml
    xml_is_well_formed xml_is_well_formed_content xml_is_well_formed_document xmlagg xmlattributes
    xmlcomment xmlconcat xmlexists xmlforest xmlparse xmlpi xmlroot xmlserialize xmltext xmlvalidate xpath
    xpath_exists
    """
)
"""Functions and aggregates, sorted."""

TABLES: tuple[str, ...] = names(
    """
    aclexplode current_schemas each generate_series generate_subscripts json_array_elements
    json_array_elements_text json_each json_each_text json_object_keys json_populate_record
    json_populate_recordset json_table json_to_record json_to_recordset jsonb_array_elements
    jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys jsonb_path_query jsonb_path_query_tz
    jsonb_populate_record jsonb_populate_recordset jsonb_to_record jsonb_to_recordset pg_get_keywords
    pg_partition_ancestors pg_partition_tree pg_timezone_abbrevs pg_timezone_names regexp_matches
    regexp_split_to_table skeys string_to_table svals ts_debug ts_parse unnest xmltable
    """
)
"""Functions that may stand in FROM, sorted."""
