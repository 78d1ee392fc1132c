"""Bringing files: the box to drop them in, how far their reading is, and what became of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui import opened, safe, state, upload_fault, wording
from tabulaflow_core.errors import NotFound, TabulaflowError
from tabulaflow_core.runtime import FileOutcome, ReadingJob, get_runtime

_ENDED: Final = "tf_read_outcomes"
_FAULT: Final = "tf_upload_fault"
_STOPPED: Final = "tf_stopped_readings"
_BEGUN: Final = "tf_reading_begun"
_TAKEN: Final = "tf_taken_uploads"
_PATH: Final = "server-path"
_BOX: Final = "upload-"
#: Most files are read in less time: they appear at once, without a progress bar that only flashes.
_QUICK_SECONDS: Final = 1.2
_TICK_SECONDS: Final = 0.5
_NAMED: Final = 6


def draw_box() -> None:
    """Draw the box to drop files in."""
    given = st.file_uploader(
        "Drop files here, one or several: CSV, TSV and other text, Excel (xlsx, xls, xlsb, ods), JSON, Parquet, "
        "Feather, SQLite, DuckDB, and compressed ones (gz, zst, bz2, zip)",
        accept_multiple_files=True,
        key=f"{_BOX}{state.upload_round()}",
        max_upload_size=get_runtime().settings.limits.upload_bytes // 2**20,
    )
    upload_fault.draw(_BOX)
    if given:
        with st.spinner("Taking in what was dropped"):
            _take(given)
        st.rerun()


def draw_server_box() -> None:
    """Draw the box for a file that lies on the server, where folders of it are allowed."""
    roots = get_runtime().settings.file_roots
    with st.form("server-file", border=False):
        st.text_input("Path on the server", key=_PATH, placeholder=f"{roots[0]}/sales.csv", max_chars=1_000)
        folders = ", ".join(str(root) for root in roots[:_NAMED])
        st.caption(f"Read where it lies, without a copy, whatever its size. Allowed: {safe.label(folders, length=300)}")
        st.form_submit_button("Read it", type="primary", icon=":material/folder_open:", on_click=_take_from_server)


def _take(given: Sequence[UploadedFile]) -> None:
    """Hand what was dropped to the runtime, and empty the box: the browser's copy is in memory.

    Large files take seconds to copy, and whatever the browser sends meanwhile breaks this run off at its next touch
    of the session, with the box still full in the next run. So what is taken is noted first, by the browser's own
    ids and without such a touch: it is never taken twice.
    """
    _forget_news()
    taken: set[str] = st.session_state.setdefault(_TAKEN, set())
    fresh = [upload for upload in given if upload.file_id not in taken]
    taken.update(upload.file_id for upload in fresh)
    try:
        if fresh:
            get_runtime().start_adding(state.principal(), [(upload.name, upload) for upload in fresh])
    except TabulaflowError as error:
        st.session_state[_FAULT] = error.user_message
    else:
        st.session_state[_BEGUN] = True
    _let_go(given)
    state.next_upload_round()


def _let_go(given: Sequence[UploadedFile]) -> None:
    """Free the browser's copies. An emptied box does not: the server would hold them as long as the window is open."""
    context = get_script_run_ctx()
    for upload in given:
        if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
            context.uploaded_file_mgr.remove_file(context.session_id, upload.file_id)
        upload.close()


def _take_from_server() -> None:
    path = str(st.session_state.get(_PATH, "")).strip()
    _forget_news()
    if not path:
        st.session_state[_FAULT] = "Write the path of the file first."
        return
    try:
        get_runtime().start_adding_server_file(state.principal(), path)
    except TabulaflowError as error:
        st.session_state[_FAULT] = error.user_message
        return
    st.session_state[_BEGUN], st.session_state[_PATH] = True, ""


def _forget_news() -> None:
    for key in (_ENDED, _FAULT, _STOPPED):
        st.session_state.pop(key, None)


def begun() -> None:
    """A reading was begun elsewhere on the page: wait for it as for one of a dropped file."""
    _forget_news()
    st.session_state[_BEGUN] = True


def draw_progress() -> None:
    """Draw the readings that run, or wait for those that are quick."""
    running = _look()
    if st.session_state.pop(_BEGUN, False) and running:
        until = time.monotonic() + _QUICK_SECONDS
        while running and time.monotonic() < until:
            time.sleep(0.03)
            running = _look()
    if running:
        _watch()


