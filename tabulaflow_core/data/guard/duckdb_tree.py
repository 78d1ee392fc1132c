"""DuckDB's own parser as the judge of DuckDB statements.

`extract_statements` tells how many statements a text holds and of which type; `json_serialize_sql` gives the tree that
DuckDB itself would bind. Nothing is run: the text is an argument. Every node's kind must be on the lists below.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tabulaflow_core.data.guard.catalog import check_relation, check_setting
from tabulaflow_core.data.guard.context import Context
from tabulaflow_core.data.guard.growth import check_amounts
from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

if TYPE_CHECKING:
    import duckdb

_NODES = name_set("SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE CTE_NODE")
_RELATIONS = name_set(
    "BASE_TABLE SUBQUERY JOIN TABLE_FUNCTION EXPRESSION_LIST EMPTY EMPTY_FROM PIVOT SHOW_REF COLUMN_DATA"
)
_MODIFIERS = name_set("ORDER_MODIFIER LIMIT_MODIFIER DISTINCT_MODIFIER LIMIT_PERCENT_MODIFIER")
_EXPRESSIONS = name_set(
    """
    BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT DEFAULT FUNCTION LAMBDA LAMBDA_REF OPERATOR
    POSITIONAL_REFERENCE STAR SUBQUERY TYPE WINDOW
    """
)
_LISTING = frozenset({"generate_series", "range"})
"""In FROM they give rows one after the other; elsewhere they make a list at once."""
_SHOWN = frozenset({"", "databases", "schemas", "tables", "__show_tables_expanded", "__show_tables_from_database"})
_LOCK = threading.Lock()


@lru_cache(maxsize=1)
def _parser() -> duckdb.DuckDBPyConnection:
    """A database in memory that can reach nothing; it only ever parses."""
    import duckdb

    return duckdb.connect(
        ":memory:",
        config={
            "enable_external_access": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "lock_configuration": "true",
            "threads": "1",
        },
    )


def statement_type(sql: str) -> str:
    """The type DuckDB gives the one statement in this text, such as `SELECT`, `MULTI` or `EXPLAIN`.

    Raises:
        Refusal: DuckDB cannot parse the text, or it holds several statements.
    """
    import duckdb

    with _LOCK:
        try:
            found = _parser().extract_statements(sql)
        except duckdb.Error as fault:
            first = (str(fault).strip().splitlines() or [""])[0]
            raise Refusal(RefusalCode.UNREADABLE, f"DuckDB cannot parse the statement: {first[:200]}.") from None
        if len(found) != 1:
            raise Refusal(RefusalCode.SEVERAL_STATEMENTS, "Only one statement may be sent at a time.")
        return type_of(found[0])


def type_of(statement: duckdb.Statement) -> str:
    """The name of a statement's type; `OTHER` for one that is newer than the list of types."""
    try:
        return str(statement.type).rpartition(".")[2]
    except ValueError:
        return "OTHER"


def tree(sql: str) -> dict[str, Any] | None:
    """DuckDB's tree of a SELECT; None where DuckDB does not give one, as for PIVOT with open columns."""
    import duckdb

    with _LOCK:
        try:
            row = _parser().execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
        except duckdb.Error:
            return None
    answer: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    if answer.get("error") or len(answer.get("statements", [])) != 1:
        return None
    statement: dict[str, Any] = answer["statements"][0]
    return statement


def check(statement: dict[str, Any], context: Context) -> None:
    """Raises `Refusal` at the first node that is not known to be harmless."""
    try:
        _visit(statement, context, frozenset())
    except RecursionError:
        raise Refusal(RefusalCode.TOO_DEEP, "The statement is nested too deeply to be checked.") from None


def column_lists(value: Any) -> set[str]:
    """The names that stand before a parenthesis without being calls, lower case: aliases and CTEs with columns."""
    found: set[str] = set()
    if isinstance(value, list):
        for item in value:
            found |= column_lists(item)
    elif isinstance(value, dict):
        if value.get("column_name_alias"):
            found.add(str(value.get("alias")).lower())
        if isinstance(value.get("key"), str) and isinstance(value.get("value"), dict) and value["value"].get("aliases"):
            found.add(value["key"].lower())
        for child in value.values():
            found |= column_lists(child)
    return found


def _visit(value: Any, context: Context, ctes: frozenset[str]) -> None:
    if isinstance(value, list):
        for item in value:
            _visit(item, context, ctes)
    elif isinstance(value, dict):
        if "cte_map" in value:
            ctes = _visit_ctes(value, context, ctes)
        if isinstance(value.get("type"), str):
            _check_node(value, context, ctes)
        for key, child in value.items():
            if key != "cte_map":
                _visit(child, context, ctes)


