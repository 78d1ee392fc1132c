"""Several windows on one runtime, with clients that are bound to its loop, over real HTTP."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tabulaflow_core.models.contracts import ModelRequest, ToolMessage, UserMessage
from tabulaflow_core.models.scripted import Step, call, text
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import get_runtime
from tabulaflow_core.runtime.singleton import close_runtime
from tests.modelserver.server import ModelServer
from tests.pages.conftest import APP
from tests.pages.test_app import words


def _rule(request: ModelRequest) -> Sequence[Step]:
    asked = next(m.text for m in reversed(request.messages) if isinstance(m, UserMessage) and not m.host)
    if isinstance(request.messages[-1], ToolMessage):
        return [text(f"Counted for: {asked}")]
    source = "south" if "south" in asked else "north"
    return [call("run_query", sql="SELECT count(*) AS n FROM orders", source=source)]


@pytest.fixture
def two_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelServer]:
    """A model server that asks the source a question names."""
    monkeypatch.setenv("TABULAFLOW_FILE_ROOTS", str(tmp_path))
    with ModelServer(rule=_rule) as server:
        monkeypatch.setenv("TABULAFLOW_MODEL", "compatible:x")
        monkeypatch.setenv("TABULAFLOW_BASE_URL", server.url)
        close_runtime()
        for rows, name in enumerate(("north", "south"), 1):
            with closing(sqlite3.connect(tmp_path / f"{name}.db")) as database:
                database.execute("CREATE TABLE orders (id INTEGER)")
                database.executemany("INSERT INTO orders VALUES (?)", [(n,) for n in range(rows)])
                database.commit()
            get_runtime().add_database(LOCAL_USER, name, f"sqlite:///{tmp_path / name}.db")
        yield server
        close_runtime()


def test_questions_of_several_windows_share_one_loop(two_sources: ModelServer) -> None:
    windows = [AppTest.from_file(str(APP), default_timeout=30).run() for _ in range(3)]
    for round_ in range(3):
        for number, app in enumerate(windows):
            app.chat_input[0].set_value(f"How many in the north, {number}.{round_}?").run()
            assert not app.exception
            assert not app.error
            assert f"Counted for: How many in the north, {number}.{round_}?" in words(app)
            app.run()
            assert not app.exception
    assert two_sources.aborted == 0
    assert len(get_runtime().usage(LOCAL_USER)) == 9


def test_each_answer_names_the_source_it_came_from(two_sources: ModelServer) -> None:
    app = AppTest.from_file(str(APP), default_timeout=30).run()
    app.chat_input[0].set_value("How many in the north?").run()
    app.chat_input[0].set_value("And in the south?").run()
    assert not app.exception
    ran = [caption.value for caption in app.caption if caption.value.startswith("Ran on ")]
    assert [line.split("**")[1] for line in ran] == ["north", "south"]
    named = [line for line in words(app).splitlines() if line.startswith("**Sources:**")]
    assert [line.split()[1].rstrip(",") for line in named] == ["north", "south"]
    assert [frame.value.iloc[0, 0] for frame in app.dataframe if frame.value.shape == (1, 1)] in ([], [1, 2])


@pytest.mark.parametrize("question", ["", "   ", "\n\t ", "\u200b", "\ufeff"])
def test_a_question_of_nothing_asks_nobody(two_sources: ModelServer, question: str) -> None:
    app = AppTest.from_file(str(APP), default_timeout=30).run()
    app.chat_input[0].set_value(question).run()
    assert not app.exception
    assert two_sources.opened == 0


@pytest.mark.parametrize("question", ["😀", "😀🎉 👩‍👩‍👧", "?", "\x00\x07 how many?", "ß" * 3_000, "a\u202eb"])
def test_any_other_question_is_answered_or_given_back(two_sources: ModelServer, question: str) -> None:
    app = AppTest.from_file(str(APP), default_timeout=30).run()
    app.chat_input[0].set_value(question).run()
    assert not app.exception
    assert not app.error
    app.run()
    assert not app.exception
    assert two_sources.opened == 2


def test_a_question_of_20_kilobytes_is_given_back(two_sources: ModelServer) -> None:
    app = AppTest.from_file(str(APP), default_timeout=30).run()
    app.chat_input[0].set_value("why is " * 3_000).run()
    assert not app.exception
    assert "21,000 characters" in app.error[0].value
    assert "Shorten it" in app.error[0].value
    assert two_sources.opened == 0
