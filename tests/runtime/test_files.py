"""What an upload asks, and what each answer does to the tables that are there."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tabulaflow_core.data.files.drift import Drift
from tabulaflow_core.errors import NotFound, SourceError
from tabulaflow_core.models.scripted import ScriptedModel, call, text
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import FileOutcome, Runtime, file_reader
from tests.runtime.conftest import Child, MakeRuntime, drain

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
JAN = "day,shop,amount\n2026-01-05,north,10\n2026-01-06,south,20\n"
FEB = "day,shop,amount\n2026-02-05,north,30\n2026-02-06,south,40\n"
MAR = "day,shop,amount\n2026-03-05,north,50\n"


def given(*files: tuple[str, str | bytes]) -> list[tuple[str, io.BytesIO]]:
    """Uploads as a browser's: open binary files."""
    return [(name, io.BytesIO(body.encode() if isinstance(body, str) else body)) for name, body in files]


def add(rt: Runtime, *files: tuple[str, str | bytes], **options: Any) -> tuple[FileOutcome, ...]:
    return rt.add_files(LOCAL_USER, given(*files), **options)


def ask(rt: Runtime, sql: str) -> list[dict[str, Any]]:
    result = rt.run_sql(LOCAL_USER, "files", sql)
    assert isinstance(result, StoredResult), result
    rows: list[dict[str, Any]] = result.table.to_pylist()
    return rows


def total(rt: Runtime, table: str) -> int:
    return int(ask(rt, f"SELECT sum(amount) AS s FROM {table}")[0]["s"])


def tables(rt: Runtime) -> list[str]:
    return sorted(table.name for source in rt.sources(LOCAL_USER) for table in source.tables)


def stored(rt: Runtime) -> list[str]:
    """Names of all files in the folder of uploads, the stored tables as `table`."""
    paths = (path for path in (rt.settings.data_dir / "files").rglob("*") if path.is_file())
    return sorted("table" if path.suffix == ".duckdb" and path.parent.name == "tables" else path.name for path in paths)


def test_the_same_bytes_again_change_nothing_and_say_so(rt: Runtime) -> None:
    (first,) = add(rt, ("sales.csv", JAN))
    (again,) = add(rt, ("sales.csv", JAN))
    assert (again.status, again.version, again.tables) == ("loaded", 1, first.tables)
    assert "already" in again.message
    assert stored(rt) == ["sales.csv", "table"]
    twice = add(rt, ("stock.csv", "a,b\n1,2\n"), ("stock.csv", "a,b\n1,2\n"))
    assert [outcome.status for outcome in twice] == ["loaded", "loaded"]
    assert stored(rt) == ["sales.csv", "stock.csv", "table", "table"]


def test_the_same_name_asks_and_changes_nothing_until_it_is_answered(rt: Runtime, make_runtime: MakeRuntime) -> None:
    add(rt, ("sales.csv", JAN))
    (asked,) = add(rt, ("sales.csv", "day,shop,sum,amount\n2026-02-05,north,x,5\n"))
    assert asked.status == "waiting"
    question = asked.question
    assert question is not None
    assert (question.kind, question.table, question.files) == ("same_name", "sales", ("sales.csv",))
    assert question.choices == ("replace", "append", "keep_both")
    assert question.drift == Drift(new=("sum",))
    assert "has 1 row, the table sales has 2" in question.sentence
    assert total(rt, "sales") == 30
    rt.close()
    later = make_runtime()
    loaded, waiting = later.files(LOCAL_USER)
    assert (loaded.status, waiting.status, waiting.question) == ("loaded", "waiting", question)
    assert waiting.report["rows_in_table"] == 1
    assert total(later, "sales") == 30


