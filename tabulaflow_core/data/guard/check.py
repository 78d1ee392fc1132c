"""The door of the guard: one text in, a verdict out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tabulaflow_core.data.guard.condense import condense
from tabulaflow_core.data.guard.context import Context
from tabulaflow_core.data.guard.heads import read_head
from tabulaflow_core.data.guard.lexer import Kind, Lexer, Token, render
from tabulaflow_core.data.guard.lexicon import LEX_RULES
from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.guard.verdict import Allowed, Refusal, RefusalCode, Refused

_MOST_CHARACTERS = 200_000
_DEEPEST = 60
"""Open brackets at one place. Reports written by people stay under ten; the parsers need the bound."""
_MOST_NESTED_WITH = 5
"""DuckDB's parser takes five times as long a level to find a mistake inside."""
_MOST_INDEXES = 500
"""Of `a[1][2]…` in one statement: the parser's time grows with their square."""
_AFTER_VALUES = frozenset({"except", "fetch", "intersect", "limit", "offset", "order", "union"})
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_DIALECT_NAMES = {"mariadb": "mysql", "postgresql": "postgres", "mssql": "tsql", "ansi": ""}
_WRITING = name_set(
    """
    alter analyze attach begin call checkpoint cluster comment commit copy create deallocate declare delete detach
    discard do drop end exec execute export fetch flush grant handler import insert install kill listen load lock merge
    move notify optimize prepare reassign refresh reindex release rename repair replace reset revoke rollback savepoint
    security set start truncate unlisten unload update upsert use vacuum xa
    """
)
_QUERY_WORDS = name_set("select with values table from pivot unpivot summarize describe desc show pivot_wider")


def check_statement(sql: str, *, dialect: str, functions: Collection[str] = (), marks: int = 0) -> Allowed | Refused:
    """Decides whether a text is one query that only reads.

    Nothing is sent to a database. The verdict is the first of four layers and sees the text only: a view, a function
    that was allowed by name, or a foreign table may still do what their owner made them do.

    Args:
        sql: The text, as the model or the person wrote it.
        dialect: `sqlite`, `duckdb`, `postgres`, `mysql` (MariaDB too), `oracle`, `clickhouse`, `databricks` or
            `redshift`; `tsql`, `snowflake`, `bigquery` and `trino` are checked by one common table of functions; the
            empty name, or `ansi`, is an engine that is not known: what the SQL standard has, and nothing else.
        functions: Functions of the user that this source allows: `name`, or `schema.name`.
        marks: How many marks for bound values were put into a statement that was checked without them; `?` or `$1`.

    Returns:
        `Allowed` or `Refused`; nothing is ever raised for what the text holds.
    """
    name = _DIALECT_NAMES.get(dialect.lower(), dialect.lower())
    if name not in LEX_RULES:
        return Refused(f"Statements in the dialect {dialect!r} cannot be checked.", RefusalCode.UNKNOWN_DIALECT)
    context = Context(name, frozenset(function.lower() for function in functions), marks=marks)
    try:
        return _check(sql, context)
    except Refusal as refusal:
        return Refused(refusal.reason, refusal.code)
    except RecursionError:
        return Refused("The statement is nested too deeply to be checked.", RefusalCode.TOO_DEEP)


