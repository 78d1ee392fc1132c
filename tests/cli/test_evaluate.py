"""`tabulaflow eval`, over the scripted model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tabulaflow_core.cli.evaluation.grading import grade, same_rows
from tabulaflow_core.cli.evaluation.report import difference, summary

from .conftest import Run

LOW = "Which products are below their reorder point?"
ORDER = "How many units of each should I order to reach those levels?"
LOW_ROWS = [["HDMI cable", 12], ["USB-C dock", 8]]


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def questions(tmp_path: Path, inventory: Path) -> Path:
    """One question right, one wrong, one without an answer, and a conversation."""
    data = {"type": "files", "paths": [inventory.name]}
    rows = {"type": "rows", "rows": LOW_ROWS}
    units = {"type": "rows", "rows": [["USB-C dock", 7], ["HDMI cable", 8]]}
    return write(
        tmp_path / "set.jsonl",
        {"id": "low", "question": LOW, "kind": "query", "difficulty": "easy", "data": data, "gold": rows},
        {"id": "off", "question": LOW, "kind": "query", "data": data, "gold": {"type": "rows", "rows": [["x"]]}},
        {"id": "free", "question": LOW, "sources": [{"alias": "inventory", "path": inventory.name}]},
        {
            "id": "talk",
            "sources": [{"alias": "inventory", "path": inventory.name}],
            "turns": [{"question": LOW, "kind": "first", "gold": rows}, {"question": ORDER, "gold": units}],
        },
    )


def answers_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_set_is_asked_graded_and_counted(run: Run, questions: Path, tmp_path: Path) -> None:
    kept = tmp_path / "answers.jsonl"
    ran = run("eval", questions, "-m", "scripted", "-o", kept, "--jobs", 2, "--json")
    assert ran.code == 0, ran.err
    answers = sorted(answers_of(kept), key=lambda a: (a["id"], a.get("turn", 0)))
    assert [(a["id"], a.get("turn"), a["right"]) for a in answers] == [
        ("free", None, None),
        ("low", None, True),
        ("off", None, False),
        ("talk", 0, True),
        ("talk", 1, True),
    ]
    low = answers[1]
    assert low["columns"] == ["product", "on_hand", "reorder_point"]
    assert low["rows"] == [["HDMI cable", 12, 20], ["USB-C dock", 8, 15]]
    assert low["sql"].startswith("SELECT product")
    assert low["usage"]["api_requests"] == 2
    assert (low["refused"], low["asked"]) == (False, False)
    made = ran.lines[-1]["report"]
    assert (made["all"]["questions"], made["all"]["graded"], made["all"]["right"]) == (5, 4, 3)
    assert made["by_kind"]["query"]["right"] == 1
    assert made["by_difficulty"]["easy"]["right"] == 1


def test_a_run_goes_on_where_it_stood(run: Run, questions: Path, tmp_path: Path) -> None:
    kept = tmp_path / "answers.jsonl"
    run("eval", questions, "-m", "scripted", "-o", kept)
    lines = kept.read_text().splitlines(keepends=True)
    # Ended while it wrote the second turn of the conversation; and one question changes since.
    kept.write_text("".join(lines[:4]) + lines[4][:30])
    text = questions.read_text().replace('"id": "free", "question": "Which', '"id": "free", "question": "So which')
    questions.write_text(text)
    ran = run("eval", questions, "-m", "scripted", "-o", kept)
    assert "2 answers stand in answers.jsonl; 2 are asked." in ran.err
    again = answers_of(kept)
    assert sorted((a["id"], a.get("turn", 0)) for a in again) == [
        ("free", 0),
        ("low", 0),
        ("off", 0),
        ("talk", 0),
        ("talk", 1),
    ]
    assert [json.dumps(a) for a in again[:2]] == [json.dumps(json.loads(line)) for line in lines[:2]]


def test_an_earlier_run_is_compared(run: Run, questions: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    run("eval", questions, "-m", "scripted", "-o", first)
    right = {"type": "rows", "rows": LOW_ROWS}
    text = questions.read_text().replace('{"type": "rows", "rows": [["x"]]}', json.dumps(right))
    questions.write_text(text)
    ran = run("eval", questions, "-m", "scripted", "-o", second, "--against", first)
    # The scripted model counts the digits of ids that differ from run to run.
    assert re.search(r"on 4 questions: gained 1, lost 0; \+0\.00 calls and [+-]\d tokens in a question\.", ran.out)
    assert "gained: off" in ran.out


def test_sources_and_right_queries_of_ones_own(run: Run, shop: Path, tmp_path: Path) -> None:
    questions = write(
        tmp_path / "own.jsonl",
        {"question": LOW, "gold_sql": "SELECT count(*) FROM orders"},
        {"id": "b", "question": LOW, "gold_sql": ["SELECT nothing FROM orders"]},
    )
    kept = tmp_path / "answers.jsonl"
    ran = run("eval", questions, "-s", f"shop={shop}", "-m", "scripted", "-o", kept)
    assert ran.code == 0, ran.err
    assert [(a["id"], a["right"]) for a in answers_of(kept)] == [("1", False), ("b", None)]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "holds no question"),
        ([{"id": "a"}], "line 1 of set.jsonl is no question: 'question' is missing"),
        ([{"id": "a", "question": " "}], "its question is empty"),
        ([{"id": "a", "question": "q"}], "it names no source; give one with -s"),
        ([{"question": "q", "data": {"path": "no.csv"}}], "there is no file 'no.csv' beside the set"),
        (["text"], "line 1 of set.jsonl is no question"),
        ([{"id": "a", "turns": []}], "its turns are empty"),
    ],
)
def test_a_set_that_is_none_is_refused(run: Run, tmp_path: Path, lines: list[object], words: str) -> None:
    ran = run("eval", write(tmp_path / "set.jsonl", *lines), "-m", "scripted", "-o", tmp_path / "a.jsonl")
    assert ran.code == 2
    assert words in ran.err
    assert not (tmp_path / "a.jsonl").exists()


def test_answers_of_another_model_are_not_mixed(run: Run, questions: Path, tmp_path: Path) -> None:
    kept = write(tmp_path / "a.jsonl", {"id": "low", "question": "0", "model": "openai:other"})
    ran = run("eval", questions, "-m", "scripted", "-o", kept)
    assert ran.code == 2
    assert "holds answers of openai:other; name another file with -o" in ran.err
    assert len(answers_of(kept)) == 1
    ran = run("eval", questions, "-m", "scripted", "-o", write(tmp_path / "b.jsonl", {"id": 1}))
    assert "line 1 of b.jsonl is no answer of this command" in ran.err


def test_a_source_that_fails_is_an_answer_with_its_error(run: Run, questions: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.sqlite").write_bytes(b"SQLite format 3\0" + b"x" * 100)
    write(questions, {"id": "a", "question": LOW, "data": {"path": "broken.sqlite"}, "gold": {"type": "unanswerable"}})
    kept = tmp_path / "a.jsonl"
    ran = run("eval", questions, "-m", "scripted", "-o", kept)
    assert ran.code == 1
    (answer,) = answers_of(kept)
    assert answer["right"] is False
    assert answer["error"]
    assert answer["text"] in ran.err


@pytest.mark.parametrize(
    ("wanted", "got", "same"),
    [
        ([["a", 1], ["b", 2]], [[2, "x", "B"], [1, "y", "A"]], True),
        ([["a", 1], ["b", 2]], [[2, "a"], [1, "b"]], False),
        ([[1], [1]], [[1]], False),
        ([[33.333333]], [["33.33"]], True),
        ([[1234]], [["1,234"]], True),
        ([[100]], [[101]], False),
        ([["2024-01-31"]], [["2024-01-31T00:00:00"]], True),
        ([[None]], [[""]], True),
        ([[True]], [[1]], True),
        ([[1, 1], [2, 3]], [[1, 2, 1], [2, 9, 3]], True),
        ([[1, 2], [2, 1]], [[1, 1], [2, 2]], False),
    ],
)
def test_rows_are_the_same_in_any_columns_and_order(wanted: list[Any], got: list[Any], same: bool) -> None:
    assert same_rows(wanted, got) is same


READINGS = [{"words": ["choreograph"], "rows": [["Perrot"]]}, {"words": ["compos"], "rows": [["Adam"]]}]


@pytest.mark.parametrize(
    ("gold", "answer", "right"),
    [
        ({"type": "rows", "rows": [["Ulm", 1200]]}, {"text": "In Ulm 1,200.", "rows": []}, True),
        ({"type": "rows", "rows": [["Ulm", 1200]]}, {"text": "In Ulm 1,300."}, False),
        ({"type": "rows", "rows": []}, {"text": "None.", "rows": []}, True),
        ({"type": "rows", "rows": [[1]], "alternatives": [[[2]]]}, {"rows": [[2]]}, True),
        ({"type": "list", "items": ["152"]}, {"text": "The difference is 152.0 points."}, True),
        ({"type": "list", "items": ["Ulm", 3]}, {"text": "Ulm", "rows": [[3]]}, True),
        ({"type": "list", "items": ["15"]}, {"text": "152"}, False),
        ({"type": "unanswerable"}, {"refused": True}, True),
        ({"type": "unanswerable"}, {"refused": False, "rows": [[1]]}, False),
        ({"type": "ambiguous", "readings": READINGS}, {"text": "The composer?", "rows": [["Adam"]]}, False),
        ({"type": "ambiguous", "readings": READINGS}, {"text": "Adam composed, Perrot choreographed."}, True),
        ({"type": "ambiguous", "readings": READINGS}, {"text": "Composer or choreographer?", "asked": True}, True),
        ({"type": "ambiguous", "readings": READINGS}, {"text": "Composer or choreographer", "rows": [["Adam"]]}, True),
        ({"type": "chart"}, {"text": ""}, None),
    ],
)
def test_what_is_right(gold: dict[str, Any], answer: dict[str, Any], right: bool | None) -> None:
    assert grade(gold, answer) is right


def usage(tokens: int, cost: float | None) -> dict[str, Any]:
    return {
        "api_requests": 1,
        "input_tokens": tokens,
        "cached_input_tokens": 10,
        "output_tokens": 5,
        "api_cost_usd": cost,
    }


def test_the_figures_of_a_run() -> None:
    answers = [
        {"id": "a", "right": True, "usage": usage(100, 0.5), "seconds": 1.0},
        {"id": "b", "right": False, "refused": True, "usage": usage(300, 0.25), "seconds": 4.0},
        {"id": "c", "right": None, "usage": usage(200, 0.25), "seconds": 2.0},
        {"id": "d", "right": False, "error": "SourceError"},
    ]
    figures = summary(answers)
    assert (figures["graded"], figures["right"], figures["failed"], figures["declined"]) == (3, 1, 1, 1)
    assert (figures["input_tokens"], figures["cached_input_tokens"], figures["cost_usd"]) == (200, 10, 1.0)
    assert figures["seconds"] == {"median": 2.0, "most": 4.0}
    unknown = summary([{"id": "a", "right": True, "usage": usage(100, None), "seconds": 1.0}])
    assert unknown["cost_usd"] is None
    changed = difference([answers[0] | {"right": False}, answers[1] | {"right": True}], answers)
    assert (changed["gained"], changed["lost"], changed["shared"]) == (["b"], ["a"], 2)
