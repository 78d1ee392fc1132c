"""Passwords in what is no URL: each way of writing one, with passwords that hold the signs around them."""

from __future__ import annotations

import pytest

from tabulaflow_core.data.url_secrets import cut_secrets, put_back

TEXTS = [
    "postgres//reader:{}@db.example/shop",
    "postgresql://reader:{}@db.example:x1/shop",
    "postgresql:reader:{}@db.example/shop",
    "reader:{}@db.example/shop",
    "mongo://reader:{}@db.example/shop?what=ever",
    "jdbc:postgresql://reader:{}@h/d",
    "jdbc:postgresql://h/d?user=u&password={}&x=1",
    "jdbc:sqlserver://h:1433;user=sa;password={};encrypt=true",
    "Server=h;Uid=u;Pwd={};Database=d",
    "host=h password='{}' dbname=d",
    "host=h password={} dbname=d",
    "PGPASSWORD={} -h h",
    "mysql -u root -p{} -h h",
    "mysql -u root --password={} -h h",
    '{{"user": "u", "private_key": "{}", "x": 1}}',
    "postgresql://u:{}@h/d?password={}",
]


@pytest.mark.parametrize("secret", ["geheim", "g:e@h/e#i%m", "geheim@", "$$geheim?"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_password_is_cut_out_and_put_back(text: str, secret: str) -> None:
    typed = text.format(*[secret] * 2)
    shown, secrets = cut_secrets(typed)
    assert shown == text.format("***", "***")
    assert put_back(shown, secrets) == typed
    assert cut_secrets(shown)[0] == shown


def test_a_password_without_a_host() -> None:
    assert cut_secrets("postgresql://reader:geheim") == ("postgresql://reader:***", ("geheim",))
    assert cut_secrets("postgresql://reader:ge/heim?a=b") == ("postgresql://reader:***?a=b", ("ge/heim",))


@pytest.mark.parametrize(
    "text",
    [
        "postgres//h:5432/d",
        "postgresql://[::1]:5432/d?a=b",
        "postgresql://u@h/d",
        "h",
        "C:\\data\\a.db",
        "http://h:80",
        "",
    ],
)
def test_what_holds_no_password_stays(text: str) -> None:
    assert cut_secrets(text) == (text, ())


def test_what_was_changed_too_much_is_left_alone() -> None:
    assert put_back("postgresql://h/d", ("geheim",)) == "postgresql://h/d"
