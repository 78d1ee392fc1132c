"""The publisher's file over HTTPS, resumable."""

from __future__ import annotations

import http.client
import os
import queue
import threading
import time
import urllib.error
import urllib.request
from typing import Any

from tabulaflow_core.models.local.progress import Meter
from tabulaflow_core.models.local.sources import SourceFailed, Transfer

FIRST_ANSWER_SECONDS = 5.0
_STALL_SECONDS = 30.0
_CHUNK = 1024 * 1024
_TRIES = 5
_MOST_CONNECTIONS = 100
_PAUSE_SECONDS = 0.5
_SAYS = "Fetching from the publisher"


def fetch_from_hub(transfer: Transfer) -> None:
    """Bring `transfer.part` to its full length.

    Dropped connections are taken up again where they broke, at most five times in a row without a new byte and a
    hundred times in all. The very first answer has five seconds, so that a network that swallows packets does not
    hold anybody up.

    Raises:
        SourceFailed: The hub does not answer, has no such file, or has another one.
        PullCancelled: The person stopped it.
        OSError: The file cannot be written.
    """
    total = transfer.weights.size_bytes
    failures = connections = 0
    answered = False
    while (before := transfer.have()) < total:
        connections += 1
        transfer.meter.report(before, source="hub", message=_SAYS)
        try:
            answered = _fetch_rest(transfer, before, patience=_STALL_SECONDS if answered else FIRST_ANSWER_SECONDS)
            reason = "the connection broke"
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 416:
                transfer.cut(0)
            elif error.code < 500 and error.code not in (408, 429):
                raise SourceFailed(
                    f"The publisher's file cannot be fetched (HTTP {error.code}).", detail=repr(error)
                ) from error
            answered, reason = True, f"it answers HTTP {error.code}"
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
            if not answered:
                raise SourceFailed(
                    "The Hugging Face hub does not answer from this network.", detail=repr(error)
                ) from error
            reason = "the connection broke"
        failures = 0 if transfer.have() > before else failures + 1
        if failures >= _TRIES or (connections >= _MOST_CONNECTIONS and transfer.have() < total):
            raise SourceFailed(f"The download from the publisher does not get on: {reason}. Try again later.")
        if failures:
            _pause(transfer.meter, _PAUSE_SECONDS * 2 ** (failures - 1))


def _fetch_rest(transfer: Transfer, start: int, *, patience: float) -> bool:
    """One connection: append what comes until it ends or breaks; True once the server answered."""
    total = transfer.weights.size_bytes
    request = urllib.request.Request(transfer.weights.hub_url, headers={"User-Agent": "tabulaflow"})
    if start:
        request.add_header("Range", f"bytes={start}-")
    with _open(request, patience, transfer.meter) as response:
        if response.status == 206:
            said = response.headers.get("Content-Range", "")
            whole = said.rpartition("/")[2]
            if not said.startswith(f"bytes {start}-"):
                transfer.cut(0)
                return True
        else:
            whole = response.headers.get("Content-Length", "")
            start = 0
        if whole.isdigit() and int(whole) != total:
            raise SourceFailed("The publisher's file is not the one that this version knows; it was not fetched.")
        with transfer.part.open("r+b" if transfer.part.exists() else "wb") as file:
            file.truncate(start)
            file.seek(start)
            _copy(response, file, start, transfer)
    return True


def _copy(response: Any, file: Any, done: int, transfer: Transfer) -> None:
    try:
        while done < transfer.weights.size_bytes:
            chunk = response.read1(min(_CHUNK, transfer.weights.size_bytes - done))
            if not chunk:
                return
            file.write(chunk)
            done += len(chunk)
            transfer.meter.report(done, source="hub", message=_SAYS)
    except (http.client.HTTPException, TimeoutError, ConnectionError):
        return  # what came is kept; the caller asks for the rest
    finally:
        file.flush()
        os.fsync(file.fileno())


def _open(request: urllib.request.Request, patience: float, meter: Meter) -> Any:
    """`urlopen` within `patience` seconds in all.

    A socket's own timeout covers neither the name lookup nor a chain of redirects, so a daemon thread does the
    opening; one that comes too late closes what it got.
    """
    box: queue.Queue[Any] = queue.Queue(1)
    late = threading.Event()

    def work() -> None:
        try:
            got: Any = urllib.request.urlopen(request, timeout=_STALL_SECONDS)
        except Exception as error:  # handed to the caller below
            got = error
        box.put(got)
        if late.is_set() and hasattr(got, "close"):
            got.close()

    threading.Thread(target=work, name="tabulaflow-hub-open", daemon=True).start()
    end = time.monotonic() + patience
    while True:
        meter.check()
        try:
            got = box.get(timeout=min(0.2, max(0.01, end - time.monotonic())))
        except queue.Empty:
            if time.monotonic() >= end:
                late.set()
                raise TimeoutError(f"no answer within {patience:g} s") from None
            continue
        if isinstance(got, Exception):
            raise got
        return got


def _pause(meter: Meter, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        meter.check()
        time.sleep(min(0.1, seconds))
