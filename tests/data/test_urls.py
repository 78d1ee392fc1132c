"""Which database URLs are read, refused and masked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tabulaflow_core.data.urls import mask_url, parse_source_url
from tabulaflow_core.errors import SourceUrlError


@pytest.mark.parametrize(
    ("url", "dialect"),
    [
        ("postgresql://u:p@h/d", "postgres"),
        ("postgres://u@h/d", "postgres"),
        ("postgresql+asyncpg://u@h/d", "postgres"),
        ("postgresql+psycopg://u@h/d", "postgres"),
        ("mysql://u@h/d", "mysql"),
        ("mysql+aiomysql://u@h/d", "mysql"),
        ("mariadb+aiomysql://u@h/d", "mysql"),
        ("MariaDB://u@h/d", "mysql"),
        ("sqlite:///a.db", "sqlite"),
        ("sqlite+aiosqlite:///:memory:", "sqlite"),
        ("duckdb:///a.duckdb", "duckdb"),
    ],
)
def test_dialects(url: str, dialect: str) -> None:
    assert parse_source_url(url).dialect == dialect


def test_parts_are_decoded() -> None:
    url = parse_source_url("postgresql://a%40b:p%2Fw%3Aé@[::1]:6000/my%20db?sslmode=require")
    assert (url.user, url.password, url.host, url.port, url.database) == ("a@b", "p/w:é", "::1", 6000, "my db")
    assert url.options == {"sslmode": "require"}


def test_a_plain_at_sign_in_the_password_is_understood() -> None:
    url = parse_source_url("mysql://u:p@ss@h:1/d")
    assert (url.password, url.host, url.port) == ("p@ss", "h", 1)


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "",
        "mongodb://u:secret@h/d",
        "postgresql://u:secret@/d",
        "postgresql://u:secret@h:port/d",
        "postgresql://u:secret@h:99999/d",
        "postgresql://u:se/cret@h/d",
        "postgresql://u:secret@h/d?options=-c%20log_statement",
        "postgresql://u:secret@h/d?host=/var/run",
        "postgresql://u:secret@h/d?sslkey=/etc/key",
        "mysql://u:secret@h/d?local_infile=1",
        "mysql://u:secret@h/d?init_command=DROP",
        "mysql://u:secret@h/d?read_default_file=/etc/my.cnf",
        "mysql://u:secret@h/d?unix_socket=/tmp/s",
        "sqlite:///a.db?mode=rwc",
        "sqlite:///a.db?vfs=x",
        "sqlite:///file:a.db",
        "sqlite:///a%00.db",
        "sqlite://a.db",
        "duckdb:///a.db?allow_unsigned_extensions=true",
    ],
)
def test_refused_in_a_sentence_without_the_password(url: str) -> None:
    with pytest.raises(SourceUrlError) as caught:
        parse_source_url(url)
    assert "cret" not in caught.value.user_message
    assert caught.value.user_message.endswith((".", "."))


def test_files_only_in_allowed_folders(tmp_path: Path) -> None:
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    allowed.mkdir()
    other.mkdir()
    (allowed / "link.db").symlink_to(other / "a.db")
    roots = (allowed,)
    assert parse_source_url(f"sqlite:///{allowed}/a.db", allowed_roots=roots).path == allowed / "a.db"
    for path in (other / "a.db", allowed / ".." / "other" / "a.db", allowed / "link.db", Path("/etc/passwd")):
        with pytest.raises(SourceUrlError, match="administrator"):
            parse_source_url(f"sqlite:///{path}", allowed_roots=roots)
    with pytest.raises(SourceUrlError, match="in memory"):
        parse_source_url("sqlite:///:memory:", allowed_roots=roots)
    with pytest.raises(SourceUrlError, match="administrator"):
        parse_source_url(f"sqlite:///{allowed}/a.db", allowed_roots=())


def test_our_own_folder_is_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABULAFLOW_DATA_DIR", str(tmp_path / "data"))
    for roots in (None, (tmp_path,)):
        with pytest.raises(SourceUrlError, match="TabulaFlow itself"):
            parse_source_url(f"sqlite:///{tmp_path}/data/store.db", allowed_roots=roots)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgresql://u:secret@h/d", "postgresql://u:***@h/d"),
        ("at mysql+aiomysql://u:p@ss:w@h:1/d there", "at mysql+aiomysql://u:***@h:1/d there"),
        ("sqlite:///a.db", "sqlite:///a.db"),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("postgresql://user@server:secret@h/d", "postgresql://user@server:***@h/d"),
        ("postgresql://@u:secret@h/d", "postgresql://@u:***@h/d"),
        ("postgresql://u:sec ret@h/d", "postgresql://u:***@h/d"),
        ("postgresql://a user:secret@h/d", "postgresql://a user:***@h/d"),
        ("from mysql://u:a@h to postgres://v:b@i/d", "from mysql://u:***@h to postgres://v:***@i/d"),
    ],
)
def test_masking(text: str, masked: str) -> None:
    assert mask_url(text) == masked


@pytest.mark.parametrize("url", ["postgresql://u:a\nb@h/d", "sqlite:///a%00b", "sqlite:///\ud800", "mysql://u@h/d\0"])
def test_control_characters_are_refused(url: str) -> None:
    with pytest.raises(SourceUrlError, match="control character"):
        parse_source_url(url)


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    with pytest.raises(SourceUrlError, match="a pipe"):
        parse_source_url(f"sqlite:///{tmp_path}/pipe.db", allowed_roots=(tmp_path,))


def test_the_password_is_not_in_the_repr() -> None:
    assert "secret" not in repr(parse_source_url("postgresql://u:secret@h/d"))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:p@ep-x.eu.example.net/neon?sslmode=require&channel_binding=require",
        "postgres://u:p@h.example.net:6543/postgres?pgbouncer=true&connection_limit=1",
        "postgresql://u:p@h.example.net:25060/defaultdb?sslmode=require&target_session_attrs=read-write",
        "mysql://u:p@h.example.net:25060/defaultdb?ssl-mode=REQUIRED",
        'mysql://u:p@h.example.net/db?ssl={"rejectUnauthorized":true}',
    ],
)
def test_urls_of_hosting_services_can_be_pasted(url: str) -> None:
    assert parse_source_url(url).host
