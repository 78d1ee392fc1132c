"""Codes around an E: a reason to keep a column of numbers as text, none for one that is text anyway."""

from __future__ import annotations

from tabulaflow_core.data.files.infer import Shape, examine


def test_a_column_of_such_codes_says_why_it_is_text() -> None:
    finding = examine([Shape("9E9", 10)], missing=frozenset())
    assert finding.kind == "text"
    assert "codes" in finding.why


def test_a_few_such_codes_among_words_need_no_reason() -> None:
    finding = examine([Shape("99e99", 3), Shape("99999", 2), Shape("a9b9c", 95)], missing=frozenset())
    assert (finding.kind, finding.why) == ("text", "")
