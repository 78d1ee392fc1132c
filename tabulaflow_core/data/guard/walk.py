"""Walks a parsed statement and allows only what is known to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tabulaflow_core.data.guard import functions
from tabulaflow_core.data.guard.catalog import check_relation, check_setting
from tabulaflow_core.data.guard.context import Context
from tabulaflow_core.data.guard.heads import PRAGMA_FUNCTIONS_OF
from tabulaflow_core.data.guard.nodes import ALLOWED_NODES, MARK_NODES, NODE_REASONS, QUERY_ROOTS
from tabulaflow_core.data.guard.roles import check_roles
from tabulaflow_core.data.guard.types import BUILT_IN_TYPES, is_user_type, type_name
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

if TYPE_CHECKING:
    from sqlglot import exp

_KINDS = {"Values": "values", "Table": "table"}
_READ_HINTS = frozenset({"forceseek", "noexpand", "nolock", "nowait", "readcommitted", "readpast", "readuncommitted"})
_QUERIES = frozenset({"Except", "Intersect", "Select", "Subquery", "Union"})
_SEQUENCES_AS_COLUMNS = frozenset({"", "databricks", "oracle", "snowflake"})
_FIXED_NAMES = {
    "GroupConcat": "group_concat", "Convert": "convert", "JSONObject": "json_object", "JSONTable": "json_table",
    "JSONValue": "json_value", "MatchAgainst": "match", "XMLElement": "", "XMLTable": "",
}  # fmt: skip


def check_tree(root: exp.Expr, context: Context) -> str:
    """Raises `Refusal` at the first thing that is not known to be harmless.

    Returns:
        The kind of the statement.
    """
    from sqlglot import exp

    if type(root).__name__ not in QUERY_ROOTS:
        _refuse_node(type(root).__name__, root)
    context.ctes = frozenset(cte.alias.lower() for cte in root.find_all(exp.CTE))
    for node in root.walk():
        name = type(node).__name__
        if context.marks and name in MARK_NODES:
            continue
        if name not in ALLOWED_NODES or (name == "PropertyEQ" and context.dialect != "duckdb"):
            _refuse_node(name, node)
        check = _CHECKS.get(name)
        if check is not None:
            check(node, context)
        if name in _QUERIES:
            _check_output(node)
    if context.dialect == "postgres":
        check_roles(root)
    while type(root).__name__ == "Subquery":
        root = root.this
    return _KINDS.get(type(root).__name__, "select")


def called_names(root: exp.Expr) -> set[str]:
    """The names that stand before a parenthesis in this tree without being calls, lower case: aliases and CTEs."""
    from sqlglot import exp

    names = {alias.name.lower() for alias in root.find_all(exp.TableAlias) if alias.args.get("columns")}
    names |= {table.this.name.lower() for table in root.find_all(exp.Table) if isinstance(table.this, exp.Anonymous)}
    # Of ClickHouse: an aggregate with its combinators, which the parser has put together from the engine's own names.
    return names | {call.name.lower() for call in root.find_all(exp.AnonymousAggFunc, exp.ParameterizedAgg)}


def _refuse_node(name: str, node: exp.Expr) -> None:
    if name in NODE_REASONS:
        code, reason = NODE_REASONS[name]
        raise Refusal(RefusalCode(code), reason)
    kind = getattr(node, "key", name).upper()
    raise Refusal(RefusalCode.CONSTRUCT, f"{kind} is not on the list of constructs that only read.")


# -- functions ---------------------------------------------------------------------------------------------------


def _check_anonymous(node: exp.Expr, context: Context) -> None:
    from sqlglot import exp

    named = node.this
    quoted = isinstance(named, exp.Identifier) and bool(named.args.get("quoted"))
    name = named.name if isinstance(named, exp.Expr) else str(named)
    qualifiers: tuple[str, ...] = ()
    parent = node.parent
    in_from = isinstance(parent, (exp.Table, exp.Lateral)) and parent.this is node
    if isinstance(parent, exp.Table) and in_from:
        qualifiers = tuple(p for p in (parent.catalog, parent.db) if p)
    elif isinstance(parent, exp.Dot) and parent.expression is node:
        qualifiers = _dotted(parent.this)
    if not (context.dialect == "postgres" and not qualifiers and _special(name, node, context)):
        if name.lower() == "current_setting" and _special(name, node, context):
            return
        if in_from and context.dialect == "sqlite" and _table_call(name, node, qualifiers, context):
            return
        context.check_function(name, qualifiers=qualifiers, quoted=quoted, in_from=in_from)
    if name.lower() == "last_insert_id" and node.expressions:
        raise Refusal(RefusalCode.FUNCTION, "LAST_INSERT_ID with an argument changes the session.")


def _table_call(name: str, node: exp.Expr, qualifiers: tuple[str, ...], context: Context) -> bool:
    """`FROM notes('words')` is short for a search in the table `notes` of SQLite; plain values only.

    That the name is a table of the file, and no module with powers of its own, the engine's lock sees to.
    """
    from sqlglot import exp

    known = functions.scalars("sqlite") | functions.table_functions("sqlite")
    if name.lower().startswith("pragma_") and name.lower() not in PRAGMA_FUNCTIONS_OF and node.expressions:
        raise Refusal(RefusalCode.SETTING, f"{name} takes no value here; a value could change a setting.")
    literals = all(isinstance(value, exp.Literal) for value in node.expressions)
    system = name.lower().startswith(("sqlite_", "pragma_", "fts"))
    if name.lower() in known or system or not node.expressions or not literals or set(qualifiers) - {"main"}:
        return False
    check_relation((*qualifiers, name), "sqlite")
    context.tables.add(".".join((*qualifiers, name)))
    return True


def _special(name: str, node: exp.Expr, context: Context) -> bool:
    """`current_setting('timezone')` is fine where the setting is named by a plain literal of the list."""
    from sqlglot import exp

    if name.lower() != "current_setting":
        return False
    first = node.expressions[0] if node.expressions else None
    if not (isinstance(first, exp.Literal) and first.is_string):
        raise Refusal(RefusalCode.SETTING, "current_setting is allowed with a plain literal only.")
    check_setting(first.name, context.dialect)
    return True


def _dotted(node: exp.Expr) -> tuple[str, ...]:
    from sqlglot import exp

    if isinstance(node, exp.Dot):
        return (*_dotted(node.this), node.expression.name)
    if isinstance(node, exp.Column):
        return tuple(part.name for part in node.parts)
    if isinstance(node, exp.Identifier):
        return (node.name,)
    return ("?",)


# -- relations and settings --------------------------------------------------------------------------------------


def _check_table(node: exp.Table, context: Context) -> None:
    from sqlglot import exp

    this = node.this
    if isinstance(this, exp.Func) and not isinstance(this, exp.Anonymous):
        if type(this).__name__ not in ("JSONTable", "XMLTable", "OpenJSON", "Unnest"):
            raise Refusal(RefusalCode.FUNCTION, f"The function {this.key.upper()} may not stand in FROM.")
        return
    if isinstance(this, exp.Anonymous) or this is None or node.arg_key == "indexed":  # INDEXED BY names no table
        return
    named = node.parts
    if not all(isinstance(part, exp.Identifier) for part in named):
        if isinstance(this, exp.Literal):
            check_relation((this.name,), context.dialect)
        elif not isinstance(this, (exp.Identifier, exp.Dot)):
            raise Refusal(RefusalCode.CONSTRUCT, "What stands in FROM is not a table, a view or an allowed function.")
    parts = tuple(part.name for part in named)
    check_relation(parts, context.dialect)
    if len(parts) > 1 or not _is_cte(node, parts[0], context.ctes):
        context.tables.add(".".join(parts))


def _is_cte(node: exp.Expr, name: str, ctes: frozenset[str]) -> bool:
    """Whether this name means a common table expression that is in sight here."""
    from sqlglot import exp

    if name.lower() not in ctes:
        return False
    child: exp.Expr | None = node
    own: exp.CTE | None = None
    while child is not None:
        if isinstance(child, exp.CTE):
            own = child
        with_ = child.args.get("with_")
        if isinstance(with_, exp.With):
            for cte in with_.expressions:
                recursive = bool(with_.args.get("recursive"))
                if cte is own and not recursive:
                    break
                if cte.alias.lower() == name.lower():
                    return True
        child = child.parent
    return False


def _check_type(node: exp.Expr, context: Context) -> None:
    """A type of a user may be a domain whose check runs functions; which it is, the engine's lock looks up."""
    if context.dialect != "postgres" or not is_user_type(node):
        return
    name = type_name(node)
    schema, _, last = name.rpartition(".")
    if (last if schema == "pg_catalog" else name) not in BUILT_IN_TYPES and name not in context.user_functions:
        context.types.add(name)


