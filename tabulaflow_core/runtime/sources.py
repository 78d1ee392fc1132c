"""What each principal can ask about: stored sources, opened on the engine loop."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tabulaflow_core.config import Settings
from tabulaflow_core.data import DataConnectorRegistry, SQLConnector
from tabulaflow_core.data.contracts import DataConnector
from tabulaflow_core.data.reserved import reserved_reason
from tabulaflow_core.data.urls import mask_url, parse_source_url
from tabulaflow_core.data.workspace import TOGETHER, AcrossConnector
from tabulaflow_core.errors import NotFound, SourceError, SourceUnavailable, UnknownSource
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.files import FILES_ALIAS, FileBook
from tabulaflow_core.runtime.ports import carried_out
from tabulaflow_core.runtime.shelf import OPEN_SECONDS, Shelf, Wanted
from tabulaflow_core.runtime.views import SourceInfo
from tabulaflow_core.store.database import own_places
from tabulaflow_core.store.records import DatabaseRecord, FileRecord
from tabulaflow_core.store.store import Store

_log = logging.getLogger(__name__)

_ALIAS: Final = re.compile(r"[^\W\d][\w\-]{0,62}")
#: What stands for a password where a URL is shown.
MASK: Final = "***"
#: Under this name the preferences keep the patterns of hidden columns by alias, as JSON.
_HIDDEN: Final = "hidden_columns"
#: Pages ask for the tables at each of their runs; a schema as young as this is not read again for them.
_SCHEMA_AGE: Final = 30.0
#: Connections of a person who went home are closed.
_IDLE_SECONDS: Final = 1800.0


class SourceBook:
    """The sources of every principal. Belongs to the engine loop."""

    def __init__(self, settings: Settings, store: Store, files: FileBook) -> None:
        self._settings = settings
        self._store = store
        self._files = files
        self._shelves: dict[str, Shelf] = {}
        self._opening: set[asyncio.Task[object]] = set()
        self._hiding: dict[str, frozenset[str]] = {}  # aliases with hidden columns, by principal

    async def registry_async(self, principal: Principal) -> DataConnectorRegistry:
        """The registry of `principal`, one object for good, with every source open that can be opened."""
        # Apart from the caller's task: Stop must not wait for a server that is silent while one connects to it.
        task = asyncio.create_task(self._sync(principal))
        self._opening.add(task)
        task.add_done_callback(self._opened)
        await asyncio.shield(task)
        return self._shelf(principal).registry

    def _opened(self, task: asyncio.Task[object]) -> None:
        self._opening.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.info("the sources could not be opened: %s", error)

    def hold(self, principal: Principal) -> None:
        """A turn of `principal` begins; see `Shelf.hold`."""
        self._shelf(principal).hold()

    async def release_async(self, principal: Principal) -> None:
        """A turn of `principal` is over."""
        await self._shelf(principal).release_async()

    async def connector_async(self, principal: Principal, alias: str) -> DataConnector:
        """The connector called `alias`, or one over several sources, whose aliases have `TOGETHER` between them.

        Raises:
            UnknownSource: This principal has none of this name.
            SourceUnavailable: It could not be opened.
        """
        if TOGETHER in alias:
            parts = {part: await self.connector_async(principal, part) for part in alias.split(TOGETHER)}
            return AcrossConnector(parts, limits=self._settings.limits)
        registry = await self.registry_async(principal)
        if alias not in registry and (fault := self._shelf(principal).fault(alias)):
            raise SourceUnavailable(fault)
        return registry.get(alias)

    async def list_async(self, principal: Principal) -> tuple[SourceInfo, ...]:
        """All sources: the files first, then the databases, the oldest first."""
        files, databases = await self._sync(principal)
        shelf = self._shelf(principal)
        hidden = await self._hidden_async(principal)
        infos = []
        if loaded := [file for file in files if file.status == "loaded"]:
            blank = SourceInfo("files", FILES_ALIAS, "files", "duckdb", created_at=loaded[0].created_at)
            infos.append(await self._described(shelf, blank))
        for record in databases:
            infos.append(await self._described(shelf, _blank(record)))
        return tuple(replace(info, hidden_columns=hidden.get(info.alias, ())) for info in infos)

    async def test_async(self, url: str) -> SourceInfo:
        """Connect once and look; nothing is kept.

        Raises:
            SourceError: The URL is malformed or not allowed, or the database does not answer.
        """
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                connector = await self._open_url(url)
        except TimeoutError:
            raise SourceUnavailable(
                f"The database did not answer within {OPEN_SECONDS:g} seconds. "
                "Check host and port, and that a database server listens there."
            ) from None
        try:
            return SourceInfo(
                id="",
                alias="",
                kind="database",
                dialect=connector.dialect,
                url_masked=mask_url(url.strip()),
                tables=connector.schema.tables,
                notices=connector.notices,
            )
        finally:
            await connector.close_async()

    async def add_async(self, principal: Principal, alias: str, url: str) -> SourceInfo:
        """Connect, and keep the database under `alias` when it answered.

        Raises:
            SourceError: As for `test_async`, or the alias cannot be used or is taken.
        """
        alias = alias.strip()
        if not _ALIAS.fullmatch(alias) or alias.casefold() == FILES_ALIAS:
            raise SourceError(
                f"{alias[:80]!r} cannot be the name of a source: it takes a letter, then letters, digits, '_' or '-', "
                f"63 characters at most, and is not {FILES_ALIAS!r}."
            )
        if reason := reserved_reason(alias):
            raise SourceError(reason)
        there = await self._store.sources.databases_async(principal)
        if any(alias.casefold() == record.alias.casefold() for record in there):
            raise SourceError(
                f"There is a source called {alias!r} already. Choose another name, or remove that one first."
            )
        tested = await self.test_async(url)
        record = await self._store.sources.add_database_async(
            principal,
            alias,
            dialect=tested.dialect,
            url_masked=tested.url_masked,
            url_secret=self._store.secrets.encrypt(principal, url.strip()),
        )
        await self._files.samples.make_room_async(principal)
        await self._sync(principal)
        return await self._described(self._shelf(principal), _blank(record))

    async def change_async(self, principal: Principal, source_id: str, url: str) -> SourceInfo:
        """Give a database another address or password, when it answers there; its name stays.

        Args:
            url: Where its password is `***`, the kept one is taken.

        Raises:
            NotFound: This principal has no such source.
            SourceError: As for `test_async`, or the kept password is wanted for another address.
        """
        url = await self.with_kept_password_async(principal, source_id, url)
        tested = await self.test_async(url)
        record = await self._store.sources.change_database_async(
            principal,
            source_id,
            dialect=tested.dialect,
            url_masked=tested.url_masked,
            url_secret=self._store.secrets.encrypt(principal, url),
        )
        await self._sync(principal)
        return await self._described(self._shelf(principal), _blank(record))

    async def with_kept_password_async(self, principal: Principal, source_id: str, url: str) -> str:
        """`url` with the kept password in the place of `***`; as it is when it has one of its own.

        Raises:
            NotFound: This principal has no such source.
            SourceError: The kept password is wanted for another server or user than it belongs to.
        """
        url = url.strip()
        record = await self._store.sources.database_async(principal, source_id)
        if MASK not in url:
            return url
        kept = self._store.secrets.decrypt(principal, record.url_secret)
        if _place(url) != _place(mask_url(kept)):
            fault = SourceError(
                "The server or the user changed, so the kept password is not sent there. Enter it again."
            )
            fault.about = "password"
            raise fault
        _, _, rest = kept.partition("://")
        secret = rest.rpartition("@")[0].partition(":")[2]
        return url.replace(f":{MASK}@", f":{secret}@", 1)

    async def hide_columns_async(self, principal: Principal, alias: str, patterns: Sequence[str]) -> None:
        """Hide columns of a source from the model, from the next question on; see `data.hiding`.

        Args:
            patterns: All of them, in the place of those before.
        """
        kept = await self._hidden_async(principal)
        kept[alias] = tuple(patterns)
        body = json.dumps({name: found for name, found in sorted(kept.items()) if found})
        await self._store.preferences.set_async(principal, _HIDDEN, body)
        await self._sync(principal)

    async def _hidden_async(self, principal: Principal) -> dict[str, tuple[str, ...]]:
        """The patterns of hidden columns by alias."""
        body = (await self._store.preferences.all_async(principal)).get(_HIDDEN, "{}")
        return {str(alias): tuple(map(str, patterns)) for alias, patterns in json.loads(body).items()}

    async def remove_async(self, principal: Principal, source_id: str) -> None:
        """Forget a database, or with the id `files` all files.

        Raises:
            NotFound: This principal has no such source.
        """
        if source_id == "files":
            names = dict.fromkeys(file.name for file in await self._files.list_async(principal))
            if not names:
                raise NotFound("This source is not here. It may have been removed.")
            for name in names:
                await self._files.remove_async(principal, name)
        else:
            record = await self._store.sources.remove_database_async(principal, source_id)
            await self._sync(principal)
            await self._files.databases.discard_async(principal, record)
            await self.hide_columns_async(principal, record.alias, ())
        await self._sync(principal)

    async def _sync(self, principal: Principal) -> tuple[tuple[FileRecord, ...], tuple[DatabaseRecord, ...]]:
        files = await carried_out(self._store.sources.files_async(principal))
        databases = await carried_out(self._store.sources.databases_async(principal))
        shelf = self._shelf(principal)
        hidden = await carried_out(self._hidden_async(principal))
        for alias in hidden.keys() | self._hiding.get(principal.id, frozenset()):
            shelf.registry.hide(alias, hidden.get(alias, ()))  # before any source is opened
        self._hiding[principal.id] = frozenset(hidden)
        wanted = [self._wanted(principal, record) for record in databases]
        if (opened := self._files.wanted(principal, files)) is not None:
            wanted.insert(0, opened)
        await shelf.sync_async(wanted)
        for shelf in tuple(self._shelves.values()):
            await shelf.rest_async(idle=_IDLE_SECONDS)
        return files, databases

    def _wanted(self, principal: Principal, record: DatabaseRecord) -> Wanted:
        async def open_database() -> DataConnector:
            if (uploaded := await self._files.databases.open_kept_async(principal, record)) is not None:
                return uploaded
            secrets, kept = self._store.secrets, record.url_secret
            url = secrets.decrypt(principal, kept)
            if not secrets.is_current(kept):
                fresh = secrets.encrypt(principal, url)
                await self._store.sources.change_secret_async(principal, record.id, url_secret=fresh)
            return await self._open_url(url)

        return Wanted(record.alias, record.id, open_database)

    async def _open_url(self, url: str) -> DataConnector:
        """Connect read-only, whatever the URL says, within the folders that pages may open."""
        roots = self._settings.file_roots
        parse_source_url(url, allowed_roots=roots, forbidden_roots=own_places(self._settings))
        return await SQLConnector.from_url_async(url, read_only=True, limits=self._settings.limits, allowed_roots=roots)

    async def _described(self, shelf: Shelf, blank: SourceInfo) -> SourceInfo:
        try:
            schema = await shelf.schema_async(blank.alias, max_age=_SCHEMA_AGE)
            connector = shelf.registry.get(blank.alias)
        except UnknownSource:
            return replace(blank, status="broken", message=shelf.fault(blank.alias))
        except SourceUnavailable as error:
            return replace(blank, status="broken", message=error.user_message)
        return replace(blank, dialect=connector.dialect, tables=schema.tables, notices=connector.notices)

    def _shelf(self, principal: Principal) -> Shelf:
        return self._shelves.setdefault(principal.id, Shelf())

    async def close_async(self) -> None:
        """Close every connector of every principal."""
        while self._shelves:
            _, shelf = self._shelves.popitem()
            await shelf.close_async()


def _place(url: str) -> tuple[str, str]:
    """The scheme, and user, host and port, of a URL without its password."""
    scheme, _, rest = url.partition("://")
    return scheme.casefold(), rest.partition("?")[0].partition("/")[0]


def _blank(record: DatabaseRecord) -> SourceInfo:
    return SourceInfo(
        id=record.id,
        alias=record.alias,
        kind="database",
        dialect=record.dialect,
        url_masked=record.url_masked,
        created_at=record.created_at,
    )
