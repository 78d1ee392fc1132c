"""The samples make room for a person's own data, unless an answer rests on them, and come back when asked for."""

from __future__ import annotations

import io

import pytest

from tabulaflow_core.errors import SourceError
from tabulaflow_core.models.scripted import ScriptedModel, call, text
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import FileOutcome, Runtime
from tests.runtime.conftest import MakeRuntime, drain

OWN = "day,shop,amount\n2026-01-05,north,10\n2026-01-06,south,20\n"


def add(rt: Runtime, name: str, body: str = OWN) -> FileOutcome:
    (outcome,) = rt.add_files(LOCAL_USER, [(name, io.BytesIO(body.encode()))])
    return outcome


def names(rt: Runtime) -> list[str]:
    return [file.name for file in rt.files(LOCAL_USER)]


@pytest.fixture
def welcomed(rt: Runtime) -> Runtime:
    """A runtime with the samples."""
    rt.add_samples(LOCAL_USER)
    assert rt.samples(LOCAL_USER) == "here"
    return rt


def asked(rt: Runtime, model: ScriptedModel) -> None:
    """An answer rests on the samples."""
    model.enqueue(call("run_query", sql="SELECT count(*) AS n FROM inventory"))
    model.enqueue(text("So it is."))
    turn = rt.start_turn(LOCAL_USER, rt.new_conversation(LOCAL_USER).id, "How many?")
    assert drain(turn)[-1].kind == "turn_finished"


def test_they_make_room_for_an_own_file(welcomed: Runtime) -> None:
    assert add(welcomed, "mine.csv").status == "loaded"
    assert (names(welcomed), welcomed.samples(LOCAL_USER)) == (["mine.csv"], "away")


def test_an_own_file_of_a_samples_name_is_neither_asked_about_nor_named_around_it(welcomed: Runtime) -> None:
    outcome = add(welcomed, "sales.csv")
    assert (outcome.status, [table.name for table in outcome.tables]) == ("loaded", ["sales"])
    assert names(welcomed) == ["sales.csv"]


def test_they_make_room_for_a_database(welcomed: Runtime, shop: str) -> None:
    welcomed.add_database(LOCAL_USER, "shop", shop)
    assert [source.alias for source in welcomed.sources(LOCAL_USER)] == ["shop"]
    assert welcomed.samples(LOCAL_USER) == "away"


def test_what_cannot_be_asked_moves_nothing(welcomed: Runtime) -> None:
    assert add(welcomed, "empty.csv", "").status == "message"
    with pytest.raises(SourceError):
        welcomed.add_database(LOCAL_USER, "shop", "postgresql://u:p@127.0.0.1:9/none")
    assert {"inventory.csv", "sales.csv"} <= set(names(welcomed))
    assert welcomed.samples(LOCAL_USER) == "here"


def test_samples_on_which_an_answer_rests_stay_until_they_are_put_away(welcomed: Runtime, model: ScriptedModel) -> None:
    asked(welcomed, model)
    add(welcomed, "mine.csv")
    assert set(names(welcomed)) == {"inventory.csv", "sales.csv", "mine.csv"}
    welcomed.put_samples_away(LOCAL_USER)
    assert (names(welcomed), welcomed.samples(LOCAL_USER)) == (["mine.csv"], "away")


def test_brought_back_they_stay_beside_what_comes_later(welcomed: Runtime) -> None:
    add(welcomed, "mine.csv")
    welcomed.add_samples(LOCAL_USER, stay=True)
    add(welcomed, "more.csv", "a,b\n1,2\n")
    assert set(names(welcomed)) == {"inventory.csv", "sales.csv", "mine.csv", "more.csv"}


def test_a_sample_that_was_read_in_another_way_is_the_persons_own(welcomed: Runtime) -> None:
    welcomed.reread_file(LOCAL_USER, "sales.csv", {"types": {"revenue": "text"}})
    add(welcomed, "mine.csv")
    assert set(names(welcomed)) == {"sales.csv", "mine.csv"}


def test_what_was_put_away_stays_so_in_the_next_process(welcomed: Runtime, make_runtime: MakeRuntime) -> None:
    add(welcomed, "mine.csv")
    welcomed.close()
    again = make_runtime()
    assert (names(again), again.samples(LOCAL_USER)) == (["mine.csv"], "away")
