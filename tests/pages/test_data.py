"""The data page without a browser: files come, their doubts are asked, every choice is a control."""

from __future__ import annotations

import io
import sqlite3
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import pytest
import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

from pages.ui import state
from pages.ui.uploads import share_of
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import FileOutcome, ReadingJob, Runtime, get_runtime
from tabulaflow_core.runtime.singleton import close_runtime
from tests.data.files.workbooks import Sheet, Value, write_xlsx

APP = Path(__file__).parent.parent.parent / "app.py"
DOUBTFUL = b"id,paid,amount\n1,03/04/2026,5.5\n2,05/06/2026,6.5\n3,07/08/2026,7.5\n"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    """The data page of somebody who has removed the samples."""
    monkeypatch.setenv("TABULAFLOW_MODEL", "scripted")
    close_runtime()
    get_runtime().first_visit(LOCAL_USER)
    app = AppTest.from_file(str(APP), default_timeout=30).switch_page("pages/data.py").run()
    assert not app.exception
    yield app
    close_runtime()


def upload(page: AppTest, *files: tuple[str, bytes]) -> None:
    """Drop files, and wait until they are read."""
    box = page.file_uploader[0]
    for name, content in files:
        box = box.upload(name, content, "application/octet-stream")
    box.run()
    until = time.monotonic() + 60
    while [button for button in page.button if str(button.key).startswith("stop-")] and time.monotonic() < until:
        time.sleep(0.1)
        page.run()
    assert not page.exception


def words(page: AppTest) -> str:
    """All that the page says, labels among it."""
    kinds = (page.markdown, page.caption, page.info, page.success, page.warning, page.error)
    said = [str(element.value) for elements in kinds for element in elements]
    return "\n".join([*said, *(expander.label for expander in page.expander), *(tab.label for tab in page.tabs)])


def press(page: AppTest, start: str) -> None:
    """Click the button whose label begins so."""
    next(button for button in page.button if button.label.startswith(start)).click().run()
    assert not page.exception


def kept(name: str) -> FileOutcome:
    return next(file for file in get_runtime().files(LOCAL_USER) if file.name == name and file.status != "waiting")


def decided(name: str, decision: str) -> tuple[str, str]:
    """The value and the certainty of one decision about a file."""
    decisions = kept(name).report["decisions"]
    assert isinstance(decisions, list)
    found = next(d for d in decisions if isinstance(d, dict) and d["name"] == decision)
    return str(found["value"]), str(found["certainty"])


def test_an_empty_page_teaches(page: AppTest) -> None:
    assert "Nothing yet" in words(page)
    label = page.file_uploader[0].label
    for name in ("CSV", "TSV", "xlsx", "xls", "xlsb", "ods", "JSON", "Parquet", "Feather", "SQLite", "DuckDB", "zip"):
        assert name in label
    press(page, "Use the sample shop")
    assert "inventory" in words(page)


