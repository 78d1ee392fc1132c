"""Tool calls in pieces, in the ways that servers are known to send them."""

from __future__ import annotations

import pytest

from tabulaflow_core.models import JsonObject
from tabulaflow_core.models.openai.call_deltas import CallDeltas

Piece = tuple[int | None, str | None, str | None, object]
N = None
ONE, TWO = {"sql": "SELECT 1"}, {"sql": "SELECT 2"}
FIRST, SECOND = '{"sql": "SELECT 1"}', '{"sql": "SELECT 2"}'


def collected(pieces: list[Piece]) -> list[tuple[str, JsonObject | None]]:
    deltas = CallDeltas()
    for index, id, name, arguments in pieces:
        deltas.add(index=index, id=id, name=name, arguments=arguments)
    calls = deltas.finish()
    assert all(call.id for call in calls)
    assert len({call.id for call in calls}) == len(calls)
    return [(call.name, call.arguments) for call in calls]


@pytest.mark.parametrize(
    "pieces",
    [
        # OpenAI: id and name first, then the index alone
        [(0, "a", "q", ""), (0, N, N, FIRST[:5]), (0, N, N, FIRST[5:]), (1, "b", "q", ""), (1, N, N, SECOND)],
        # interleaved
        [(0, "a", "q", FIRST[:5]), (1, "b", "q", SECOND[:5]), (0, N, N, FIRST[5:]), (1, N, N, SECOND[5:])],
        # whole calls, no index
        [(N, "a", "q", FIRST), (N, "b", "q", SECOND)],
        # pieces without index, id and name at the first only
        [(N, "a", "q", ""), (N, N, N, FIRST), (N, "b", "q", ""), (N, N, N, SECOND)],
        # no index, the id at each piece
        [(N, "a", "q", FIRST[:5]), (N, "a", N, FIRST[5:]), (N, "b", "q", SECOND[:5]), (N, "b", N, SECOND[5:])],
        # id and name repeated at each piece
        [(0, "a", "q", FIRST[:5]), (0, "a", "q", FIRST[5:]), (1, "b", "q", SECOND[:5]), (1, "b", "q", SECOND[5:])],
        # every call is index 0
        [(0, "a", "q", FIRST), (0, "b", "q", SECOND)],
        # index 0 for each, and no ids at all
        [(0, N, "q", FIRST), (0, N, "q", SECOND)],
        # neither index nor ids
        [(N, N, "q", FIRST), (N, N, "q", SECOND)],
        # objects where strings should be
        [(0, "a", "q", ONE), (1, "b", "q", TWO)],
        # empty ids after the first piece
        [(0, "a", "q", ""), (0, "", "", FIRST), (1, "b", "q", ""), (1, "", "", SECOND)],
    ],
)  # fmt: skip
def test_two_calls(pieces: list[Piece]) -> None:
    assert collected(pieces) == [("q", ONE), ("q", TWO)]


def test_a_new_id_at_each_piece_of_one_call() -> None:
    assert collected([(0, "a", "q", FIRST[:6]), (0, "b", None, FIRST[6:])]) == [("q", ONE)]


def test_no_arguments_are_an_empty_object_and_others_are_malformed() -> None:
    assert collected([(0, "a", "q", None)]) == [("q", {})]
    assert collected([(0, "a", "q", "  ")]) == [("q", {})]
    assert collected([(0, "a", "q", "null")]) == [("q", {})]
    assert collected([(0, "a", "q", FIRST[:-3])]) == [("q", None)]
    assert collected([]) == []
