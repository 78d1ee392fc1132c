"""Fetching from the publisher: resumed, verified, given up in time."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tabulaflow_core.config import Settings
from tabulaflow_core.errors import LocalModelError
from tabulaflow_core.models.local import Progress, PullCancelled, hub, pull
from tests.models.local.fakes import PAYLOAD, running_hub, toy_weights


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "_PAUSE_SECONDS", 0.001)


def test_a_whole_file_arrives_with_progress(settings: Settings) -> None:
    seen: list[Progress] = []
    with running_hub() as server:
        path = pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"], progress=seen.append)
        assert path.read_bytes() == PAYLOAD
        assert {p.source for p in seen} == {"hub", ""}
        assert seen[-1].bytes_done == seen[-1].bytes_total == len(PAYLOAD)
        assert [p.bytes_done for p in seen] == sorted(p.bytes_done for p in seen)
        pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])
        assert len(server.ranges) == 1, "what is there is not fetched again"


def test_broken_connections_are_taken_up_where_they_broke(settings: Settings, models: Path) -> None:
    with running_hub(drop_after=[100_000, 50_000]) as server:
        path = pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])
    assert path.read_bytes() == PAYLOAD
    assert server.ranges == ["", "bytes=100000-", "bytes=150000-"]
    assert not list(models.glob("*.part"))


def test_a_part_of_an_earlier_run_is_continued(settings: Settings, models: Path) -> None:
    models.mkdir(parents=True)
    (models / "toy.gguf.part").write_bytes(PAYLOAD[:123_456])
    with running_hub() as server:
        pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])
    assert server.ranges == ["bytes=123456-"]


def test_a_damaged_part_costs_one_more_download(settings: Settings, models: Path) -> None:
    models.mkdir(parents=True)
    (models / "toy.gguf.part").write_bytes(b"x" * 1000)
    with running_hub() as server:
        path = pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])
    assert path.read_bytes() == PAYLOAD
    assert server.ranges == ["bytes=1000-", ""]


def test_a_server_without_ranges_begins_anew(settings: Settings, models: Path) -> None:
    models.mkdir(parents=True)
    (models / "toy.gguf.part").write_bytes(PAYLOAD[:1000])
    with running_hub(ignore_range=True) as server:
        assert pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"]).read_bytes() == PAYLOAD


def test_wrong_bytes_are_refused_and_removed(settings: Settings, models: Path) -> None:
    wrong = PAYLOAD[:-1] + bytes([PAYLOAD[-1] ^ 1])
    with (
        running_hub(payload=wrong) as server,
        pytest.raises(LocalModelError, match=r"SHA-256 differs.*--from FILE"),
    ):
        pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])
    assert not list(models.glob("*.gguf"))
    assert not list(models.glob("*.part"))


def test_a_file_of_another_size_is_not_even_fetched(settings: Settings) -> None:
    with running_hub(payload=PAYLOAD + b"more") as server, pytest.raises(LocalModelError, match="not the one"):
        pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])


@pytest.mark.parametrize("status", [404, 403])
def test_a_refusal_is_final(settings: Settings, status: int) -> None:
    with running_hub(statuses=[status] * 9) as server, pytest.raises(LocalModelError, match=f"HTTP {status}"):
        pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])
    assert len(server.ranges) == 1


def test_an_overloaded_server_is_asked_again_five_times_at_most(settings: Settings) -> None:
    with running_hub(statuses=[503, 429]) as server:
        assert pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"]).read_bytes() == PAYLOAD
    (settings.cache_dir / "models" / "toy.gguf").unlink()
    with running_hub(statuses=[503] * 9) as server, pytest.raises(LocalModelError, match="does not get on"):
        pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])
    assert len(server.ranges) == 5


def test_a_trickle_of_connections_ends(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "_MOST_CONNECTIONS", 3)
    with running_hub(drop_after=[10] * 9) as server, pytest.raises(LocalModelError, match="does not get on"):
        pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])
    assert len(server.ranges) == 3


@pytest.mark.parametrize("later", [False, True])
def test_no_answer_is_given_up(settings: Settings, monkeypatch: pytest.MonkeyPatch, later: bool) -> None:
    monkeypatch.setattr(hub, "FIRST_ANSWER_SECONDS", 1.5)
    began = time.monotonic()
    with (
        running_hub(silent=threading.Event(), silent_later=later) as server,
        pytest.raises(LocalModelError, match="does not answer from this network"),
    ):
        pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])
    assert time.monotonic() - began < 20
    assert len(server.ranges) == later, "nothing is asked of a server that does not answer"


def test_stopping_does_not_wait_for_an_answer(settings: Settings) -> None:
    began = time.monotonic()
    with running_hub(silent=threading.Event()) as server, pytest.raises(PullCancelled):
        pull(
            settings,
            weights=toy_weights(hub_url=server.url),
            sources=["hub"],
            cancelled=lambda: time.monotonic() - began > 0.3,
        )
    assert time.monotonic() - began < 20


def test_nobody_there(settings: Settings) -> None:
    with running_hub() as server:
        gone = server.url
    with pytest.raises(LocalModelError, match="does not answer from this network"):
        pull(settings, weights=toy_weights(hub_url=gone), sources=["hub"])


def test_stopping_keeps_what_came_in(settings: Settings, models: Path) -> None:
    seen: list[Progress] = []
    with running_hub(drop_after=[100_000]) as server, pytest.raises(PullCancelled, match="is kept"):
        pull(
            settings,
            weights=toy_weights(hub_url=server.url),
            sources=["hub"],
            progress=seen.append,
            cancelled=lambda: bool(seen) and seen[-1].bytes_done >= 1,
        )
    assert (models / "toy.gguf.part").stat().st_size > 0
    assert not (models / "toy.gguf").exists()


def test_too_little_space_is_said_before_anything_is_fetched(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=10))
    with running_hub() as server, pytest.raises(LocalModelError, match="Make room"):
        pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])
    assert not server.ranges


def test_a_full_disk_on_the_way_is_said(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(hub, "_copy", full)
    with running_hub() as server, pytest.raises(LocalModelError, match="disk is full"):
        pull(settings, weights=toy_weights(hub_url=server.url), sources=["hub"])


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LocalModelError, match="TABULAFLOW_CACHE_DIR"):
        pull(Settings(cache_dir=tmp_path / "file"), weights=toy_weights(), sources=["hub"])
