"""All of the store behind one object."""

from __future__ import annotations

from tabulaflow_core.config import Settings
from tabulaflow_core.store.answers import Answers
from tabulaflow_core.store.conversations import Conversations
from tabulaflow_core.store.dashboards import Dashboards
from tabulaflow_core.store.database import Database
from tabulaflow_core.store.migrations import migrate_async
from tabulaflow_core.store.preferences import PreferenceShelf
from tabulaflow_core.store.questions import Questions
from tabulaflow_core.store.results import Results
from tabulaflow_core.store.schedules import Schedules
from tabulaflow_core.store.secrets import Secrets
from tabulaflow_core.store.shown import ShownResults
from tabulaflow_core.store.sources import Sources
from tabulaflow_core.store.tiles import Tiles
from tabulaflow_core.store.turns import Turns
from tabulaflow_core.store.usage import UsageLedger


class Store:
    """What is kept, by what it is about. Belongs to the event loop that opened it.

    Attributes:
        secrets: Encrypts what `sources` keeps of passwords and `preferences` of keys.
    """

    def __init__(self, settings: Settings, database: Database) -> None:
        self._database = database
        shared = database.backend == "postgresql"
        self.conversations = Conversations(database)
        self.turns = Turns(database)
        self.answers = Answers(database)
        self.results = Results(database, folder=None if shared else settings.data_dir / "results")
        self.sources = Sources(database)
        self.usage = UsageLedger(database)
        self.preferences = PreferenceShelf(database)
        self.dashboards = Dashboards(database)
        self.tiles = Tiles(database)
        self.questions = Questions(database)
        self.shown = ShownResults(database)
        self.schedules = Schedules(database)
        self.secrets = Secrets(settings)

    @classmethod
    async def open_async(cls, settings: Settings) -> Store:
        """Open the store that `settings` name and bring it to the latest version.

        Raises:
            ConfigurationError: The database URL or the secret key cannot be used.
            StoreUnavailable: The database does not answer, or was written by a newer version.
        """
        database = Database.connect(settings)
        try:
            await migrate_async(database)
            return cls(settings, database)
        except BaseException:
            await database.close_async()
            raise

    async def close_async(self) -> None:
        """Close every connection."""
        await self._database.close_async()
