"""Numbers that no row gave are found; numbers that rows gave are not accused."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from tabulaflow_core.output import unsupported_figures

ROWS = pa.table(
    {
        "day": [date(2024, 3, 5), date(2023, 12, 31)],
        "revenue": pa.array([Decimal("1234567.89"), Decimal("-42.50")]),
        "share": [0.1234, 0.5],
        "code": ["A-4711/12", "Model 500"],
        "units": [12345, 7],
    }
)


@pytest.mark.parametrize(
    "text",
    [
        "Revenue was 1,234,567.89.",
        "Der Umsatz war 1.234.567,89.",
        "Revenue was 1 234 567,89 €.",
        "Revenue was 1\u202f234\u202f567,89 €.",
        "CHF 1'234'567.89",
        "Revenue was 1,234,568, or about 1.2 million (1.23M, 1,235k).",
        "It fell by 42.5 (-42.50, 43).",
        "A share of 12.34 % or 12% or 12 percent, then 50%.",
        "Roughly 12,300 units, 12,000 units, 12.3k.",
        "There are 2 rows.",
        "درآمد ۱٬۲۳۴٬۵۶۷٫۸۹ بود، ۵۰٪ و ۱۲٬۳۰۰ واحد؛ ١٬٢٣٤٬٥٦٧٫٨٩",
        "On 2024-03-05, 5 March 2024, March 5, 2024, 05.03.2024, 3/5/2024 and in March 2024.",
        "Am 5. März 2024 und im Dezember 2023; in 2024 and 2023.",
        "1. First point\n2. Second point\n10) Tenth",
        "The 1st and the 22nd, #3, Q3 and USB3 at 10:30.",
        "A-4711/12 and Model 500.",
        "`SELECT 99` and ```sql\nLIMIT 88\n```",
        "No figure at all, v.",
        "",
    ],
)
def test_supported(text: str) -> None:
    assert unsupported_figures(text, [ROWS]) == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Revenue was 1,234,999.", ("1,234,999",)),
        ("Revenue was 1.234.999,00 Euro", ("1.234.999,00",)),
        ("It grew by 17 % to 7", ("17 %",)),
        ("about 2 million", ("2 million",)),
        ("10,000 units", ("10,000",)),
        ("On 6 March 2024", ("6 March 2024",)),
        ("In 2022", ("2022",)),
        ("13 of 7 and 13 again", ("13",)),
        ("12.35 units and 12.4%", ("12.35", "12.4%")),
    ],
)
def test_unsupported(text: str, found: tuple[str, ...]) -> None:
    assert unsupported_figures(text, [ROWS]) == found


def test_the_question_supports_its_own_numbers() -> None:
    assert unsupported_figures("The top 5 since 2019 over 3.5", [], question="top 5 since 2019 over 3,5?") == ()
    assert unsupported_figures("The top 6", [], question="top 5") == ("6",)


def test_cells_of_any_type_are_read() -> None:
    table = pa.table(
        {
            "when": pa.array([datetime(2024, 5, 6, 7, 8)]),
            "nan": [float("nan")],
            "none": pa.array([None], pa.int64()),
            "list": [[1.5, 88]],
            "flag": [True],
        }
    )
    assert unsupported_figures("On 6 May 2024 it was 88", [table]) == ()
    assert unsupported_figures("It was 1", [table]) == ()  # one row
    assert unsupported_figures("It was 3", [table]) == ("3",)


def test_many_rows() -> None:
    table = pa.table({"n": list(range(0, 300_000, 3)), "t": [f"row {i}" for i in range(100_000)]})
    assert unsupported_figures("It was 299,997 and 150,003.", [table]) == ()
    assert unsupported_figures("It was 299,999.5 and 300,017.", [table]) == ("299,999.5", "300,017")


def test_names_with_numbers_and_numbers_side_by_side() -> None:
    assert unsupported_figures("COVID-19 and F-16 in 5 500 cases", [], question="5 or 500?") == ()
    assert unsupported_figures("5 501 cases", [], question="5 or 500?") == ("5 501",)
