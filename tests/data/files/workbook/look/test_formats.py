"""What number format codes mean."""

from __future__ import annotations

import pytest

from tabulaflow_core.data.files.formats.workbook.look.builtin import BUILT_IN
from tabulaflow_core.data.files.formats.workbook.look.formats import (
    describe,
    is_temporal,
    needs_second_look,
    write_code,
)

KINDS = {
    "": "general",
    "General": "general",
    'General" km"': "general",
    ";;;": "general",
    "0": "number",
    "#,##0.00": "number",
    "# ##0": "number",
    "#\\ ##0.00": "number",
    "[>=10000000]##\\,##\\,##\\,##0;[>=100000]##\\,##\\,##0;##,##0": "number",
    "0.00 km": "number",  # words that lack their quotes
    '0" days"': "number",
    '0.0"%"': "number",  # the sign is a word here: the value is already in hundredths
    '#,##0 "€/kg"': "number",
    '"D +"0.0;[Red]"R +"0.0': "number",
    "0%": "percent",
    "0.00 %": "percent",
    '[=0]"-";0.0%': "percent",
    "[Red]0%;[Blue]-0%": "percent",
    "@": "text",
    "0.00E+00": "scientific",
    "##0.0E+0": "scientific",
    "# ?/?": "fraction",
    "# ??/100": "fraction",
    "00000": "code",
    "000-000": "code",
    "000\\-00\\-0000": "code",
    '"ID-"0000': "code",
    "000 000": "code",
    "[<=9999999]###\\-####;\\(###\\)\\ ###\\-####": "code",
    "yyyy-mm-dd": "date",
    "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy": "date",
    "[$-411]ge.m.d": "date",
    'yyyy"年"m"月"d"日"': "date",
    "mmm-yy": "date",
    "m": "date",
    "dd/mm/yyyy;@": "date",
    "d.m.yyyy h:mm": "datetime",
    "[$-409]m/d/yy h:mm AM/PM;@": "datetime",
    "yyyy-mm-ddThh:mm:ss": "datetime",
    "h:mm AM/PM": "time",
    "[$-F400]h:mm:ss AM/PM": "time",
    "mm:ss.0": "time",
    'h"h" mm"m"': "time",
    "[h]:mm": "duration",
    "[mm]:ss": "duration",
    "[s]": "duration",
}


@pytest.mark.parametrize(("code", "kind"), KINDS.items())
def test_kind(code: str, kind: str) -> None:
    assert describe(code).kind == kind


@pytest.mark.parametrize(
    ("code", "currency"),
    {
        "#,##0.00 [$€-407]": "EUR",
        '_-* #,##0.00 [$€-407]_-;-* #,##0.00 [$€-407]_-;_-* "-"?? [$€-407]_-;_-@_-': "EUR",
        '#,##0.00\\ "€"': "EUR",
        "€ 0.0": "EUR",
        "[$£-809]#,##0": "GBP",
        '"$"#,##0.00': "$",
        "[$$-409]#,##0.00": "USD",
        "[$$-1009]#,##0.00": "CAD",
        "[$¥-804]#,##0": "CNY",
        "[$¥-411]#,##0": "JPY",
        "#,##0 [$kr-41D]": "SEK",
        '#,##0.00 "kr"': "kr",
        "[$CHF-807] #,##0.00": "CHF",
        "#,##0.00\\ [$EUR]": "EUR",
        '#,##0.00 "zł"': "PLN",
        '"R$" #,##0.00': "BRL",
        '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)': "$",
        '"USD "#,##0.00;("USD "#,##0.00)': "USD",
    }.items(),
)
def test_currency(code: str, currency: str) -> None:
    found = describe(code)
    assert (found.kind, found.currency) == ("currency", currency)


def test_a_locale_alone_is_no_currency() -> None:
    assert describe("[$-409]#,##0.00").kind == "number"


@pytest.mark.parametrize(
    ("code", "scale", "decimals"),
    [('#,##0.0,,"M"', 2, 1), ("#,##0,", 1, 0), ("0,.0", 1, 1), ("#,##0.00", 0, 2), ("#,##0", 0, 0), ('0.0,"k"', 1, 1)],
)
def test_scaling_and_decimals(code: str, scale: int, decimals: int) -> None:
    assert (describe(code).scale, describe(code).decimals) == (scale, decimals)


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (1234, "00000", "01234"),
        (123456, "000-000", "123-456"),
        (7, '"ID-"0000', "ID-0007"),
        (1234567, "[<=9999999]###-####;(###) ###-####", "123-4567"),
        (4155550123, "[<=9999999]###-####;(###) ###-####", "(415) 555-0123"),
        (1234567, "00000", "1234567"),
        (-5, "000", "-005"),
        (0, "000", "000"),
        (830, '00":"00', "08:30"),
        (12, "0000;\\-0000", "0012"),
        (-12, "0000;\\-0000", "-0012"),
    ],
)
def test_codes_are_written_as_shown(value: int, code: str, text: str) -> None:
    assert write_code(value, code) == text


def test_built_in_formats() -> None:
    kinds = {number: describe(code).kind for number, code in BUILT_IN.items()}
    assert kinds[9] == kinds[10] == "percent"
    assert kinds[14] == kinds[15] == kinds[17] == kinds[31] == kinds[57] == "date"
    assert kinds[22] == "datetime"
    assert kinds[18] == kinds[21] == kinds[45] == "time"
    assert kinds[46] == "duration"
    assert kinds[49] == "text"
    assert kinds[44] == "currency"
    assert kinds[37] == kinds[3] == "number"
    assert describe(BUILT_IN[5]).currency == "¤"


def test_what_deserves_a_second_look() -> None:
    assert [c for c in ("", "0.00", "0%", "00000", "0,", "yyyy", "@") if needs_second_look(c)] == [
        "0%",
        "00000",
        "0,",
        "yyyy",
        "@",
    ]
    assert is_temporal("[h]:mm")
    assert not is_temporal("0.00")


@pytest.mark.parametrize("code", ['"', "\\", "[", "[$", "[$-", "_", "*", ";" * 50, "[<.]0", "[>1.2.3]0;0", "0" * 5000])
def test_broken_codes_are_survived(code: str) -> None:
    describe(code)
    write_code(12, code)
