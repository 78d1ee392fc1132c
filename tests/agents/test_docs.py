"""The documentation names every event, field, parameter and method, and nothing else."""

from __future__ import annotations

import inspect
import re
import typing
from pathlib import Path

import pytest
from pydantic import BaseModel

from tabulaflow_core import agents
from tabulaflow_core.agents import events

DOCS = Path(__file__).parents[2] / "docs"
KINDS: tuple[type[BaseModel], ...] = typing.get_args(typing.get_args(events.Event)[0])
PARTS = (events.TurnResult, events.UsageReport, events.ErrorInfo)


def sections(name: str, marks: str) -> dict[str, str]:
    parts = re.split(rf"^{marks} (.+)$", (DOCS / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(text: str) -> list[str]:
    return re.findall(r"^\| `(\w+)[`(]", text, flags=re.MULTILINE)


def heading(model: type[BaseModel]) -> str:
    return str(model.model_fields["kind"].default) if "kind" in model.model_fields else model.__name__


def test_every_event_has_its_section() -> None:
    assert list(sections("events.md", "###")) == [heading(model) for model in (*KINDS, *PARTS)]


@pytest.mark.parametrize("model", [*KINDS, *PARTS], ids=heading)
def test_every_field_is_described(model: type[BaseModel]) -> None:
    described = rows(sections("events.md", "###")[heading(model)])
    assert described == [name for name in model.model_fields if name != "kind"]


def test_every_parameter_and_method_is_described() -> None:
    parts = sections("session.md", "##")
    parameters = inspect.signature(agents.ChatSession.__init__).parameters
    assert rows(parts["Parameters"]) == [name for name in parameters if name != "self"]
    public = {name for name in vars(agents.ChatSession) if not name.startswith("_")}
    assert set(rows(parts["Methods and properties"])) == public


def test_every_public_name_is_there() -> None:
    assert sorted(agents.__all__) == agents.__all__
    assert all(hasattr(agents, name) for name in agents.__all__)
    assert {model.__name__ for model in KINDS} <= set(agents.__all__)
