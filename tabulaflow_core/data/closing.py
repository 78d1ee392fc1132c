"""What is closed with `close_async`, used with `async with`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """Closed where its `async with` ends, whatever ended it."""

    @abstractmethod
    async def close_async(self) -> None:
        """Let go of what it holds; a second call does nothing."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close_async()
