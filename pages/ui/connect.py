"""The form that connects a database: an engine and its fields, or a URL; both say the same."""

from __future__ import annotations

import time
from typing import Final

import streamlit as st

from pages.ui import connect_safety, safe, state, wording
from tabulaflow_core.errors import MissingDriver, SourceError, SourceUrlError, TabulaflowError
from tabulaflow_core.runtime import SourceInfo, get_runtime
from tabulaflow_core.runtime.engine_forms import (
    FORMS,
    MASK,
    SECRETS,
    EngineForm,
    cut_secrets,
    fields_of,
    missing_fields,
    put_back,
    suggested_name,
    url_of,
)

_NAME: Final = "database-name"
_URL: Final = "database-url"
_ENGINE: Final = "database-engine"
_ACT: Final = "tf_connect"  # what the last click asked for
_FAULT: Final = "tf_connect_fault"  # (field, sentence)
_SAID: Final = "tf_connected"
_EXTRA: Final = "tf_connect_extra"  # options of the URL that no field shows
_RAW: Final = "tf_connect_raw"  # the URL stands for itself: it fits no form
_CUT: Final = "tf_connect_cut"  # passwords cut out of a URL that fits no form, for the `***` in it
_FIELDS: Final = tuple(dict.fromkeys(field for form in FORMS.values() for field in form.fields))


def draw() -> None:
    """Draw the form, and carry out what was asked for."""
    if st.session_state.pop("tf_connect_clear", False):
        _clear()
    if act := st.session_state.get(_ACT, ""):
        if act == "connect":  # never twice; a test that a click elsewhere interrupted is simply done again
            del st.session_state[_ACT]
        with st.spinner("Trying the connection"):
            _carry_out(act)
        st.session_state.pop(_ACT, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Engine",
            list(FORMS),
            format_func=lambda key: FORMS[key].title,
            key=_ENGINE,
            on_change=_engine_changed,
        )
        connect_safety.draw_popover(str(st.session_state.get(_ENGINE) or next(iter(FORMS))))
    form = _form()
    if command := form.missing_driver:
        st.warning(
            f"{form.title} needs a driver that is not installed. Run `{command}`, then start TabulaFlow again.",
            icon=":material/extension:",
        )
    if form.remark:
        st.caption(f":material/info: {form.remark}")
    _say("engine")
    _draw_fields(form)
    st.text_input(
        "Connection URL",
        key=_URL,
        on_change=_url_changed,
        placeholder="postgresql://reader:password@host:5432/shop",
        help="Paste the URL that your hosting service gives: it fills the fields. Fields fill the URL. The password is "
        f"shown as {MASK}.",
    )
    _say("url")
    st.text_input(
        "Name",
        key=_NAME,
        max_chars=40,
        # Not filled in: whoever types a name already would find it mixed with the suggested one.
        placeholder=_suggested(),
        help="What the source is called in questions and queries. Left empty, it is the name shown in grey.",
    )
    _say("name")
    st.caption("The connection is tried before it is kept. It is only ever read; the password is kept encrypted.")
    with st.container(horizontal=True):
        st.button("Connect", type="primary", icon=":material/link:", on_click=_ask, args=("connect",))
        st.button("Test", icon=":material/network_check:", key="database-test", on_click=_ask, args=("test",))
    _say("")
    if said := st.session_state.pop(_SAID, ""):
        st.success(said)


def _draw_fields(form: EngineForm) -> None:
    rows = [
        pair
        for pair in (("host", "port"), ("database", "schema"), ("user", "password"))
        if set(pair) <= set(form.fields)
    ]
    paired = {field: pair for pair in rows for field in pair}
    drawn: set[str] = set()
    for field in form.fields:
        if field in drawn:
            continue
        group = paired.get(field, (field,))
        drawn |= set(group)
        columns = st.columns((3, 1) if group == ("host", "port") else len(group))
        for name, column in zip(group, columns, strict=True):
            with column:
                _draw_field(form, name)
        for name in group:  # below the row, in its whole width
            _say(name)


def _draw_field(form: EngineForm, field: str) -> None:
    key = _key(field)
    if field == "ssl":
        st.selectbox(form.label(field), list(form.encryption or {}), key=key, on_change=_field_changed)
    elif field == "credentials_base64":
        st.text_input(form.label(field), key=key, type="password", on_change=_field_changed)
    else:
        st.text_input(
            form.label(field),
            key=key,
            type="password" if field in SECRETS else "default",
            placeholder=str(form.port) if field == "port" and form.port else None,
            on_change=_field_changed,
            autocomplete="off" if field not in SECRETS else "new-password",
        )


def _key(field: str) -> str:
    return f"database-{field}"


def _form() -> EngineForm:
    return FORMS[st.session_state.get(_ENGINE) or next(iter(FORMS))]


def _values(form: EngineForm) -> dict[str, str]:
    return {field: str(st.session_state.get(_key(field)) or "") for field in form.fields}


