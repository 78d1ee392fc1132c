"""The system prompt and what is told later: static text first, then the sources, fitted to a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final

from tabulaflow_core.agents.retrieval import ranked, scored
from tabulaflow_core.agents.schema_text import signature, table_line, table_name, was_told
from tabulaflow_core.agents.sources import Source
from tabulaflow_core.data.schema import TableSchema
from tabulaflow_core.models.tokens import estimate_tokens

#: Of the 4,000 tokens a first request may have, what is left for schemas after rules, tools and question.
SCHEMA_TOKENS: Final = 2400
#: Of these, how many the mere names of the tables that were left out may take.
_NAME_TOKENS: Final = 500
_TOGETHER: Final = (
    "One query may join tables of several sources: write source.table for each, in DuckDB's SQL, and give no source."
)
#: A follow-up adds tables that the first question did not need.
_LATER_TOKENS: Final = 900
#: Up to so many tables, every one is worth telling.
_FEW_TABLES: Final = 40


@dataclass(slots=True)
class Told:
    """Which tables the model has been told: alias -> table -> signature."""

    tables: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, source: Source, tables: Iterable[TableSchema]) -> None:
        """Remember that `tables` of `source` stand in the conversation."""
        known = self.tables.setdefault(source.alias, {})
        known.update({t.qualified_name: signature(t) for t in tables})


@cache
def template(name: str) -> str:
    """Return a prompt file of this package."""
    return (files("tabulaflow_core.agents") / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()


def system_text(
    sources: tuple[Source, ...], question: str, told: Told, *, notes: dict[str, str], instructions: str, today: date
) -> str:
    """Return the standard system prompt for a conversation that begins with `question`."""
    parts = [template("standard").replace("{today}", today.isoformat())]
    if instructions.strip():
        parts.append(instructions.strip())
    parts.append(sources_text(sources, question, told, notes=notes, budget=SCHEMA_TOKENS))
    return "\n\n".join(parts)


def sources_text(sources: tuple[Source, ...], question: str, told: Told, *, notes: dict[str, str], budget: int) -> str:
    """Return the sources with the tables that fit, those of the question first; records them in `told`."""
    if not sources:
        return "Sources: none yet. Say that the person must add data first."
    share = budget // len(sources)
    texts = [_source_text(s, question, told, notes.get(s.alias, ""), share) for s in sources]
    return "\n\n".join([*texts, _TOGETHER] if len(sources) > 1 else texts)


def _source_text(source: Source, question: str, told: Told, note: str, budget: int) -> str:
    tables = source.schema.tables
    lines = [f"Source {source.alias!r} ({source.dialect}):"]
    if source.fault:
        lines.append(f"(does not answer now: {source.fault})")
    chosen, texts = _fitting(source, question, budget)
    told.add(source, chosen)
    lines.extend(texts)
    if left := [t for t in tables if t not in chosen]:
        lines.append(_names_of(left, source.dialect))
    if not tables:
        lines.append("(no tables)")
    if note:
        lines.append(f"Notes: {note.strip()}")
    return "\n".join(lines)


def _fitting(source: Source, question: str, budget: int) -> tuple[list[TableSchema], list[str]]:
    """Return the tables to describe and their lines: all with samples, all without, or the question's."""
    tables = list(source.schema.tables)
    for samples in (True, False):
        texts = [table_line(t, source.dialect, samples=samples) for t in tables[:400]]
        if len(tables) <= 400 and sum(map(estimate_tokens, texts)) <= budget:
            return tables, texts
    chosen: list[TableSchema] = []
    texts = []
    room = budget - _NAME_TOKENS
    for table in ranked(tables, question):
        text = table_line(table, source.dialect, samples=len(chosen) < 6)
        room -= estimate_tokens(text)
        if room < 0 and chosen:
            break
        chosen.append(table)
        texts.append(text)
        if len(chosen) >= 25:
            break
    return chosen, texts


def _names_of(tables: list[TableSchema], dialect: str) -> str:
    names: list[str] = []
    room = _NAME_TOKENS
    for table in tables:
        name = table_name(table, dialect)
        room -= estimate_tokens(name) + 1
        if room < 0:
            break
        names.append(name)
    more = len(tables) - len(names)
    rest = f" and {more} more" if more else ""
    return f"Further tables (columns by describe_source): {', '.join(names)}{rest}"


def news_text(sources: tuple[Source, ...], question: str, told: Told, *, notes: dict[str, str]) -> str:
    """Return what changed since the model was last told: new, changed and gone sources and tables; else empty."""
    parts: list[str] = []
    for source in sources:
        known = told.tables.get(source.alias)
        if known is None:
            new = sources_text((source,), question, told, notes=notes, budget=SCHEMA_TOKENS // 2)
            parts.append(f"The person added a source.\n{new}")
            continue
        parts.extend(_changes(source, question, told, known))
    aliases = {s.alias for s in sources}
    for alias in [a for a in told.tables if a not in aliases]:
        del told.tables[alias]
        parts.append(f"Source {alias!r} was removed.")
    return "\n\n".join(parts)


def _changes(source: Source, question: str, told: Told, known: dict[str, str]) -> list[str]:
    if source.fault:
        return [f"Source {source.alias!r} does not answer now: {source.fault}"]
    now = {t.qualified_name: t for t in source.schema.tables}
    parts: list[str] = []
    gone = [name for name in known if name not in now]
    for name in gone:
        del known[name]
    if gone:
        parts.append(f"Tables gone from {source.alias!r}: {', '.join(gone)}")
    changed = [now[name] for name, was in known.items() if name in now and signature(now[name]) != was]
    fresh = changed + _asked_for(source, question, known)
    if fresh:
        told.add(source, fresh)
        lines = "\n".join(table_line(t, source.dialect, samples=len(fresh) < 12) for t in fresh)
        parts.append(f"Tables of {source.alias!r} as they are now:\n{lines}")
    return parts


def _asked_for(source: Source, question: str, known: dict[str, str]) -> list[TableSchema]:
    """Return the tables not told so far that should be: all when they are few, else those the question is about."""
    tables = source.schema.tables
    if all(t.qualified_name in known for t in tables):
        return []
    candidates: list[TableSchema] = list(tables)
    if len(tables) > _FEW_TABLES:
        scores = dict(zip((t.qualified_name for t in tables), scored(tables, question), strict=True))
        best = max(scores.values())
        candidates = [t for t in ranked(tables, question) if best and scores[t.qualified_name] >= 0.7 * best]
    out: list[TableSchema] = []
    room = _LATER_TOKENS
    for table in candidates:
        if table.qualified_name in known:
            continue
        room -= estimate_tokens(table_line(table, source.dialect, samples=False))
        if room < 0 and out:
            break
        out.append(table)
    return out


def told_from(texts: Iterable[str], sources: tuple[Source, ...]) -> Told:
    """Work out from a history what the model knows already."""
    text = "\n".join(texts)
    told = Told()
    for source in sources:
        if f"Source {source.alias!r} (" in text:
            told.add(source, [t for t in source.schema.tables if was_told(t, source.dialect, text)])
    return told
