"""Text from a model or a file fetches nothing, links nowhere, and keeps its figures."""

from __future__ import annotations

import html

import pytest

from pages.ui import safe


@pytest.mark.parametrize(
    "text",
    [
        "![x](http://attacker.invalid/?q=1)",
        "![x][1]\n\n[1]: http://attacker.invalid/",
        "`![x](http://attacker.invalid)`",
        "\\![x](http://attacker.invalid)",
        "````\n![x](http://attacker.invalid)\n```",
        "``` ![x](u)",
        "!![x](u)",
    ],
)
def test_no_image_survives(text: str) -> None:
    assert "![" not in safe.markdown(text)


def test_no_link_survives() -> None:
    made = safe.markdown("[click](http://attacker.invalid) and http://attacker.invalid and <https://attacker.invalid>")
    assert "](" not in made
    assert "://" not in made


@pytest.mark.parametrize("text", ["_http://attacker.invalid_", "HTTPS://attacker.invalid", "(xsqlite+http://a)"])
def test_no_bare_address_becomes_a_link(text: str) -> None:
    assert "://" not in safe.markdown(text)
    assert "www." not in safe.markdown("see www.attacker.invalid")


def test_the_address_of_a_database_can_be_copied() -> None:
    text = "Write postgresql://user@host:5432/database or sqlite:///path."
    assert html.unescape(safe.markdown(text)) == text


def test_dollars_and_colons_stay_text() -> None:
    assert safe.markdown("$5 to $10") == "&#36;5 to &#36;10"
    assert safe.markdown("a:b[0] and :red[x]") == "a&#58;b[0] and &#58;red[x]"
    assert safe.markdown("at 10:30") == "at 10:30"


def test_code_is_left_as_it_is() -> None:
    assert safe.markdown("`$1`") == "`$1`"
    assert safe.markdown("```sql\nSELECT '$1'\n```") == "```sql\nSELECT '$1'\n```"


def test_labels_are_one_plain_line() -> None:
    assert safe.label("a\n**b** [c](d)") == r"a \*\*b\*\* \[c\](d)"
    assert safe.label("x" * 100, length=10) == "x" * 9 + "…"
    assert safe.label("") == " "