def _check(sql: str, context: Context) -> Allowed:
    if len(sql) > _MOST_CHARACTERS:
        raise Refusal(
            RefusalCode.TOO_LONG, f"The statement has {len(sql):,} characters; at most {_MOST_CHARACTERS:,} are read."
        )
    if any(0xD800 <= ord(c) <= 0xDFFF or c == "\0" for c in sql):
        raise Refusal(RefusalCode.UNREADABLE, "The statement holds a NUL byte or a broken character.")
    sql = sql.removeprefix("\ufeff")  # the mark at the head of a text file
    tokens = Lexer(sql, LEX_RULES[context.dialect]).tokens()
    while tokens and tokens[-1].kind is Kind.OP and tokens[-1].text == ";":
        tokens.pop()
    if not tokens:
        raise Refusal(RefusalCode.EMPTY, "There is no statement.")
    _check_shape(tokens)
    given = sql[: tokens[-1].end].strip()
    rest = read_head(tokens, context)
    if rest is None:
        kind = _check_query(sql, tokens, context)
    else:
        kind = rest.kind
        if rest.condition:
            _check_condition(tokens[rest.at :], context)
        elif kind == "explain" or rest.at < len(tokens):
            _check_query(sql, tokens[rest.at :], context)
    return Allowed(given, kind, tuple(sorted(context.tables)), tuple(sorted(context.types)))


def _check_shape(tokens: list[Token]) -> None:
    depth = chained = 0
    before = ""
    for token in tokens:
        if token.kind is not Kind.OP:
            before = ""
            continue
        if token.text == ";":
            raise Refusal(RefusalCode.SEVERAL_STATEMENTS, "Only one statement may be sent at a time.")
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        chained += before + token.text == "]["
        before = token.text
        if depth > _DEEPEST or chained > _MOST_INDEXES:
            raise Refusal(
                RefusalCode.TOO_DEEP, f"The statement is nested more than {_DEEPEST} brackets deep; break it up."
            )


def _check_query(sql: str, tokens: list[Token], context: Context) -> str:
    from tabulaflow_core.data.guard import forms, forms_json, forms_mysql, growth, words

    if not tokens:
        raise Refusal(RefusalCode.UNREADABLE, "There is no query after the first word.")
    first = tokens[0].text.lower() if tokens[0].kind in (Kind.WORD, Kind.OP) else ""
    if first in _WRITING:
        article = "An" if (first[0] in "aeiou" and first != "use") or first == "xa" else "A"
        raise Refusal(
            RefusalCode.NOT_A_QUERY, f"{article} {first.upper()} statement is not a query; only reading is allowed."
        )
    if first not in _QUERY_WORDS and first != "(":
        raise Refusal(RefusalCode.NOT_A_QUERY, f"A statement that begins with {tokens[0].text[:40]!r} is not a query.")
    words.check_placeholders(tokens, context)
    growth.check_growth(tokens, context.dialect)
    sql = condense(sql, tokens)
    tokens = Lexer(sql, LEX_RULES[context.dialect]).tokens()
    if context.dialect == "duckdb":
        return _check_duckdb(sql, first, tokens, context)
    if context.dialect == "postgres":
        words.check_types(tokens, context)
        tokens = words.plain_operators(forms.plain_postgres(forms_json.plain_json(tokens)))
    if context.dialect == "mysql":
        _check_share_mode(tokens)
        tokens = forms_mysql.plain_mysql(tokens)
    if context.dialect == "sqlite":
        tokens = forms.plain_sqlite(tokens)
    if context.dialect == "tsql":
        words.check_statement_words(tokens)
    return _check_parsed(tokens, context)


def _check_share_mode(tokens: list[Token]) -> None:
    """The parser does not know MySQL's older form of FOR SHARE in every place; the person shall know it is the lock."""
    from tabulaflow_core.data.guard.nodes import NODE_REASONS

    words = [token.text.lower() if token.kind is Kind.WORD else "" for token in tokens]
    if any(words[i : i + 4] == ["lock", "in", "share", "mode"] for i in range(len(words))):
        raise Refusal(RefusalCode.LOCKS, NODE_REASONS["Lock"][1])


def _check_parsed(tokens: list[Token], context: Context) -> str:
    from tabulaflow_core.data.guard import words
    from tabulaflow_core.data.guard.parse import parse
    from tabulaflow_core.data.guard.walk import called_names, check_tree

    written = _select_for_table(tokens)
    first = tokens[0].text.lower()
    if context.dialect == "mysql" and first == "values":
        end = _after_values(written)
        written = [*_plain("SELECT * FROM ("), *written[:end], *_plain(") listed"), *written[end:]]
    root = parse(render(written, LEX_RULES[context.dialect]), context.dialect)
    kind = check_tree(root, context)
    words.check_calls(tokens, called_names(root), context)
    return first if first in ("table", "values") else kind