def test_replace_keeps_the_table_and_says_what_changed(rt: Runtime) -> None:
    add(rt, ("sales.csv", JAN))
    add(rt, ("sales.csv", "day,amount\n2026-02-05,5\n"))
    (replaced,) = rt.answer_file(LOCAL_USER, "sales.csv", "replace")
    assert (replaced.status, replaced.version, replaced.name) == ("loaded", 2, "sales.csv")
    said = " ".join(replaced.changes)
    for part in ("2 rows before, 1 now", "missing compared with before: “shop”", "from 2026-02-05 to 2026-02-05"):
        assert part in said
    assert total(rt, "sales") == 5
    assert tables(rt) == ["sales"]
    assert rt.files(LOCAL_USER) == (replaced,)
    with pytest.raises(NotFound, match="answered elsewhere"):
        rt.answer_file(LOCAL_USER, "sales.csv", "replace")


def test_a_version_of_the_same_rows_tells_how_many_differ(rt: Runtime) -> None:
    add(rt, ("levels.csv", "product,target\nA,200\nB,50\nC,50\n"))
    (one,) = add(rt, ("levels.csv", "product,target\nA,300\nB,50\nC,50\n"), choice="replace")
    assert one.changes == ("1 row is not as before; the number of rows, the columns and the types are the same.",)
    (order,) = add(rt, ("levels.csv", "target,product\n50,C\n50,B\n300,A\n"), choice="replace")
    assert order.changes == ("Nothing changed: the rows, columns and types are the same as before.",)


def test_an_earlier_answer_keeps_its_figures(rt: Runtime, model: ScriptedModel) -> None:
    add(rt, ("levels.csv", "product,target\nA,200\nB,50\n"))
    earlier = rt.run_sql(LOCAL_USER, "files", "SELECT sum(target) AS s FROM levels")
    assert isinstance(earlier, StoredResult)
    add(rt, ("levels.csv", "product,target\nA,300\nB,50\n"), choice="replace")
    again = rt.run_sql(LOCAL_USER, "files", "SELECT sum(target) AS s FROM levels")
    assert isinstance(again, StoredResult)
    assert again.table.to_pylist() == [{"s": 350}]
    assert rt.result(LOCAL_USER, earlier.id).table.to_pylist() == [{"s": 250}]


def test_append_makes_one_table_of_both(rt: Runtime) -> None:
    add(rt, ("sales.csv", JAN))
    add(rt, ("sales.csv", FEB))
    (both,) = rt.answer_file(LOCAL_USER, "sales.csv", "append")
    assert (both.version, both.files, both.tables[0].row_count) == (2, ("sales.csv", "sales.csv"), 4)
    assert total(rt, "sales") == 100
    assert "2 rows before, 4 now." in both.changes
    assert [part["name"] for part in both.parts] == ["sales.csv", "sales.csv (2)"]
    assert set(both.reports) == {"sales.csv", "sales.csv (2)"}
    assert stored(rt).count("sales.csv") == 2


def test_keep_both_makes_a_second_file(rt: Runtime) -> None:
    add(rt, ("sales.csv", JAN))
    add(rt, ("sales.csv", FEB))
    (second,) = rt.answer_file(LOCAL_USER, "sales.csv", "keep_both")
    assert (second.name, second.tables[0].name) == ("sales (2).csv", "sales_2")
    assert (total(rt, "sales"), total(rt, "sales_2")) == (30, 70)
    assert rt.original(LOCAL_USER, "sales (2).csv").read_text() == FEB
    rt.remove_file(LOCAL_USER, "sales (2).csv")
    assert tables(rt) == ["sales"]


def test_a_waiting_file_can_be_dismissed(rt: Runtime) -> None:
    add(rt, ("sales.csv", JAN))
    add(rt, ("sales.csv", FEB))
    rt.dismiss_file(LOCAL_USER, "sales.csv")
    assert [outcome.status for outcome in rt.files(LOCAL_USER)] == ["loaded"]
    assert stored(rt) == ["sales.csv", "table"]
    with pytest.raises(NotFound):
        rt.dismiss_file(LOCAL_USER, "sales.csv")


