"""Words that a person says mean no value: their cells are emptied in the stage, before any type is decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tabulaflow_core.data.files.convert import TRIMMED, literal
from tabulaflow_core.data.files.storage import Workbench

#: Columns that one query looks at.
_TOGETHER: Final = 200


def empty_cells(bench: Workbench, sources: Sequence[str], words: Sequence[str]) -> None:
    """Empty the cells of `stage` that hold one of the words alone, and count them in `bench.emptied`.

    Cells are compared without outer blanks and without case. What was counted before is added to, since the types
    of a table may be decided more than once.

    Args:
        sources: Columns of `stage`, which must be a table.
        words: As a person gave them.
    """
    wanted = [word.strip(TRIMMED) for word in words if word.strip(TRIMMED)]
    if not wanted:
        return
    listed = ", ".join(f"lower({literal(word)})" for word in wanted)
    blanks = literal(TRIMMED)
    for start in range(0, len(sources), _TOGETHER):
        some = sources[start : start + _TOGETHER]
        found = bench.rows(
            f"SELECT place, word, count(*) FROM (SELECT place, trim(v, {blanks}) AS word FROM (SELECT "
            f"unnest([{', '.join(map(literal, some))}]) AS place, unnest([{', '.join(some)}]) AS v FROM stage)) "
            f"WHERE lower(word) IN ({listed}) GROUP BY place, word ORDER BY place, 3 DESC, word"
        )
        for place, word, count in found:
            counts = bench.emptied.setdefault(str(place), {})
            counts[str(word)] = counts.get(str(word), 0) + int(str(count))
        for source in dict.fromkeys(str(place) for place, *_ in found):
            bench.execute(f"UPDATE stage SET {source} = NULL WHERE lower(trim({source}, {blanks})) IN ({listed})")
