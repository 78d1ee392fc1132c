"""The embedded model: its weights, its server in a child process, and the chat model on top.

Nothing here is imported before it is used, so that a program without the embedded model pays nothing for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulaflow_core.lazy import lazy_names

if TYPE_CHECKING:
    from tabulaflow_core.models.local.fetch import pull
    from tabulaflow_core.models.local.model import LocalModel
    from tabulaflow_core.models.local.progress import Progress, PullCancelled
    from tabulaflow_core.models.local.server import LocalServer, close_shared_server
    from tabulaflow_core.models.local.status import LocalModelStatus, local_model_status
    from tabulaflow_core.models.local.weights import DEFAULT_WEIGHTS, SMALL_WEIGHTS, LocalWeights, find_weights

__all__ = [
    "DEFAULT_WEIGHTS",
    "SMALL_WEIGHTS",
    "LocalModel",
    "LocalModelStatus",
    "LocalServer",
    "LocalWeights",
    "Progress",
    "PullCancelled",
    "close_shared_server",
    "find_weights",
    "local_model_status",
    "pull",
]

_HOMES = {
    "DEFAULT_WEIGHTS": ".weights",
    "SMALL_WEIGHTS": ".weights",
    "LocalModel": ".model",
    "LocalModelStatus": ".status",
    "LocalServer": ".server",
    "LocalWeights": ".weights",
    "Progress": ".progress",
    "PullCancelled": ".progress",
    "close_shared_server": ".server",
    "find_weights": ".weights",
    "local_model_status": ".status",
    "pull": ".fetch",
}


__getattr__, __dir__ = lazy_names(__name__, _HOMES)
