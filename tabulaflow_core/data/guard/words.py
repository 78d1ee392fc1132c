"""A second, independent look at the tokens: what stands before a parenthesis, operators, placeholders.

Should the parser ever drop a part of a statement, the tree would be clean and the text not. No word may stand before a
parenthesis unless it is an allowed function, a word of the grammar, or the alias of a column list.
"""

from __future__ import annotations

from itertools import pairwise

from tabulaflow_core.data.guard import functions
from tabulaflow_core.data.guard.context import Context
from tabulaflow_core.data.guard.lexer import Kind, Token
from tabulaflow_core.data.guard.names import name_set
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

_GRAMMAR = name_set(
    """
    all and any apply array as asc between bigint binary bit by case cast char character check collate columns cross
    current_time current_timestamp cube datetime datetime2 dec decimal desc distinct double else end except exclude
    exists explain extract fetch filter first float for force from full group having ignore in include index inner int
    integer intersect interval into is join key lateral left like ilike limit local localtime localtimestamp match
    materialized mod national natural nchar next not null number numeric nvarchar of offset on only operator or order
    ordinality outer over overlaps partition percent pivot position precision qualify range real recursive regexp
    replace respect right rlike rollup row rows select separator sets signed similar smallint some structure
    tablesample string struct substring symmetric system bernoulli table text then time timestamp timestamptz timetz to
    trim try_cast top unique union unnest unpivot unsigned update using values varbinary varbit varchar variadic varying
    view when where window with within without xmlattributes xmlelement xmlforest xmltable json_table passing path
    nested ties zone div xor rename against return exists escape glob set seed repeatable off offsets unknown bool
    boolean flatten input nolock against date datetimeoffset tinyint mediumint year json object bpchar
    enum lambda name nulls reservoir sample convert try_convert safe_cast keep at before nullable lowcardinality
    percentile_cont percentile_disc
    """
)
_TSQL_STATEMENTS = name_set(
    """
    alter backup begin break bulk checkpoint close commit continue create dbcc deallocate declare delete deny drop dump
    exec execute goto grant if insert kill load merge open print raiserror readtext reconfigure restore return revert
    revoke rollback save set shutdown truncate update updatetext use waitfor while writetext
    """
)
_POSTGRES_OPERATORS = name_set(
    """
    !! !~ !~* !~~ !~~* # ## #- #> #>> % & && &< &<| &> * *< *<= *<> *= *> *>= + - -> ->> -|- / < <-> << <<= <<| <= <>
    <@ <^ = > >= >> >>= >^ ? ?# ?& ?- ?-| ?| ?|| @ @-@ @> @? @@ @@@ ^ ^@ | |&> |/ |>> || ||/ ~ ~* ~<=~ ~<~ ~= ~>=~ ~>~
    ~~ ~~* != => <% %> <<% %>> <->> <<-> <<<-> <->>>
    """
)
_PARSED_OPERATORS = name_set(
    """
    !~ !~* !~~ !~~* # #- #> #>> % & && &< &> * + - -> ->> -|- / < <-> << <= <> <@ = => > >= >> ? ?& ?- ?| @> @@ ^ | || ~
    ~* ~~ ~~* !=
    """
)
_END = Token(Kind.WORD, "", 0, 0)
_OPERATOR_CHARACTERS = frozenset("+-*/<>=~!@#%^&|`?")
_MAY_END_IN_SIGN = frozenset("~!@#%^&|`?")
_PLACEHOLDERS = {
    "sqlite": "?:@$", "duckdb": "?$", "postgres": "$", "mysql": "?", "tsql": "?", "snowflake": "?$", "bigquery": "?@",
    "trino": "?", "oracle": "?:", "databricks": "?", "clickhouse": "?", "redshift": "?$", "": "?",
}  # fmt: skip


def check_placeholders(tokens: list[Token], context: Context) -> None:
    """Raises `Refusal` for `?`, `$1` and the like outside literals, unless a value comes with each of them."""
    signs = _PLACEHOLDERS[context.dialect]
    found = [token.text for token in tokens if token.kind is Kind.OP and token.text in signs]
    if len(found) != context.marks:
        shown = found[0] if found else "none"
        raise Refusal(RefusalCode.PLACEHOLDER, f"The statement holds a placeholder ({shown}); write the value itself.")


