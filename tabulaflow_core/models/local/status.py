"""Whether the embedded model can be used here, and if not, what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tabulaflow_core.config import Settings
from tabulaflow_core.models.local.weights import DEFAULT_WEIGHTS, find_weights, weights_of

INSTALL_COMMAND = "pip install xllamacpp"


@dataclass(frozen=True, slots=True)
class LocalModelStatus:
    """What a page or `model list` says about the embedded model.

    Attributes:
        name: `local:NAME`.
        label: Short, for people: of known weights their name, of a person's own file its file name.
        ready: True when it can be started now.
        reason: Why not, and what to do; empty when ready.
        path: The model file; None when there is none.
        verified: The file is the publisher's, by hash; False for a file that a person gave.
        size_bytes: Of the file, or of what would be fetched.
        runtime_installed: The package that runs it is there.
    """

    name: str
    label: str
    ready: bool
    reason: str
    path: Path | None
    verified: bool
    size_bytes: int
    runtime_installed: bool


def local_model_status(settings: Settings) -> LocalModelStatus:
    """Look, without loading anything. May hash a new weights file once (see `find_weights`)."""
    installed = find_spec("xllamacpp") is not None
    path = find_weights(settings)
    known = weights_of(path) if path is not None else DEFAULT_WEIGHTS
    verified = path is not None and known is not None and settings.local_model is None
    name = known.name if known is not None else path.stem if path is not None else ""
    size = path.stat().st_size if path is not None else DEFAULT_WEIGHTS.size_bytes
    # A file of a person's own is called what that person calls it, whatever it claims to be.
    label = path.name if path is not None and not verified else known.label if known is not None else name
    if path is None and settings.local_model is not None:
        reason = f"TABULAFLOW_LOCAL_MODEL names {settings.local_model}, which is not there or is not a GGUF file."
    elif not installed:
        reason = f"The embedded model needs the package xllamacpp: {INSTALL_COMMAND}"
    elif path is None:
        reason = f"Its weights ({size / 1e9:.1f} GB) are not fetched yet: tabulaflow model pull"
    else:
        reason = ""
    return LocalModelStatus(
        name=f"local:{name}",
        label=label,
        ready=not reason,
        reason=reason,
        path=path,
        verified=verified,
        size_bytes=size,
        runtime_installed=installed,
    )
