"""The page of dashboards without a browser: what is pinned shows, tiles are arranged, and a viewer only looks."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import dashboard_tiles, pin, state
from pages.ui.changes import Changes
from tabulaflow_core.output.dashboards import ChartChoice, DashboardFilter, FilterColumn, QueryTile, Sharing
from tabulaflow_core.output.results import StoredResult
from tabulaflow_core.principal import LOCAL_USER, Principal
from tabulaflow_core.runtime import DashboardInfo, TileView, get_runtime
from tests.pages.conftest import APP

BOB = Principal("bob", "Bob")
SQL = "SELECT city, visits FROM clinics ORDER BY city"


@pytest.fixture
def clinics(app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database that the app may open; the app has a store of its own."""
    monkeypatch.setenv("TABULAFLOW_FILE_ROOTS", str(tmp_path))
    path = tmp_path / "clinics.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE clinics (city TEXT, visits INTEGER)")
        connection.executemany("INSERT INTO clinics VALUES (?, ?)", [("Bern", 365), ("Basel", 326)])
    connection.close()
    get_runtime().add_database(LOCAL_USER, "clinics", f"sqlite:///{path}")
    return path


@pytest.fixture
def board(clinics: Path) -> DashboardInfo:
    return get_runtime().create_dashboard(LOCAL_USER, "Clinic")


def put(board: DashboardInfo, title: str, **more: object) -> TileView:
    runtime = get_runtime()
    result = runtime.run_sql(LOCAL_USER, "clinics", SQL)
    assert isinstance(result, StoredResult)
    content = QueryTile(**{"show": "table", "source": "clinics", "dialect": "sqlite", "sql": SQL, **more})  # type: ignore[arg-type]
    return runtime.pin(LOCAL_USER, board.id, content, title=title, result_id=result.id)


def place(column: str) -> FilterColumn:
    return FilterColumn(source="clinics", table="clinics", column=column)


def opened(board: DashboardInfo, **chosen: list[str]) -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=30).switch_page("pages/dashboards.py")
    page.query_params[pin.URL_KEY] = board.id
    for name, values in chosen.items():
        page.query_params[name] = values
    page.run()
    page.run()  # the first run of a page is begun anew inside the shell
    assert not page.exception
    return page


def texts(page: AppTest) -> str:
    parts = [*page.markdown, *page.caption, *page.title, *page.warning, *page.info, *page.success, *page.error]
    return "\n".join(str(part.value) for part in parts)


def test_the_list_and_a_new_one(app: AppTest) -> None:
    page = app.switch_page("pages/dashboards.py").run()
    page.run()
    assert "Pin a table" in texts(page)
    get_runtime().create_dashboard(LOCAL_USER, "Clinic *1*")
    page.run()
    assert "0 tiles" in texts(page)


def test_tiles_show_their_rows(board: DashboardInfo) -> None:
    put(board, "Visits")
    put(board, "Drawn", show="chart", chart=ChartChoice(type="bar", x="city", y=("visits",)))
    get_runtime().add_text_tile(LOCAL_USER, board.id, "From the *register*", title="About")
    page = opened(board)
    assert [str(title.value) for title in page.title] == ["Clinic"]
    assert "**Visits**" in texts(page)
    assert "Refreshed just now" in texts(page)
    assert "From the *register*" in texts(page)
    assert len(page.dataframe) == 1
    assert len(page.get("plotly_chart")) == 1
    assert any(SQL in str(code.value) for code in page.code)


@pytest.mark.parametrize("bad", ["\0", "../x", "d" * 65, "' OR 1=1"])
def test_what_no_id_can_be_is_nobodys(board: DashboardInfo, bad: str) -> None:
    page = AppTest.from_file(str(APP), default_timeout=30).switch_page("pages/dashboards.py")
    page.query_params[pin.URL_KEY] = bad
    page.run()
    page.run()
    assert not page.exception
    assert "not shared with you" in texts(page)


