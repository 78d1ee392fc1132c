"""A short run of the fuzzer: every format, fixed seeds; and the files that it found, each of which was a fault once."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

import pytest

from benchmarks.fuzz_changes import INSIDE, changed, duckdb_checksum, mutated
from benchmarks.fuzz_files import Case, case, read_one
from benchmarks.fuzz_seeds import FORMATS, HOSTILE, duckdb_seed

SLOW = {"deep", "flood", "nested"}
FOUND = Path(__file__).parent / "found"


@pytest.mark.parametrize("kind", sorted(set(FORMATS) - HOSTILE))
def test_what_is_changed_can_be_read_before(kind: str, tmp_path: Path) -> None:
    """A change to what is refused anyway tests nothing."""
    maker, suffixes = FORMATS[kind]
    for seed in range(3):
        rnd = random.Random(f"sound {kind} {seed}")
        found = Case(kind, f"file.{rnd.choice(suffixes)}", maker(rnd))
        assert read_one(found, tmp_path) == "read", (seed, found.name)


@pytest.mark.parametrize("kind", sorted(set(INSIDE) - {"disguise", "nested", "duckdb"}))
def test_some_changed_files_are_still_read(kind: str, tmp_path: Path) -> None:
    rnd = random.Random(f"inside {kind}")
    maker, suffixes = FORMATS[kind]
    cases = (Case(kind, f"file.{suffixes[0]}", changed(rnd, kind, maker(rnd))) for _ in range(20))
    assert any(read_one(one, tmp_path) == "read" for one in cases)


@pytest.mark.parametrize("kind", sorted(set(FORMATS) - SLOW))
def test_strange_files_are_read_or_refused(kind: str, tmp_path: Path) -> None:
    rnd = random.Random(f"tabulaflow {kind}")
    for _ in range(6):
        found = case(rnd, kind)
        result = read_one(found, tmp_path)
        assert result in ("read", "refused"), (result, found.name, found.data[:300])


@pytest.mark.parametrize("path", sorted(FOUND.iterdir()), ids=lambda path: path.name)
def test_what_was_found_is_read_or_refused(path: Path, tmp_path: Path) -> None:
    assert read_one(Case("found", path.name, path.read_bytes()), tmp_path) in ("read", "refused")


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


def test_containers_stay_sound(tmp_path: Path) -> None:
    for seed in range(5):
        rnd = random.Random(seed)
        path = tmp_path / "a.xlsx"
        path.write_bytes(INSIDE["xlsx"](rnd, FORMATS["xlsx"][0](rnd)))
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
    data = duckdb_seed(random.Random(1))
    assert int.from_bytes(data[4096:4104], "little") == duckdb_checksum(data[4104:8192])
