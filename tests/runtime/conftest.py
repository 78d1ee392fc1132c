"""Runtimes that are closed at the end of a test, a small database, and other processes over the same store."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from cryptography.fernet import Fernet

from tabulaflow_core.agents.events import Event
from tabulaflow_core.config import Settings
from tabulaflow_core.models.contracts import ChatModel
from tabulaflow_core.models.scripted import ScriptedModel
from tabulaflow_core.runtime import Runtime, Turn

MakeRuntime: TypeAlias = Callable[..., Runtime]
CHILD = Path(__file__).with_name("child.py")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """One store, which all runtimes of a test share."""
    return Settings(
        data_dir=tmp_path / "data",
        cache_dir=tmp_path / "cache",
        file_roots=(tmp_path,),
        secret_keys=(Fernet.generate_key().decode(),),
    )


@pytest.fixture
def model() -> ScriptedModel:
    """The model of every runtime of a test."""
    return ScriptedModel()


@pytest.fixture
def make_runtime(settings: Settings, model: ScriptedModel) -> Iterator[MakeRuntime]:
    """Makes runtimes over the same store."""
    made: list[Runtime] = []

    def make(with_settings: Settings | None = None, chat_model: ChatModel | None = None) -> Runtime:
        runtime = Runtime(with_settings or settings, model_factory=lambda name: chat_model or model)
        made.append(runtime)
        return runtime

    yield make
    for runtime in made:
        runtime.close()


@pytest.fixture
def rt(make_runtime: MakeRuntime) -> Runtime:
    """One runtime."""
    return make_runtime()


@pytest.fixture
def shop(tmp_path: Path) -> str:
    """The URL of a SQLite database with a table of three rows."""
    path = tmp_path / "shop.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, amount INTEGER)")
    connection.executemany("INSERT INTO orders VALUES (?, ?)", [(1, 10), (2, 20), (3, 30)])
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


def drain(turn: Turn) -> list[Event]:
    """All events of a turn, waited for."""
    return [event for batch in turn.attach() for event in batch]


class Child:
    """Another process with a runtime of its own over the same store; see `child.py`."""

    def __init__(self, settings: Settings) -> None:
        env = {
            **os.environ,
            "TABULAFLOW_DATA_DIR": str(settings.data_dir),
            "TABULAFLOW_CACHE_DIR": str(settings.cache_dir),
            "TABULAFLOW_SECRET_KEY": settings.secret_keys[0],
            "TABULAFLOW_FILE_ROOTS": os.pathsep.join(map(str, settings.file_roots)),
        }
        self.process = subprocess.Popen(
            [sys.executable, str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )

    def send(self, do: str, **arguments: Any) -> None:
        """Ask, without waiting."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        """The answer to what was asked first."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the other process ended"
        return json.loads(line)

    def ask(self, do: str, **arguments: Any) -> Any:
        """Ask and wait."""
        self.send(do, **arguments)
        return self.receive()

    def end(self) -> int:
        """Let it end by itself; the exit code comes back."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(20)


@pytest.fixture
def child(settings: Settings) -> Iterator[Child]:
    """One other process."""
    other = Child(settings)
    yield other
    other.process.kill()
    other.process.wait(30)
    for stream in (other.process.stdin, other.process.stdout):
        if stream is not None and not stream.closed:
            try:
                stream.close()
            except BrokenPipeError:
                continue
