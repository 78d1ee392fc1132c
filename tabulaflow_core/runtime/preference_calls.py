"""The part of the facade that is about what a person sets for themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any, TypeVar

from tabulaflow_core.principal import Principal
from tabulaflow_core.runtime.model_tests import ModelTest
from tabulaflow_core.runtime.preferences import EndpointInfo, KeyPlace, Preferences, ProviderInfo, providers
from tabulaflow_core.runtime.services import Services

T = TypeVar("T")


class PreferenceCalls(ABC):
    """Synchronous and thread-safe functions over `Services.preferences`; mixed into `Runtime`."""

    @property
    @abstractmethod
    def _services(self) -> Services: ...

    @abstractmethod
    def _call(self, work: Coroutine[Any, Any, T]) -> T: ...

    def preferences(self, principal: Principal) -> Preferences:
        """What this person has chosen."""
        return self._call(self._services.preferences.get_async(principal))

    def set_preferences(self, principal: Principal, chosen: Preferences) -> None:
        """Keep `chosen`; the next question is answered with it.

        Raises:
            UnknownModel: It names a model of no known provider.
        """
        self._call(self._services.set_preferences_async(principal, chosen))

    def providers(self) -> tuple[ProviderInfo, ...]:
        """The providers to which a person can have an address and a key of their own."""
        return providers()

    def endpoints(self, principal: Principal) -> tuple[EndpointInfo, ...]:
        """The person's own addresses and keys, the keys themselves left out."""
        return self._call(self._services.preferences.endpoints_async(principal))

    def set_endpoint(
        self, principal: Principal, provider: str, *, base_url: str = "", api_key: str = "", keep: KeyPlace = "store"
    ) -> None:
        """Keep an address and a key for a provider, in place of the earlier ones; without both, forget them.

        A key belongs to its address: another address needs the key again.

        Args:
            keep: `store` encrypts it at rest; `process` holds it until this server stops.

        Raises:
            ConfigurationError: The provider takes no key, or the address or the key cannot be one.
        """
        work = self._services.preferences.set_endpoint_async(
            principal, provider, base_url=base_url, api_key=api_key, keep=keep
        )
        self._call(work)

    def test_model(self, principal: Principal, model: str) -> ModelTest:
        """Try a model out, with this person's address and key; comes back at once."""
        return self._call(self._services.test_model_async(principal, model))
