"""SHOW of MariaDB and MySQL."""

from __future__ import annotations

from tabulaflow_core.data.guard.catalog import check_relation, check_setting
from tabulaflow_core.data.guard.context import Context
from tabulaflow_core.data.guard.reader import Reader, Rest
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

_MYSQL_LISTS = frozenset({"tables", "columns", "fields", "index", "indexes", "keys", "triggers", "events"})
_MYSQL_PLAIN = frozenset({"databases", "schemas", "collation", "charset", "engines", "privileges", "status"})
_MYSQL_SHOWN_CODE = frozenset({"table", "view", "database", "schema", "function", "procedure", "trigger", "sequence"})
_FORMS = (
    ("character", "set"), ("table", "status"), ("procedure", "status"), ("function", "status"), ("storage", "engines"),
)  # fmt: skip


def show_mysql(reader: Reader, context: Context) -> Rest:
    """Reads a SHOW that only tells of tables, columns, code and counters.

    Raises:
        Refusal: It is another, or names a part of the catalog or a variable that may not be read.
    """
    reader.at += 1
    if reader.peek() in ("global", "session", "local", "variables"):
        return _show_values(reader)
    if reader.take("create"):
        if not reader.take(*_MYSQL_SHOWN_CODE):
            raise reader.unexpected()
        _relation(reader, context)
    elif reader.peek() in ("count", "warnings", "errors"):
        _show_messages(reader)
    elif form := next((f for f in _FORMS if reader.peek() == f[0]), None):
        if not all(reader.take(word) for word in form):
            raise reader.unexpected()
        if form == ("table", "status"):
            _scope(reader)
    elif not reader.take(*_MYSQL_PLAIN):
        _show_list(reader, context)
    if reader.take("like") and not reader.literal():
        raise reader.unexpected()
    if reader.take("where"):
        return Rest("show", reader.at, condition=True)
    if not reader.done:
        raise reader.unexpected()
    return Rest("show", reader.at)


def _show_messages(reader: Reader) -> None:
    """`COUNT(*) WARNINGS`, and `WARNINGS LIMIT 1, 5`."""
    counted = reader.take("count")
    fits = not counted or all(reader.take(sign) for sign in "(*)")
    fits = fits and reader.take("warnings", "errors")
    if fits and not counted and reader.take("limit"):
        fits = reader.number() and (not reader.take(",") or reader.number())
    if not fits or not reader.done:
        raise reader.unexpected()


def _show_list(reader: Reader, context: Context) -> None:
    while reader.take("full", "extended"):
        pass
    listed = reader.peek()
    if not reader.take(*_MYSQL_LISTS):
        raise reader.unexpected()
    if listed not in ("tables", "triggers", "events") and reader.take("from", "in"):
        _relation(reader, context)
    _scope(reader)


def _show_values(reader: Reader) -> Rest:
    """`SHOW GLOBAL STATUS LIKE '…'` of counters, and `SHOW VARIABLES LIKE 'sql_mode'` of one harmless variable."""
    reader.take("global", "session", "local")
    if reader.take("variables"):
        named = reader.take("like") or (reader.take("where") and reader.take("variable_name") and reader.take("="))
        if not named or not reader.literal():
            raise Refusal(
                RefusalCode.SETTING,
                "The list of all variables may hold paths and secrets. Ask for one: SHOW VARIABLES LIKE 'sql_mode'.",
            )
        check_setting(reader.tokens[reader.at - 1].text, "mysql")
    elif not reader.take("status") or (reader.take("like") and not reader.literal()):
        raise reader.unexpected()
    if not reader.done:
        raise reader.unexpected()
    return Rest("show", reader.at)


def _relation(reader: Reader, context: Context) -> None:
    name = reader.name()
    check_relation(name, "mysql")
    context.tables.add(".".join(name))


def _scope(reader: Reader) -> None:
    """`FROM a_database`, which is a single name."""
    if reader.take("from", "in"):
        check_relation((*reader.name(), ""), "mysql")