def test_a_newer_upload_takes_the_place_of_one_that_waits(rt: Runtime) -> None:
    add(rt, ("sales.csv", JAN))
    add(rt, ("sales.csv", FEB))
    (again,) = add(rt, ("sales.csv", FEB))
    assert (again.status, "waits for your answer" in again.message) == ("waiting", True)
    add(rt, ("sales.csv", MAR))
    assert [outcome.status for outcome in rt.files(LOCAL_USER)] == ["loaded", "waiting"]
    rt.answer_file(LOCAL_USER, "sales.csv", "replace")
    assert total(rt, "sales") == 50


def test_next_month_s_file_asks_to_be_added(rt: Runtime) -> None:
    add(rt, ("sales_jan.csv", JAN))
    (asked,) = add(rt, ("sales_feb.csv", FEB))
    assert asked.status == "waiting"
    assert asked.question is not None
    assert (asked.question.kind, asked.question.table) == ("same_shape", "sales_jan")
    assert asked.question.choices == ("append", "keep_both")
    assert not asked.question.drift
    (both,) = rt.answer_file(LOCAL_USER, "sales_feb.csv", "append")
    assert (both.name, both.files) == ("sales_jan.csv", ("sales_jan.csv", "sales_feb.csv"))
    assert total(rt, "sales_jan") == 100
    (third,) = add(rt, ("sales_mar.csv", MAR), choice="append")
    assert (third.version, total(rt, "sales_jan")) == (3, 150)
    assert any("goes from 2026-01-05 to 2026-03-05" in change for change in third.changes)
    (same,) = add(rt, ("sales_feb.csv", FEB))
    assert "as a part of sales_jan.csv" in same.message
    assert rt.raw_lines(LOCAL_USER, "sales_feb.csv", start=2, count=1) == ((2, "2026-02-05,north,30"),)


def test_a_part_of_a_table_can_be_replaced_alone(rt: Runtime) -> None:
    add(rt, ("sales_jan.csv", JAN))
    add(rt, ("sales_feb.csv", FEB), choice="append")
    (asked,) = add(rt, ("sales_feb.csv", FEB.replace("40", "41")))
    assert asked.question is not None
    assert "one of the files of which sales_jan.csv is made" in asked.question.sentence
    (done,) = rt.answer_file(LOCAL_USER, "sales_feb.csv", "replace")
    assert done.files == ("sales_jan.csv", "sales_feb.csv")
    assert total(rt, "sales_jan") == 101


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("stock_feb.csv", FEB),  # another series
        ("sales_feb.csv", "day,shop,price\n2026-02-05,north,30\n"),  # another column
        ("sales_feb.csv", "day,shop,amount\n2026-02-05,north,thirty\n2026-02-06,south,forty\n"),  # another type
    ],
)
def test_other_files_do_not_ask(rt: Runtime, name: str, body: str) -> None:
    add(rt, ("sales_jan.csv", JAN))
    (outcome,) = add(rt, (name, body))
    assert (outcome.status, outcome.question) == ("loaded", None)


def test_a_table_of_one_column_has_no_shape(rt: Runtime) -> None:
    outcomes = add(rt, ("ids_1.csv", "id\n1\n"), ("ids_2.csv", "id\n2\n"))
    assert [outcome.status for outcome in outcomes] == ["loaded", "loaded"]


def test_a_copy_under_another_name_warns_of_doubled_rows(rt: Runtime) -> None:
    add(rt, ("sales.csv", JAN))
    (asked,) = add(rt, ("sales (1).csv", JAN))
    assert asked.question is not None
    assert asked.question.choices[0] == "keep_both"
    assert "twice" in asked.question.sentence


