"""Every public function of the store takes a principal, and another one sees and changes nothing.

The tests are made from the signatures: a new method is looked at without anybody remembering to.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import typing
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

import tabulaflow_core.store
from tabulaflow_core.agents.events import AnswerDelta, Artifact
from tabulaflow_core.errors import NotFound, SecretUnreadable
from tabulaflow_core.models.usage import Usage
from tabulaflow_core.output.dashboards import QueryTile, RefreshPolicy, Sharing
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.output.specs import TableSpec
from tabulaflow_core.principal import Principal
from tabulaflow_core.store import (
    Answers,
    Conversations,
    Dashboards,
    Database,
    PreferenceShelf,
    Questions,
    Results,
    Schedules,
    Secrets,
    ShownResults,
    Sources,
    Store,
    Tiles,
    Turns,
    UsageLedger,
)
from tabulaflow_core.store.tables import metadata

AREAS = {
    "conversations": Conversations,
    "turns": Turns,
    "answers": Answers,
    "results": Results,
    "sources": Sources,
    "usage": UsageLedger,
    "preferences": PreferenceShelf,
    "dashboards": Dashboards,
    "tiles": Tiles,
    "schedules": Schedules,
    "questions": Questions,
    "shown": ShownResults,
    "secrets": Secrets,
}
METHODS = [
    (area, name)
    for area, cls in AREAS.items()
    for name, member in vars(cls).items()
    if inspect.isfunction(member) and not name.startswith("_")
]
#: What begins something of the caller's own, whatever ids another has.
SEES_NO_ROW = {"secrets.is_current"}
CREATES = {
    "preferences.set_async",
    "conversations.create_async",
    "dashboards.create_async",
    "questions.add_async",
    "results.put_async",
    "secrets.encrypt",
    "sources.add_database_async",
    "sources.put_file_async",
    "sources.put_waiting_async",
    "usage.reserve_async",
}


def test_every_area_is_looked_at() -> None:
    held = typing.get_type_hints(Store.__init__)
    assert held  # the store is made of the areas above and of nothing else that keeps rows
    source = inspect.getsource(Store.__init__)
    assert sorted(AREAS) == sorted(
        line.split("=")[0].strip().removeprefix("self.")
        for line in source.splitlines()
        if line.strip().startswith("self.") and not line.strip().startswith("self._")
    )


@pytest.mark.parametrize(("area", "name"), METHODS)
def test_methods_take_a_principal_first(area: str, name: str) -> None:
    function = getattr(AREAS[area], name)
    parameters = list(inspect.signature(function).parameters.values())
    if f"{area}.{name}" in SEES_NO_ROW:
        return
    assert parameters[1].name == "principal"
    assert typing.get_type_hints(function)["principal"] is Principal


def _functions() -> list[Callable[..., Any]]:
    modules = [
        importlib.import_module(f"tabulaflow_core.store.{info.name}")
        for info in pkgutil.iter_modules(tabulaflow_core.store.__path__)
    ]
    return [
        member
        for module in modules
        for name, member in vars(module).items()
        if inspect.isfunction(member) and member.__module__ == module.__name__ and not name.startswith("_")
    ]


def test_functions_that_reach_the_database_take_a_principal() -> None:
    reaching = [
        function
        for function in _functions()
        if {AsyncConnection, Database} & set(_hints(function).values()) and function.__module__.count("migrations") == 0
    ]
    assert len(reaching) >= 4
    for function in reaching:
        assert _hints(function).get("principal") is Principal, function.__qualname__


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    if function.__module__ == "tabulaflow_core.store.database":
        return {}  # compilers of SQL, typed by what is imported for types only
    return typing.get_type_hints(function)


async def _fill(store: Store, who: Principal) -> dict[str, Any]:
    """Rows of every kind for `who`, and arguments that name them, by parameter."""
    conversation = await store.conversations.create_async(who, title="Mine")
    turn = await store.turns.start_async(who, conversation.id, question="Secret?", model="scripted:x", runner="here")
    delta = AnswerDelta(step=1, content="secret")
    shown = Artifact(spec=TableSpec(id="r_1", source="mine", sql="SELECT 1", columns=("secret",), row_count=1))
    await store.turns.append_async(who, turn.id, runner="here", first=0, new=[delta, shown])
    await store.answers.judge_async(who, turn.id, verdict="down", reason="secret")
    await store.answers.choose_async(who, turn.id, "chart-0", choice={"type": "bar"})
    await store.preferences.set_async(who, "model", "secret")
    result = StoredResult(source="s", dialect="sqlite", sql="SELECT 1", table=pa.table({"secret": [1]}))
    await store.results.put_async(who, result)
    await store.sources.put_file_async(who, "mine.csv", sha256="0" * 64, size=1, status="loaded")
    waiting = await store.sources.put_waiting_async(who, "mine.csv", sha256="0" * 64, size=1, details={})
    secret = store.secrets.encrypt(who, "hunter2")
    database = await store.sources.add_database_async(who, "mine", dialect="sqlite", url_masked="x", url_secret=secret)
    call = await store.usage.reserve_async(
        who, conversation_id=conversation.id, turn_id=turn.id, model="openai:x", input_tokens=1
    )
    dashboard = await store.dashboards.create_async(who, title="Mine")
    sharing = Sharing(visibility="chosen", people=("carol",))
    await store.dashboards.share_async(who, dashboard.id, sharing=sharing)
    long_ago = datetime(2000, 1, 1, tzinfo=UTC)
    await store.dashboards.schedule_async(who, dashboard.id, policy=RefreshPolicy(), next_run_at=long_ago)
    content = QueryTile(show="table", source="mine", dialect="sqlite", sql="SELECT 'secret'")
    tile = await store.tiles.add_async(
        who, dashboard.id, title="Secret", text="", width=2, height="small", content=content, result_id=result.id
    )
    saved = await store.questions.add_async(who, "Secret?", content=content, result_id=result.id)
    return {
        "question_id": saved.id,
        "dashboard_id": dashboard.id,
        "tile_id": tile.id,
        "sharing": Sharing(visibility="team"),
        "policy": RefreshPolicy(every_seconds=60),
        "next_run_at": long_ago,
        "filters": (),
        "content": content,
        "width": 1,
        "height": "large",
        "position": 0,
        "back": False,
        "keep": 0,
        "fault": "stolen",
        "changes": {},
        "holder": "there",
        "conversation_id": conversation.id,
        "turn_id": turn.id,
        "result_id": result.id,
        "database_id": database.id,
        "ids": [waiting.id],
        "answered": [waiting.id],
        "details": {"stolen": True},
        "upload": {"stolen": True},
        "call_id": call,
        "token": secret,
        "name": "mine.csv",
        "alias": "mine",
        "title": "Stolen",
        "text": "hunter3",
        "verdict": "up",
        "place": "chart-0",
        "choice": {"type": "pie"},
        "body": "stolen",
        "result": result,
        "usage": Usage(model="openai:x", api_requests=1),
        "question": "Whose?",
        "model": "scripted:x",
        "runner": "here",
        "first": 0,
        "new": [delta],
        "state": "finished",
        "history": "[]",
        "sha256": "1" * 64,
        "size": 2,
        "status": "message",
        "dialect": "sqlite",
        "url_masked": "y",
        "url_secret": "z",
        "input_tokens": 5,
        "since": datetime(2000, 1, 1, tzinfo=UTC),
    }


async def _rows(store: Store, who: Principal) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    async with store._database.read() as connection:
        for table in metadata.sorted_tables:
            if "owner" in table.c:
                rows = await connection.execute(select(table).where(table.c.owner == who.id))
                found[table.name] = sorted(map(repr, rows))
    return found


async def test_every_table_has_an_owner(store: Store, alice: Principal) -> None:
    await _fill(store, alice)
    await store.turns.finish_async(
        alice,
        (await store.turns.list_async(alice, (await store.conversations.list_async(alice))[0].id))[0].id,
        runner="here",
        first=2,
        new=[],
        state="failed",
        history="[]",
    )
    rows = await _rows(store, alice)
    assert set(rows) == {table.name for table in metadata.sorted_tables} - {"schema_version"}
    assert all(rows.values()), "each kind of row is looked at"


async def test_another_principal_sees_and_changes_nothing(store: Store, alice: Principal, bob: Principal) -> None:
    arguments = await _fill(store, alice)
    before = await _rows(store, alice)
    for area, name in METHODS:
        if f"{area}.{name}" in SEES_NO_ROW:
            continue
        method = getattr(getattr(store, area), name)
        wanted = list(inspect.signature(method).parameters.values())[1:]
        given = {p.name: arguments[p.name] for p in wanted if p.name in arguments}
        missing = [p.name for p in wanted if p.name not in given and p.default is p.empty]
        assert not missing, f"{area}.{name} has parameters this test does not know: {missing}"
        try:
            got = method(bob, **given)
            got = await got if inspect.isawaitable(got) else got
        except (NotFound, SecretUnreadable):
            got = None
        if f"{area}.{name}" not in CREATES:
            assert not _seen(got), f"{area}.{name} gave {got!r} to another principal"
            rows = await _rows(store, bob)
            assert not rows["turns"], f"{area}.{name} made a turn in another's conversation"
            assert not rows["events"], f"{area}.{name} wrote into another's turn"
        await _clean(store, bob)
    assert await _rows(store, alice) == before
    assert (await store.results.get_async(alice, arguments["result_id"])).table.num_rows == 1


def _seen(got: object) -> bool:
    """Whether `got` holds anything; of a page and the number to go on from, whether the page does."""
    if isinstance(got, tuple) and got and all(isinstance(part, dict) for part in got):
        return any(got)
    return bool(got[0]) if isinstance(got, tuple) and len(got) == 2 and isinstance(got[0], list) else bool(got)


async def _clean(store: Store, who: Principal) -> None:
    async with store._database.write() as connection:
        for table in reversed(metadata.sorted_tables):
            if "owner" in table.c:
                await connection.execute(table.delete().where(table.c.owner == who.id))
    store.results._cache._kept = type(store.results._cache._kept)(
        (key, value) for key, value in store.results._cache._kept.items() if key[0] != who.id
    )


async def test_a_missing_row_and_anothers_row_say_the_same(store: Store, alice: Principal, bob: Principal) -> None:
    theirs = (await _fill(store, alice))["conversation_id"]
    said = []
    for conversation_id in (theirs, "c_nothing"):
        with pytest.raises(NotFound) as caught:
            await store.conversations.get_async(bob, conversation_id)
        said.append(caught.value.user_message)
    assert said[0] == said[1]