def _check_session_parameter(node: exp.Expr, context: Context) -> None:
    check_setting(node.name, context.dialect)


def _check_table_hint(node: exp.Expr, context: Context) -> None:
    for hint in node.expressions:
        if hint.name.lower() not in _READ_HINTS:
            raise Refusal(RefusalCode.LOCKS, f"The table hint {hint.name} is not allowed.")


def _check_operator(node: exp.Expr, context: Context) -> None:
    if str(node.args.get("operator") or "").lower().partition(".")[0] != "pg_catalog":
        raise Refusal(RefusalCode.OPERATOR, "OPERATOR(…) is allowed for those of pg_catalog only.")


def _check_output(node: exp.Expr) -> None:
    """Two clauses of ClickHouse that stand behind a query and are no part of its tree's nodes."""
    if node.args.get("settings"):
        raise Refusal(RefusalCode.SETTING, "SETTINGS would change how the server runs the statement; leave it out.")
    if node.args.get("format"):
        raise Refusal(RefusalCode.CONSTRUCT, "FORMAT would change the form of the answer; leave it out.")


def _check_select(node: exp.Expr, context: Context) -> None:
    modifiers: Any = node.args.get("operation_modifiers") or []
    for modifier in modifiers:
        if str(modifier).upper() not in ("HIGH_PRIORITY", "SQL_BIG_RESULT", "SQL_BUFFER_RESULT", "SQL_CACHE",
                                         "SQL_CALC_FOUND_ROWS", "SQL_NO_CACHE", "SQL_SMALL_RESULT",
                                         "STRAIGHT_JOIN"):  # fmt: skip
            raise Refusal(RefusalCode.CONSTRUCT, f"SELECT {modifier} is not allowed.")


def _check_column(node: exp.Column, context: Context) -> None:
    """`s.nextval` looks like a column and uses up a value of a sequence."""
    if context.dialect in _SEQUENCES_AS_COLUMNS and node.name.lower() in ("nextval", "currval") and node.table:
        raise Refusal(RefusalCode.FUNCTION, f"{node.name.upper()} uses a sequence; only reading is allowed.")


_CHECKS: dict[str, Callable[[Any, Context], None]] = {
    "Anonymous": _check_anonymous,
    "Column": _check_column,
    "DataType": _check_type,
    "Operator": _check_operator,
    "Select": _check_select,
    "SessionParameter": _check_session_parameter,
    "Table": _check_table,
    "WithTableHint": _check_table_hint,
}
