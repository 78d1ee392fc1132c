"""A short run of the fuzzer: every format, fixed seeds."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.fuzz_files import FORMATS, case, mutated, read_one

SLOW = {"deep", "flood"}


@pytest.mark.parametrize("kind", sorted(set(FORMATS) - SLOW))
def test_strange_files_are_read_or_refused(kind: str, tmp_path: Path) -> None:
    rnd = random.Random(f"tabulaflow {kind}")
    for _ in range(6):
        found = case(rnd, kind)
        result = read_one(found, tmp_path)
        assert result in ("read", "refused"), (result, found.name, found.data[:300])


def test_the_fuzzer_sees_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the test: another exception, and something left behind, are both faults."""
    found = case(random.Random(1), "csv")

    def broken(path: Path, *, storage: Path, watch: object) -> None:
        storage.mkdir()
        (storage / "left").touch()
        raise ZeroDivisionError

    monkeypatch.setattr("tabulaflow_core.data.files.reader.read_file", broken)
    assert read_one(found, tmp_path).startswith("wrong: ZeroDivisionError")


def test_mutations_are_the_same_for_a_seed() -> None:
    assert mutated(random.Random(3), b"a,b\n1,2\n") == mutated(random.Random(3), b"a,b\n1,2\n")
