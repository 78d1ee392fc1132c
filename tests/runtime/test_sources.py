"""Sources of a runtime: files, databases, what is refused, and what is said when something is wrong."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from tabulaflow_core.config import Settings
from tabulaflow_core.data.contracts import DataConnector, QueryFailure
from tabulaflow_core.data.schema import SourceSchema
from tabulaflow_core.data.urls import mask_url
from tabulaflow_core.errors import NotFound, SourceError, SourceUnavailable, SourceUrlError, UnknownSource
from tabulaflow_core.models.scripted import ScriptedModel, call, delay, text
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import Runtime
from tabulaflow_core.runtime import shelf as shelf_module
from tabulaflow_core.runtime import sources as sources_module
from tabulaflow_core.runtime.files import FileBook
from tabulaflow_core.runtime.shelf import Shelf, Wanted
from tabulaflow_core.runtime.sources import SourceBook
from tabulaflow_core.runtime.uploads import plain_name
from tabulaflow_core.store.store import Store
from tests.data.contract import boxes
from tests.runtime.conftest import MakeRuntime, drain

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


def write(folder: Path, name: str, content: str | bytes) -> tuple[str, Path]:
    path = folder / f"upload-{name}"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return name, path


def test_files_form_one_source_and_an_unreadable_one_harms_nobody(rt: Runtime, tmp_path: Path) -> None:
    outcomes = rt.add_files(
        LOCAL_USER,
        [
            write(tmp_path, "orders.csv", "id,customer\n1,7\n2,8\n"),
            write(tmp_path, "picture.csv", PNG),
            ("missing.csv", tmp_path / "missing.csv"),
            write(tmp_path, "customers.csv", "id,name\n7,Ann\n8,Bo\n"),
        ],
    )
    assert [outcome.status for outcome in outcomes] == ["loaded", "message", "message", "loaded"]
    assert outcomes[1].message
    assert outcomes[0].report["rows_in_table"] == 2
    (source,) = rt.sources(LOCAL_USER)
    assert (source.alias, source.kind, source.status) == ("files", "files", "ready")
    assert sorted(table.name for table in source.tables) == ["customers", "orders"]
    joined = rt.run_sql(
        LOCAL_USER, "files", "SELECT name FROM orders JOIN customers ON customer = customers.id ORDER BY 1"
    )
    assert isinstance(joined, StoredResult)
    assert joined.table.to_pylist() == [{"name": "Ann"}, {"name": "Bo"}]
    assert rt.result(LOCAL_USER, joined.id).table.equals(joined.table)
    assert [file.name for file in rt.files(LOCAL_USER)] == ["orders.csv", "picture.csv", "customers.csv"]


def test_two_files_of_one_stem_get_two_tables(rt: Runtime, tmp_path: Path) -> None:
    given = [write(tmp_path, "a.csv", "x,y\n1,2\n"), write(tmp_path, "a.txt", "x,y\n3,4\n")]
    rt.add_files(LOCAL_USER, given, choice="separate")
    (source,) = rt.sources(LOCAL_USER)
    assert sorted(table.name for table in source.tables) == ["a", "a_2"]
    assert rt.preview(LOCAL_USER, "files", "a_2").table.column("x").to_pylist() == [3]


def test_the_same_name_replaces_when_told_so_beforehand(rt: Runtime, tmp_path: Path) -> None:
    rt.add_files(LOCAL_USER, [write(tmp_path, "a.csv", "x,y\n1,2\n")])
    (again,) = rt.add_files(LOCAL_USER, [write(tmp_path, "a.csv", "x,y\n5,6\n")], choice="replace")
    assert "replaces" in again.message
    assert rt.preview(LOCAL_USER, "files", "a").table.column("x").to_pylist() == [5]
    (broken,) = rt.add_files(LOCAL_USER, [write(tmp_path, "a.csv", PNG)], choice="replace")
    assert (broken.status, "stays" in broken.message) == ("message", True)
    assert rt.preview(LOCAL_USER, "files", "a").table.column("x").to_pylist() == [5]


def test_a_file_is_read_again_as_told(rt: Runtime, tmp_path: Path) -> None:
    rt.add_files(LOCAL_USER, [write(tmp_path, "a.csv", "code,n\n001,1\n002,2\n")])
    outcome = rt.reread_file(LOCAL_USER, "a.csv", {"header": False})
    assert outcome.tables[0].row_count == 3
    with pytest.raises(SourceError, match="nonsense"):
        rt.reread_file(LOCAL_USER, "a.csv", {"nonsense": 1})
    with pytest.raises(NotFound):
        rt.reread_file(LOCAL_USER, "b.csv", {})


def test_a_removed_file_leaves_the_disk(rt: Runtime, tmp_path: Path, settings: Settings) -> None:
    rt.add_files(LOCAL_USER, [write(tmp_path, "a.csv", "x,secret\n1,2\n")])
    kept = [path for path in (settings.data_dir / "files").rglob("*") if path.is_file()]
    assert len(kept) == 2, "the original and the table"
    rt.remove_file(LOCAL_USER, "a.csv")
    assert not [path for path in kept if path.exists()]
    assert rt.sources(LOCAL_USER) == ()
    with pytest.raises(NotFound):
        rt.remove_file(LOCAL_USER, "a.csv")


def test_a_file_added_during_a_turn_does_not_break_it(rt: Runtime, tmp_path: Path, model: ScriptedModel) -> None:
    rt.add_files(LOCAL_USER, [write(tmp_path, "a.csv", "x,y\n1,2\n")])
    model.enqueue(delay(0.5), call("run_query", sql="SELECT x FROM a"))
    model.enqueue(text("One."))
    conversation = rt.new_conversation(LOCAL_USER)
    turn = rt.start_turn(LOCAL_USER, conversation.id, "x?")
    for batch in turn.attach():
        if batch:
            break
    rt.add_files(LOCAL_USER, [write(tmp_path, "b.csv", "x,y\n1,2\n")])
    assert len(rt.sources(LOCAL_USER)[0].tables) == 2
    tools = [event for event in drain(turn) if event.kind == "tool_finished"]
    assert [tool.ok for tool in tools] == [True]


def test_an_upload_over_the_limit_is_not_kept(make_runtime: MakeRuntime, settings: Settings, tmp_path: Path) -> None:
    small = make_runtime(replace(settings, limits=replace(settings.limits, upload_bytes=2**20)))
    large, fits = small.add_files(
        LOCAL_USER, [write(tmp_path, "large.csv", "a\n" * 2**20), write(tmp_path, "fits.csv", "a\n1\n")]
    )
    assert (large.status, fits.status) == ("message", "loaded")
    assert "larger than 1 MB" in large.message
    assert [file.name for file in small.files(LOCAL_USER)] == ["fits.csv"]
    assert not [path for path in (settings.data_dir / "files").rglob("*") if path.is_file() and "large" in path.name]


def test_samples_once(rt: Runtime) -> None:
    first = rt.add_samples(LOCAL_USER)
    again = rt.add_samples(LOCAL_USER)
    assert first.tables == again.tables
    assert len(first.tables) == len(rt.files(LOCAL_USER)) >= 2


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\sales.csv", "sales.csv"),
        ("\0a\n.csv", "a.csv"),
        (".hidden", "hidden"),
        ("/", "file"),
        ("Übersicht 2026.xlsx", "Übersicht 2026.xlsx"),
    ],
)
def test_names_of_files_are_only_names(given: str, kept: str) -> None:
    assert plain_name(given) == kept


def test_very_long_names_keep_their_suffix() -> None:
    name = plain_name("ü" * 300 + ".csv")
    assert name.endswith(".csv")
    assert len(name.encode()) <= 200


def test_a_database_is_kept_with_its_password_hidden(
    rt: Runtime, make_runtime: MakeRuntime, shop: str, settings: Settings
) -> None:
    assert rt.test_database(LOCAL_USER, shop).tables[0].name == "orders"
    assert rt.sources(LOCAL_USER) == ()
    added = rt.add_database(LOCAL_USER, "shop", shop)
    assert (added.alias, added.dialect, added.status, added.tables[0].row_count) == ("shop", "sqlite", "ready", 3)
    (source,) = make_runtime().sources(LOCAL_USER)
    assert source.id == added.id
    assert rt.preview(LOCAL_USER, "shop", "orders", limit=2).table.num_rows == 2
    with pytest.raises(SourceError, match="already"):
        rt.add_database(LOCAL_USER, "shop", shop)
    refused = rt.run_sql(LOCAL_USER, "shop", "DELETE FROM orders")
    assert isinstance(refused, QueryFailure)
    with pytest.raises(NotFound):
        rt.preview(LOCAL_USER, "shop", "nothing")
    rt.remove_source(LOCAL_USER, added.id)
    with pytest.raises(UnknownSource):
        rt.run_sql(LOCAL_USER, "shop", "SELECT 1")
    with pytest.raises(NotFound):
        rt.remove_source(LOCAL_USER, added.id)


def test_a_password_is_nowhere(rt: Runtime, settings: Settings) -> None:
    url = "postgresql://reader:hunter2@127.0.0.1:1/sales"
    with pytest.raises(SourceUnavailable) as caught:
        rt.add_database(LOCAL_USER, "sales", url)
    assert "hunter2" not in f"{caught.value.user_message}{caught.value.detail}"
    services = rt._services
    secret = services.store.secrets.encrypt(LOCAL_USER, url)
    record = services.store.sources.add_database_async(
        LOCAL_USER,
        "sales",
        dialect="postgres",
        url_masked="postgresql://reader:***@127.0.0.1:1/sales",
        url_secret=secret,
    )
    rt._call(record)
    (source,) = rt.sources(LOCAL_USER)
    assert source.status == "broken"
    assert source.message
    assert "hunter2" not in repr(source)
    rt.close()
    for path in settings.data_dir.rglob("*"):
        if path.is_file():
            assert b"hunter2" not in path.read_bytes()


@pytest.mark.parametrize("alias", ["", "files", "Files", "a b", "1a", "x" * 64, "a;b"])
def test_names_of_sources(rt: Runtime, shop: str, alias: str) -> None:
    with pytest.raises(SourceError):
        rt.add_database(LOCAL_USER, alias, shop)


def test_names_differ_by_more_than_case(rt: Runtime, shop: str) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    with pytest.raises(SourceError, match="already"):
        rt.add_database(LOCAL_USER, "Shop", shop)


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_silent_server_is_given_up(rt: Runtime, scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources_module, "OPEN_SECONDS", 0.3)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        with pytest.raises(SourceUnavailable, match=r"did not answer within 0\.3 seconds") as error:
            rt.test_database(LOCAL_USER, f"{scheme}://u:secret@127.0.0.1:{port}/d?connect_timeout=2")
    assert "secret" not in str(error.value)


def test_the_store_itself_is_no_source(make_runtime: MakeRuntime, settings: Settings, tmp_path: Path) -> None:
    rt = make_runtime(replace(settings, database_url=f"sqlite:///{tmp_path}/kept.db"))
    rt.new_conversation(LOCAL_USER)
    with pytest.raises(SourceUrlError, match="TabulaFlow itself"):
        rt.test_database(LOCAL_USER, f"sqlite:///{tmp_path}/kept.db")


def test_database_files_stay_within_their_folders(rt: Runtime, settings: Settings, tmp_path: Path) -> None:
    rt.sources(LOCAL_USER)
    own = settings.data_dir / "tabulaflow.db"
    assert own.exists()
    for url in (
        f"sqlite:///{own}",
        f"sqlite:///{tmp_path}/x/../data/tabulaflow.db",
        "sqlite:////etc/passwd",
        "sqlite:///:memory:",
        f"sqlite:///file:{own}?mode=rw",
        f"duckdb:///{own}",
        "mysql://root@127.0.0.1:3306/test?local_infile=1",
        "file:///etc/passwd",
    ):
        with pytest.raises(SourceUrlError):
            rt.test_database(LOCAL_USER, url)
    link = tmp_path / "link.db"
    link.symlink_to(own)
    with pytest.raises(SourceUrlError):
        rt.test_database(LOCAL_USER, f"sqlite:///{link}")


def test_a_lost_key_asks_for_the_password_again(
    rt: Runtime, make_runtime: MakeRuntime, settings: Settings, shop: str
) -> None:
    rt.add_database(LOCAL_USER, "shop", shop)
    other = Fernet.generate_key().decode()
    lost = make_runtime(replace(settings, secret_keys=(other,)))
    (source,) = lost.sources(LOCAL_USER)
    assert source.status == "broken"
    assert "Enter the password again" in source.message
    with pytest.raises(SourceUnavailable, match="Enter the password again"):
        lost.run_sql(LOCAL_USER, "shop", "SELECT 1")
    rotated = make_runtime(replace(settings, secret_keys=(other, *settings.secret_keys)))
    assert rotated.sources(LOCAL_USER)[0].status == "ready"
    later = make_runtime(replace(settings, secret_keys=(other,)))
    assert later.sources(LOCAL_USER)[0].status == "ready", "opening it has encrypted it with the newest key"


def test_two_principals_never_meet(rt: Runtime, tmp_path: Path, shop: str, model: ScriptedModel) -> None:
    ann, bob = Principal("ann"), Principal("bob")
    rt.add_files(ann, [write(tmp_path, "a.csv", "x,y\n1,2\n")])
    source = rt.add_database(ann, "shop", shop)
    conversation = rt.new_conversation(ann)
    model.enqueue(text("Hello Ann."), delay(0.3), text("Bye."))
    turn = rt.start_turn(ann, conversation.id, "Ann's question?")
    for missing in (
        lambda: rt.running_turn(bob, conversation.id),
        lambda: rt.conversation(bob, conversation.id),
        lambda: rt.start_turn(bob, conversation.id, "Mine?"),
        lambda: rt.rename_conversation(bob, conversation.id, "Mine"),
        lambda: rt.delete_conversation(bob, conversation.id),
        lambda: rt.remove_source(bob, source.id),
        lambda: rt.remove_source(bob, "files"),
        lambda: rt.remove_file(bob, "a.csv"),
    ):
        with pytest.raises(NotFound):
            missing()
    drain(turn)
    result = rt.run_sql(ann, "files", "SELECT * FROM a")
    assert isinstance(result, StoredResult)
    with pytest.raises(NotFound):
        rt.result(bob, result.id)
    for alias in ("files", "shop"):
        with pytest.raises(UnknownSource):
            rt.run_sql(bob, alias, "SELECT 1")
        with pytest.raises(UnknownSource):
            rt.preview(bob, alias, "a")
    assert rt.sources(bob) == rt.files(bob) == rt.conversations(bob) == rt.usage(bob) == ()
    assert len(rt.usage(ann)) == 1
    # The same names again are the other's own.
    rt.add_files(bob, [write(tmp_path, "a.csv", "x,y\n9,9\n")])
    rt.add_database(bob, "shop", shop)
    assert rt.preview(ann, "files", "a").table.column("x").to_pylist() == [1]
    assert rt.preview(bob, "files", "a").table.column("x").to_pylist() == [9]


class Flaky:
    """A connector that stops answering."""

    dialect, read_only, schema, notices = "sqlite", True, SourceSchema(), ()

    def __init__(self) -> None:
        self.asked = 0
        self.closed = 0

    async def refresh_schema_async(self, *, max_age: float = 0.0) -> SourceSchema:
        self.asked += 1
        raise SourceUnavailable("It went away.")

    async def close_async(self) -> None:
        self.closed += 1


async def test_a_source_that_went_away_is_not_asked_at_each_look() -> None:
    flaky, shelf = Flaky(), Shelf()

    async def open_it() -> DataConnector:
        return flaky  # type: ignore[return-value]

    await shelf.sync_async([Wanted("a", "1", open_it)])
    for _ in range(3):
        with pytest.raises(SourceUnavailable, match="went away"):
            await shelf.schema_async("a", max_age=0)
    assert flaky.asked == 1
    await shelf.sync_async([Wanted("a", "2", open_it)])
    with pytest.raises(SourceUnavailable):
        await shelf.schema_async("a", max_age=0)
    assert flaky.asked == 2, "a source that was changed is asked at once"
    assert flaky.closed == 1
    await shelf.close_async()
    assert flaky.closed == 2


async def test_a_source_that_cannot_be_opened_is_tried_again_later() -> None:
    tries, shelf = [], Shelf()

    async def open_it() -> DataConnector:
        tries.append(1)
        raise SourceUnavailable("Nobody listens.") if len(tries) < 3 else KeyError("a driver's own fault")

    for token in ("1", "1", "2", "3"):
        await shelf.sync_async([Wanted("a", token, open_it)])
        assert shelf.fault("a")
    assert len(tries) == 3
    assert "KeyError" not in shelf.fault("a")
    await shelf.sync_async([])
    assert shelf.fault("a") == ""


async def test_idle_sources_are_closed_and_opened_again() -> None:
    flaky, shelf = Flaky(), Shelf()

    async def open_it() -> DataConnector:
        return flaky  # type: ignore[return-value]

    wanted = [Wanted("a", "1", open_it)]
    await shelf.sync_async(wanted)
    await shelf.rest_async(idle=3600)
    shelf.hold()
    await shelf.rest_async(idle=0)
    assert flaky.closed == 0
    await shelf.release_async()
    await shelf.rest_async(idle=0)
    assert (flaky.closed, shelf.registry.aliases) == (1, ())
    await shelf.sync_async(wanted)
    assert shelf.registry.aliases == ("a",)
    await shelf.close_async()


async def test_a_source_is_waited_for_as_long_as_it_is_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf_module, "_PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(shelf_module, "OPEN_SECONDS", 0.0)
    here, there, shelf = Flaky(), asyncio.Event(), Shelf()

    async def open_later() -> DataConnector:
        for _ in range(20):  # a loop that is busy with other things
            await asyncio.sleep(0)
        return here  # type: ignore[return-value]

    async def open_never() -> DataConnector:
        await there.wait()
        raise AssertionError

    wanted = [Wanted("files", "1", open_later, patience=30, limit=30), Wanted("silent", "1", open_never)]
    async with asyncio.timeout(20):
        await shelf.sync_async(wanted)
    assert shelf.registry.aliases == ("files",)
    assert "did not answer" in shelf.fault("silent")
    await shelf.close_async()


async def test_a_slow_source_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf_module, "_PATIENCE_SECONDS", 0.1)
    quick, slow, late, shelf = Flaky(), Flaky(), asyncio.Event(), Shelf()

    async def open_quick() -> DataConnector:
        return quick  # type: ignore[return-value]

    async def open_slow() -> DataConnector:
        await late.wait()
        return slow  # type: ignore[return-value]

    wanted = [Wanted("slow", "1", open_slow), Wanted("quick", "1", open_quick)]
    async with asyncio.timeout(30):
        await shelf.sync_async(wanted)
        await shelf.sync_async(wanted)
    assert shelf.registry.aliases == ("quick",)
    assert "still being opened" in shelf.fault("slow")
    late.set()
    await shelf.sync_async(wanted)
    assert sorted(shelf.registry.aliases) == ["quick", "slow"]
    assert shelf.fault("slow") == ""
    late.clear()
    await shelf.sync_async([Wanted("slow", "2", open_slow)])
    await shelf.sync_async([])
    closed = slow.closed
    late.set()
    async with asyncio.timeout(30):
        while slow.closed == closed:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert shelf.registry.aliases == (), "a source that was removed while it opened is closed again"
    await shelf.close_async()


class Asked(Flaky):
    """One in which a query runs: it is closed when that has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = asyncio.Event()

    async def close_async(self) -> None:
        await self.ended.wait()
        await super().close_async()


