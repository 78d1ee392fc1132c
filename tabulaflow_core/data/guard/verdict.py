"""What the guard answers: a statement is allowed, or it is refused with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RefusalCode(StrEnum):
    """Why a statement was refused; closed, so that callers may match on it."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    TOO_DEEP = "too_deep"
    UNREADABLE = "unreadable"
    SEVERAL_STATEMENTS = "several_statements"
    EXECUTABLE_COMMENT = "executable_comment"
    PLACEHOLDER = "placeholder"
    NOT_A_QUERY = "not_a_query"
    WRITES = "writes"
    LOCKS = "locks"
    CONSTRUCT = "construct"
    FUNCTION = "function"
    OPERATOR = "operator"
    TYPE = "type"
    FILE = "file"
    CATALOG = "catalog"
    SETTING = "setting"
    TOO_LARGE = "too_large"
    UNKNOWN_DIALECT = "unknown_dialect"


@dataclass(frozen=True, slots=True)
class Allowed:
    """The statement is one query that only reads.

    Attributes:
        sql: The statement as it was given, without the closing semicolon and white space around it.
        kind: What it is: `select`, `values`, `table`, `explain`, `describe`, `show`, `summarize` or `pragma`.
        tables: The tables it names, as written, sorted, without the names of its own CTEs.
        types: Types of a user that PostgreSQL would cast to, sorted. Such a cast may run code where the type is a
            domain, which the text cannot tell: `engines.postgres_lock` looks at them before the statement runs.
    """

    sql: str
    kind: str
    tables: tuple[str, ...]
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """The statement must not run.

    Attributes:
        reason: One or two plain sentences that say what was refused and why.
        code: The family of the reason.
    """

    reason: str
    code: RefusalCode


class Refusal(Exception):
    """Raised inside the guard and turned into `Refused` at its door; never leaves this package."""

    def __init__(self, code: RefusalCode, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
