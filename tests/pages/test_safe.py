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


@pytest.mark.parametrize("definition", ["[1]: //attacker.invalid/x", "[1]:data:text/html,x", "> [a\nb]: javascript:x"])
def test_no_name_is_given_to_a_link(definition: str) -> None:
    made = safe.markdown(f"[click][1]\n\n{definition}")
    assert "]:" not in made
    assert made.replace("\u2060", "").startswith("[click][1]")


def test_a_cast_in_code_can_be_copied() -> None:
    assert safe.markdown("`SELECT a[1]::text`") == "`SELECT a[1]::text`"


def test_no_link_in_angles_and_none_in_a_label() -> None:
    assert safe.markdown("<javascript:x> and <http://attacker.invalid> but 1 < 2").count("&lt;") == 2
    assert "://" not in html.unescape(safe.label("see http://attacker.invalid/x"))
    assert html.unescape(safe.label("postgresql://user@host/db")).replace("\\", "") == "postgresql://user@host/db"


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


def test_names_from_right_to_left_keep_their_places() -> None:
    assert safe.markdown("by שם. 6 bars") == "by \u2068שם\u2069. 6 bars"
    assert safe.markdown('“שם” is new, see `"שם"`') == '“\u2068שם\u2069” is new, see `"שם"`'
    assert safe.label("فروش") == "\u2068فروش\u2069"
    assert safe.prose("**שם** -5\nThe שם 6") == "**שם** \u2068-5\u2069\nThe \u2068שם\u2069 6"
