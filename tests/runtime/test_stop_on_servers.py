"""The turn's Stop and the query editor's Stop, as far as the server: nothing runs there any more."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from tabulaflow_core.models.scripted import ScriptedModel, call
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import Runtime
from tests.data.contract import boxes
from tests.data.contract.boxes import BURNER
from tests.runtime.conftest import drain

pytestmark = pytest.mark.server

Running = Callable[[], int]
_ASK = {
    "postgres": "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tabulaflow' AND state = 'active' "
    "AND datname = current_database()",
    "mariadb": "SELECT count(*) FROM information_schema.processlist WHERE db = database() AND command = 'Query' "
    "AND id <> connection_id()",
}


@pytest.fixture(params=["postgres", "mariadb"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, Running]]:
    """A database's URL, and how many statements run in it."""
    engine: str = request.param
    make, outside = {
        "postgres": (boxes.postgres_database, boxes.outside_postgres),
        "mariadb": (boxes.mariadb_database, boxes.outside_mariadb),
    }[engine]
    with make() as url:
        yield url, lambda: int(str(outside(url, _ASK[engine])[0][0]))


def _until(running: Running, wanted: int) -> None:
    deadline = time.monotonic() + 60
    while running() != wanted:
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.01)


def test_the_turns_stop(rt: Runtime, model: ScriptedModel, server: tuple[str, Running]) -> None:
    url, running = server
    rt.add_database(LOCAL_USER, "box", url)
    model.enqueue(call("run_query", sql=BURNER))
    turn = rt.start_turn(LOCAL_USER, rt.new_conversation(LOCAL_USER).id, "How many?")
    _until(running, 1)
    turn.cancel()
    assert drain(turn)[-1].kind == "turn_interrupted"
    _until(running, 0)


def test_the_editors_stop(rt: Runtime, server: tuple[str, Running]) -> None:
    url, running = server
    rt.add_database(LOCAL_USER, "box", url)
    run = rt.start_sql(LOCAL_USER, "box", BURNER)
    _until(running, 1)
    run.cancel()
    _until(running, 0)
    assert run.state == "stopped"
