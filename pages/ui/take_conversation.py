"""Taking a whole conversation away: one HTML file, a Python script, or a notebook; made when asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Final

import streamlit as st

from pages.ui import chart_form, dialogs, state, wording
from pages.ui.changes import Changes
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.output import (
    ArtifactSpec,
    DocumentTurn,
    ScriptQuery,
    ScriptSource,
    StoredResult,
    document_html,
    notebook_text,
    script_text,
)
from tabulaflow_core.runtime import ConversationView, TurnView, get_runtime, last_good

_FILES: Final = "files"


def draw(view: ConversationView) -> None:
    """A button that opens the choice of formats; nothing before the first answer."""
    if not any(turn.result for turn in view.turns):
        return
    # Not a popover: it stands beside its button, and the page, which keeps to its end, scrolls that one out of sight.
    st.button("Take away", icon=":material/download:", key="take-away", on_click=dialogs.show, args=("take-away",))
    if dialogs.is_open("take-away"):
        _draw_formats(view)


@st.dialog("Take the conversation away", on_dismiss=dialogs.close)
def _draw_formats(view: ConversationView) -> None:
    """One button for each format."""
    st.caption("The whole conversation. Addresses and passwords of databases are not in it.")
    name = "".join(c if c.isalnum() else "-" for c in view.title[:40]).strip("-") or "conversation"
    formats = (
        ("Web page", "html", "text/html", ":material/html:", html_of),
        ("Python script", "py", "text/x-python", ":material/code:", script_of),
        ("Notebook", "ipynb", "application/x-ipynb+json", ":material/book_2:", notebook_of),
    )
    for label, suffix, mime, icon, make in formats:
        st.download_button(
            label,
            data=lambda make=make: _made_now(view, make),  # type: ignore[misc]
            file_name=f"{name}.{suffix}",
            mime=mime,
            icon=icon,
            on_click="ignore",
            key=f"take-{suffix}",
            width="stretch",
        )


def _made_now(view: ConversationView, make: Callable[[ConversationView], str]) -> bytes:
    """The file of the conversation as it is at the click: an answer can have changed since `view` was drawn."""
    with suppress(TabulaflowError):  # deleted in another tab: what is still on the screen can be taken all the same
        view = get_runtime().conversation(state.principal(), view.id)
    return make(view).encode("utf-8", "replace")


def html_of(view: ConversationView) -> str:
    """The conversation as one page that fetches nothing."""
    turns = [_document_turn(turn, Changes.of(view, turn.id)) for turn in view.turns]
    made = f"{wording.count(len(turns), 'question')}, begun on {view.info.created_at.astimezone():%d %B %Y}"
    return document_html(view.title or "Conversation", turns, made=made)


def _document_turn(turn: TurnView, changes: Changes) -> DocumentTurn:
    result = turn.result
    notes = [turn.error.user_message] if turn.error else []
    if result is None:
        return DocumentTurn(turn.question, notes=notes)
    if turn.reason:
        notes.append(turn.reason)
    notes += [f"Assumed: {sentence}" for sentence in result.assumptions]
    notes.append(wording.usage_line(result.usage))
    kept: dict[str, StoredResult] = {}
    for spec in result.artifacts:
        if spec.kind == "table":
            try:
                kept[spec.id] = get_runtime().result(state.principal(), spec.id)
            except TabulaflowError:  # dropped to make room; the page says so
                continue
    artifacts = sorted(result.artifacts, key=lambda spec: spec.kind == "table")  # as the page counts their places
    shown = [_as_chosen(spec, changes, f"chart-{at}") for at, spec in enumerate(artifacts)]
    return DocumentTurn(turn.question, result.text, shown, notes, kept)


def _as_chosen(spec: ArtifactSpec, changes: Changes, name: str) -> ArtifactSpec:
    """A chart as the person changed it; everything else as it was answered."""
    choice = chart_form.choice_of(changes.at(name)) if spec.kind == "chart" else None
    if spec.kind != "chart" or choice is None:
        return spec
    again = chart_form.redrawn(spec.table_id, choice)
    return spec if isinstance(again, str) else again


def script_of(view: ConversationView) -> str:
    """The queries as a Python script."""
    queries = queries_of(view)
    return script_text(view.title, sources_of(queries), queries)


def notebook_of(view: ConversationView) -> str:
    """The queries as a notebook."""
    queries = queries_of(view)
    return notebook_text(view.title, sources_of(queries), queries)


def queries_of(view: ConversationView) -> list[ScriptQuery]:
    """Every query that an answer shows, and behind it the one that a person made of it."""
    queries = []
    for turn in view.turns:
        for spec in turn.result.artifacts if turn.result else ():
            if spec.kind != "table":
                continue
            queries.append(ScriptQuery(turn.question, spec.source, spec.sql))
            changed = last_good(view.choices.get(turn.id, {}).get(f"sql-{spec.id}"))
            if changed is not None:
                queries.append(ScriptQuery(f"{turn.question} (changed by hand)", spec.source, str(changed["sql"])))
    return queries


def sources_of(queries: Sequence[ScriptQuery]) -> list[ScriptSource]:
    """The sources of the queries: databases by a variable, files by their names and how they are read."""
    aliases = dict.fromkeys(alias for query in queries for alias in query.source.split(" + "))
    if _FILES not in aliases:
        return [ScriptSource(alias) for alias in aliases]
    asked = "\n".join(query.sql for query in queries).casefold()
    files, options = {}, {}
    for file in get_runtime().files(state.principal()):
        used = [table.name for table in file.tables if table.name.casefold() in asked]
        if file.status == "loaded" and used and not file.source:
            table = used[0] if len(file.tables) == 1 else PurePath(file.name).stem
            files[table] = file.name
            options[table] = file.options
    return [ScriptSource(alias, files, options) if alias == _FILES else ScriptSource(alias) for alias in aliases]
