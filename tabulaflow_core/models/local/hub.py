"""The publisher's file over HTTPS, resumable."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any

from tabulaflow_core.models.local.progress import Meter
from tabulaflow_core.models.local.sources import SourceFailed, Transfer

FIRST_ANSWER_SECONDS = 5.0
_STALL_SECONDS = 30.0
_LOOK_SECONDS = 0.05
_CHUNK = 1024 * 1024
_TRIES = 5
_MOST_CONNECTIONS = 100
_PAUSE_SECONDS = 0.5
_SAYS = "Fetching from the publisher"
# Any status is an answer.
_ASK = """
import sys, urllib.error, urllib.request
request = urllib.request.Request(sys.argv[1], method="HEAD", headers={"User-Agent": "tabulaflow"})
try:
    urllib.request.urlopen(request, timeout=60).close()
except urllib.error.HTTPError:
    pass
"""


def fetch_from_hub(transfer: Transfer) -> None:
    """Bring `transfer.part` to its full length.

    Dropped connections are taken up again where they broke, at most five times in a row without a new byte and a
    hundred times in all. Before the first byte the server has five seconds to answer anything, so that a network that
    swallows packets does not hold anybody up.

    Raises:
        SourceFailed: The hub does not answer, has no such file, or has another one.
        PullCancelled: The person stopped it.
        OSError: The file cannot be written.
    """
    total = transfer.weights.size_bytes
    failures = connections = 0
    answered = False
    if transfer.have() < total:
        transfer.meter.report(transfer.have(), source="hub", message=_SAYS)
        _require_answer(transfer.weights.hub_url, transfer.meter)
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
    with urllib.request.urlopen(request, timeout=patience) as response:
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


def _require_answer(url: str, meter: Meter) -> None:
    """See whether the server answers anything at all within `FIRST_ANSWER_SECONDS`.

    A socket's own timeout covers neither the name lookup, nor several addresses of one name, nor a chain of
    redirects; a process that asks can be ended whatever it waits for.

    Raises:
        SourceFailed: It does not.
    """
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", _ASK, url],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + FIRST_ANSWER_SECONDS
    try:
        while (code := process.poll()) is None and time.monotonic() < end:
            meter.check()
            time.sleep(_LOOK_SECONDS)
    finally:
        process.kill()
        process.wait()
    if code != 0:
        why = f"no answer within {FIRST_ANSWER_SECONDS:g} s" if code is None else "it cannot be reached"
        raise SourceFailed("The Hugging Face hub does not answer from this network.", detail=why)


def _pause(meter: Meter, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        meter.check()
        time.sleep(min(0.1, seconds))