def test_many_files_of_one_shape_become_one_table_with_the_file_s_name(rt: Runtime) -> None:
    asked = add(rt, ("sales_jan.csv", JAN), ("notes.csv", "a,b\nx,1\n"), ("sales_feb.csv", FEB), ("sales_mar.csv", MAR))
    assert [outcome.status for outcome in asked] == ["waiting", "loaded", "waiting", "waiting"]
    question = asked[0].question
    assert question is not None
    assert question == asked[2].question == asked[3].question
    assert question.files == ("sales_jan.csv", "sales_feb.csv", "sales_mar.csv")
    assert (question.kind, question.table, question.choices) == ("one_shape", "sales", ("combine", "separate"))
    assert tables(rt) == ["notes"]
    (made,) = rt.answer_file(LOCAL_USER, "sales_feb.csv", "combine")
    assert (made.name, made.tables[0].name, made.tables[0].row_count) == ("sales.csv", "sales", 5)
    assert [column.name for column in made.tables[0].columns] == ["file", "day", "shop", "amount"]
    assert made.files == question.files
    by_file = ask(rt, "SELECT file, sum(amount) AS s FROM sales GROUP BY 1 ORDER BY 2")
    assert by_file == [
        {"file": "sales_jan.csv", "s": 30},
        {"file": "sales_mar.csv", "s": 50},
        {"file": "sales_feb.csv", "s": 70},
    ]
    assert [outcome.status for outcome in rt.files(LOCAL_USER)] == ["loaded", "loaded"]
    (april,) = add(rt, ("sales_apr.csv", MAR.replace("-03-", "-04-").replace("50", "60")), choice="append")
    assert (april.name, total(rt, "sales")) == ("sales.csv", 210)
    assert ask(rt, "SELECT DISTINCT file FROM sales WHERE day > '2026-04-01'") == [{"file": "sales_apr.csv"}]


def test_files_of_one_shape_can_stay_apart(rt: Runtime) -> None:
    add(rt, ("sales_jan.csv", JAN), ("sales_feb.csv", FEB))
    outcomes = rt.answer_file(LOCAL_USER, "sales_jan.csv", "separate")
    assert [outcome.name for outcome in outcomes] == ["sales_jan.csv", "sales_feb.csv"]
    assert tables(rt) == ["sales_feb", "sales_jan"]


def test_a_choice_beforehand_answers_every_question(rt: Runtime) -> None:
    combined = add(rt, ("sales_jan.csv", JAN), ("sales_feb.csv", FEB), choice="combine")
    assert [outcome.name for outcome in combined] == ["sales.csv"]
    (replaced,) = add(rt, ("sales_jan.csv", MAR), choice="replace")
    assert (replaced.name, total(rt, "sales")) == ("sales.csv", 120)
    apart = add(rt, ("sales_may.csv", JAN.replace("-01-", "-05-")), choice="separate")
    assert (apart[0].name, tables(rt)) == ("sales_may.csv", ["sales", "sales_may"])


def test_a_wrong_answer_is_refused_and_the_file_goes_on_waiting(rt: Runtime) -> None:
    add(rt, ("sales.csv", JAN))
    add(rt, ("sales.csv", FEB))
    with pytest.raises(SourceError, match="replace, append, keep_both"):
        rt.answer_file(LOCAL_USER, "sales.csv", "combine")
    assert rt.files(LOCAL_USER)[1].status == "waiting"


def test_types_that_differ_are_kept_as_written_and_said(rt: Runtime) -> None:
    add(rt, ("prices.csv", "item,price\na,1.50\nb,2.00\n"))
    add(rt, ("prices.csv", "item,price\nc,cheap\nd,dear\n"))
    (both,) = rt.answer_file(LOCAL_USER, "prices.csv", "append")
    assert ask(rt, "SELECT price FROM prices") == [{"price": p} for p in ("1.50", "2.00", "cheap", "dear")]
    assert "“price” was number and is text now." in both.changes
    notices = both.report["notices"]
    assert isinstance(notices, list)
    assert any("was kept as text" in str(notice) for notice in notices)


