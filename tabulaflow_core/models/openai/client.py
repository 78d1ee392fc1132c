"""Making the SDK's client, and when to ask again."""

from __future__ import annotations

import contextlib
import email.utils
import random
import ssl
import time
from functools import lru_cache
from importlib import import_module
from typing import Final

import httpx2
import openai

from tabulaflow_core.models.catalog import is_loopback

CONNECT_SECONDS: Final = 10.0
# Between two pieces of an answer. A reasoning model may think for minutes without a sign of life; a turn ends after
# five minutes in any case.
SILENCE_SECONDS: Final = 180.0
MAX_TRIES: Final = 4
# Asked to wait longer than this, it is better to tell the person than to keep them waiting.
LONGEST_WAIT_SECONDS: Final = 20.0
_FIRST_WAIT_SECONDS: Final = 0.5
_RETRIED_STATUS: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_NO_KEY: Final = "none"


def make_client(
    base_url: str,
    api_key: str,
    *,
    connect_seconds: float = CONNECT_SECONDS,
    silence_seconds: float = SILENCE_SECONDS,
    keep_alive: bool = True,
) -> openai.AsyncOpenAI:
    """Return a client of one endpoint. It belongs to the event loop that first uses it.

    Args:
        base_url: Up to and with `/v1`.
        api_key: Empty for a server that asks for none.
        connect_seconds: For a connection to be made.
        silence_seconds: Between two pieces of an answer.
        keep_alive: Without it each request has a connection of its own. A server that closes one which waits loses
            the request that is just sent on it: it is asked again, and may be counted twice.
    """
    timeout = httpx2.Timeout(silence_seconds, connect=connect_seconds, pool=connect_seconds)
    here = is_loopback(base_url)
    client = openai.AsyncOpenAI(
        base_url=base_url,
        api_key=api_key or _NO_KEY,
        max_retries=0,  # retries are ours: before the first part only
        timeout=timeout,
        # A proxy of the environment has no business between this process and its own machine.
        http_client=openai.DefaultAsyncHttpxClient(
            timeout=timeout,
            trust_env=not here,
            verify=load_certificates(),
            limits=openai.DEFAULT_CONNECTION_LIMITS if keep_alive else httpx2.Limits(max_keepalive_connections=0),
        ),
    )
    if "api.openai.com" not in base_url:  # the SDK reads these from the environment, for OpenAI alone
        client.organization = client.project = None
    return client


@lru_cache(maxsize=1)
def load_certificates() -> ssl.SSLContext:
    """Read the certificates once a process; each reading costs a tenth of a second."""
    return httpx2.create_ssl_context()


def load_transport() -> None:
    """Load what the first request would load on the event loop; blocking."""
    load_certificates()
    with contextlib.suppress(ImportError):  # where `anyio` keeps what it imports with the first connection
        import_module("anyio._backends._asyncio")


def retry_wait(error: BaseException, attempt: int) -> float | None:
    """Return the seconds to wait before asking again, or None when that is no use.

    Args:
        attempt: 1 after the first try.
    """
    if attempt >= MAX_TRIES:
        return None
    wait = _FIRST_WAIT_SECONDS * 2.0 ** (attempt - 1) * random.uniform(0.75, 1.25)
    if isinstance(error, openai.APIStatusError):
        if error.status_code not in _RETRIED_STATUS or is_quota(error):
            return None
        told = retry_after(error)
        if told is not None and told > LONGEST_WAIT_SECONDS:
            return None
        return wait if told is None else told
    if isinstance(error, openai.APITimeoutError):
        # Only a connection that was not made is worth a second try: silence has cost minutes already.
        return wait if isinstance(error.__cause__, httpx2.ConnectTimeout) else None
    return wait if isinstance(error, openai.APIConnectionError) else None


def may_be_charged(error: BaseException) -> bool:
    """Say whether a provider may charge for the request that ended so: it got it, and did not refuse it."""
    if isinstance(error, openai.APIStatusError):
        return False
    return not isinstance(error.__cause__, httpx2.ConnectTimeout | httpx2.ConnectError)


def is_quota(error: openai.APIError) -> bool:
    """Say whether a 429 means an empty account, which waiting does not fill."""
    return error.code in ("insufficient_quota", "billing_not_active", "billing_hard_limit_reached") or (
        error.type == "insufficient_quota"
    )


def retry_after(error: openai.APIStatusError) -> float | None:
    """Read how many seconds the server asks to wait (RFC 9110, section 10.2.3)."""
    headers = error.response.headers
    if (milliseconds := headers.get("retry-after-ms")) is not None:
        return _number(milliseconds, 1000.0)
    value = headers.get("retry-after")
    if value is None:
        return None
    if (seconds := _number(value, 1.0)) is not None:
        return seconds
    moment = email.utils.parsedate_tz(value)
    return None if moment is None else max(email.utils.mktime_tz(moment) - time.time(), 0.0)


def _number(text: str, divisor: float) -> float | None:
    try:
        return max(float(text) / divisor, 0.0)
    except ValueError:
        return None