async def test_a_running_query_holds_up_no_upload_and_the_tables_are_never_gone() -> None:
    before, after, opened, shelf = Asked(), Flaky(), asyncio.Event(), Shelf()

    async def open_before() -> DataConnector:
        return before  # type: ignore[return-value]

    async def open_after() -> DataConnector:
        opened.set()
        for _ in range(3):
            await asyncio.sleep(0)
            assert "files" in shelf.registry, "who asks meanwhile finds the tables of before"
        return after  # type: ignore[return-value]

    await shelf.sync_async([Wanted("files", "1", open_before, seamless=True)])
    async with asyncio.timeout(30):
        await shelf.sync_async([Wanted("files", "2", open_after, seamless=True)])
        with pytest.raises(SourceUnavailable):
            await shelf.schema_async("files", max_age=0)
    assert opened.is_set()
    assert (after.asked, before.closed) == (1, 0)
    before.ended.set()
    await shelf.close_async()
    assert (before.closed, after.closed) == (1, 1)


async def test_a_file_source_that_cannot_be_opened_again_is_not_answered_from_what_it_was() -> None:
    before, shelf = Flaky(), Shelf()

    async def open_before() -> DataConnector:
        return before  # type: ignore[return-value]

    async def open_none() -> DataConnector:
        raise SourceUnavailable("It is damaged.")

    await shelf.sync_async([Wanted("files", "1", open_before, seamless=True)])
    await shelf.sync_async([Wanted("files", "2", open_none, seamless=True)])
    assert shelf.registry.aliases == ()
    assert "damaged" in shelf.fault("files")
    await shelf.close_async()
    assert before.closed == 1