def test_an_unreadable_new_version_leaves_the_old_one(rt: Runtime) -> None:
    add(rt, ("sales.csv", JAN))
    (broken,) = add(rt, ("sales.csv", PNG))
    assert (broken.status, broken.question) == ("message", None)
    assert "stays" in broken.message
    assert total(rt, "sales") == 30
    assert stored(rt) == ["sales.csv", "table"]


def test_a_file_that_could_not_be_read_is_replaced_without_a_question(rt: Runtime) -> None:
    add(rt, ("sales.csv", PNG))
    (good,) = add(rt, ("sales.csv", JAN))
    assert (good.status, good.version) == ("loaded", 1)
    assert [outcome.status for outcome in rt.files(LOCAL_USER)] == ["loaded"]


def test_the_choices_for_a_file_hold_for_its_next_version(rt: Runtime) -> None:
    add(rt, ("paid.csv", "nr,paid,amount\n7,03/04/2026,1\n8,05/06/2026,2\n"))
    rt.reread_file(LOCAL_USER, "paid.csv", {"date_order": "dmy"})
    (asked,) = add(rt, ("paid.csv", "nr,paid,amount\n9,02/05/2026,3\n"))
    assert asked.question is not None
    assert "choices that were made for the earlier version" in asked.question.sentence
    (both,) = rt.answer_file(LOCAL_USER, "paid.csv", "append")
    assert both.options == {"date_order": "dmy"}
    months = ask(rt, "SELECT month(paid) AS m FROM paid ORDER BY 1")
    assert [row["m"] for row in months] == [4, 5, 6]
    again = rt.reread_file(LOCAL_USER, "paid.csv", {"date_order": "mdy"})
    assert [row["m"] for row in ask(rt, "SELECT month(paid) AS m FROM paid ORDER BY 1")] == [2, 3, 5]
    assert any("goes from" in change for change in again.changes)


def test_choices_that_do_not_fit_the_next_version_do_not_keep_it_out(rt: Runtime) -> None:
    add(rt, ("sales.csv", "a,b\n1,2\n3,4\n"))
    rt.reread_file(LOCAL_USER, "sales.csv", {"skip_lines": 2})
    (asked,) = add(rt, ("sales.csv", "a,b\n"))
    assert asked.status == "waiting"
    assert asked.options == {}
    assert ask(rt, "SELECT count(*) AS n FROM sales") == [{"n": 1}]


def test_sql_that_names_the_table_goes_on_working_after_each_step(rt: Runtime) -> None:
    add(rt, ("a.csv", "x,y\n1,2\n"), ("a.txt", "x,y\n3,4\n"), choice="separate")
    query = "SELECT x FROM a_2"
    assert ask(rt, query) == [{"x": 3}]
    add(rt, ("a.txt", "x,y\n5,6\n"), choice="replace")
    assert ask(rt, query) == [{"x": 5}]
    rt.remove_file(LOCAL_USER, "a.csv")
    add(rt, ("a.txt", "x,y\n7,8\n"), choice="replace")
    assert ask(rt, query) == [{"x": 7}], "the name stays although the shorter one is free by now"
    rt.reread_file(LOCAL_USER, "a.txt", {"types": {"x": "text"}})
    assert ask(rt, query) == [{"x": "7"}]


def test_removal_takes_what_waits_and_all_versions_along(rt: Runtime) -> None:
    add(rt, ("sales.csv", JAN))
    add(rt, ("sales.csv", FEB), choice="replace")
    add(rt, ("sales.csv", MAR))
    assert stored(rt).count("sales.csv") == 3
    rt.remove_file(LOCAL_USER, "sales.csv")
    assert rt.files(LOCAL_USER) == ()
    assert stored(rt).count("sales.csv") == 0