def _visit_ctes(node: dict[str, Any], context: Context, ctes: frozenset[str]) -> frozenset[str]:
    """A CTE sees those before it and, if it is recursive, itself."""
    for entry in node["cte_map"].get("map", []):
        name = str(entry["key"]).lower()
        body = entry["value"]
        recursive = "RECURSIVE_CTE_NODE" in json.dumps(body)[:400]
        _visit(body, context, ctes | {name} if recursive else ctes)
        ctes = ctes | {name}
    return ctes


def _check_node(node: dict[str, Any], context: Context, ctes: frozenset[str]) -> None:
    kind, group = str(node["type"]), node.get("class")
    if isinstance(group, str):
        if group == "FUNCTION":
            _check_function(node, context, in_from=False)
        elif group == "WINDOW":
            _check_window(node, context)
        elif group == "PARAMETER":
            if context.marks:
                return
            raise Refusal(RefusalCode.PLACEHOLDER, "The statement holds a placeholder; write the value itself.")
        elif group not in _EXPRESSIONS:
            raise Refusal(RefusalCode.CONSTRUCT, f"{kind} is not on the list of expressions that only read.")
    elif kind in _NODES or kind in _MODIFIERS:
        pass
    elif kind in _RELATIONS:
        _check_relation(node, kind, context, ctes)
    elif kind.endswith("_QUERY_NODE"):
        raise Refusal(RefusalCode.WRITES, "The statement changes data; only reading is allowed.")
    elif not _is_plain(node):
        raise Refusal(RefusalCode.CONSTRUCT, f"{kind} is not on the list of constructs that only read.")


def _is_plain(node: dict[str, Any]) -> bool:
    """An entry of ORDER BY has its direction in `type`."""
    return str(node["type"]) in ("ASCENDING", "DESCENDING", "ORDER_DEFAULT", "ORDERDEFAULT") and "expression" in node


def _path(node: dict[str, Any], name: str) -> tuple[str, ...]:
    path = (node.get("qualified_name") or {}).get("path")
    return tuple(str(part) for part in path) if path else (name,)


def _check_function(node: dict[str, Any], context: Context, *, in_from: bool) -> None:
    *qualifiers, name = _path(node, str(node.get("function_name")))
    if name != node.get("function_name"):
        raise Refusal(RefusalCode.FUNCTION, "The name of a function is not clear.")
    arguments = [_literal(argument) for argument in node.get("arguments") or node.get("children") or []]
    if name.lower() == "current_setting":
        if not arguments or arguments[0] is None:
            raise Refusal(RefusalCode.SETTING, "current_setting is allowed with a plain literal only.")
        check_setting(arguments[0], "duckdb")
        return
    if node.get("is_operator") and not name[:1].isalpha():
        return
    if not in_from and not name[:1].isalpha() and not name.startswith("_") and not qualifiers:
        return
    context.check_function(name, qualifiers=tuple(qualifiers), quoted=False, in_from=in_from)
    if not in_from and name.lower() in _LISTING:
        check_amounts(name, [text for text in _numbers(node.get("arguments") or node.get("children") or [])])


def _numbers(value: Any) -> Iterator[str]:
    """The numbers written inside."""
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, dict):
        literal = value.get("literal") if value.get("class") == "CONSTANT" else None
        if isinstance(literal, dict) and literal.get("kind") in ("INTEGER", "NUMERIC"):
            yield str(literal["text"])
        for child in value.values():
            yield from _numbers(child)


def _check_window(node: dict[str, Any], context: Context) -> None:
    name = node.get("function_name")
    if isinstance(name, str) and name:
        context.check_function(name, quoted=False, in_from=False)


def _literal(argument: dict[str, Any]) -> str | None:
    inner = argument.get("expr") or argument.get("expression") or argument
    if not isinstance(inner, dict) or inner.get("class") != "CONSTANT":
        return None
    literal = inner.get("literal") or {}
    return str(literal.get("text")) if literal.get("text") is not None else None


def _check_relation(node: dict[str, Any], kind: str, context: Context, ctes: frozenset[str]) -> None:
    if kind == "BASE_TABLE":
        parts = _path(node, str(node.get("table_name")))
        check_relation(parts, "duckdb")
        if len(parts) > 1 or parts[0].lower() not in ctes:
            context.tables.add(".".join(parts))
    elif kind == "TABLE_FUNCTION":
        _check_function(node["function"], context, in_from=True)
        arguments = node["function"].get("arguments") or node["function"].get("children") or []
        _visit(arguments, context, ctes)
        node["function"] = None
    elif kind == "SHOW_REF":
        shown = str(node.get("table_name") or "").strip('"').lower()
        special = node.get("show_type") in ("SHOW_SPECIAL", "SHOW_FROM", "SHOW_UNQUALIFIED")
        if special and shown not in _SHOWN:
            raise Refusal(RefusalCode.CONSTRUCT, f"SHOW {shown} is not on the list of what may be shown.")
        if not special and not node.get("query"):
            check_relation(_path(node, shown), "duckdb")
            context.tables.add(".".join(_path(node, shown)))
