"""What new data makes of the tiles and saved questions that use it: same, changed, or broken with a proposed mend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import streamlit as st

from pages.ui import pin, safe, state, wording
from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.runtime import Rechecked, RecheckRun, get_runtime

_LOOK_SECONDS: Final = 0.5
_LISTED: Final = 50
_ICONS: Final = {"broken": "error", "changed": "difference", "same": "check_circle"}
_USED: Final = "tf_mends_used"
_ASKED: Final = "tf_recheck_asked"


def draw(source: str, *, tables: Sequence[str] | None, version: str, key: str) -> None:
    """Look once at each version of a source, and list what was found.

    Args:
        tables: Those that changed; None for all of the source.
        version: Names the state of the data.
    """
    _draw_run(get_runtime().recheck(state.principal(), source, tables=tables, version=version), key)


def draw_changed(source: str, *, key: str) -> None:
    """What uses a source whose tables are others than when they were last seen; nothing where they are the same."""
    try:
        run = get_runtime().recheck_changed(state.principal(), source)
    except TabulaflowError:  # the source says itself what is wrong with it
        return
    if run is not None:
        st.info("Its tables are not those that were seen last.", icon=":material/difference:")
        _draw_run(run, key)


def _draw_run(run: RecheckRun, key: str) -> None:
    if run.running:
        _watch(run)
    elif run.fault:
        st.warning(safe.markdown(run.fault), icon=":material/error:")
    elif run.total:
        _draw_found(run, key)


def draw_button(source: str, *, key: str) -> None:
    """A button that looks at everything that uses a source, and what was found by it."""
    asked: dict[str, int] = st.session_state.setdefault(_ASKED, {})
    st.button(
        "Check what uses it",
        icon=":material/fact_check:",
        key=f"{key}-recheck",
        type="tertiary",
        help="Runs the tiles and saved questions again that use it, and lists what changed or broke",
        on_click=_ask,
        args=(source,),
    )
    if source in asked:
        version = f"asked {id(asked)} {asked[source]}"
        draw(source, tables=None, version=version, key=key)
        run = get_runtime().recheck(state.principal(), source, version=version)
        if not run.running and not run.fault and not run.total:
            st.caption("No tile and no saved question uses it.")


def _ask(source: str) -> None:
    asked: dict[str, int] = st.session_state[_ASKED]
    asked[source] = asked.get(source, 0) + 1


@st.fragment(run_every=_LOOK_SECONDS)
def _watch(run: RecheckRun) -> None:
    if not run.running:
        st.rerun()
    elif run.total:
        with st.container(horizontal=True, vertical_alignment="center"):
            done = f"{len(run.items)} of {run.total} done"
            st.caption(f":material/sync: Looking at what uses it, {done}", width="content")
            st.button("Stop", key=f"stop-recheck-{id(run)}", type="tertiary", on_click=run.cancel)


def _draw_found(run: RecheckRun, key: str) -> None:
    counts = Counter(item.verdict for item in run.items)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("broken", "changed", "same") if counts[verdict])
    title = f"Used by {wording.count(run.total, 'tile or saved question', 'tiles and saved questions')}: {told}"
    with st.expander(title, icon=":material/fact_check:", expanded=bool(counts["broken"]), key=f"{key}-found"):
        order = sorted(run.items, key=lambda item: ("broken", "changed", "same").index(item.verdict))
        for item in order[:_LISTED]:
            _draw_item(item, key)
        if len(order) > _LISTED:
            st.caption(f"and {len(order) - _LISTED} more")


def _draw_item(item: Rechecked, key: str) -> None:
    used: dict[str, str] = st.session_state.setdefault(_USED, {})
    outcome = used.get(f"{item.id} {item.mend.sql}" if item.mend else "")
    with st.container(border=item.verdict == "broken"):
        place = f" on {safe.label(item.place)}" if item.place else ""
        kind = "Tile" if item.kind == "tile" else "Saved question"
        name = safe.label(item.title, length=120) or "without a title"
        st.markdown(f":material/{_ICONS[item.verdict]}: {kind} **{name}**{place} · {item.verdict}")
        st.caption(safe.markdown(item.sentence))
        if item.dashboard_id:
            st.page_link(
                pin.PAGE,
                label="Open the dashboard",
                icon=":material/dashboard:",
                query_params={pin.URL_KEY: item.dashboard_id},
                width="content",
            )
        if item.mend is None:
            return
        if outcome is not None:
            if outcome:
                st.error(safe.markdown(outcome), icon=":material/error:")
            else:
                st.success("The mended query is in use.", icon=":material/check:")
            return
        st.markdown(f":material/build: Proposed, and tried: {safe.markdown(item.mend.sentence)}")
        st.code(item.mend.sql, language="sql", wrap_lines=True)
        st.button("Use this query", key=f"{key}-mend-{item.id}", type="primary", on_click=_use, args=(item,))


def _use(item: Rechecked) -> None:
    assert item.mend is not None
    used: dict[str, str] = st.session_state[_USED]
    try:
        get_runtime().use_mend(state.principal(), item)
    except TabulaflowError as error:
        used[f"{item.id} {item.mend.sql}"] = error.user_message
        return
    used[f"{item.id} {item.mend.sql}"] = ""
