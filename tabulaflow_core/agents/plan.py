"""What every turn of a session has in common."""

from __future__ import annotations

from dataclasses import dataclass

from tabulaflow_core.agents.ports import ModelPermit
from tabulaflow_core.agents.sources import Registry
from tabulaflow_core.config import Limits
from tabulaflow_core.data.ports import QueryPermit, SourceKnowledge
from tabulaflow_core.models.contracts import ReasoningLevel
from tabulaflow_core.output.results import ResultStore
from tabulaflow_core.principal import Principal


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """The arguments of `ChatSession` that its turns need."""

    registry: Registry
    reasoning: ReasoningLevel | None
    principal: Principal
    results: ResultStore
    model_permit: ModelPermit
    query_permit: QueryPermit
    knowledge: SourceKnowledge
    limits: Limits
    instructions: str
    hidden_columns: tuple[str, ...] = ()
