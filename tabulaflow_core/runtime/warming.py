"""Making the embedded model ready before the first question."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.principal import Principal

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

_log = logging.getLogger(__name__)


async def warm_async(services: Services, principal: Principal, conversation_id: str) -> None:
    """Load the default model when it is the embedded one, and let it read the prompt's beginning."""
    name = services.models.default_name()
    if name is None or not name.startswith("local:"):
        return
    from tabulaflow_core.models.local import LocalModel

    model = services.models.get(name)
    if not isinstance(model, LocalModel):
        return
    try:
        await services.sources.registry_async(principal)
        await model.warm_async(())
    except TabulaflowError as error:
        _log.info("the embedded model could not be warmed: %s", error)
