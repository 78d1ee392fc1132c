"""Calls written as text: what is understood, what stays text, and that the splitting never matters."""

from __future__ import annotations

import random

import pytest

from tabulaflow_core.models import CallPart, JsonObject, TextCallParser, TextPart, ToolSpec
from tabulaflow_core.models.call_json import object_end, parse_object
from tabulaflow_core.models.think_tags import ThinkTags

RUN_QUERY = ToolSpec(
    "run_query", "", {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}
)
DRAW = ToolSpec(
    "draw_chart",
    "",
    {"type": "object", "properties": {"kind": {"type": "string"}, "x": {"type": "string"}}, "required": ["kind"]},
)
LIST = ToolSpec("list_tables", "", {"type": "object", "properties": {}})
TOOLS = (RUN_QUERY, DRAW, LIST)
BODY = '{"name": "run_query", "arguments": {"sql": "SELECT 1"}}'
ONE: JsonObject = {"sql": "SELECT 1"}
Seen = list[str | tuple[str, JsonObject | None, str]]


def read(pieces: list[str], *, tools: tuple[ToolSpec, ...] = TOOLS, loose: bool = True) -> Seen:
    """Feed `pieces`; return texts and calls, neighbouring texts joined."""
    parser = TextCallParser(tools, loose=loose)
    parts = [part for piece in pieces for part in parser.feed(piece)] + parser.finish()
    seen: Seen = []
    for part in parts:
        if isinstance(part, CallPart):
            seen.append((part.call.name, part.call.arguments, part.call.raw))
        elif seen and isinstance(seen[-1], str):
            seen[-1] += part.text
        else:
            seen.append(part.text)
    return seen


def calls(text: str, **options: object) -> list[tuple[str, JsonObject | None]]:
    return [item[:2] for item in read([text], **options) if not isinstance(item, str)]  # type: ignore[arg-type]


def said(text: str, **options: object) -> str:
    return "".join(item for item in read([text], **options) if isinstance(item, str))  # type: ignore[arg-type]


UNDERSTOOD = [
    f"<function_call>{BODY}</function_call>",
    f"<tool_call>\n{BODY}\n</tool_call>",
    f"<tool_call>{{{BODY}}}</tool_call>",
    "<tool_call>\n{" + BODY + "\n</tool_call>",
    f"<tool_call>{BODY}",
    f"<function_call>{BODY}</tool_call>",
    f"<tool_call>[{BODY}]</tool_call>",
    BODY,
    "{" + BODY + "}",
    "{" + BODY,
    BODY[:-1],
    f"I will look.\n{BODY}",
    f"```json\n{BODY}\n```",
    f"```\n{BODY}\n```",
    f"```json\n[{BODY}]\n```",
    f"```json\n{{{BODY}}}\n```",
    f"```tool_call\n{BODY}\n```",
    f"```xml\n<function_call>{BODY}</function_call>\n```",
    f"```json\n{BODY}",
    "```sql\nSELECT 1\n```",
    "```SQL\nSELECT 1\n```",
    "```sqlite\nSELECT 1",
    "```\nSELECT 1\n```",
    '{"arguments": {"sql": "SELECT 1"}, "name": "run_query"}',
    '{"name": "run_query", "parameters": {"sql": "SELECT 1"}}',
    '{"name": "run_query", "arguments": "{\\"sql\\": \\"SELECT 1\\"}"}',
    '{"type": "function", "function": {"name": "run_query", "arguments": {"sql": "SELECT 1"}}}',
    '{"tool": "run_query", "args": {"sql": "SELECT 1"}}',
    '{"function": "run_query", "arguments": {"sql": "SELECT 1"}}',
    '<function_call>{"name": "run_query", "sql": "SELECT 1"}</function_call>',
    '<function_call>{"sql": "SELECT 1"}</function_call>',
    '```json\n{"sql": "SELECT 1"}\n```',
    "<tool_call>\n<function=run_query>\n<parameter=sql>\nSELECT 1\n</parameter>\n</function>\n</tool_call>",
]


