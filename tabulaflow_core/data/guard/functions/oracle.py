"""Built-in functions of Oracle that only compute.

Source: the SQL Language Reference, single-row, aggregate and analytic functions. Left out: whatever takes a URL, a
table or a directory by name (`XMLTYPE` as a constructor, `BFILENAME`, `HTTPURITYPE`), and every package.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.names import names

SCALARS: tuple[str, ...] = names(
    """
    abs acos add_months any_value approx_count_distinct ascii asciistr asin atan atan2 avg bitand cardinality cast
    ceil chr coalesce collect compose concat convert corr cos cosh count covar_pop covar_samp cume_dist
    current_date current_timestamp dbtimezone decode decompose dense_rank dump empty_blob empty_clob exists exp
    extract first first_value floor from_tz greatest group_id grouping grouping_id hextoraw initcap instr instr2
    instr4 instrb instrc json_array json_arrayagg json_dataguide json_exists json_mergepatch json_object
    json_objectagg json_query json_scalar json_serialize json_table json_transform json_value lag last last_day
    last_value lead least length length2 length4 lengthb lengthc listagg ln lnnvl localtimestamp log lower lpad
    ltrim max median min mod months_between nanvl nchr new_time next_day nls_initcap nls_lower nls_upper nlssort
    nth_value ntile nullif numtodsinterval numtoyminterval nvl nvl2 ora_hash percent_rank percentile_cont
    percentile_disc power rank ratio_to_report rawtohex regexp_count regexp_instr regexp_like regexp_replace
    regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
    remainder replace round row_number rowidtochar rpad rtrim sessiontimezone sign sin sinh skewness_pop
    skewness_samp soundex sqrt standard_hash stats_mode stddev stddev_pop stddev_samp substr substr2 substr4
    substrb substrc sum sys_connect_by_path sys_extract_utc sys_guid sysdate systimestamp tan tanh
    to_binary_double to_binary_float to_char to_clob to_date to_dsinterval to_lob to_multi_byte to_nchar to_nclob
    to_number to_single_byte to_timestamp to_timestamp_tz to_yminterval translate trim trunc tz_offset uid unistr
    upper user validate_conversion var_pop var_samp variance vsize width_bucket xmlagg xmlelement xmlforest
    """
)
"""Functions and aggregates, sorted."""

TABLES: tuple[str, ...] = names(
    """
    json_table xmltable
    """
)
"""Functions that may stand in FROM, sorted."""