def test_filters_by_url_and_by_hand(board: DashboardInfo) -> None:
    put(board, "Visits")
    other = put(board, "Other", sql="SELECT 1 AS one")
    city = DashboardFilter(id="city", label="City", kind="choice", columns=(place("city"),))
    visits = DashboardFilter(id="visits", label="Visits", kind="number", columns=(place("visits"),))
    get_runtime().set_filters(LOCAL_USER, board.id, [city, visits])
    page = opened(board, **{"f-city": ["Bern", "'; DROP TABLE clinics; --"]})
    assert [len(table.value) for table in page.dataframe] == [1, 2]
    assert "Filtered, read just now" in texts(page)
    assert texts(page).count("City does not apply here.") == 1
    assert page.multiselect[0].value == ["Bern", "'; DROP TABLE clinics; --"]
    page.multiselect[0].set_value(["Basel"]).run()
    assert page.query_params["f-city"] in ("Basel", ["Basel"])
    page.text_input(key=f"filter-{board.id}-visits-low").set_value("330").run()
    assert page.query_params["f-visits"] in ("330..", ["330.."])
    assert len(page.dataframe[0].value) == 0
    page.text_input(key=f"filter-{board.id}-visits-low").set_value("many").run()
    assert "Visits was not used. Numbers are written as 12.5" in texts(page)
    page.button(key="clear-filters").click().run()
    assert not [name for name in page.query_params if name.startswith("f-")]
    assert page.text_input(key=f"filter-{board.id}-visits-low").value == ""
    assert [len(table.value) for table in page.dataframe] == [2, 2]
    assert "does not apply" not in texts(page)
    get_runtime().remove_tile(LOCAL_USER, board.id, other.id)


def test_arranging(board: DashboardInfo) -> None:
    first, second = put(board, "First"), put(board, "Second")
    page = opened(board)
    assert not [button for button in page.button if str(button.key).startswith("remove-")]
    page.toggle(key="arrange").set_value(True).run()
    page.button(key=f"later-{first.id}").click().run()
    assert [tile.title for tile in get_runtime().dashboard(LOCAL_USER, board.id).tiles] == ["Second", "First"]
    page.button(key=f"copy-{second.id}").click().run()
    assert len(get_runtime().dashboard(LOCAL_USER, board.id).tiles) == 3
    page.button(key=f"remove-{second.id}").click().run()
    assert "Removed **Second**" in texts(page)
    page.button(key=f"restore-{second.id}").click().run()
    assert "Removed" not in texts(page)
    assert [tile.title for tile in get_runtime().dashboard(LOCAL_USER, board.id).tiles] == [
        "Second",
        "Second (copy)",
        "First",
    ]


def test_a_refresh_says_what_changed_and_a_fault_keeps_the_rows(board: DashboardInfo, clinics: Path) -> None:
    put(board, "Visits")
    with sqlite3.connect(clinics) as connection:
        connection.execute("UPDATE clinics SET visits = 400 WHERE city = 'Bern'")
    connection.close()
    page = opened(board)
    page.button(key="refresh").click().run()
    until = time.monotonic() + 60
    while get_runtime().running_refresh(LOCAL_USER, board.id) and time.monotonic() < until:
        time.sleep(0.05)
    page.run()
    assert "Bern up: 365 → 400." in texts(page)
    with sqlite3.connect(clinics) as connection:
        connection.execute("DROP TABLE clinics")
    connection.close()
    assert get_runtime().refresh_dashboard(LOCAL_USER, board.id).wait(30)
    page.run()
    assert "These are the last good rows." in texts(page)
    assert page.dataframe


