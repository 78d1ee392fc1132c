"""Uploads that do not arrive: a proxy that cuts them, and one that spreads them over servers that are not sticky."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Page, expect

from tests.browser import screen
from tests.browser.conftest import App
from tests.browser.proxy import Proxy
from tests.browser.test_reading import card
from tests.data.files.workbooks import Sheet, write_xlsx

pytestmark = pytest.mark.browser

_ROWS = 300_000


def _send(page: Page, *paths: Path) -> None:
    page.locator("input[type=file]").first.set_input_files([str(path) for path in paths])


def _large(folder: Path) -> Path:
    """Some 9 MB: several times what lies in the buffers between a browser and a server."""
    path = folder / "large.csv"
    with path.open("w") as out:
        out.write("id,amount,remark\n")
        out.writelines(f"{n},{n % 97}.5,remark of row {n}\n" for n in range(_ROWS))
    return path


def _kept(home: Path) -> list[Path]:
    """Files that uploads left behind: in the data folder, and what hangs on in the temporary one."""
    return sorted(
        p for p in home.rglob("*") if p.is_file() and ("large" in p.name or "tmp" in p.relative_to(home).parts)
    )


def _held(app: App) -> list[str]:
    """Deleted files that the server still holds open."""
    links = []
    for fd in Path(f"/proc/{app.process.pid}/fd").iterdir():
        try:
            links.append(os.readlink(fd))
        except OSError:  # closed meanwhile
            continue
    return [link for link in links if link.endswith("(deleted)")]


@pytest.mark.parametrize("shared", [True, False], ids=["one store", "a store each"])
def test_several_servers_without_sticky_sessions(
    page: Page, start_app: Callable[..., App], own_surroundings: Path, tmp_path: Path, shared: bool
) -> None:
    homes = {} if shared else {"TABULAFLOW_DATA_DIR": str(own_surroundings / "second")}
    first, second = start_app(TABULAFLOW_MODEL="scripted"), start_app(TABULAFLOW_MODEL="scripted", **homes)
    refused = []
    page.on("response", lambda r: refused.append(r.status) if r.request.method == "PUT" and r.status != 204 else None)
    with Proxy([first.port, second.port]) as proxy:
        page.goto(f"{proxy.url}/data")
        fault = page.get_by_text("it reached another server than the one behind this page")
        for n in range(6):  # which server an upload meets is as in life: chance
            file = tmp_path / f"table{n}.csv"
            file.write_text("a,b,c,d\n"[: 2 * n + 4].rstrip(",") + "\n" + "1,2,3,4"[: 2 * n + 3].rstrip(",") + "\n")
            _send(page, file)
            expect(fault.or_(page.get_by_text(f"table{n}.csv").first)).to_be_visible()
            screen.settled(page)
            page.wait_for_timeout(1_000)
            if fault.is_visible():
                break
        expect(fault).to_contain_text(f"“table{n}.csv” did not arrive")
        expect(fault).to_contain_text("need sticky sessions")
        assert refused == [400]
        screen.shot(page, "upload-other-server")
        for _ in range(6):
            page.get_by_role("button", name="Send again").click()
            page.wait_for_timeout(1_500)
            if not fault.is_visible():
                break
        expect(fault).to_be_hidden()
        expect(page.get_by_test_id("stMain").get_by_text(f"table{n}.csv").first).to_be_visible()
    before = len(refused)
    with Proxy([first.port, second.port], sticky=True) as proxy:
        page.goto(f"{proxy.url}/data")
        for n in range(3):
            file = tmp_path / f"sticky{n}.csv"
            file.write_text(f"k{n},v{n}\n1,2\n")
            _send(page, file)
            card(page, file.name)
        assert len(refused) == before


def test_an_upload_that_is_cut_is_said_and_sent_again(
    page: Page, start_app: Callable[..., App], own_surroundings: Path, tmp_path: Path
) -> None:
    (own_surroundings / "tmp").mkdir()
    app = start_app(TABULAFLOW_MODEL="scripted", TMPDIR=str(own_surroundings / "tmp"))
    large = _large(tmp_path)
    with Proxy([app.port], sticky=True) as proxy:
        page.goto(f"{proxy.url}/data")
        screen.settled(page)
        held = len(_held(app))
        proxy.cuts = 2
        _send(page, large)
        fault = page.get_by_text("“large.csv” did not arrive: the connection was cut on its way.")
        again = page.get_by_role("button", name="Send again")
        expect(fault).to_be_visible()
        screen.shot(page, "upload-cut")
        assert (proxy.uploads, _kept(own_surroundings)) == (1, [])
        again.click()  # and cut again
        expect(fault).to_be_hidden()
        expect(fault).to_be_visible()
        assert (proxy.uploads, _kept(own_surroundings)) == (2, [])
        expect(page.get_by_test_id("stExpander").filter(has_text="large.csv")).to_have_count(0)
        page.wait_for_timeout(1_000)
        assert len(_held(app)) == held
        again.click()
        read = card(page, "large.csv")
        expect(read.locator("summary").first).to_contain_text(f"{_ROWS:,} rows, 3 columns")
        expect(fault).to_be_hidden()
        assert proxy.uploads == 3


def test_one_of_several_files_is_cut(page: Page, start_app: Callable[..., App], tmp_path: Path) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    files = [tmp_path / f"part{n}.csv" for n in range(3)]
    for n, file in enumerate(files):
        file.write_text(f"k{n},v{n},w{n}\n1,2,3\n")
    with Proxy([app.port], sticky=True) as proxy:
        page.goto(f"{proxy.url}/data")
        proxy.cuts, proxy.cut_at = 1, 0.1
        _send(page, *files)
        again = page.get_by_role("button", name="Send again")
        expect(again).to_be_visible()
        again.click()
        for file in files:
            card(page, file.name)
        expect(again).to_be_hidden()


def test_a_workbook_with_an_empty_first_sheet_and_a_pivot(
    page: Page, start_app: Callable[..., App], tmp_path: Path
) -> None:
    book = tmp_path / "report.xlsx"
    pivot = [["Row Labels", "Sum of sales"], ["North", 10], ["South", 25], ["Grand Total", 35]]
    write_xlsx(book, [Sheet("Empty", []), Sheet("Pivot", pivot), Sheet("Data", [["region", "sales"], ["North", 10]])])
    app = start_app(TABULAFLOW_MODEL="scripted")
    page.goto(f"{app.url}/data")
    _send(page, book)
    read = card(page, "report.xlsx")
    expect(read.locator("summary").first).to_contain_text("2 tables from 2 of 3 sheets")
    read.get_by_role("radio", name="Pivot").click()
    expect(read.get_by_test_id("glide-cell-1-1")).to_have_text("25")
    expect(read.get_by_test_id("glide-cell-1-2")).to_have_count(0)  # the total is left out, which is said
    screen.shot(page, "upload-pivot")
