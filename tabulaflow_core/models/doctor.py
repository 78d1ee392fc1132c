"""What an endpoint can do: asked for by `tabulaflow model doctor`, answered by trying.

report = await probe_endpoint("http://127.0.0.1:11434/v1", model="qwen3")
for finding in report.findings:
    print(finding.name, finding.ok, finding.message)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tabulaflow_core.errors import ModelRejected
from tabulaflow_core.models.contracts import JsonObject
from tabulaflow_core.models.profiles import EndpointProfile


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was tried.

    Attributes:
        ok: None when it could not be tried, or does not matter.
        message: What was seen, and what to do where it is not ok.
    """

    name: str
    ok: bool | None
    message: str


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Everything that was tried on one endpoint.

    Attributes:
        model: The model that was asked; empty when there was none to ask.
        models: The names that the endpoint lists.
        advice: How to use it from here.
        profile: What it takes, to be kept with `keep_profile`; None when it did not answer.
    """

    base_url: str
    model: str = ""
    models: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    advice: str = ""
    profile: EndpointProfile | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def ok(self) -> bool:
        """Nothing that was tried has failed."""
        return bool(self.findings) and all(finding.ok is not False for finding in self.findings)

    def to_json(self) -> JsonObject:
        """Return it for programs."""
        findings: list[JsonObject] = [dataclasses.asdict(finding) for finding in self.findings]
        return {
            "base_url": self.base_url,
            "model": self.model,
            "models": list(self.models),
            "ok": self.ok,
            "findings": list(findings),
            "advice": self.advice,
            "profile": None if self.profile is None else dataclasses.asdict(self.profile),
            "seconds": round(self.seconds, 3),
        }


async def probe_endpoint(
    base_url: str,
    *,
    model: str | None = None,
    api_key: str | None = None,
    silence_seconds: float = 60.0,
    on_finding: Callable[[Finding], None] | None = None,
) -> DoctorReport:
    """Try what a chat needs of a Chat Completions endpoint: about eight short requests.

    Args:
        base_url: Up to and with `/v1`.
        model: By default the first one that the endpoint lists.
        api_key: Sent to this endpoint only.
        silence_seconds: How long one answer may be silent.
        on_finding: Called with each finding as it is made; a slow machine takes minutes for all.

    Raises:
        ModelRejected: `base_url` is not an address.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelRejected(f"{base_url!r} is not an address; it looks like http://127.0.0.1:8000/v1.")
    from tabulaflow_core.models.openai.probe import Probe

    probe = Probe(
        base_url.rstrip("/"),
        model=model or "",
        api_key=api_key or "",
        silence_seconds=silence_seconds,
        on_finding=on_finding,
    )
    return await probe.run()
