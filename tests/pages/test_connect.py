"""Connecting a database: fields and URL say the same, faults stand where they were made, passwords go."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tabulaflow_core.data.engines.generic.profiles import PROFILES
from tabulaflow_core.data.matrix.record import read_record
from tabulaflow_core.errors import SourceUrlError
from tabulaflow_core.principal import LOCAL_USER
from tabulaflow_core.runtime import get_runtime
from tabulaflow_core.runtime.engine_forms import FORMS, MASK, fields_of, missing_fields, suggested_name, url_of

SECRET = "g@he:im/%1"

URLS = {
    "postgresql": "postgresql://reader:pw@db.example:5433/shop?sslmode=require",
    "mysql": "mysql://reader:pw@db.example:3306/shop?ssl-mode=REQUIRED",
    "mssql": "mssql://reader:pw@db.example:1433/shop?Encrypt=yes",
    "oracle": "oracle://reader:pw@db.example:1521/?service_name=shop",
    "snowflake": "snowflake://reader:pw@ab12345.eu-west-1/SHOP/PUBLIC?warehouse=WH&role=READER",
    "bigquery": "bigquery://project/sales?credentials_base64=e30%3D",
    "databricks": "databricks://token:pw@host.example:443/?catalog=main&schema=sales&http_path=/sql/1.0/warehouses/a",
    "trino": "trino://reader:pw@db.example:8080/hive/sales",
    "clickhouse": "clickhouse://reader:pw@db.example:8123/shop?secure=true",
    "redshift": "redshift://reader:pw@db.example:5439/shop?sslmode=require",
}


@pytest.mark.parametrize("key", URLS)
def test_a_url_fills_the_fields_and_the_fields_make_the_url(key: str) -> None:
    engine, values, extra = fields_of(URLS[key], roots=())
    form = FORMS[engine]
    assert engine == key
    assert not missing_fields(form, values)
    assert not extra
    again = url_of(form, values, extra, shown=False)
    assert fields_of(again, roots=()) == (engine, values, extra)
    shown = url_of(form, values, extra, shown=True)
    assert "pw" not in shown
    assert "e30" not in shown
    assert MASK in shown


def test_every_engine_of_the_form_is_one_that_can_be_opened() -> None:
    assert set(FORMS) == set(PROFILES) | {"duckdb"}
    assert {key for key, form in FORMS.items() if form.remark} == {
        key for key, profile in PROFILES.items() if profile.checked != "run"
    }


def test_passwords_of_any_characters_survive() -> None:
    form = FORMS["postgresql"]
    values = {"host": "h", "port": "5432", "user": "name@corp", "password": SECRET, "database": "my shop"}
    _, again, _ = fields_of(url_of(form, values, {}, shown=False), roots=None)
    assert {name: again[name] for name in values} == values


def test_options_without_a_field_stay() -> None:
    url = "postgresql://r:p@h/db?application_name=tf&sslmode=require"
    key, values, extra = fields_of(url, roots=())
    assert extra == {"application_name": "tf"}
    assert "application_name=tf" in url_of(FORMS[key], values, extra, shown=True)
    with pytest.raises(SourceUrlError):
        fields_of("postgres//x", roots=())


@pytest.mark.parametrize(
    ("key", "values", "name"),
    [
        ("postgresql", {"database": "Shop-2026", "host": "h"}, "shop_2026"),
        ("postgresql", {"host": "db.example.org"}, "db"),
        ("sqlite", {"path": "/srv/2026 sales.sqlite"}, "db_2026_sales"),
        ("mysql", {}, ""),
    ],
)
def test_a_name_is_suggested(key: str, values: dict[str, str], name: str) -> None:
    assert suggested_name(FORMS[key], values) == name


@pytest.fixture
def page(app: AppTest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AppTest:
    monkeypatch.setenv("TABULAFLOW_FILE_ROOTS", str(tmp_path))
    return app.switch_page("pages/data.py").run()


def field(page: AppTest, name: str) -> str:
    return str(page.text_input(key=f"database-{name}").value)


def suggested(page: AppTest) -> str:
    return str(page.text_input(key="database-name").placeholder)


def press(page: AppTest, label: str) -> AppTest:
    return next(button for button in page.button if button.label == label).click().run()


def shop(tmp_path: Path, name: str = "shop.sqlite") -> Path:
    with closing(sqlite3.connect(tmp_path / name)) as database:
        database.execute("CREATE TABLE orders AS SELECT 1 AS id")
        database.commit()
    return tmp_path / name


def test_a_pasted_url_fills_the_form_and_hides_its_password(page: AppTest) -> None:
    page.text_input(key="database-url").set_value("mariadb://reader:geheim@db.example:3307/shop").run()
    assert page.selectbox(key="database-engine").value == "mysql"
    assert [field(page, name) for name in ("host", "port", "database", "user")] == [
        "db.example",
        "3307",
        "shop",
        "reader",
    ]
    assert field(page, "password") == "geheim"
    assert field(page, "url") == "mysql://reader:***@db.example:3307/shop"
    assert suggested(page) == "shop"
    assert not field(page, "name")  # in which somebody may be typing
    page.text_input(key="database-host").set_value("other.example").run()
    assert field(page, "url") == "mysql://reader:***@other.example:3307/shop"
    page.text_input(key="database-url").set_value("mysql://reader:***@third.example:3307/shop").run()
    assert field(page, "password") == "geheim"
    assert field(page, "host") == "third.example"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("postgres//reader:geheim@db.example/shop", "postgres//reader:***@db.example/shop"),
        ("postgresql://reader:g@/#heim@db.example:x/shop?a=b", "postgresql://reader:***@db.example:x/shop?a=b"),
        ("jdbc:postgresql://h/d?user=u&password=geheim&x=1", "jdbc:postgresql://h/d?user=u&password=***&x=1"),
    ],
)
def test_a_url_that_cannot_be_read_stays_without_its_password(page: AppTest, typed: str, shown: str) -> None:
    page.text_input(key="database-url").set_value(typed).run()
    assert page.session_state["tf_connect_fault"][0] == "url"
    assert field(page, "url") == shown
    press(page, "Connect")
    assert page.error
    assert field(page, "url") == shown
    assert "heim" not in str([element.value for element in (*page.text_input, *page.error, *page.markdown)])


def test_the_password_of_an_unreadable_url_is_had_when_it_is_corrected(page: AppTest) -> None:
    page.text_input(key="database-url").set_value("postgres//reader:geheim@db.example/shop").run()
    page.text_input(key="database-url").set_value("postgre://reader:***@db.example/shop").run()  # wrong again
    page.text_input(key="database-url").set_value("postgres://reader:***@db.example/shop").run()
    assert not page.error
    assert field(page, "url") == "postgresql://reader:***@db.example:5432/shop"
    assert field(page, "password") == "geheim"


def test_places_without_a_password_stay_as_they_were_typed(page: AppTest) -> None:
    for typed in ("postgres//db.example:5432/shop", "postgresql://[::1]:5432/shop?what=ever", "db.example", "C:\\a.db"):
        page.text_input(key="database-url").set_value(typed).run()
        assert page.error
        assert field(page, "url") == typed


def test_a_field_that_says_so_already_is_not_filled_again(page: AppTest) -> None:
    """A value that is sent anew ends what somebody types there meanwhile."""
    page.text_input(key="database-password").set_value("geheim").run()
    page.text_input(key="database-url").set_value("postgresql://reader:***@db.example:5432/").run()
    sent = {e.key for e in page.text_input if e.proto.set_value}
    assert sent == {"database-host", "database-port", "database-user"}


def test_the_port_follows_the_engine(page: AppTest) -> None:
    page.selectbox(key="database-engine").set_value("mssql").run()
    assert field(page, "port") == "1433"
    page.selectbox(key="database-engine").set_value("sqlite").run()
    assert [t.key for t in page.text_input if t.key == "database-port"] == []


def test_what_was_not_tried_and_what_is_not_installed_is_said(page: AppTest) -> None:
    page.selectbox(key="database-engine").set_value("snowflake").run()
    assert any("not yet tried with a real server" in c.value for c in page.caption)
    if FORMS["snowflake"].missing_driver:
        assert any("pip install 'tabulaflow-core[snowflake]'" in w.value for w in page.warning)
    page.selectbox(key="database-engine").set_value("postgresql").run()
    assert not any("not yet tried" in c.value for c in page.caption)


def test_a_file_is_tested_then_connected_and_the_form_is_empty_again(page: AppTest, tmp_path: Path) -> None:
    path = shop(tmp_path)
    page.selectbox(key="database-engine").set_value("sqlite").run()
    page.text_input(key="database-path").set_value(str(path)).run()
    assert suggested(page) == "shop"
    press(page, "Test")
    assert "1 table" in page.success[0].value
    assert " ms" in page.success[0].value
    assert "shop" not in [s.alias for s in get_runtime().sources(LOCAL_USER)]
    press(page, "Connect")
    assert not page.exception
    assert "**shop** is connected" in page.success[0].value
    assert "shop" in [s.alias for s in get_runtime().sources(LOCAL_USER)]
    assert field(page, "name") == field(page, "url") == ""
    assert not [e.value for e in page.error]


def test_faults_stand_at_their_field(page: AppTest, tmp_path: Path) -> None:
    press(page, "Connect")
    assert [e.value for e in page.error] == ["A name is needed: it is what the source is called in questions."]
    page.text_input(key="database-name").set_value("shop").run()
    press(page, "Connect")
    assert [e.value for e in page.error] == ["Host is needed."]
    page.text_input(key="database-url").set_value("postgresql://reader:geheim@127.0.0.1:1/shop").run()
    press(page, "Connect")
    (error,) = page.error
    assert "Nobody listens" in error.value
    assert page.session_state["tf_connect_fault"][0] == "port"
    page.text_input(key="database-port").set_value("2").run()
    assert not page.error
    page.text_input(key="database-url").set_value("postgres//reader").run()
    assert page.session_state["tf_connect_fault"][0] == "url"
    page.selectbox(key="database-engine").set_value("sqlite").run()
    page.text_input(key="database-path").set_value(str(tmp_path / "none.sqlite")).run()
    press(page, "Test")
    assert page.session_state["tf_connect_fault"][0] == "path"


def test_a_taken_name_is_a_fault_of_the_name(page: AppTest, tmp_path: Path) -> None:
    path = shop(tmp_path)
    get_runtime().add_database(LOCAL_USER, "shop", f"sqlite:///{path}")
    page.selectbox(key="database-engine").set_value("sqlite").run()
    page.text_input(key="database-path").set_value(str(path)).run()
    press(page, "Connect")
    assert page.session_state["tf_connect_fault"][0] == "name"


def test_a_connection_is_changed_and_keeps_its_name(page: AppTest, tmp_path: Path) -> None:
    get_runtime().add_database(LOCAL_USER, "shop", f"sqlite:///{shop(tmp_path)}")
    other = shop(tmp_path, "other.sqlite")
    page.run()
    (before,) = (s for s in get_runtime().sources(LOCAL_USER) if s.alias == "shop")
    page.text_input(key=f"change-url-{before.id}").set_value(f"sqlite:///{tmp_path / 'none.sqlite'}").run()
    page.button(key=f"save-{before.id}").click().run()
    assert len(page.error) == 1
    for unreadable in ("postgres//u:geheim@127.0.0.1/d", "postgresql://u:geheim@127.0.0.1:1/d"):
        page.text_input(key=f"change-url-{before.id}").set_value(unreadable).run()
        page.button(key=f"save-{before.id}").click().run()
        assert len(page.error) == 1
        assert page.text_input(key=f"change-url-{before.id}").value == unreadable.replace("geheim", "***")
    assert page.session_state[f"tf_change_cut-{before.id}"] == ("geheim",)
    page.text_input(key=f"change-url-{before.id}").set_value(f"sqlite:///{other}").run()
    page.button(key=f"save-{before.id}").click().run()
    assert not page.exception
    assert not page.error
    (after,) = (s for s in get_runtime().sources(LOCAL_USER) if s.alias == "shop")
    assert "other.sqlite" in after.url_masked


def test_how_safe_it_is_can_be_read(page: AppTest) -> None:
    words = " ".join(m.value for m in page.markdown)
    assert "TabulaFlow only reads" in words
    for profile in PROFILES.values():
        if profile.key not in ("postgresql", "mysql", "sqlite"):
            assert f"| {profile.title} |" in words


def test_a_column_is_hidden_on_the_page(page: AppTest, tmp_path: Path) -> None:
    source = get_runtime().add_database(LOCAL_USER, "shop", f"sqlite:///{shop(tmp_path)}")
    page.run()
    assert any("No column is hidden" in caption.value for caption in page.caption)
    page.text_input(key=f"hidden-{source.id}").set_value(" ID,\nother ").run()
    hidden = {info.alias: info.hidden_columns for info in get_runtime().sources(LOCAL_USER)}
    assert hidden["shop"] == ("ID", "other")
    assert any("1 column hidden: orders.id" in caption.value for caption in page.caption)
    assert not page.exception


def test_the_trials_of_the_chosen_engine_are_shown(page: AppTest) -> None:
    page.selectbox(key="database-engine").set_value("sqlite").run()
    shown = [m.value for m in page.markdown if "Statements tried" in m.value]
    recorded = read_record()["sqlite"]
    assert len(shown) == 1
    assert recorded.engine in shown[0]
    assert recorded.day in shown[0]
    for name, (right, of) in (recorded.hostile | recorded.harmless).items():
        assert f"| {name} | {right} of {of} |" in shown[0]
    page.selectbox(key="database-engine").set_value("oracle").run()
    assert any("None on this engine yet" in m.value for m in page.markdown)