def test_originals_of_all_versions_can_be_downloaded(rt: Runtime) -> None:
    add(rt, ("sales.csv", JAN))
    add(rt, ("sales.csv", FEB), choice="replace")
    assert rt.original(LOCAL_USER, "sales.csv").read_text() == FEB
    assert rt.original(LOCAL_USER, "sales.csv", version=1).read_text() == JAN
    assert rt.original(LOCAL_USER, "sales.csv", version=2).name == "sales.csv"
    with pytest.raises(NotFound, match="no version 3"):
        rt.original(LOCAL_USER, "sales.csv", version=3)
    add(rt, ("sales.csv", MAR))
    assert rt.original(LOCAL_USER, "sales.csv").read_text() == FEB, "what waits has changed nothing"


def test_two_principals_have_questions_of_their_own(rt: Runtime) -> None:
    ann, bob = Principal("ann"), Principal("bob")
    rt.add_files(ann, given(("sales.csv", JAN)))
    (bobs,) = rt.add_files(bob, given(("sales.csv", FEB)))
    assert bobs.status == "loaded"
    rt.add_files(ann, given(("sales.csv", MAR)))
    job = rt.start_adding(ann, given(("other.csv", JAN)))
    missing: list[Callable[[], object]] = [
        lambda: rt.answer_file(bob, "sales.csv", "replace"),
        lambda: rt.dismiss_file(bob, "sales.csv"),
        lambda: rt.stop_reading(bob, job),
        lambda: rt.original(bob, "other.csv"),
        lambda: rt.raw_lines(bob, "other.csv"),
        lambda: rt.read_options(bob, "other.csv"),
        lambda: rt.reread_file(bob, "other.csv", {}),
    ]
    for attempt in missing:
        with pytest.raises(NotFound):
            attempt()
    assert rt.reading_jobs(bob) == ()
    assert [outcome.status for outcome in rt.files(bob)] == ["loaded"]
    assert rt.original(bob, "sales.csv").read_text() == FEB


def test_of_two_processes_one_answers(rt: Runtime, child: Child) -> None:
    add(rt, ("sales.csv", JAN))
    add(rt, ("sales.csv", FEB))
    assert child.ask("tables") == ["sales"]
    child.send("answer", name="sales.csv", choice="append")
    try:
        rt.answer_file(LOCAL_USER, "sales.csv", "append")
        here = True
    except NotFound:
        here = False
    assert (child.receive() == "done") is not here, "one of the two and not both"
    assert total(rt, "sales") == 100
    assert child.ask("sql", alias="files", sql="SELECT sum(amount) AS s FROM sales") == [{"s": 100}]


def test_an_answer_says_what_was_guessed(rt: Runtime, model: ScriptedModel) -> None:
    add(rt, ("bills.csv", "nr,paid,amount\n7,03/04/2026,1\n8,05/06/2026,2\n"))

    def assumed(sql: str) -> tuple[str, ...]:
        model.enqueue(call("run_query", sql=sql))
        model.enqueue(text("So it is."))
        last = drain(rt.start_turn(LOCAL_USER, rt.new_conversation(LOCAL_USER).id, "How much?"))[-1]
        assert last.kind == "turn_finished"
        return last.result.assumptions

    said = assumed("SELECT month(paid) AS m, sum(amount) AS s FROM bills GROUP BY 1")
    assert len([s for s in said if "day or month comes first in “paid”" in s]) == 1
    assert not any("day or month" in s for s in assumed("SELECT sum(amount) AS s FROM bills"))
    rt.reread_file(LOCAL_USER, "bills.csv", {"date_order": "dmy"})
    assert not any("day or month" in s for s in assumed("SELECT month(paid) AS m FROM bills"))


