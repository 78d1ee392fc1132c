"""What a model may see of a source's schema, and what of it is kept from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from tabulaflow_core.data.hiding.facts import Facts
from tabulaflow_core.data.hiding.patterns import DEFAULT_SCHEMAS, HiddenColumns
from tabulaflow_core.data.hiding.views import Known, hidden_in_view
from tabulaflow_core.data.schema import ForeignKey, SourceSchema, TableSchema

#: Relations of the engines that hold values of any column.
_STATISTICS: Final = ("pg_stats", "pg_statistic", "pg_stats_ext", "pg_stats_ext_exprs", "pg_statistic_ext_data")


@dataclass(frozen=True, slots=True)
class Sight:
    """A schema without its hidden columns.

    Attributes:
        full: As the source has it.
        schema: What the model is told.
        hidden: Hidden columns by the place of their table in `full`; tables without any are left out.
        closed: Places of views of which nothing may be seen.
        defaults: Names of the schema that a table without one stands in.
    """

    full: SourceSchema
    schema: SourceSchema
    hidden: Mapping[int, frozenset[str]] = field(default_factory=dict)
    closed: frozenset[int] = frozenset()
    defaults: tuple[str, ...] = ()
    _by_name: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def blind(self) -> bool:
        """Something is hidden."""
        return bool(self.hidden or self.closed)

    def names(self) -> frozenset[str]:
        """The hidden names in lower case."""
        return frozenset(name.casefold() for names in self.hidden.values() for name in names)

    def places(self, parts: tuple[str, ...]) -> list[int]:
        """The tables that a name may mean, whatever its case."""
        *path, name = (part.casefold() for part in parts)
        return [
            place
            for place in self._by_name.get(name, ())
            if _in(self.full.tables[place], ".".join(path), self.defaults)
        ]


def _in(table: TableSchema, path: str, defaults: tuple[str, ...]) -> bool:
    if not path:
        return True
    if table.schema:
        own = table.schema.casefold()
        return path == own or own.endswith(f".{path}") or path.endswith(f".{own}")
    last = path.rpartition(".")[2]
    return last in {name.casefold() for name in defaults} | {"main", "temp"}


def sight_of(full: SourceSchema, patterns: HiddenColumns, facts: Facts | None) -> Sight:
    """Look at `full` through `patterns`.

    Args:
        facts: None when the source was not asked yet: then every view is closed once anything is hidden.
    """
    by_name: dict[str, list[int]] = {}
    for place, table in enumerate(full.tables):
        by_name.setdefault(table.name.casefold(), []).append(place)
    index = {name: tuple(places) for name, places in by_name.items()}
    defaults = facts.defaults if facts is not None else DEFAULT_SCHEMAS
    hidden = {
        place: found for place, table in enumerate(full.tables) if (found := patterns.of(table, defaults=defaults))
    }
    sight = Sight(full, full, hidden, frozenset(), defaults, index)
    if not hidden:
        return sight
    closed = _look_into_views(sight, hidden, facts)
    closed |= {p for p, names in hidden.items() if len(names) == len(full.tables[p].columns)}
    mention = _mention(sight.names())
    shown = tuple(
        _without(table, hidden.get(place, frozenset()), sight, mention)
        for place, table in enumerate(full.tables)
        if place not in closed
    )
    return replace(sight, schema=SourceSchema(shown), closed=frozenset(closed))


def _look_into_views(sight: Sight, hidden: dict[int, frozenset[str]], facts: Facts | None) -> set[int]:
    """Add the columns of views that show hidden ones to `hidden`, and return the views that are closed."""
    tables = sight.full.tables
    views = {p: t for p, t in enumerate(tables) if t.kind in ("view", "materialized_view")}
    if facts is None:
        return set(views)
    texts = {p: facts.view(view.schema, view.name) for p, view in views.items()}
    waiting = {p for p, text in texts.items() if not text} | _suspects(
        {tables[p].name for p in hidden}, {p: text for p, text in texts.items() if text}, sight
    )

    def find(parts: tuple[str, ...]) -> list[Known] | None:
        places = sight.places(parts)
        return [(tables[p], hidden.get(p, frozenset()), p in waiting) for p in places] or None

    # A view over views is looked at after those; what waits at the end stands on something unknown.
    settled = True
    while settled:
        settled = False
        for place in sorted(waiting):
            shown = hidden_in_view(tables[place], texts[place], dialect=facts.dialect, find=find)
            if shown is None:
                continue
            waiting.discard(place)
            settled = True
            if shown := hidden.get(place, frozenset()) | shown:
                hidden[place] = shown
    return waiting


def _suspects(names: set[str], texts: Mapping[int, str], sight: Sight) -> set[int]:
    """The views whose text holds one of `names`, or the name of another such view; the others need no parser."""
    out: set[int] = set()
    fresh = names | set(_STATISTICS)
    while fresh:
        mention = _mention(frozenset(name.casefold() for name in fresh))
        found = {p for p, text in texts.items() if p not in out and mention.search(text.casefold())}
        out |= found
        fresh = {sight.full.tables[p].name for p in found}
    return out


def _without(table: TableSchema, hidden: frozenset[str], sight: Sight, mention: re.Pattern[str]) -> TableSchema:
    """`table` without its hidden columns, and without keys and remarks that name any."""
    keys = tuple(key for key in table.foreign_keys if not set(key.columns) & hidden and not _hides_target(key, sight))
    columns = tuple(
        replace(column, comment="") if mention.search(column.comment.casefold()) else column
        for column in table.columns
        if column.name not in hidden
    )
    comment = "" if mention.search(table.comment.casefold()) else table.comment
    if (columns, keys, comment) == (table.columns, table.foreign_keys, table.comment):
        return table
    primary_key = () if set(table.primary_key) & hidden else table.primary_key
    return replace(table, columns=columns, foreign_keys=keys, primary_key=primary_key, comment=comment)


def _hides_target(key: ForeignKey, sight: Sight) -> bool:
    parts = (key.target_schema, key.target_table) if key.target_schema else (key.target_table,)
    return any(set(key.target_columns) & sight.hidden.get(p, frozenset()) for p in sight.places(parts))


def _mention(names: frozenset[str]) -> re.Pattern[str]:
    """What finds one of `names`, which are in lower case, as a word of its own."""
    spelled = {form for name in names for form in (name, name.replace('"', '""'), name.replace("`", "``"))}
    listed = "|".join(re.escape(name) for name in sorted(spelled, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)")