def draw_news(files: Sequence[FileOutcome]) -> None:
    """What became of the files that were given last.

    Args:
        files: All that are there now: a failure that is kept stands on its own card.
    """
    if fault := st.session_state.get(_FAULT):
        st.error(safe.markdown(fault), icon=":material/error:")
    for name in st.session_state.get(_STOPPED, ())[:_NAMED]:
        st.info(f"You stopped the reading of **{safe.label(name)}**. Nothing of it was kept.", icon=":material/info:")
    outcomes: Sequence[FileOutcome] = st.session_state.get(_ENDED, ())
    if here := [outcome.name for outcome in outcomes if outcome.status == "loaded"]:
        names = ", ".join(f"**{safe.label(name)}**" for name in here[:_NAMED])
        more = f" and {len(here) - _NAMED} more" if len(here) > _NAMED else ""
        verb, how = ("is", "it was read") if len(here) == 1 else ("are", "they were read")
        only_databases = all(outcome.source for outcome in outcomes if outcome.status == "loaded")
        look = "what is in it" if only_databases else f"how {how}"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.success(f"{names}{more} {verb} here. Look below at {look}, then ask.")
            st.page_link("pages/chat.py", label="Ask about it", icon=":material/forum:", width="content")
    with_card = {file.name for file in files if file.status == "message"}
    failed = [outcome for outcome in outcomes if outcome.status == "message" and outcome.name not in with_card]
    for outcome in failed[:_NAMED]:
        st.error(f"**{safe.label(outcome.name)}**: {safe.markdown(outcome.message)}", icon=":material/error:")
    if len(failed) > _NAMED:
        st.error(f"{wording.count(len(failed) - _NAMED, 'more file')} could not be read either.")


def _look() -> list[ReadingJob]:
    """The jobs that run. One that ended is given once: what became of it is put into the session."""
    running = []
    for job in get_runtime().reading_jobs(state.principal()):
        if job.state == "running":
            running.append(job)
        elif job.state == "stopped":
            names = job.names or (job.file,)
            st.session_state[_STOPPED] = [*st.session_state.get(_STOPPED, ()), *names]
        else:
            st.session_state[_ENDED] = [*st.session_state.get(_ENDED, ()), *job.outcomes]
            opened.arrived([out.source or out.name for out in job.outcomes if out.status != "waiting"])
    return running


@st.fragment(run_every=_TICK_SECONDS)
def _watch() -> None:
    running = _look()
    if not running:
        st.rerun()
    for job in running:
        with st.container(border=True, key=f"reading-{job.id}"):
            with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
                st.markdown(f":material/hourglass_top: Reading **{safe.label(job.file)}**{_position(job)}")
                st.button("Stop", key=f"stop-{job.id}", icon=":material/stop_circle:", on_click=_stop, args=(job.id,))
            st.progress(share_of(job), text=_stage(job))
    st.caption("You can go to another page meanwhile: the reading goes on.")


def share_of(job: ReadingJob) -> float:
    """How much of a job is done, from 0 to 1: the files before the one that is read, and as much of it as is known."""
    now = min(1.0, job.done / job.total) if job.total else 0.0
    if len(job.names) < 2 or job.file not in job.names:
        return now
    return (job.names.index(job.file) + now) / len(job.names)


def _position(job: ReadingJob) -> str:
    if len(job.names) < 2 or job.file not in job.names:
        return ""
    return f" · {job.names.index(job.file) + 1} of {len(job.names)} files"


def _stage(job: ReadingJob) -> str:
    """What goes on, how far it is, and since when: within one stage only the clock may tell that it goes on."""
    stage = safe.label(job.stage.capitalize() or "Reading")
    share = f" · {job.done / job.total:.0%}" if job.total else ""
    return f"{stage}{share} · {wording.seconds(int(job.seconds), places=0)}"


def _stop(job_id: str) -> None:
    try:
        get_runtime().stop_reading(state.principal(), job_id)
    except NotFound:  # it has just ended
        return


def forget(name: str) -> None:
    """There is no more to say of the file `name`: it was removed."""
    st.session_state[_ENDED] = [outcome for outcome in st.session_state.get(_ENDED, ()) if outcome.name != name]


def announce(outcomes: Sequence[FileOutcome]) -> None:
    """Say on the next run what an answered question made of its files, and open their cards."""
    _forget_news()
    st.session_state[_ENDED] = list(outcomes)
    opened.arrived([outcome.source or outcome.name for outcome in outcomes])