def test_a_connection_is_changed_under_its_name(rt: Runtime, shop: str, tmp_path: Path) -> None:
    before = rt.add_database(LOCAL_USER, "shop", shop)
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE goods AS SELECT 7 AS id")
        database.commit()
    after = rt.change_database(LOCAL_USER, before.id, f"sqlite:///{other}")
    assert (after.alias, [table.name for table in after.tables]) == ("shop", ["goods"])
    result = rt.run_sql(LOCAL_USER, "shop", "SELECT id FROM goods")
    assert isinstance(result, StoredResult)
    assert result.table.to_pylist() == [{"id": 7}]
    with pytest.raises(SourceUnavailable):
        rt.change_database(LOCAL_USER, after.id, f"sqlite:///{tmp_path / 'none.sqlite'}")
    assert [source.alias for source in rt.sources(LOCAL_USER)] == ["shop"]
    with pytest.raises(NotFound):
        rt.change_database(Principal("someone-else"), after.id, shop)


async def test_a_kept_password_goes_only_where_it_belongs(settings: Settings) -> None:
    store = await Store.open_async(settings)
    try:
        book = SourceBook(settings, store, FileBook(settings, store))
        url = "postgresql://reader:g%40h:eim@db.example:5432/shop"
        record = await store.sources.add_database_async(
            LOCAL_USER,
            "shop",
            dialect="postgres",
            url_masked=mask_url(url),
            url_secret=store.secrets.encrypt(LOCAL_USER, url),
        )
        kept = await book.with_kept_password_async(
            LOCAL_USER, record.id, "postgresql://reader:***@db.example:5432/other?sslmode=require"
        )
        assert kept == "postgresql://reader:g%40h:eim@db.example:5432/other?sslmode=require"
        own = "postgresql://reader:new@db.example/shop"
        assert await book.with_kept_password_async(LOCAL_USER, record.id, own) == own
        for elsewhere in (
            "postgresql://reader:***@evil.example:5432/shop",
            "postgresql://admin:***@db.example:5432/shop",
            "postgresql://reader:***@db.example:5433/shop",
        ):
            with pytest.raises(SourceError, match="Enter it again") as caught:
                await book.with_kept_password_async(LOCAL_USER, record.id, elsewhere)
            assert "eim" not in str(caught.value)
    finally:
        await store.close_async()


@pytest.mark.server
def test_a_preview_says_which_values_could_not_be_given(rt: Runtime) -> None:
    with boxes.mariadb_database() as url:
        boxes.outside_mariadb(
            url,
            "CREATE TABLE days (day DATE)",
            "SET sql_mode = ''",
            "INSERT INTO days VALUES ('2026-02-03'), ('0000-00-00')",
        )
        rt.add_database(LOCAL_USER, "shop", url)
        shown = rt.preview(LOCAL_USER, "shop", "days")
    assert [str(day) for day in shown.table.column("day").to_pylist()] == ["2026-02-03", "None"]
    assert [notice.partition(" of ")[0] for notice in shown.notices] == ["1 value"]
