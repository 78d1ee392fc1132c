"""What the doctor found out about endpoints, kept in a file so that no later question has to find it out again.

It holds no key and nothing of a question: an address, a model's name, and what it takes.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from tabulaflow_core.config import Settings
from tabulaflow_core.models.contracts import ModelFacts

_FILE: Final = "endpoints.json"
#: Endpoints kept; the one looked at longest ago goes first.
_MOST: Final = 200
_LONGEST_BYTES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class EndpointProfile:
    """What one model at one address takes over the Chat Completions wire.

    Attributes:
        stream_options: It counts tokens in the stream when asked to.
        max_tokens: The name under which it takes a limit of its answer; empty when it takes none.
        temperature: It takes one.
        system_role: The role under which it takes instructions.
        tool_choice: It takes a demand for a call.
        response_schema: It takes a JSON Schema.
        tools: `text` when it writes its calls into its text.
        context_tokens: Its window; 0 when it does not say.
    """

    stream_options: bool = True
    max_tokens: Literal["max_tokens", "max_completion_tokens", ""] = "max_tokens"
    temperature: bool = True
    system_role: Literal["system", "developer", "user"] = "system"
    tool_choice: bool = True
    response_schema: bool = True
    tools: Literal["native", "text"] = "native"
    context_tokens: int = 0


def keep_profile(settings: Settings, base_url: str, model: str, profile: EndpointProfile) -> Path | None:
    """Keep `profile`; return the file, None where it cannot be written. Blocking.

    Args:
        base_url: Up to and with `/v1`.
        model: As the endpoint calls it.
    """
    path = settings.cache_dir / _FILE
    known = _read(path)
    key = _key(base_url, model)
    known.pop(key, None)
    known[key] = asdict(profile)
    kept = dict(list(known.items())[-_MOST:])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{_FILE}")  # readable by this user alone
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(kept, file, indent=1)
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError:
        return None
    return path


def kept_profile(settings: Settings, base_url: str, model: str) -> EndpointProfile | None:
    """Return what is known of `model` at `base_url`; None when the doctor was never there. Blocking, a small file."""
    found = _read(settings.cache_dir / _FILE).get(_key(base_url, model))
    return None if found is None else _profile(found)


def with_profile(facts: ModelFacts, profile: EndpointProfile) -> ModelFacts:
    """Return `facts` with what was found out; the window only where the table has none."""
    window = facts.context_tokens or profile.context_tokens
    return replace(facts, tools="text" if profile.tools == "text" else facts.tools, context_tokens=window)


def _key(base_url: str, model: str) -> str:
    parts = urlsplit(base_url.rstrip("/"))
    host = parts.netloc.rpartition("@")[2]  # an address may hold a password
    return f"{parts.scheme}://{host}{parts.path} {model}"


def _read(path: Path) -> dict[str, dict[str, object]]:
    try:
        if path.stat().st_size > _LONGEST_BYTES:
            return {}
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {key: body for key, body in value.items() if isinstance(body, dict)}


def _profile(body: dict[str, object]) -> EndpointProfile | None:
    """Read a profile; None when it is of another version or was tampered with."""
    plain = EndpointProfile()
    choices = {
        "max_tokens": ("max_tokens", "max_completion_tokens", ""),
        "system_role": ("system", "developer", "user"),
        "tools": ("native", "text"),
    }
    if set(body) != {field.name for field in fields(plain)}:
        return None
    for name, value in body.items():
        if type(value) is not type(getattr(plain, name)) or value not in choices.get(name, (value,)):
            return None
    return replace(plain, **body)  # type: ignore[arg-type]
