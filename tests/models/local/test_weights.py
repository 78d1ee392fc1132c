"""Which file is used, that it is verified once, files of one's own, and the lock."""

from __future__ import annotations

import dataclasses
import hashlib
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import LocalModelError
from tabulaflow_core.models.local import find_weights, local_model_status, pull, weights
from tabulaflow_core.models.local.lock import file_lock
from tests.models.local.fakes import PAYLOAD, running_hub, toy_weights


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> weights.LocalWeights:
    """A small file that stands for the default weights."""
    toy = toy_weights()
    monkeypatch.setattr(weights, "KNOWN_WEIGHTS", (toy,))
    monkeypatch.setattr("tabulaflow_core.models.local.fetch.KNOWN_WEIGHTS", (toy,))
    return toy


def test_the_facts_fit_together() -> None:
    for known in weights.KNOWN_WEIGHTS:
        assert len(known.sha256) == 64
        assert known.file_name in known.hub_url
        assert "/resolve/main/" not in known.hub_url
        pieces = known.pieces
        assert pieces is not None
        assert (pieces.count - 1) * pieces.piece_bytes < known.size_bytes <= pieces.count * pieces.piece_bytes


def test_nothing_there(settings: Settings) -> None:
    assert find_weights(settings) is None
    status = local_model_status(settings)
    assert not status.ready
    assert status.path is None
    assert status.label == "Qwen2.5-Coder 1.5B"
    assert "model pull" in status.reason or "pip install" in status.reason


def test_a_file_is_hashed_once(
    settings: Settings, models: Path, known: weights.LocalWeights, monkeypatch: pytest.MonkeyPatch
) -> None:
    models.mkdir(parents=True)
    (models / "toy.gguf").write_bytes(PAYLOAD)
    assert find_weights(settings) == models / "toy.gguf"
    with monkeypatch.context() as patch:
        patch.setattr(weights, "sha256_of", lambda *_: pytest.fail("hashed again"))
        assert find_weights(settings) == models / "toy.gguf"
    (models / "toy.gguf").write_bytes(PAYLOAD[:-1] + b"x")
    assert find_weights(settings) is None, "a changed file is not used"


def test_a_shorter_file_is_not_read_at_all(
    settings: Settings, models: Path, known: weights.LocalWeights, monkeypatch: pytest.MonkeyPatch
) -> None:
    models.mkdir(parents=True)
    (models / "toy.gguf").write_bytes(PAYLOAD[:1000])
    monkeypatch.setattr(weights, "sha256_of", lambda *_: pytest.fail("hashed"))
    assert find_weights(settings) is None


def test_the_setting_wins(settings: Settings, tmp_path: Path) -> None:
    mine = tmp_path / "mine.gguf"
    chosen = dataclasses.replace(settings, local_model=mine)
    assert find_weights(chosen) is None
    assert "TABULAFLOW_LOCAL_MODEL" in local_model_status(chosen).reason
    mine.write_bytes(b"GGUF and so on")
    assert find_weights(chosen) == mine
    status = local_model_status(chosen)
    assert (status.name, status.verified) == ("local:mine", False)


def test_from_file_known(settings: Settings, models: Path, known: weights.LocalWeights, tmp_path: Path) -> None:
    other_name = tmp_path / "download.gguf"
    other_name.write_bytes(PAYLOAD)
    assert pull(settings, from_file=other_name) == models / "toy.gguf"
    assert find_weights(settings) == models / "toy.gguf"
    assert local_model_status(settings).verified
    assert other_name.exists()


def test_from_file_of_ones_own_is_used_and_marked(
    settings: Settings, models: Path, known: weights.LocalWeights, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(b"GGUF something else")
    messages: list[str] = []
    assert pull(settings, from_file=mine, progress=lambda p: messages.append(p.message)) == models / "mine.gguf"
    assert "unverified" in messages[-1]
    assert find_weights(settings) == models / "mine.gguf"
    status = local_model_status(settings)
    assert not status.verified
    assert status.label == "mine.gguf"
    with running_hub() as server:
        pull(settings, weights=dataclasses.replace(known, hub_url=server.url), sources=["hub"])
    assert find_weights(settings) == models / "toy.gguf", "the last pull is the one in use"
    assert find_weights(settings, name="toy") == models / "toy.gguf"
    assert find_weights(settings, name="mine") == models / "mine.gguf"
    assert find_weights(settings, name="../mine") is None


def test_from_file_refuses(settings: Settings, known: weights.LocalWeights, tmp_path: Path) -> None:
    with pytest.raises(LocalModelError, match="not there or is not a GGUF"):
        pull(settings, from_file=tmp_path / "none.gguf")
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(LocalModelError, match="not a GGUF"):
        pull(settings, from_file=tmp_path / "text.gguf")
    (tmp_path / "toy.gguf").write_bytes(PAYLOAD[:500])
    with pytest.raises(LocalModelError, match=r"SHA-256 differs.*damaged"):
        pull(settings, from_file=tmp_path / "toy.gguf")
    assert find_weights(settings) is None


def test_an_unwritable_note_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(PAYLOAD)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(Path, "write_text", refuse)
    assert weights.remembered_sha256(file) == hashlib.sha256(PAYLOAD).hexdigest()


HOLDER = """
import sys, time
from pathlib import Path
from tabulaflow_core.models.local.lock import file_lock
with file_lock(Path(sys.argv[1]), waiting=lambda: None):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_second_process_waits_and_a_dead_one_does_not_hold(settings: Settings, models: Path) -> None:
    models.mkdir(parents=True)
    lock = models / "toy.gguf.lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    waiting = threading.Event()
    result: list[Path] = []
    try:
        assert holder.stdout.readline() == "held\n"
        with running_hub() as server:
            thread = threading.Thread(
                target=lambda: result.append(
                    pull(
                        settings,
                        weights=toy_weights(hub_url=server.url),
                        sources=["hub"],
                        progress=lambda p: waiting.set() if "already running" in p.message else None,
                    )
                )
            )
            thread.start()
            assert waiting.wait(20)
            assert not server.ranges, "nothing is fetched while another process does"
            (models / "toy.gguf").write_bytes(PAYLOAD)  # the other one finished
            holder.kill()
            thread.join(20)
            assert not server.ranges
    finally:
        holder.kill()
        holder.wait()
        holder.stdin.close()
        holder.stdout.close()
    assert result == [models / "toy.gguf"]


def test_waiting_for_the_lock_can_be_stopped(tmp_path: Path) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with (
        file_lock(tmp_path / "l", waiting=lambda: None) as waited,
        pytest.raises(KeyboardInterrupt),
        file_lock(tmp_path / "l", waiting=stop),
    ):
        pass
    assert waited is False
