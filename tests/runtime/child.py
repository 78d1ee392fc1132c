"""Another process for the tests: a runtime with a scripted model that takes commands, one JSON object a line."""

from __future__ import annotations

import json
import sys
from typing import Any

from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.models.scripted import ScriptedModel, call, delay, hang, text
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import singleton
from tabulaflow_core.runtime.runtime import Runtime


def slow_model() -> ScriptedModel:
    """Runs a query, says something, then more half a second later, and then never ends."""
    model = ScriptedModel()
    model.enqueue(text("I count the orders."), call("run_query", sql="SELECT count(*) AS n FROM orders"))
    model.enqueue(text("There are three orders,"), delay(0.8), text(" and more to say"), hang())
    return model


class Commands:
    """What the tests may ask for."""

    def __init__(self) -> None:
        self.model = ScriptedModel(rule=lambda request: [text("Thinking aloud."), hang()])
        runtime = Runtime(model_factory=lambda name: self.model)
        singleton.adopt(runtime)  # closed at exit, as in a server
        self.runtime = runtime

    def tables(self) -> Any:
        """Names of all tables."""
        return [table.name for source in self.runtime.sources(LOCAL_USER) for table in source.tables]

    def sql(self, alias: str, sql: str) -> Any:
        """Rows of a query."""
        return self.runtime.run_sql(LOCAL_USER, alias, sql).table.to_pylist()  # type: ignore[union-attr]

    def answer(self, name: str, choice: str) -> Any:
        """Answer the question of a waiting file."""
        return "done" if self.runtime.answer_file(LOCAL_USER, name, choice) else "nothing"  # type: ignore[arg-type]

    def start(self, conversation: str) -> Any:
        """Begin a turn that hangs."""
        return self.runtime.start_turn(LOCAL_USER, conversation, "Asked by the child?").id

    def start_slow(self, conversation: str) -> Any:
        """Begin a turn that queries, speaks twice, and hangs."""
        self.model = slow_model()
        return self.runtime.start_turn(LOCAL_USER, conversation, "How many orders?", model="scripted:slow").id

    def start_endless(self, conversation: str) -> Any:
        """Begin a turn whose query never ends."""
        counting = (
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1e15) SELECT count(*) FROM c"
        )
        self.model = ScriptedModel().enqueue(text("I count."), call("run_query", sql=counting))
        return self.runtime.start_turn(LOCAL_USER, conversation, "How far?", model="scripted:endless").id

    def follow(self, conversation: str, until: str) -> Any:
        """Attach to the running turn until an event of the kind `until`; kinds of all events seen."""
        turn = self.runtime.running_turn(LOCAL_USER, conversation)
        assert turn is not None
        kinds: list[str] = []
        for batch in turn.attach():
            kinds += [event.kind for event in batch]
            if until in kinds:
                break
        return {"type": type(turn).__name__, "kinds": kinds}

    def stop(self, conversation: str) -> Any:
        """Stop the running turn."""
        turn = self.runtime.running_turn(LOCAL_USER, conversation)
        assert turn is not None
        turn.cancel()
        return turn.id


def main() -> None:
    """Answer until standard input ends."""
    commands = Commands()
    for line in sys.stdin:
        given = json.loads(line)
        try:
            answer = getattr(commands, given.pop("do"))(**given)
        except TabulaflowError as error:
            answer = {"error": type(error).__name__}
        sys.stdout.write(json.dumps(answer, default=int) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
