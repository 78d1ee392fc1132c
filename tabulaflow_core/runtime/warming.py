"""Making ready, before the first question, what the first answer would otherwise wait for."""

from __future__ import annotations

import asyncio
import logging
from importlib import import_module
from typing import TYPE_CHECKING, Final

from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.principal import Principal

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

_log = logging.getLogger(__name__)

#: What an answer needs and what takes long to import.
_MODULES: Final = ("sqlglot", "duckdb", "tabulaflow_core.data.guard", "plotly.graph_objects")


async def warm_async(services: Services, principal: Principal, conversation_id: str) -> None:
    """Import what an answer needs, open the sources, and let the embedded model read the prompt's beginning."""
    key = (principal.id, conversation_id)
    if key in services.warming:  # a page asks at each of its runs
        return
    services.warming.add(key)
    try:
        await asyncio.to_thread(_import_all)
        if await services.models.default_name_async(principal) is not None:
            await services.sessions.warm_async(principal, conversation_id)
    except TabulaflowError as error:
        _log.info("the model could not be warmed: %s", error)
    except Exception:  # a convenience: the question itself will say what is wrong
        _log.warning("the model could not be warmed", exc_info=True)
    finally:
        services.warming.discard(key)


def _import_all() -> None:
    for name in _MODULES:
        import_module(name)