def test_a_viewer_looks_and_changes_nothing(board: DashboardInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    put(board, "Visits")
    monkeypatch.setattr(state, "principal", lambda: BOB)
    page = opened(board)
    assert "not shared with you" in texts(page)
    assert not page.dataframe
    get_runtime().share_dashboard(LOCAL_USER, board.id, Sharing(visibility="team"))
    page = opened(board)
    assert "It runs with the data of You" in texts(page)
    assert page.dataframe
    assert not page.code, "no query for whoever may not see it"
    assert not page.toggle
    assert "open-sharing" not in {str(button.key) for button in page.button}


def test_what_is_pinned_is_what_is_shown(app: AppTest) -> None:
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    app.run()
    runtime = get_runtime()
    view = runtime.conversation(LOCAL_USER, "".join(app.query_params["c"]))
    pins = [button for button in app.button if str(button.key).endswith("-pin")]
    assert len(pins) == 2, "the chart and its table"
    changes = Changes.of(view, view.turns[0].id)
    result = view.turns[0].result
    assert result is not None
    contents = {}
    for spec in result.artifacts:
        table_id = spec.id if spec.kind == "table" else spec.table_id
        assert changes.turn is not None
        contents[spec.kind] = pin.content_of(pin.Pinnable(changes.turn, view.id, table_id, "", spec))
    chart = contents["chart"].chart
    assert chart is not None
    assert chart.y
    assert changes.turn is not None
    (drawn,) = [spec for spec in result.artifacts if spec.kind == "chart"]
    ordered = pin.Pinnable(changes.turn, view.id, drawn.table_id, "", drawn, "smallest")
    again = pin.content_of(ordered).chart
    assert again is not None
    assert again.order == "smallest"
    assert contents["table"].origin.question == "Which products are below their reorder point?"
    board = runtime.create_dashboard(LOCAL_USER, "Stock")
    tile = runtime.pin(LOCAL_USER, board.id, contents["chart"], title="Below", result_id=result.artifacts[0].id)
    (data,) = runtime.tile_data(LOCAL_USER, board.id, [tile.id])
    assert data.spec is not None
    assert data.spec.kind == "chart"
    app.button(key=pins[0].key).click().run()
    assert not app.exception
    assert any(str(box.label) == "Dashboard" for box in app.selectbox)


def test_one_press_pins_to_the_last_dashboard(app: AppTest) -> None:
    runtime = get_runtime()
    board = runtime.create_dashboard(LOCAL_USER, "Stock")
    app.run()
    app.chat_input[0].set_value("Which products are below their reorder point?").run()
    app.run()
    direct = [button for button in app.button if str(button.key).endswith("-pin-last")]
    assert [str(button.label) for button in direct] == ["Pin to Stock", "Pin to Stock"]
    app.button(key=direct[0].key).click().run()
    assert not app.exception
    (tile,) = runtime.dashboard(LOCAL_USER, board.id).tiles
    assert isinstance(tile.content, QueryTile)
    assert tile.content.show == "chart"
    assert tile.title
    assert "Pinned to **Stock**." in texts(app)
    # Deleted meanwhile: a sentence, and the choice of another.
    runtime.delete_dashboard(LOCAL_USER, board.id)
    app.button(key=direct[1].key).click().run()
    assert not app.exception
    assert "This dashboard is not here." in texts(app)


def test_asking_about_a_tile_opens_a_conversation(board: DashboardInfo) -> None:
    tile = put(board, "Visits")
    page = opened(board)
    page.button(key=f"ask-{tile.id}").click().run()
    assert not page.exception
    (conversation,) = get_runtime().conversations(LOCAL_USER)
    assert "Visits" in conversation.title
    assert "The rows of “Visits”" in texts(page)
    assert page.chat_input


def test_rows_of_the_grid() -> None:
    class Tile:
        def __init__(self, width: int) -> None:
            self.width = width

    def widths(*given: int) -> list[list[int]]:
        rows = dashboard_tiles.rows_of([Tile(width) for width in given])  # type: ignore[misc]
        return [[tile.width for tile in row] for row in rows]

    assert widths() == []
    assert widths(2, 2, 1, 4, 1, 1, 3) == [[2, 2], [1], [4], [1, 1], [3]]