@pytest.mark.parametrize("text", UNDERSTOOD)
def test_one_call_is_understood(text: str) -> None:
    assert calls(text) == [("run_query", ONE)]
    assert said(text).strip() in ("", "I will look.")


def test_several_calls() -> None:
    other = '{"name": "draw_chart", "arguments": {"kind": "bar"}}'
    both = [("run_query", ONE), ("draw_chart", {"kind": "bar"})]
    assert calls(f"<tool_call>{BODY}</tool_call>\n<tool_call>{other}</tool_call>") == both
    assert calls(f"<tool_call>{BODY}\n{other}</tool_call>") == both
    assert calls(f"```json\n[{BODY}, {other}]\n```") == both
    assert calls(f"```json\n{BODY}\n{other}\n```") == both
    assert calls(f"{BODY}\n{other}") == both
    assert calls("```sql\nSELECT 1\n```\nand\n```sql\nSELECT 2\n```") == [
        ("run_query", ONE),
        ("run_query", {"sql": "SELECT 2"}),
    ]


def test_sql_keeps_its_braces_quotes_and_lines() -> None:
    assert calls('<tool_call>{"name": "run_query", "arguments": {"sql": "SELECT \'}{\', \\"a\\""}}</tool_call>') == [
        ("run_query", {"sql": "SELECT '}{', \"a\""})
    ]
    assert calls('{"name": "run_query", "arguments": {"sql": "SELECT 1\nFROM t"}}') == [
        ("run_query", {"sql": "SELECT 1\nFROM t"})
    ]
    assert calls("```sql\nSELECT `a` FROM t\nWHERE b < 2\n```") == [
        ("run_query", {"sql": "SELECT `a` FROM t\nWHERE b < 2"})
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('<function_call>{"name": "run_query", "arguments": {"sql": "SELECT "a""}}</function_call>', "run_query"),
        ("<function_call>run_query(SELECT 1)</function_call>", "run_query"),
        ('<tool_call>{"name": "run_query", "arguments": {"sql": "SEL', "run_query"),
        ('{"name": "run_query", "arguments": {"sql": "SEL', "run_query"),
        ('```json\n{"name": "run_query", "arguments": {"sql": }}\n```', "run_query"),
        ('{"name": "run_query", "arguments": ["SELECT 1"]}', "run_query"),
        ("<tool_call>gibberish</tool_call>", ""),
    ],
)
def test_what_is_malformed_is_a_call_without_arguments(text: str, name: str) -> None:
    [(seen, arguments)] = calls(text)
    assert (seen, arguments) == (name, None)
    assert said(text).strip() == ""


def test_a_call_without_arguments_and_an_unknown_tool() -> None:
    assert calls('<tool_call>{"name": "list_tables"}</tool_call>') == [("list_tables", {})]
    assert calls('<tool_call>{"name": "nonesuch", "arguments": {"a": 1}}</tool_call>') == [("nonesuch", {"a": 1})]


@pytest.mark.parametrize(
    "text",
    [
        "There are 12 orders below 5 < 6 and {some} `code`.",
        '{"name": "Bob", "arguments": {"a": 1}} is not a tool.',
        '{"capital": "Paris"}',
        '{"name": "run_query"} is a tool I have.',
        "```python\nprint({})\n```",
        '```json\n{"rows": 3}\n```',
        "```\nplain\n```",
        "```\n",
        "<b>bold</b> <function_cal> <tool_callx>",
        "a < b, `x`, ``y``, {",
        "{{ template }}",
        "```selected\nx\n```",
        "",
    ],
)
def test_ordinary_text_stays_text(text: str) -> None:
    assert read([text]) == ([text] if text else [])


