"""The usual mistakes of connecting, made in a real browser on real servers; and a password that never shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the `browser` extra: pip install -e '.[browser]'")

from playwright.sync_api import Page, expect

from tabulaflow_core.models.contracts import ModelRequest, ToolMessage
from tabulaflow_core.models.scripted import Rule, Step, call, text
from tests.browser import screen
from tests.browser.conftest import App
from tests.browser.test_connect import open_form
from tests.data.faults.private import PrivateMariaDB, PrivatePostgres, PrivateServer, private_server
from tests.modelserver.server import ModelServer

pytestmark = [pytest.mark.browser, pytest.mark.server]

PLANTED = "pl4nt3d p@ss%41'\"/w:rd"
NEW = "ch4ng3d &#+ w?rd"
KEY = "sk-pl4ntk3y-77"
#: However a secret is written, one of these stands in it.
TRACES = ("pl4nt3d", "ch4ng3d", "pl4ntk3y")
#: MariaDB tells nobody whether a database that he may not use is there, or from where another user may come.
NO_SUCH = {
    "postgresql": "has no database 'shopp'",
    "mysql": "does not let the user 'reader' into the database 'shopp'",
}
FROM_ELSEWHERE = {
    "postgresql": "does not let the user 'outsider' connect from this computer",
    "mysql": "refused the user 'outsider'",
}


def _sql(password: str) -> str:
    return password.replace("'", "''")


@pytest.fixture(scope="module", params=[PrivatePostgres, PrivateMariaDB], ids=["postgres", "mariadb"])
def server(request: pytest.FixtureRequest) -> Iterator[PrivateServer]:
    with private_server(request.param) as server:
        rows = "INSERT INTO inventory VALUES ('cable', 3, 5), ('lamp', 9, 2)"
        table = "CREATE TABLE {}inventory (product varchar(20), on_hand int, reorder_point int)"
        if isinstance(server, PrivatePostgres):
            hba = server.folder / "data" / "pg_hba.conf"
            hba.write_text("host all outsider 127.0.0.1/32 reject\n" + hba.read_text())
            server.run(
                "SELECT pg_reload_conf()",
                f"CREATE ROLE reader LOGIN PASSWORD '{_sql(PLANTED)}'",
                "CREATE ROLE outsider LOGIN PASSWORD 'x'",
                table.format(""),
                rows,
                "GRANT SELECT ON inventory TO reader",
            )
            server.run("CREATE DATABASE bare")
            server.run("CREATE DATABASE closed")
            server.run("REVOKE CONNECT ON DATABASE closed FROM PUBLIC")
        else:
            server.run(
                f"CREATE USER reader@'127.0.0.1' IDENTIFIED BY '{_sql(PLANTED)}'",
                "CREATE USER outsider@'10.9.9.9' IDENTIFIED BY 'x'",
                "CREATE DATABASE shop",
                "CREATE DATABASE bare",
                "CREATE DATABASE closed",
                table.format("shop."),
                rows.replace("inventory", "shop.inventory"),
                "GRANT SELECT ON shop.* TO reader@'127.0.0.1'",
                "GRANT SELECT ON bare.* TO reader@'127.0.0.1'",
            )
        yield server


def _scheme(server: PrivateServer) -> str:
    return "postgresql" if isinstance(server, PrivatePostgres) else "mysql"


def _database(server: PrivateServer) -> str:
    return "postgres" if isinstance(server, PrivatePostgres) else "shop"


def _url(server: PrivateServer, *, database: str = "", password: str = quote(PLANTED, safe=""), query: str = "") -> str:
    place = f"127.0.0.1:{server.port}/{database or _database(server)}"
    return f"{_scheme(server)}://reader:{password}@{place}{query}"


def _paste(page: Page, url: str) -> None:
    box = page.get_by_label("Connection URL", exact=True)
    box.fill(url)
    box.press("Enter")
    _taken(page)


def _fill(page: Page, label: str, value: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Enter")
    _taken(page)


def _taken(page: Page) -> None:
    """The server has heard of it, and the page shows what it made of it: what a browser sends before that is old."""
    page.wait_for_timeout(500)
    screen.settled(page)
    page.wait_for_timeout(100)
    screen.settled(page)


def _tested(page: Page) -> str:
    """Press Test; what the page says then."""
    alerts = page.get_by_test_id("stAlert")
    expect(alerts).to_have_count(0)  # what was said of other values is gone
    page.get_by_role("button", name="Test", exact=True).click()
    expect(alerts.filter(has_text=re.compile(r"\.")).first).to_be_visible()
    screen.settled(page)
    return " ".join(alerts.all_inner_texts())


def _no_trace(*texts: str) -> None:
    for text_ in texts:
        for trace in TRACES:
            assert trace not in text_, text_[max(0, text_.index(trace) - 200) : text_.index(trace) + 60]


def test_each_mistake_says_what_to_change(page: Page, start_app: Callable[..., App], server: PrivateServer) -> None:
    app = start_app(TABULAFLOW_MODEL="scripted")
    open_form(page, app)
    off = "sslmode=disable" if isinstance(server, PrivatePostgres) else "ssl-mode=DISABLED"
    asked = "?sslmode=require" if isinstance(server, PrivatePostgres) else "?ssl-mode=REQUIRED"
    # By the fields.
    _paste(page, _url(server))
    for label, wrong, right, words in (
        ("Port", "1", str(server.port), "Nobody listens at 127.0.0.1:1. Check host and port"),
        ("Password", "not it", PLANTED, "refused the user 'reader' or the password. Check both."),
        ("Database", "shopp", _database(server), NO_SUCH[_scheme(server)]),
        ("User", "nobody_here", "reader", "refused the user 'nobody_here' or the password"),
        ("User", "outsider", "reader", FROM_ELSEWHERE[_scheme(server)]),
        ("Database", "closed", _database(server), "does not let the user 'reader' into the database 'closed'"),
        ("Host", "", "127.0.0.1", "Host is needed."),
    ):  # fmt: skip
        _fill(page, label, wrong)
        assert words in (said := _tested(page)), (label, said)
        screen.shot(page, f"mistake-{_scheme(server)}-{label.lower()}-{wrong or 'empty'}".replace(" ", "-"))
        _fill(page, label, right)
    assert "It answers in" in _tested(page)
    # By the URL.
    _paste(page, _url(server, query=asked))
    assert f"does not encrypt, and the URL asks for it. Take ?{off}" in _tested(page).replace("`", "")
    screen.shot(page, f"mistake-{_scheme(server)}-encryption")
    for url, words in (
        (_url(server).replace("://", "//"), "not a database URL"),
        (_url(server).replace("sql://", "qsl://"), "write"),
        (_url(server).replace("127.0.0.1", ""), "host"),
    ):
        _paste(page, url)
        said = page.get_by_test_id("stAlert")
        expect(said).to_contain_text(words)
        screen.shot(page, f"mistake-{_scheme(server)}-url-{words[:5].strip()}")
    _paste(page, "")
    # What needs no change: another spelling of the scheme, and a password as it is, though `@` and a blank stand in it.
    plain = _url(server, password=PLANTED.replace("%41", "%2541").replace("/", "%2F"))
    for url in (_url(server).replace("postgresql://", "postgres://").replace("mysql://", "mariadb://"), plain):
        _paste(page, url)
        assert "It answers in" in _tested(page), url
    _paste(page, _url(server, database="bare"))
    said = _tested(page)
    assert "no table" in said
    screen.shot(page, f"mistake-{_scheme(server)}-bare")
    # The other engine's port.
    other = "mysql" if isinstance(server, PrivatePostgres) else "postgresql"
    _paste(page, _url(server).replace(_scheme(server), other, 1))
    said = _tested(page)
    # PostgreSQL waits for the client to begin, and so does MariaDB's client for the server.
    assert (
        "is PostgreSQL, not MariaDB or MySQL" if other == "mysql" else "is MariaDB or MySQL, not PostgreSQL"
    ) in said
    _no_trace(page.locator("body").inner_text(), page.url, app.log.read_text(errors="replace"))


def _below(source: str) -> Rule:
    """Asks one source once, and tells what came of it."""

    def answer(request: ModelRequest) -> Sequence[Step]:
        last = request.messages[-1]
        if not isinstance(last, ToolMessage):
            sql = "SELECT product, on_hand FROM inventory WHERE on_hand < reorder_point"
            return [call("run_query", {"source": source, "sql": sql})]
        return [text("The cable is below." if "cable" in last.text else f"It did not run: {last.text[:300]}")]

    return answer


def _asked(page: Page, question: str, turns: int) -> str:
    """Ask; the text of the answer when it has ended."""
    screen.ask(page, question)
    expect(page).to_have_url(re.compile(r"c=\w+"))
    expect(page.get_by_test_id("stText").filter(has_text=question)).to_have_count(1)
    screen.finished(page)
    expect(page.get_by_role("button", name="Ask again")).to_have_count(turns)
    return page.get_by_test_id("stChatMessage").last.inner_text()


def _files_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_password_that_changes_and_shows_nowhere(
    page: Page, start_app: Callable[..., App], server: PrivateServer, own_surroundings: Path, tmp_path: Path
) -> None:
    with ModelServer(rule=_below(_database(server)), api_key=KEY) as model:
        app = start_app(TABULAFLOW_MODEL="compatible:x", TABULAFLOW_BASE_URL=model.url, TABULAFLOW_API_KEY=KEY)
        open_form(page, app)
        _paste(page, _url(server, password="pl4nt3d-wrong"))
        said = [_tested(page)]
        _paste(page, _url(server))
        said.append(_tested(page))
        page.get_by_role("button", name="Connect", exact=True).click()
        expect(page.get_by_text("is connected: 1 table")).to_be_visible()
        said.append(page.locator("body").inner_text())
        page.goto(app.url)
        assert "The cable is below." in _asked(page, "Which products are below?", 1)
        said.append(page.locator("body").inner_text())
        if isinstance(server, PrivatePostgres):
            server.run(f"ALTER ROLE reader PASSWORD '{_sql(NEW)}'", "SELECT pg_terminate_backend(pid) FROM "
                       "pg_stat_activity WHERE usename = 'reader'")  # fmt: skip
        else:
            server.run(f"ALTER USER reader@'127.0.0.1' IDENTIFIED BY '{_sql(NEW)}'")
            for (number,) in server.run("SELECT id FROM information_schema.processlist WHERE user = 'reader'"):
                server.run(f"KILL {number}")
        address = page.url
        failed = _asked(page, "And which are below now?", 2)
        screen.shot(page, f"password-{_scheme(server)}-changed")
        said.append(failed)
        assert "refused the user 'reader' or the password" in failed
        assert "An address or a password that has changed is entered on the Data page, under Change." in failed
        page.get_by_role("link", name="Open the Data page").click()
        page.get_by_role("button", name="Change").first.click()
        field = page.get_by_label("New password", exact=True)
        field.fill("ch4ng3d-wrong")
        field.press("Enter")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("refused the user 'reader' or the password")).to_be_visible()
        screen.shot(page, f"password-{_scheme(server)}-wrong")
        said.append(page.locator("body").inner_text())
        field.fill(NEW)
        field.press("Enter")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("Saved. The next question uses it.")).to_be_visible()
        screen.shot(page, f"password-{_scheme(server)}-saved")
        said.append(page.locator("body").inner_text())
        page.goto(address)
        assert "The cable is below." in _asked(page, "Once more, please: which?", 3)
        screen.shot(page, f"password-{_scheme(server)}-again")
        page.get_by_role("button", name="Take away").click()
        for label in ("Web page", "Python script", "Notebook"):
            with page.expect_download() as download:
                page.get_by_role("button", name=label, exact=True).click()
            download.value.save_as(tmp_path / download.value.suggested_filename)
        page.goto(f"{app.url}/settings")
        screen.settled(page)
        said.append(page.locator("body").inner_text())
        prompts = [str(request.body) for request in model.requests]
        assert len(prompts) >= 5
    app.process.terminate()
    app.process.wait(20)
    assert len(list(tmp_path.iterdir())) == 3
    kept = _files_of(own_surroundings) | _files_of(tmp_path)
    assert any(name.endswith("app.log") for name in kept)
    _no_trace(*said, *prompts, page.content())
    for name, content in kept.items():
        _no_trace(f"{name}: {content.decode('latin-1')}", f"{name}: {content.decode('utf-16-le', 'replace')}")


def test_the_trace_is_found_where_it_is() -> None:
    with pytest.raises(AssertionError):
        _no_trace(f"postgresql://reader:{quote(PLANTED, safe='')}@h/d")
    with pytest.raises(AssertionError):
        _no_trace(quote(NEW, safe=""))