def test_nothing_of_an_upload_stays_in_memory(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    managers: list[MemoryUploadedFileManager] = []
    add = MemoryUploadedFileManager.add_file

    def adding(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
        managers.append(self)
        add(self, session_id, file)

    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", adding)
    upload(page, ("one.csv", b"a,b\n1,2\n"), ("two.json", b'[{"c": 1}]'))
    assert [kept(name).status for name in ("one.csv", "two.json")] == ["loaded", "loaded"]
    assert managers
    assert [held for manager in managers for held in manager.file_storage.values() if held] == []


def test_a_file_comes_opened_with_the_line_that_says_how_it_was_read(page: AppTest) -> None:
    upload(page, ("regions.csv", "region;amount\nNord;1.234,50\nSüd;95,00\n".encode()))
    (card,) = [expander for expander in page.expander if "regions" in expander.label]
    assert "2 rows, 2 columns · semicolon · UTF-8 · header in line 1 · decimal comma" in card.label
    assert page.dataframe[0].value["region"].tolist() == ["Nord", "Süd"]
    assert "regions.csv** is here" in page.success[0].value.replace("\\", "")


def test_a_doubtful_date_is_asked_and_one_click_settles_it(page: AppTest) -> None:
    upload(page, ("paid.csv", DOUBTFUL))
    assert "03/04/2026 in paid&#58; is that 3 April or 4 March?" in words(page)
    press(page, "3 April")
    assert decided("paid.csv", "date_order") == ("dmy", "told")
    assert "is that 3 April" not in words(page)
    assert page.dataframe[0].value["paid"].astype(str).tolist()[0] == "2026-04-03"
    assert "day before month (your choice)" in words(page)
    assert any("changed by you" in group.label for group in page.button_group)


def test_confirming_what_was_taken_is_one_click_too(page: AppTest) -> None:
    upload(page, ("paid.csv", DOUBTFUL))
    press(page, "4 March · month first (taken for now)")
    assert decided("paid.csv", "date_order") == ("mdy", "told")
    assert "is that 3 April" not in words(page)


def test_a_control_changes_and_automatic_brings_the_first_reading_back(page: AppTest) -> None:
    upload(page, ("odd.csv", b"a;b,c\n1;2,3\n4;5,6\n"))
    before = kept("odd.csv").tables[0].columns
    other = "comma" if decided("odd.csv", "delimiter")[0] != "comma" else "semicolon"
    next(box for box in page.selectbox if box.label.startswith("Delimiter")).select(other).run()
    assert decided("odd.csv", "delimiter") == (other, "told")
    assert kept("odd.csv").tables[0].columns != before
    press(page, "Back to automatic")
    assert kept("odd.csv").tables[0].columns == before
    assert "changed by you" not in words(page)


def test_tables_side_by_side_are_joined_and_parted_by_a_control(page: AppTest, tmp_path: Path) -> None:
    rows: list[list[Value]] = [["region", "units", None, "name", "age"]]
    rows += [[f"r{n}", n, None, f"p{n}" if n < 4 else None, 20 + n if n < 4 else None] for n in range(1, 9)]
    upload(page, ("two.xlsx", write_xlsx(tmp_path / "two.xlsx", [Sheet("S", rows)]).read_bytes()))
    assert len(kept("two.xlsx").tables) == 2
    page.session_state["more-two.xlsx-S"] = True  # the rare choices are drawn when they are opened
    page.run()
    control = next(c for c in page.segmented_control if c.label.startswith("Parts side by side"))
    control.set_value("one").run()
    assert [len(t.columns) for t in kept("two.xlsx").tables] == [4]
    press(page, "Back to automatic")
    assert len(kept("two.xlsx").tables) == 2


def test_dates_offer_only_the_orders_that_fit(page: AppTest) -> None:
    upload(page, ("paid.csv", DOUBTFUL))
    (control,) = [c for c in page.segmented_control if c.label.startswith("Dates")]
    assert list(control.options) == ["Day first", "Month first"]


def test_an_empty_file_gets_a_sentence_and_can_be_removed(page: AppTest) -> None:
    upload(page, ("empty.csv", b""))
    assert "empty" in page.error[0].value
    assert len(page.error) == 1
    press(page, "Remove")
    assert "empty.csv" not in words(page)
    assert "Nothing yet" in words(page)


def test_a_broken_file_beside_a_good_one_leaves_the_good_one_opened(page: AppTest) -> None:
    upload(page, ("good.csv", b"a,b\n1,2\n3,4\n"), ("empty.csv", b""))
    assert "good" in page.success[0].value
    assert "empty.csv" not in page.success[0].value
    assert "empty" in page.error[0].value
    assert page.dataframe[0].value["a"].tolist() == [1, 3]


def test_what_was_dropped_is_read_once_though_its_run_is_broken_off(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[list[str]] = []
    start, following = Runtime.start_adding, state.next_upload_round

    def counted(runtime: Runtime, who: Principal, files: Sequence[tuple[str, BinaryIO]]) -> str:
        begun.append([name for name, _ in files])
        return start(runtime, who, files)

    def broken_off() -> None:
        monkeypatch.setattr(state, "next_upload_round", following)
        st.rerun()  # what the browser does when it sends something while a large file is copied

    monkeypatch.setattr(Runtime, "start_adding", counted)
    monkeypatch.setattr(state, "next_upload_round", broken_off)
    upload(page, ("large.csv", b"a,b\n1,2\n"))
    assert begun == [["large.csv"]]
    assert kept("large.csv").tables[0].row_count == 1


def test_progress_counts_the_files_before() -> None:
    job = ReadingJob("r", "b.csv", "running", "reading", 50, 100, (), ("a.csv", "b.csv", "c.csv", "d.csv"))
    assert share_of(job) == pytest.approx(0.375)
    assert share_of(ReadingJob("r", "a.csv", "running", "reading", 1, 4, (), ("a.csv",))) == pytest.approx(0.25)
    assert share_of(ReadingJob("r", "a.csv", "running", "reading", 0, 0, (), ("a.csv",))) == 0


def test_a_new_version_without_a_column_is_asked_and_said(page: AppTest) -> None:
    upload(page, ("levels.csv", b"sku,units,remark\nA,1,x\nB,2,y\n"))
    assert not page.warning
    upload(page, ("levels.csv", b"sku,units,price\nA,1,5\nB,2,6\n"))
    assert [column.name for column in kept("levels.csv").tables[0].columns] == ["sku", "units", "remark"]
    assert "“remark”" in page.warning[0].value
    assert "“price”" in page.warning[0].value
    again = AppTest.from_file(str(APP), default_timeout=30).switch_page("pages/data.py").run()
    assert again.warning[0].value == page.warning[0].value  # a question survives a reload
    press(page, "Replace levels")
    assert [column.name for column in kept("levels.csv").tables[0].columns] == ["sku", "units", "price"]
    assert not page.warning


def test_a_waiting_upload_can_be_forgotten(page: AppTest) -> None:
    upload(page, ("levels.csv", b"sku,units\nA,1\n"))
    upload(page, ("levels.csv", b"sku,units\nA,2\n"))
    press(page, "Forget the upload")
    assert not [button for button in page.button if button.label.startswith("Replace")]
    assert [file.status for file in get_runtime().files(LOCAL_USER)] == ["loaded"]


def test_forgetting_one_question_of_several_files_is_no_fault(page: AppTest) -> None:
    upload(page, ("sales.csv", b"day,amount\n2026-01-01,1\n"))
    rows = "region,sold\nnorth,1\n"
    upload(page, (f"sales_{'x' * 90}_jan.csv", rows.encode()), ("sales_feb.csv", rows.replace("1", "3").encode()))
    asked = next(m.value for m in page.markdown if "have the same columns" in m.value)
    assert "x" * 50 not in asked
    assert "_jan.csv" in asked
    assert "one table sales_2 of 2 rows" in asked  # the name that is free
    press(page, "Forget the upload")
    assert not page.error
    assert [file.name for file in get_runtime().files(LOCAL_USER)] == ["sales.csv"]


def test_a_very_wide_table_says_how_wide_it_is(page: AppTest) -> None:
    upload(page, ("wide.csv", ",".join(f"c{n}" for n in range(201)).encode() + b"\n" + b",".join([b"1"] * 201)))
    assert "1 row, the first 200 of 201 columns." in [caption.value for caption in page.caption]


def test_values_that_did_not_fit_stand_in_the_order_of_the_file(page: AppTest) -> None:
    rows = "".join(f"{n},{n}.5\n" for n in range(400))
    upload(page, ("odd.csv", f"id,amount\n{rows}400,oops\nwhat,400.5\n".encode()))
    page.session_state["views-odd.csv-odd"] = "Left out (2)"
    page.run()
    (listed,) = [frame.value for frame in page.dataframe if "Value" in frame.value]
    assert listed["Value"].tolist() == ["oops", "what"]


def test_what_a_choice_cannot_do_is_said_and_the_earlier_reading_stays(page: AppTest) -> None:
    upload(page, ("paid.csv", DOUBTFUL))
    next(box for box in page.selectbox if box.label.startswith("Encoding")).select("utf-16").run()
    assert not page.exception
    assert "The reading from before stays." in page.error[0].value
    assert kept("paid.csv").tables[0].row_count == 3
    assert page.dataframe[0].value.shape == (3, 3)


def archive(**members: str) -> bytes:
    """A ZIP of CSV files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, text in members.items():
            packed.writestr(f"{name}.csv", text)
    return out.getvalue()


def test_the_members_of_an_archive_are_switched_and_doubts_settled_for_all(page: AppTest) -> None:
    doubtful = DOUBTFUL.decode()
    upload(page, ("months.zip", archive(jan=doubtful, feb=doubtful.replace("amount", "sum"), notes="a,b\n1,2\n3,4\n")))
    assert "3 tables from 3 files" in words(page)
    assert "Holds also for feb.csv" in words(page)
    press(page, "3 April")
    by_part = kept("months.zip").options["by_part"]
    assert isinstance(by_part, dict)
    assert {part: own for part, own in by_part.items() if own} == {
        "jan.csv": {"date_order": "dmy"},
        "feb.csv": {"date_order": "dmy"},
    }
    (pills,) = [group for group in page.button_group if group.label.startswith("Files")]
    pills.set_value(["jan.csv", "feb.csv"]).run()
    assert not page.exception
    assert "2 tables from 2 of 3 files" in words(page)
    assert kept("months.zip").options["by_part"] == by_part


def test_files_of_one_shape_become_one_table_when_a_person_agrees(page: AppTest) -> None:
    rows = "region,amount\nNorth,1\nSouth,2\n"
    upload(page, ("jan.csv", rows.encode()), ("feb.csv", rows.replace("1", "3").encode()))
    assert not [file for file in get_runtime().files(LOCAL_USER) if file.status == "loaded"]
    press(page, "One table of 2 files")
    (file,) = get_runtime().files(LOCAL_USER)
    assert file.tables[0].row_count == 4
    assert "4 rows, 3 columns from 2 files" in words(page)
    assert "Made of jan.csv" in words(page)


def test_an_uploaded_database_is_a_source_with_its_tables(page: AppTest, tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE orders AS SELECT 1 AS id, 2.5 AS amount")
        database.commit()
    upload(page, ("shop.sqlite", path.read_bytes()))
    assert "**shop**" in words(page)
    assert any(expander.label.startswith("orders · 1 row") for expander in page.expander)
    assert "is here. Look below at what is in it, then ask." in words(page)
    assert not [button for button in page.button if str(button.key).startswith("save-")]  # it has no address to change
    press(page, "Remove it")
    assert not get_runtime().sources(LOCAL_USER)


def test_a_folder_of_the_server_is_offered_only_where_one_is_allowed(
    page: AppTest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "Server folder" not in words(page)
    (tmp_path / "here.csv").write_text("a,b\n1,2\n3,4\n")
    monkeypatch.setenv("TABULAFLOW_FILE_ROOTS", str(tmp_path))
    close_runtime()
    page.run()
    assert "Server folder" in words(page)
    page.text_input(key="server-path").set_value("/etc/hostname")
    press(page, "Read it")
    assert len(page.error) == 1
    page.text_input(key="server-path").set_value(str(tmp_path / "here.csv"))
    press(page, "Read it")
    until = time.monotonic() + 60
    while not get_runtime().files(LOCAL_USER) and time.monotonic() < until:
        time.sleep(0.1)
    assert kept("here.csv").tables[0].row_count == 2


def test_raw_text_is_numbered_and_paged(page: AppTest) -> None:
    upload(page, ("long.csv", b"n,t\n" + b"".join(b"%d,x%d\n" % (n, n) for n in range(1, 251))))
    page.session_state["views-long.csv-long"] = "Raw text"
    page.run()
    assert "  1 H n,t" in page.code[0].value
    assert "100,x100" not in page.code[0].value
    press(page, "Later")
    assert page.code[0].value.splitlines()[0] == "101   100,x100"
    press(page, "Earlier")
    assert "H n,t" in page.code[0].value


def test_names_and_values_of_a_file_are_drawn_as_text(page: AppTest) -> None:
    image = "![x](http://127.0.0.1:9/x.png)"
    upload(page, ("![i](http:x) **b**.csv", f"{image},:red[b]\n1,{image}\n2,3\n".encode()))
    for text in (*words(page).splitlines(), *(button.label for button in page.button)):
        assert "![" not in text.replace("\\[", "").replace("!\u2060[", "").replace("\\!", "")
        assert ":red[" not in text


def test_the_sample_shop_makes_room_for_an_own_file_and_one_click_brings_it_back(page: AppTest) -> None:
    get_runtime().add_samples(LOCAL_USER)
    page.run()
    assert "sample shop" not in words(page)  # nothing of the person's own stands beside it yet
    upload(page, ("empty.csv", b""))
    assert "sample shop" not in words(page)  # nor by a file that could not be read
    get_runtime().remove_file(LOCAL_USER, "empty.csv")
    upload(page, ("mine.csv", b"a,b\n1,2\n"))
    assert [file.name for file in get_runtime().files(LOCAL_USER)] == ["mine.csv"]
    assert "The sample shop was put away: questions go to your own data only." in words(page)
    page.button(key="sample-shop-act").click().run()
    assert {"inventory.csv", "sales.csv"} < {file.name for file in get_runtime().files(LOCAL_USER)}
    assert "The sample shop stands beside your own data, and questions may go to it." in words(page)
    page.button(key="sample-shop-act").click().run()
    assert [file.name for file in get_runtime().files(LOCAL_USER)] == ["mine.csv"]
