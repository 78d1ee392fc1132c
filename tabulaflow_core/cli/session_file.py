"""`ask --session FILE`: the conversation between runs, as one JSON file and a folder of its results beside it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tabulaflow_core.cli.exits import UsageError
from tabulaflow_core.cli.sources import SourceSpec, check_aliases, is_there

if TYPE_CHECKING:
    from tabulaflow_core.models.contracts import Message

_VERSION: Final = 1


@dataclass
class SessionFile:
    """What is kept of a conversation.

    Attributes:
        messages: The conversation so far.
        sources: As given in earlier runs. A database password is never written: its source must be given again.
        forgotten: Aliases of sources that must be given again.
        hidden_columns: Patterns of columns that were hidden from the model, and stay so.
    """

    path: Path
    messages: tuple[Message, ...] = ()
    sources: tuple[SourceSpec, ...] = ()
    forgotten: tuple[str, ...] = field(default=())
    hidden_columns: tuple[str, ...] = ()

    @property
    def results_folder(self) -> Path:
        """Where the results lie that later questions may refer to."""
        return self.path.with_name(self.path.name + ".results")

    @classmethod
    @contextmanager
    def held(cls, path: Path) -> Iterator[SessionFile]:
        """The file for one turn: nobody else asks in it meanwhile.

        Raises:
            UsageError: The file is something else.
            TurnInProgress: Another process asks in it.
            StoreUnavailable: It could not be written afterwards.
        """
        from tabulaflow_core.cli.session_lock import session_lock

        try:
            other = path.exists() and not path.is_file()
        except OSError as error:
            raise UsageError(f"the session file {path} cannot be reached ({error.strerror or error})") from error
        if other:  # a device would be read without end
            raise UsageError(f"the session file {path} is a folder or a device; name another one")
        with session_lock(path):
            yield cls.load(path)

    @classmethod
    def load(cls, path: Path) -> SessionFile:
        """Read the file, or begin a new one when there is none.

        Raises:
            UsageError: The file is something else.
        """
        from tabulaflow_core.agents.history import messages_from_json

        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return cls(path)
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"the session file {path} cannot be read ({_why(error)})") from error
        try:
            kept = json.loads(text)
            if kept["version"] != _VERSION:
                raise ValueError(f"version {kept['version']}")
            messages = messages_from_json(json.dumps(kept["messages"]))
            places = {str(s["alias"]): str(s["place"]) for s in kept["sources"]}
            sources = tuple(SourceSpec(alias, place) for alias, place in places.items() if place)
            forgotten = tuple(alias for alias, place in places.items() if not place)
            hidden = tuple(str(pattern) for pattern in kept.get("hidden_columns", ()))
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{path} is not a session file of this version; name another one and it is made"
            ) from error
        return cls(path, messages, sources, forgotten, hidden)

    def merged(self, given: tuple[SourceSpec, ...]) -> tuple[SourceSpec, ...]:
        """The sources of earlier runs and those given now; the latter win.

        Raises:
            UsageError: A source with a password is not given again, a file is gone, or names clash.
        """
        specs = {spec.alias: spec for spec in (*self.sources, *given)}
        if missing := [alias for alias in self.forgotten if alias not in specs]:
            raise UsageError(
                f"give the source {missing[0]!r} again with -s {missing[0]}=URL: "
                "its password is not kept in the session file"
            )
        check_aliases(tuple(specs.values()))
        for spec in specs.values():
            if spec.is_database and "://" in spec.place:
                continue
            if not is_there(Path(spec.place)):
                raise UsageError(
                    f"the file {spec.place} of the source {spec.alias!r} is gone; give -s {spec.alias}=PATH"
                )
        return tuple(specs.values())

    def save(
        self,
        messages: tuple[Message, ...],
        sources: tuple[SourceSpec, ...],
        *,
        hidden_columns: tuple[str, ...] = (),
    ) -> None:
        """Write the file whole or not at all, readable by its owner only.

        Raises:
            StoreUnavailable: It cannot be written; what stood there is untouched.
        """
        from tabulaflow_core.cli.session_lock import not_writable

        try:
            self._write(messages, sources, hidden_columns)
        except OSError as error:
            raise not_writable(self.path, error) from error

    def _write(
        self, messages: tuple[Message, ...], sources: tuple[SourceSpec, ...], hidden_columns: tuple[str, ...]
    ) -> None:
        from tabulaflow_core.agents.history import messages_to_json

        kept = {
            "version": _VERSION,
            "sources": [{"alias": s.alias, "place": "" if s.has_password else s.place} for s in sources],
            "hidden_columns": list(hidden_columns),
            "messages": json.loads(messages_to_json(messages)),
        }
        handle, draft = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(kept, file, ensure_ascii=False, indent=1)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self.path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise


def _why(error: OSError | UnicodeDecodeError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else "it is no UTF-8 text"