def check_statement_words(tokens: list[Token]) -> None:
    """Raises `Refusal` for a word that begins a statement of T-SQL, which needs no semicolon before it.

    `SELECT 1 COMMIT` is two statements there, and a column with an alias to the parser. All of these are reserved:
    as a name they stand in brackets or quotes.
    """
    for token in tokens:
        if token.kind is Kind.WORD and token.text.lower() in _TSQL_STATEMENTS:
            raise Refusal(
                RefusalCode.SEVERAL_STATEMENTS,
                f"{token.text.upper()} begins a second statement; as a name it is written [{token.text}].",
            )


def check_calls(tokens: list[Token], aliases: set[str], context: Context) -> None:
    """Raises `Refusal` if an unknown name stands before a parenthesis."""
    known = functions.scalars(context.dialect) | functions.table_functions(context.dialect)
    for token, after in pairwise(tokens):
        if after.kind is not Kind.OP or after.text != "(" or token.kind not in (Kind.WORD, Kind.QUOTED):
            continue
        name = token.text.lower()
        grammar = token.kind is Kind.WORD and name in _GRAMMAR
        user = any(name == f.rpartition(".")[2] for f in context.user_functions)
        if not (grammar or user or name in known or name in aliases or name == "current_setting"):
            raise Refusal(RefusalCode.FUNCTION, f"{token.text}(…) is not on the list of functions that only compute.")


def check_types(tokens: list[Token], context: Context) -> None:
    """Raises `Refusal` for a cast of PostgreSQL to a type of another schema, or to a quoted name that hides one.

    `"integer"` in quotes is not the built-in type, whose name in the catalog is `int4`; nor is `app.int4`.
    """
    for i, token in enumerate(tokens[:-1]):
        double_colon = token.text == ":" and i > 0 and tokens[i - 1].text == ":" and token.kind is Kind.OP
        if not double_colon and not (token.kind is Kind.WORD and token.text.lower() == "as"):
            continue
        name, *rest = tokens[i + 1 : i + 4]
        dotted = len(rest) == 2 and rest[0].kind is Kind.OP and rest[0].text == "." and name.kind is not Kind.OP
        hidden = double_colon and not dotted and name.kind is Kind.QUOTED and name.text in _GRAMMAR - {"char", "text"}
        if hidden and name.text.lower() not in context.user_functions:
            raise Refusal(RefusalCode.TYPE, f"A cast to {name.text} may run code of the database; use a built-in type.")


def plain_operators(tokens: list[Token]) -> list[Token]:
    """The tokens with `-` in place of operators of PostgreSQL that the parser does not know.

    Raises:
        Refusal: An operator is not one that PostgreSQL brings: it would run a function of a user.
    """
    out: list[Token] = []
    run: list[Token] = []
    for token in [*tokens, _END]:
        is_operator = is_operator_sign(token)
        if run and not (is_operator and run[-1].end == token.start):
            out += _checked(run)
            run = []
        if is_operator:
            run.append(token)
        elif token is not _END:
            out.append(token)
    return out


def is_operator_sign(token: Token) -> bool:
    """Whether a token is a sign that operators of PostgreSQL are made of."""
    return token.kind is Kind.OP and token.text in _OPERATOR_CHARACTERS


def check_operator(operator: str) -> None:
    """Raises `Refusal` unless this operator is one that PostgreSQL brings."""
    if operator not in _POSTGRES_OPERATORS:
        raise Refusal(RefusalCode.OPERATOR, f"The operator {operator} is not one of PostgreSQL's own.")


def _checked(run: list[Token]) -> list[Token]:
    """One unbroken run of operator characters, cut as PostgreSQL cuts it: a sign at its end stands alone."""
    text = "".join(token.text for token in run)
    length = len(run)
    while length > 1 and text[length - 1] in "+-" and not _MAY_END_IN_SIGN & set(text[:length]):
        length -= 1
    operator = text[:length]
    check_operator(operator)
    rest = run[length:]
    if operator in _PARSED_OPERATORS:
        return run
    return [Token(Kind.OP, "-", run[0].start, run[length - 1].end, spaced=True), *rest]
