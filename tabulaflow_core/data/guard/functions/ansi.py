"""Functions of the SQL standard that only compute, for engines that are not known by name.

A short list: what an engine makes of any other name cannot be known.
"""

from __future__ import annotations

from tabulaflow_core.data.guard.names import names

SCALARS: tuple[str, ...] = names(
    """
    abs avg cast ceil ceiling char_length character_length coalesce concat count cume_dist current_date
    current_time current_timestamp dense_rank exists exp extract first_value floor greatest grouping lag
    last_value lead least ln lower max min mod nth_value ntile nullif octet_length percent_rank percentile_cont
    percentile_disc position power rank replace round row_number sqrt stddev_pop stddev_samp substring sum trim
    upper var_pop var_samp
    """
)
"""Functions and aggregates, sorted."""

TABLES: tuple[str, ...] = names(
    """
    unnest
    """
)
"""Functions that may stand in FROM, sorted."""
