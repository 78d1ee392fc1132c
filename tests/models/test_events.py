"""Cutting a stream of bytes into events, wherever the network cut it."""

from __future__ import annotations

import json

import httpx2
import openai
import pytest

from tabulaflow_core.models.openai import events as events_module
from tabulaflow_core.models.openai.events import EventSplitter, EventStream, whole_number

STREAM = ': hello\n\nevent: a\ndata: {"n": "ß"}\nid: 7\n\nretry: 5\n\ndata:{"two":\ndata: "lines"}\n\ndata: [DONE]\n\n'
TEXTS = ['{"n": "ß"}', '{"two":\n"lines"}', "[DONE]"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_where_it_was_cut_does_not_matter(line_end: str, size: int) -> None:
    data = STREAM.replace("\n", line_end).encode()
    splitter = EventSplitter()
    got = [text for at in range(0, len(data), size) for text in splitter.feed(data[at : at + size])]
    assert got == TEXTS


def test_lone_carriage_returns_end_lines_too() -> None:
    assert list(EventSplitter().feed(b"data: 1\r\rdata: 2\r\r:\r")) == ["1", "2"]


def test_an_unfinished_event_is_none() -> None:
    assert list(EventSplitter().feed(b"data: 1\n\ndata: 2\n")) == ["1"]


def test_an_event_without_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_module, "LONGEST_EVENT_BYTES", 100)
    splitter = EventSplitter()
    assert list(splitter.feed(b"data: " + b"x" * 90)) == []
    with pytest.raises(ValueError, match="end"):
        list(splitter.feed(b"x" * 20))


def opened(content: str) -> EventStream:
    request = httpx2.Request("POST", "http://127.0.0.1/v1/responses")
    return EventStream(httpx2.Response(200, content=content.encode(), request=request))


async def test_nothing_is_read_behind_the_end() -> None:
    assert [event async for event in opened('data: {"a": 1}\n\ndata: [DONE]\n\ndata: {"b": 2}\n\n')] == [{"a": 1}]


@pytest.mark.parametrize("data", ["{not json", "[1]", "null", "1"])
async def test_what_is_no_object_is_refused(data: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - json's own, or ours
        await anext(opened(f"data: {data}\n\n"))


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        ({"message": "Slow down.", "code": "rate_limit_exceeded"}, "Slow down.", "rate_limit_exceeded"),
        ({"code": 502}, "The answer failed.", "502"),
        ("It broke.", "It broke.", None),
        ([1], "The answer failed.", None),
    ],
)
async def test_a_fault_inside_the_stream_is_the_sdks_exception(error: object, message: str, code: str | None) -> None:
    with pytest.raises(openai.APIError) as caught:
        await anext(opened(f"data: {json.dumps({'error': error})}\n\n"))
    assert caught.value.message == message
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("value", "number"), [({"a": {"b": 3}}, 3), ({"a": {"b": True}}, None), ({"a": {"b": -1}}, None), ({"a": 3}, None)]
)
def test_whole_numbers(value: object, number: int | None) -> None:
    assert whole_number(value, "a", "b") == number
