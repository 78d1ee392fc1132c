"""Whether the tables of a source are others than when they were last looked at."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tabulaflow_core.data.schema import SourceSchema
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.questions.rechecking import RecheckRun

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services


async def changed_async(services: Services, principal: Principal, source: str) -> RecheckRun | None:
    """The look at what uses a source, begun when its tables or columns changed since the last call; None before.

    What was seen last stands in the store, so that a change is noticed after a restart too.

    Raises:
        UnknownSource: There is no such source.
        SourceUnavailable: It does not answer.
    """
    schema = (await services.sources.connector_async(principal, source)).schema
    if not schema.tables:  # a role that lost its rights for a moment is no other schema
        return None
    now, name = _digest(_written(schema)), f"schema:{_digest(source)}"
    before = (await services.store.preferences.all_async(principal)).get(name)
    if before == now:
        return services.rechecks.known(principal, source, now)
    await services.store.preferences.set_async(principal, name, now)
    return None if before is None else services.rechecks.start(services, principal, source, None, now)


def _written(schema: SourceSchema) -> str:
    return "\n".join(sorted(f"{t.qualified_name}\0{c.name}\0{c.type}" for t in schema.tables for c in t.columns))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
