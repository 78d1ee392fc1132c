"""Run by Python before the app of the second person: whoever opens its pages is Bob, over the same store."""

from __future__ import annotations

from tabulaflow_core import principal

principal.LOCAL_USER = principal.Principal("bob", "Bob")  # type: ignore[misc]
