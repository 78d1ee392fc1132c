"""Each control of a file's card in a real browser: changed, read again, told, and set back to the first reading."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.browser import screen
from tests.browser.conftest import App
from tests.browser.test_reading import card, drop
from tests.data.files.workbooks import Sheet, write_xlsx

pytestmark = pytest.mark.browser

#: Something for every control of a text file to change.
TILL = """# made by the till
no;when;place;price;note;paid
1;03/04/2026;Café;1.234,50;'a';15
2;05/06/2026;Orléans;-;"x ""y"" z";offen
3;07/08/2026;Besançon;2.000,25;n/a;25
Total;;;3.234,75;;
"""
_CELLS = "card => [...card.querySelectorAll('[data-testid^=glide-cell]')].map(e => [e.dataset.testid, e.textContent])"


@dataclass
class Card:
    """A file's card and what can be done on it."""

    page: Page
    of: Locator

    @property
    def line(self) -> str:
        """The line that says how the file was read."""
        return self.of.locator("summary").first.inner_text().splitlines()[-1]

    def cells(self) -> dict[str, str]:
        """What the grid, a canvas, tells to screen readers."""
        return {name.removeprefix("glide-cell-"): text for name, text in self.of.evaluate(_CELLS)}

    def pick(self, label: str, option: str) -> None:
        box = self.of.get_by_role("combobox", name=re.compile(f"^{re.escape(label)}"))
        choice = self.page.get_by_role("option", name=option).first
        for _ in range(10):  # a card that is drawn anew at this moment closes its list
            screen.settled(self.page)
            box.click()
            try:
                choice.wait_for(timeout=3_000)
            except TimeoutError:
                continue
            break
        choice.click()

    def type(self, label: str, text: str) -> None:
        box = self.of.get_by_role("combobox", name=re.compile(f"^{re.escape(label)}"))
        box.click()
        box.fill(text)
        box.press("Enter")

    def count(self, label: str, number: str) -> None:
        box = self.of.get_by_role("spinbutton", name=re.compile(f"^{re.escape(label)}"))
        box.fill(number)
        box.press("Enter")

    def press(self, role: str, name: str) -> None:
        self.of.get_by_role(role, name=name).click()  # type: ignore[arg-type]

    def automatic(self) -> None:
        self.press("button", "Back to automatic")

    def shows(self, cell: str, text: str) -> None:
        expect(self.of.get_by_test_id(f"glide-cell-{cell}").first).to_have_text(text)

    def says(self, text: str) -> None:
        """Below the line, what the last reading changed."""
        expect(self.of.get_by_test_id("stAlert").filter(has_text=text).first).to_be_visible()

    def is_as(self, line: str, cells: dict[str, str]) -> None:
        """It was read as at first."""
        expect(self.of.locator("summary").first).to_contain_text(line)
        for name, text in cells.items():
            self.shows(name, text)
        screen.settled(self.page)
        assert self.cells() == cells


@dataclass(frozen=True)
class Change:
    """A control, what it makes of the table, what is said of it, and how it is set back."""

    name: str
    do: Callable[[Card], None]
    cell: tuple[str, str]
    said: str
    back: Callable[[Card], None] = Card.automatic


CHANGES = [
    Change(
        "encoding",
        lambda c: c.pick("Encoding", "Windows-1251"),
        ("2-0", "Cafй"),
        "3 rows are not as before",
        lambda c: c.pick("Encoding", "automatic"),
    ),
    Change("delimiter", lambda c: c.type("Delimiter", "comma"), ("1-1", "25;n/a;25"), "2 columns are new"),
    Change(
        "quote",
        lambda c: c.pick("Quote", "' single"),
        ("4-0", "a"),
        "2 rows are not as before",
        lambda c: c.pick("Quote", "automatic"),
    ),
    Change("escape", lambda c: c.pick("A quote within", "after a"), ("4-1", 'x ""y"" z'), "1 row is not as before"),
    Change("no header", lambda c: c.pick("Header", "none"), ("0-0", "no"), "3 rows before, 5 now"),
    Change("header", lambda c: c.pick("Header", "2 rows"), ("0-0", "2"), "One column is new: “no / 1”"),
    Change(
        "first line",
        lambda c: c.count("Begins in line", "4"),
        ("0-0", "2"),
        "One column is new: “column_1”",
        lambda c: c.count("Begins in line", ""),
    ),
    Change("end", lambda c: c.count("Left out at the end", "2"), ("0-1", "2"), "3 rows before, 2 now"),
    Change("comment", lambda c: c.type("Comment lines", "2;"), ("0-1", "3"), "3 rows before, 2 now"),
    Change("decimal", lambda c: c.press("radio", "1.5"), ("3-0", "1.234,50"), "“price” was number and is text now"),
    Change("dates", lambda c: c.press("radio", "Month first"), ("1-0", "2026-03-04"), "goes from 2026-03-04"),
    Change("missing", lambda c: c.type("Words for", "offen"), ("5-1", ""), "“paid” was text and is integer now"),
    Change(
        "totals",
        lambda c: c.of.get_by_text("Keep totals and notes").click(),
        ("0-3", "Total"),
        "3 rows before, 4 now",
        lambda c: c.of.get_by_text("Keep totals and notes").click(),
    ),
]


