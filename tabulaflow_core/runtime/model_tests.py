"""Trying a model out: what the Settings page's button does, watched and stopped from any thread."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final, Literal

from tabulaflow_core.errors import TabulaflowError
from tabulaflow_core.models.catalog import PROVIDERS, endpoint_for
from tabulaflow_core.models.doctor import Finding, probe_endpoint
from tabulaflow_core.models.profiles import keep_profile
from tabulaflow_core.models.resolve import parse_name, why_not_ready
from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.engine_loop import EngineLoop

if TYPE_CHECKING:
    from tabulaflow_core.runtime.services import Services

_log = logging.getLogger(__name__)

TestState = Literal["running", "done", "failed", "stopped"]
_BROKEN: Final = "The model could not be tried, for a reason that only the server's log knows."


class ModelTest:
    """One trial. Reading the attributes is safe from any thread.

    Attributes:
        findings: What was tried so far.
        message: What it came to, for a person; empty while it runs.
    """

    def __init__(self, loop: EngineLoop, model: str) -> None:
        self.model: Final = model
        self.state: TestState = "running"
        self.findings: tuple[Finding, ...] = ()
        self.message = ""
        self._loop = loop
        self._task: asyncio.Task[None] | None = None

    def cancel(self) -> None:
        """Stop it; comes back at once."""
        self._loop.soon(lambda: self._task.cancel() if self._task is not None else None)

    def begin(self, services: Services, principal: Principal) -> None:
        """Start; on the engine loop."""
        self._task = asyncio.create_task(self._run(services, principal))

    async def _run(self, services: Services, principal: Principal) -> None:
        state: TestState = "failed"
        try:
            self.message, state = await self._tried(services, principal)
        except asyncio.CancelledError:
            self.message, state = "You stopped this.", "stopped"
        except TabulaflowError as error:
            self.message = error.user_message
        except Exception:  # whatever it was, the page must hear of its end
            _log.exception("a model could not be tried")
            self.message = _BROKEN
        finally:
            self.state = state  # last: who sees the state sees the rest

    async def _tried(self, services: Services, principal: Principal) -> tuple[str, TestState]:
        provider, name = parse_name(self.model)
        env = await services.preferences.environment_async(principal)
        reason = await asyncio.to_thread(why_not_ready, name, settings=services.settings, env=env)
        if reason:
            return reason, "failed"
        if provider.name in ("local", "scripted"):
            return f"{PROVIDERS[provider.name].label} is here and ready. It needs no address and no key.", "done"
        endpoint = endpoint_for(provider, env)
        report = await probe_endpoint(
            endpoint.url,
            model=name.partition(":")[2],
            api_key=endpoint.api_key,
            on_finding=self._found,
        )
        if report.profile is not None:
            await asyncio.to_thread(keep_profile, services.settings, report.base_url, report.model, report.profile)
            services.models.renew(self.model)
        if report.ok:
            return f"It answers and can do all that a question needs, in {report.seconds:.1f} s.", "done"
        return report.advice or "It does not do all that a question needs. See what failed.", "failed"

    def _found(self, finding: Finding) -> None:
        self.findings = (*self.findings, finding)