def test_what_was_read_before_is_not_read_again_to_be_added(rt: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = file_reader.read_file

    def counted(path: Path, **given: Any) -> object:
        read.append(path.name)
        return real(path, **given)

    monkeypatch.setattr(file_reader, "read_file", counted)
    add(rt, ("sales_jan.csv", JAN), ("sales_feb.csv", FEB), choice="combine")
    add(rt, ("sales_mar.csv", MAR), choice="append")
    assert read == ["sales_jan.csv", "sales_feb.csv", "sales_mar.csv"]
    assert [row["file"] for row in ask(rt, "SELECT DISTINCT file FROM sales ORDER BY 1")] == sorted(read)
    (file,) = rt.files(LOCAL_USER)
    assert list(file.reports) == read
    assert [part["message"] for part in file.parts] == ["2 rows", "2 rows", "1 row"]


def test_a_month_of_other_types_turns_the_earlier_ones_back_into_what_was_written(rt: Runtime) -> None:
    files = [("p_jan.csv", "k,v\na,1.50\nb,2.00\n"), ("p_feb.csv", "k,v\nc,3.10\nd,4.00\n")]
    add(rt, *files, choice="combine")
    add(rt, ("p_mar.csv", "k,v\ne,none left\nf,sold out\n"))
    (loaded,) = (outcome for outcome in rt.files(LOCAL_USER) if outcome.name == "p.csv")
    assert loaded.tables[0].row_count == 4
    rt.reread_file(LOCAL_USER, "p_mar.csv", {})
    added = rt.add_files(LOCAL_USER, given(("p_feb.csv", "k,v\nc,dear\nd,cheap\n")))
    assert added[0].question is not None
    assert added[0].question.drift.retyped == (("v", "number", "text"),)
    rt.answer_file(LOCAL_USER, "p_feb.csv", "append")
    values = [row["v"] for row in ask(rt, "SELECT v FROM p")]
    assert values == ["1.50", "2.00", "3.10", "4.00", "dear", "cheap"]


def test_a_new_column_of_a_later_month_is_empty_in_the_earlier_ones(rt: Runtime) -> None:
    add(rt, ("sales.csv", JAN))
    add(rt, ("sales.csv", "day,shop,amount,discount\n2026-02-05,north,30,5\n"))
    (both,) = rt.answer_file(LOCAL_USER, "sales.csv", "append")
    assert [row["discount"] for row in ask(rt, "SELECT discount FROM sales")] == [None, None, 5]
    notices = both.report["notices"]
    assert isinstance(notices, list)
    assert "sales.csv has no column “discount”; it is empty in its rows." in notices
    assert "One column is new: “discount”." in both.changes


def test_several_that_wait_for_one_table_are_answered_one_by_one(rt: Runtime) -> None:
    add(rt, ("sales_jan.csv", JAN))
    asked = add(rt, ("sales_feb.csv", FEB), ("sales_mar.csv", MAR))
    assert [outcome.question.kind for outcome in asked if outcome.question] == ["same_shape", "same_shape"]
    rt.answer_file(LOCAL_USER, "sales_mar.csv", "append")
    rt.answer_file(LOCAL_USER, "sales_feb.csv", "append")
    assert total(rt, "sales_jan") == 150
    assert rt.files(LOCAL_USER)[0].files == ("sales_jan.csv", "sales_mar.csv", "sales_feb.csv")


def test_an_answer_about_a_table_that_is_gone_makes_one_of_its_own(rt: Runtime) -> None:
    add(rt, ("sales_jan.csv", JAN))
    add(rt, ("sales_feb.csv", FEB))
    rt.remove_file(LOCAL_USER, "sales_jan.csv")
    (made,) = rt.answer_file(LOCAL_USER, "sales_feb.csv", "append")
    assert (made.name, made.status, tables(rt)) == ("sales_feb.csv", "loaded", ["sales_feb"])


def test_a_stored_table_that_is_gone_keeps_no_new_version_out(rt: Runtime) -> None:
    add(rt, ("sales_jan.csv", JAN))
    for path in (rt.settings.data_dir / "files").rglob("*.duckdb"):
        path.unlink()
    add(rt, ("sales_feb.csv", FEB), ("notes.csv", "a,b\n1,2\n"))
    (replaced,) = add(rt, ("sales_jan.csv", MAR), choice="replace")
    assert (replaced.status, replaced.version) == ("loaded", 2)
    assert total(rt, "sales_jan") == 50


def test_an_append_that_cannot_be_done_leaves_all_as_it_was(rt: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    add(rt, ("sales_jan.csv", JAN))
    add(rt, ("sales_feb.csv", FEB))

    def full(*args: object, **given: object) -> object:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(file_reader.combining, "combine", full)
        with pytest.raises(SourceError, match="Make room"):
            rt.answer_file(LOCAL_USER, "sales_feb.csv", "append")
        (kept,) = add(rt, ("sales_mar.csv", MAR), choice="append")
        assert (kept.status, "Nothing was changed" in kept.message) == ("message", True)
    assert total(rt, "sales_jan") == 30
    assert [outcome.status for outcome in rt.files(LOCAL_USER)] == ["loaded", "waiting"]
    rt.answer_file(LOCAL_USER, "sales_feb.csv", "append")
    assert total(rt, "sales_jan") == 100


def test_workbooks_of_several_sheets_are_replaced_or_kept_apart(rt: Runtime) -> None:
    first, second = (workbook({"Prices": [["k", "v"], ["a", n]], "Terms": [["t", "u"], ["x", 1]]}) for n in (1, 2))
    (loaded,) = add(rt, ("list.xlsx", first))
    assert len(loaded.tables) == 2
    assert set(loaded.reports) == {table.name for table in loaded.tables}
    (asked,) = add(rt, ("list.xlsx", second))
    assert asked.question is not None
    assert asked.question.choices == ("replace", "keep_both")
    rt.answer_file(LOCAL_USER, "list.xlsx", "replace")
    prices = next(table.name for table in loaded.tables if "prices" in table.name.lower())
    assert ask(rt, f"SELECT v FROM {prices}") == [{"v": 2}]
    one = rt.reread_file(LOCAL_USER, "list.xlsx", {"parts": ["Prices"]})
    assert [table.name for table in one.tables] == [prices]
    assert any("is gone" in change or "missing" in change for change in one.changes)
    both = rt.reread_file(LOCAL_USER, "list.xlsx", {})
    assert [table.name for table in both.tables] == [table.name for table in loaded.tables]


def workbook(sheets: dict[str, list[list[str | int]]]) -> bytes:
    """A small XLSX with inline strings."""
    import zipfile

    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    links = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    listed, related, typed = "", "", ""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for at, (name, rows) in enumerate(sheets.items(), 1):
            body = ""
            for number, row in enumerate(rows, 1):
                cells = ""
                for letter, value in zip("ABCDEF", row, strict=False):
                    if isinstance(value, int):
                        cells += f'<c r="{letter}{number}"><v>{value}</v></c>'
                    else:
                        cells += f'<c r="{letter}{number}" t="inlineStr"><is><t>{value}</t></is></c>'
                body += f'<row r="{number}">{cells}</row>'
            archive.writestr(
                f"xl/worksheets/sheet{at}.xml", f"<worksheet {space}><sheetData>{body}</sheetData></worksheet>"
            )
            listed += f'<sheet name="{name}" sheetId="{at}" r:id="r{at}"/>'
            related += f'<Relationship Id="r{at}" Type="{links}/worksheet" Target="worksheets/sheet{at}.xml"/>'
            typed += f'<Override PartName="/xl/worksheets/sheet{at}.xml" ContentType="{kinds}.worksheet+xml"/>'
        package = "http://schemas.openxmlformats.org/package/2006"
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>{typed}</Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{links}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr("xl/workbook.xml", f'<workbook {space} xmlns:r="{links}"><sheets>{listed}</sheets></workbook>')
        archive.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{package}/relationships">{related}</Relationships>'
        )
    return out.getvalue()