def _say(field: str) -> None:
    """The fault of this field, where it was entered; those of fields that are not drawn come last."""
    about, sentence = st.session_state.get(_FAULT, ("", ""))
    known = {"engine", "url", "name", *_form().fields}
    if (sentence and about == field) or (sentence and not field and about not in known):
        st.error(safe.markdown(sentence), icon=":material/error:")


def _engine_changed() -> None:
    form = _form()
    st.session_state[_EXTRA] = {}
    _set(_key("port"), str(form.port) if form.port and "port" in form.fields else "")
    _field_changed()


def _field_changed() -> None:
    st.session_state.pop(_FAULT, None)
    st.session_state.pop(_CUT, None)
    st.session_state[_RAW] = False
    form = _form()
    _set(_URL, url_of(form, _values(form), st.session_state.get(_EXTRA, {}), shown=True))


def _url_changed() -> None:
    st.session_state.pop(_FAULT, None)
    text = _full_url()
    st.session_state[_RAW] = bool(text)
    if not text:
        return
    try:
        key, values, extra = fields_of(text, roots=get_runtime().settings.file_roots)
    except SourceUrlError as error:
        _hide(text)
        st.session_state[_FAULT] = ("url", error.user_message)
        return
    except KeyError:  # an engine without a form: the URL is all there is
        _hide(text)
        return
    form = FORMS[key]
    for field in form.fields:
        if values.get(field) == MASK:  # the password that stands in its field already
            continue
        default = next(iter(form.encryption)) if field == "ssl" and form.encryption else ""
        _set(_key(field), values.get(field, default))
    _set(_ENGINE, key)
    st.session_state[_EXTRA] = extra
    _field_changed()


def _full_url() -> str:
    """What stands in the box, with the passwords that were cut out of it."""
    return put_back(str(st.session_state.get(_URL) or "").strip(), st.session_state.get(_CUT, ()))


def _hide(text: str) -> None:
    """Leave a URL that fills no fields in its box, to be corrected, without its password."""
    shown, st.session_state[_CUT] = cut_secrets(text)
    _set(_URL, shown)


def _set(key: str, value: str) -> None:
    """Fill a field; one that says so already is left alone, for somebody may be typing in it."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def _suggested() -> str:
    form = _form()
    return suggested_name(form, _values(form))


def _name() -> str:
    """The name that the person gave, or the suggested one."""
    return str(st.session_state.get(_NAME) or "").strip() or _suggested()


def _ask(what: str) -> None:
    st.session_state[_ACT] = what


def _carry_out(what: str) -> None:
    form = _form()
    values = _values(form)
    st.session_state.pop(_FAULT, None)
    raw = bool(st.session_state.get(_RAW))
    if what == "connect" and not _name():
        st.session_state[_FAULT] = ("name", "A name is needed: it is what the source is called in questions.")
        return
    if not raw and (missing := missing_fields(form, values)):
        word = form.label(missing[0])
        st.session_state[_FAULT] = (missing[0], f"{word} is needed.")
        return
    url = _full_url() if raw else url_of(form, values, st.session_state.get(_EXTRA, {}), shown=False)
    runtime, who = get_runtime(), state.principal()
    begun = time.perf_counter()
    try:
        if what == "test":
            tested = runtime.test_database(who, url)
            st.session_state[_SAID] = result_of(tested, time.perf_counter() - begun)
            return
        source = runtime.add_database(who, _name(), url)
    except TabulaflowError as error:
        st.session_state[_FAULT] = (_about(error, form), error.user_message)
        return
    st.session_state[_SAID] = (
        f"**{safe.label(source.alias)}** is connected: {wording.count(len(source.tables), 'table')}. "
        "Ask about it on the Chat page."
    )
    st.session_state["tf_connect_clear"] = True  # a password stays no longer than it must
    st.rerun()


def result_of(tested: SourceInfo, seconds: float) -> str:
    """What a successful test found, with what a person should know of the connection."""
    found = wording.count(len(tested.tables), "table")
    lines = [f"It answers in {seconds * 1000:,.0f} ms: {found}. Nothing is kept yet."]
    lines += [f":material/shield: {safe.markdown(notice)}" for notice in tested.notices]
    return "  \n".join(lines)


def _about(error: TabulaflowError, form: EngineForm) -> str:
    match error:
        case MissingDriver():
            return "engine"
        case SourceUrlError():
            return "url" if form.fields != ("path",) or st.session_state.get(_RAW) else "path"
        case SourceError(about=about) if about:
            return about
        case SourceError() if form.fields == ("path",) and "name of a source" not in error.user_message:
            return "path" if "source called" not in error.user_message else "name"
        case SourceError() if "source called" in error.user_message or "name" in error.user_message[:90]:
            return "name"
    return ""


def _clear() -> None:
    # Emptied, not forgotten: a browser keeps what it shows until it is told of something else.
    for key in (_NAME, _URL, *(_key(field) for field in _FIELDS if field != "ssl")):
        if key in st.session_state:
            st.session_state[key] = ""
    for key in (_EXTRA, _RAW, _CUT, _FAULT):
        st.session_state.pop(key, None)