def test_a_final_explanation_keeps_its_sql() -> None:
    text = "There are 12.\n```sql\nSELECT count(*) FROM orders\n```\nThat is all."
    assert read([text], loose=False) == [text]
    assert calls(f"Done. <tool_call>{BODY}</tool_call>", loose=False) == [("run_query", ONE)]
    assert read([f"```json\n{BODY}\n```"], loose=False) == [f"```json\n{BODY}\n```"]


def test_without_tools_everything_is_text() -> None:
    text = f"<tool_call>{BODY}</tool_call> ```sql\nSELECT 1\n```"
    assert read([text], tools=()) == [text]
    assert read(["```sql\nSELECT 1\n```"], tools=(DRAW,)) == ["```sql\nSELECT 1\n```"]


def test_text_streams_on_and_only_openings_are_held_back() -> None:
    parser = TextCallParser(TOOLS)
    assert parser.feed("Twelve") == [TextPart("Twelve")]
    assert parser.feed(" orders <") == [TextPart(" orders ")]
    assert parser.feed(" 5") == [TextPart("< 5")]
    assert parser.feed(" {") == [TextPart(" ")]
    assert parser.feed("x}") == [TextPart("{x}")]
    assert parser.feed("```p") == []
    assert parser.feed("ython\nx") == [TextPart("```python\nx")]
    assert parser.finish() == []


PIECES = [
    *UNDERSTOOD,
    "Hello ",
    " and then\n",
    "<",
    "`",
    "{",
    "}",
    "```",
    '"',
    "</tool_call>",
    "```python\nx = {}\n```\n",
    '{"name": "Bob"}',
    '{"name": "run_query", "arguments": {"sql": "SEL',
    "<tool_call>nonsense</tool_call>",
    "ß日本",
]


@pytest.mark.parametrize("seed", range(40))
def test_any_split_gives_the_same_parts(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(8):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 5)))
        loose = chance.random() < 0.8
        whole = read([text], loose=loose)
        assert read(list(text), loose=loose) == whole
        for _ in range(3):
            cuts = sorted(chance.sample(range(len(text) + 1), k=min(chance.randint(0, 9), len(text))))
            pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
            assert read(pieces, loose=loose) == whole, text


@pytest.mark.parametrize("seed", range(10))
def test_no_text_is_lost_where_there_is_no_call(seed: int) -> None:
    chance = random.Random(seed)
    alphabet = ["<", "`", "{", "}", '"', "name", ":", " ", "\n", "tool_call", ">", "/", "sql", "a", "```", "[", "]"]
    for _ in range(40):
        text = "".join(chance.choices(alphabet, k=chance.randint(1, 25)))
        seen = read(list(text))
        if all(isinstance(item, str) for item in seen) and "<tool_call>" not in text:
            assert "".join(item for item in seen if isinstance(item, str)) == text


def test_objects_end_where_they_end() -> None:
    assert object_end('{"a": "}"} x') == 10
    assert object_end('{"a": {') is None
    assert object_end('{"a": "\\') is None
    assert object_end('{{"a": 1}} x', doubled=True) == 9
    assert parse_object("[1]") is None
    assert parse_object(r"""{"sql": "SELECT \'a\', '\\'"}""") == {"sql": "SELECT 'a', '\\'"}
    assert parse_object('{"a": NaN}') is None
    assert parse_object("{" * 100_000) is None


@pytest.mark.parametrize("text", ["<think>a < b</think>\n\nYes </think>", "<think>open", "<thin air", " plain", ""])
def test_think_tags_do_not_mind_the_splitting(text: str) -> None:
    seen = []
    for size in (1, 2, 5, 100):
        tags = ThinkTags()
        pieces = [text[i : i + size] for i in range(0, len(text), size)]
        parts = [part for piece in pieces for part in tags.feed(piece)] + tags.finish()
        seen.append(tuple("".join(p.text for p in parts if p.kind == kind) for kind in ("thinking", "text")))
    assert len(set(seen)) == 1
    assert seen[0] == ("a < b", "Yes </think>") if "Yes" in text else "".join(seen[0]) == text.removeprefix("<think>")