def _after_values(tokens: list[Token]) -> int:
    """The index where what follows the first VALUES begins (ORDER BY, LIMIT, UNION), else that after the last token."""
    depth = 0
    for at, token in enumerate(tokens):
        if token.kind is Kind.OP:
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
        elif depth == 0 and token.kind is Kind.WORD and token.text.lower() in _AFTER_VALUES:
            return at
    return len(tokens)


def _select_for_table(tokens: list[Token]) -> list[Token]:
    """`TABLE t` is `SELECT * FROM t`, which the parser knows in every place."""
    out: list[Token] = []
    for i, token in enumerate(tokens):
        before = tokens[i - 1].text.lower() if i else "("
        after = tokens[i + 1].kind if i + 1 < len(tokens) else Kind.OP
        opens = before in ("(", "union", "all", "except", "intersect", "distinct")
        if token.kind is Kind.WORD and token.text.lower() == "table" and opens and after in (Kind.WORD, Kind.QUOTED):
            out += _plain("SELECT * FROM")
        else:
            out.append(token)
    return out


def _plain(text: str) -> list[Token]:
    return [Token(Kind.WORD if w.isalnum() else Kind.OP, w, 0, 0, spaced=True) for w in text.split()]


def _check_condition(tokens: list[Token], context: Context) -> None:
    """The WHERE of a SHOW is an expression over the list's own columns."""
    tables = set(context.tables)
    # `Charset` is a column of SHOW COLLATION, and a word of its own to the parser.
    named = [replace(t, kind=Kind.QUOTED) if t.kind is Kind.WORD and t.text.lower() == "charset" else t for t in tokens]
    _check_parsed([*_plain("SELECT 1 FROM listed WHERE"), *named], context)
    context.tables = tables | (context.tables - {"listed"})


def _check_nested_with(tokens: list[Token]) -> None:
    """Counts the brackets that are open at one place and hold a WITH of their own."""
    holds = [False]
    for token, after in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
        word = token.text.lower() if token.kind in (Kind.WORD, Kind.OP) else ""
        if word in _OPENING:
            holds.append(False)
        elif word in _CLOSING and len(holds) > 1:
            holds.pop()
        elif word == "with" and after.text.lower() not in ("ordinality", "ties", "time"):
            holds[-1] = True
            if sum(holds) > _MOST_NESTED_WITH:
                raise Refusal(
                    RefusalCode.TOO_DEEP, f"More than {_MOST_NESTED_WITH} WITH stand inside one another; break it up."
                )


def _check_duckdb(sql: str, first: str, tokens: list[Token], context: Context) -> str:
    from tabulaflow_core.data.guard import duckdb_tree, words
    from tabulaflow_core.data.guard.pivots import close_pivots

    kinds = {"summarize": "summarize", "describe": "describe", "desc": "describe", "show": "show", "values": "values",
             "table": "table"}  # fmt: skip
    _check_nested_with(tokens)
    text = sql[tokens[0].start : tokens[-1].end]
    found = duckdb_tree.statement_type(text)
    if found == "MULTI":
        text = close_pivots(sql, tokens)
        found = duckdb_tree.statement_type(text)
    if found != "SELECT":
        raise Refusal(RefusalCode.NOT_A_QUERY, f"DuckDB takes this as {found}, which is not a query it shows in parts.")
    statement = duckdb_tree.tree(text)
    if statement is None:
        raise Refusal(RefusalCode.UNREADABLE, "DuckDB does not show the parts of this statement.")
    aliases = duckdb_tree.column_lists(statement)
    duckdb_tree.check(statement, context)
    words.check_calls(tokens, aliases, context)
    return kinds.get(first, "select")