def test_each_control_of_a_text_file(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    file = tmp_path / "till.csv"
    file.write_bytes(TILL.encode("cp1252"))
    drop(page, app, file)
    read = Card(page, card(page, "till.csv"))
    read.shows("2-0", "Café")
    read.of.get_by_text("More choices").click()
    line, cells = read.line, read.cells()
    assert (cells["3-0"], cells["1-0"], len(cells)) == ("1234.5", "2026-04-03", 18)
    for change in CHANGES:
        change.do(read)
        read.shows(*change.cell)
        read.says(change.said)
        screen.shot(page, f"control-{change.name.replace(' ', '-')}")
        change.back(read)
        read.is_as(line, cells)


def test_each_control_of_parts(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    book, two = tmp_path / "stock.xlsx", tmp_path / "two.csv"
    write_xlsx(
        book,
        [
            Sheet("Open", [["item", "place"], ["lamp", "hall"], ["desk", "attic"]]),
            Sheet("Shut", [["who", "what"], ["Ann", "x"], ["Bo", "y"]]),
        ],
    )
    two.write_text("city,people\nKiel,12\nBonn,8\n\n\nshop,sales\nNord,3\nWest,4\nOst,5\n")
    drop(page, app, book, two)
    sheets = Card(page, card(page, "stock.xlsx"))
    sheets.shows("0-0", "lamp")
    line, cells = sheets.line, sheets.cells()
    assert "2 tables from 2 sheets" in line
    sheets.press("button", "Shut")
    sheets.says("stock_shut is gone")
    expect(sheets.of.locator("summary").first).to_contain_text("1 of 2 sheets")
    sheets.press("button", "Shut")
    sheets.is_as(line, cells)
    sheets.pick("Header", "none")
    sheets.shows("0-0", "item")
    sheets.automatic()
    sheets.is_as(line, cells)
    tables = Card(page, card(page, "two.csv"))
    tables.shows("0-0", "Kiel")
    line, cells = tables.line, tables.cells()
    tables.press("button", "table 1")
    tables.shows("0-0", "Nord")
    tables.press("button", "table 1")
    tables.is_as(line, cells)


def test_the_type_of_a_column(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    file = tmp_path / "stock.csv"
    file.write_text("code,bought\n17,2026-04-03\n18,2026-05-04\n19,2026-06-05\n")
    drop(page, app, file)
    read = Card(page, card(page, "stock.csv"))
    read.shows("0-0", "17")
    line = read.line
    read.press("tab", "Columns")
    read.shows("1-0", "integer")
    read.pick("Change the type of", "code")
    expect(read.of.get_by_role("combobox", name="Its type")).to_have_value("integer · auto")
    read.pick("Its type", "text")
    read.says("“code” was integer and is text now")
    read.shows("1-0", "text")
    read.shows("2-0", "your choice")
    read.pick("Change the type of", "bought")
    read.pick("Its type", "text")
    read.says("“bought” was date and is text now")
    read.shows("1-1", "text")
    screen.shot(page, "control-type")
    read.pick("Its type", "date")
    read.says("“bought” was text and is date now")
    read.shows("2-1", "your choice")
    read.pick("Its type", "automatic")
    read.shows("2-1", "yes")
    read.shows("2-0", "your choice")
    read.automatic()
    read.shows("1-0", "integer")
    expect(read.of.get_by_role("button", name="Back to automatic")).to_have_count(0)
    assert read.line == line
