"""The turns of a conversation that have ended, the newest ones at once.

Each stands in a fragment of its own: a verdict, an opened form or an edited query draws that one answer again and
leaves the rest of the page as it is, which costs a browser far more to take over than the server to draw.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

from pages.ui import answer, state
from pages.ui.changes import Changes
from tabulaflow_core.errors import NotFound
from tabulaflow_core.runtime import ConversationView, Turn, TurnView, get_runtime

#: Turns drawn at once; older ones come behind a button, so that a long conversation stays quick. A browser goes over
#: every part of a page at each click, changed or not, so that each turn on it costs some milliseconds.
TURNS_SHOWN: Final = 5
_MORE: Final = 10  # at each press of that button
_SHOWN: Final = "tf_turns_shown"  # of one conversation: its id and how many


def draw(view: ConversationView, running: Turn | None) -> None:
    """Draw the turns of `view` but the running one."""
    turns = [turn for turn in view.turns if running is None or turn.id != running.id]
    shown = _shown(view.id)
    if (hidden := len(turns) - shown) > 0:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(f"Show {min(hidden, _MORE)} earlier", key="earlier", on_click=_show_more, args=(view.id, shown))
            if hidden > _MORE:
                st.caption(f"{hidden} are above", width="content")
        turns = turns[hidden:]
    for turn in turns:
        if running is None:
            _draw_alone([view], view.id, turn.id)
            continue
        # Streamlit keeps a fragment's click waiting until the script has run, which lasts as long as the answer.
        with st.container():  # a fragment has one too: the browser keeps what it has drawn
            _draw_turn(view, turn)


@st.fragment
def _draw_alone(fresh: list[ConversationView], conversation_id: str, turn_id: str) -> None:
    """One turn, drawn again by itself when something in it is clicked.

    Args:
        fresh: The conversation as the whole page was drawn with it; taken out, as a later click needs a newer one.
    """
    view = fresh.pop() if fresh else _read_again(conversation_id)
    _draw_turn(view, next(turn for turn in view.turns if turn.id == turn_id))


def _read_again(conversation_id: str) -> ConversationView:
    """The conversation as it is now; the whole page is drawn instead where more than one answer has changed."""
    runtime, who = get_runtime(), state.principal()
    try:
        view = runtime.conversation(who, conversation_id)
    except NotFound:  # deleted in another tab
        st.rerun()
    # A question is to be asked now, or was asked in another tab.
    if state.pending_questions() or any(turn.state == "running" for turn in view.turns):
        st.rerun()
    return view


def _draw_turn(view: ConversationView, turn: TurnView) -> None:
    answer.draw_turn(turn, Changes.of(view, turn.id), view.verdicts.get(turn.id))


def _shown(conversation_id: str) -> int:
    """How many turns of this conversation are drawn; what was opened of another one does not count."""
    of, shown = st.session_state.get(_SHOWN, ("", 0))
    return int(shown) if of == conversation_id else TURNS_SHOWN


def _show_more(conversation_id: str, shown: int) -> None:
    st.session_state[_SHOWN] = (conversation_id, shown + _MORE)
