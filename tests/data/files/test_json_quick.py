"""The quick ways through JSON give what the slow way gives, or leave it to that."""

from __future__ import annotations

import gc
import json
import random
from pathlib import Path

import pytest

from tabulaflow_core.data.files.formats import json_feed
from tabulaflow_core.data.files.formats.json_gather import gather
from tabulaflow_core.data.files.formats.json_values import Decoder, Value, uncollected
from tests.data.files.conftest import Reader


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"a": 1, "a": 2}', {"a"}),
        ('{"a" : 1, "b\\\\": 2, "b\\\\" : 3}', {"b\\"}),
        ('{"b\\\\": 2, "b\\\\": 3}', {"b\\"}),
        ('{"a": "\\":", "b": {"c": 1, "c": [2]}}', {"c"}),
        ('{"a": "x\\":\\":", "b\\"": [{"c": "\\\\\\":"}]}', set()),
        ('{"a": [[{"x": 1}, {"x": 1}]], "x": {"x": {}}}', set()),
    ],
)
def test_keys_that_stand_twice_are_found(text: str, keys: set[str]) -> None:
    for read in (Decoder.decode, Decoder.lines, Decoder.elements):
        decoder = Decoder()
        assert read(decoder, text) is not None
        assert set(decoder.repeated) == keys


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [{"b": 1}\n{"c": 2}]}\n{"x": 1}, {"y": 2}',
        '{"a": [{"b": 1}\n{"c": 2}]}\n{"x": 1}, 0, {"y": 2}',
        '{"a": "7.31e-2719"}\n1',
        '{"a":\n1}',
        '{"a": 1}\n\n{"a": 2}',
        "1, 2\n3",
    ],
)
def test_lines_that_are_no_values_of_their_own_are_left_to_the_slow_way(text: str) -> None:
    assert Decoder().lines(text) is None


def test_lines_and_elements() -> None:
    assert Decoder().lines('{"a": 0.10}\r\n[2]\n"x"') == [{"a": "0.10"}, ["2"], "x"]
    assert Decoder().elements('{"a": 1}, {"a": [{"a": 2}]}') == [{"a": "1"}, {"a": [{"a": "2"}]}]
    assert Decoder().elements('{"a": 1}], [{"a": 2}') is None


@pytest.mark.parametrize("shape", ["list", "wrapped", "lines", "commas", "pretty"])
@pytest.mark.parametrize("chunk", [40, 700, 1 << 20])
def test_blocks_of_any_length(read: Reader, monkeypatch: pytest.MonkeyPatch, shape: str, chunk: int) -> None:
    monkeypatch.setattr(json_feed, "_CHUNK", chunk)
    monkeypatch.setattr("tabulaflow_core.data.files.formats.json._GROWS", 1 << 40)
    rnd = random.Random(7)
    texts = ['}, {"id": 1', "é\n", "", '":', "[{"]
    records = [{"id": i, "t": rnd.choice(texts), "in": [{"id": i}, {"id": 2}], "o": {"x": i % 3}} for i in range(300)]
    lines = [json.dumps(r) for r in records]
    content = {
        "list": json.dumps(records),
        "wrapped": json.dumps({"n": 1, "rows": records, "end": True}),
        "lines": "\n".join(lines) + "\n",
        "commas": ",\r\n".join(lines),
        "pretty": json.dumps(records, indent=2),
    }[shape]
    seen = read(content, "t.json")
    kept = [(r["id"], r["t"], json.dumps(r["in"]), r["o"]["x"]) for r in records]  # type: ignore[index]
    assert seen.rows == kept


def test_columns_of_records_stand_in_the_order_in_which_keys_are_met() -> None:
    records: list[dict[str, Value]] = [{"a": "1"}, {"b": None, "a": "2"}, {}]
    assert gather(records, [], []) == {"a": ["1", "2", None], "b": [None, None, None]}
    assert list(gather([{"c": "1", "b": "2"}, {"a": "3"}], [], []) or ()) == ["c", "b", "a"]
    nested: list[dict[str, Value]] = [{"a": {"x": "1"}}, {"a": "2"}, {"a": {}}]
    assert gather(nested, [], []) is None, "where a new place belongs is seen record by record"
    assert gather(nested, ["a", ("a", "x")], []) == {
        "a": [None, "2", {}],
        ("a", "x"): ["1", None, None],
    }
    assert gather(nested, ["a"], ["a"]) == {"a": [{"x": "1"}, "2", {}]}
    sparse: list[dict[str, Value]] = [{f"k{i}": "1"} for i in range(20)]
    assert gather(sparse, [], []) is None


def test_the_search_for_cycles_comes_back(tmp_path: Path) -> None:
    with uncollected(), uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
