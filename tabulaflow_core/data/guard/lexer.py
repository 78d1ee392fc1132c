"""Cuts a statement into tokens as the engine's own scanner does.

The parser is never shown the text itself but the text written anew from these tokens: comments gone, literals in
their plainest form. So the parser and the engine cannot disagree about where a literal or a comment ends, which is
where most attacks on parsing guards begin.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from tabulaflow_core.data.guard.lexicon import LexRules
from tabulaflow_core.data.guard.verdict import Refusal, RefusalCode

_NUMBER = re.compile(r"0[xX][0-9a-fA-F_]+|0[oObB][0-9_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[^\W\d][\w$]*")
_DOLLAR_TAG = re.compile(r"\$(?:[^\W\d]\w*)?\$")
_CONTINUED = re.compile(r"[ \t\f\v]*(?:--[^\r\n]*)?[\r\n](?:\s|--[^\r\n]*)*'")
_PLAIN_SPACE = " \t\r\n\f\v"


class Kind(Enum):
    """The sort of a token."""

    WORD = auto()
    QUOTED = auto()
    STRING = auto()
    NUMBER = auto()
    OP = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `text` of a string or a quoted name is its decoded content.

    `prefix` is the letter that gives a literal its meaning (`x`, `b`), lower case, where the parser has to know it.
    """

    kind: Kind
    text: str
    start: int
    end: int
    prefix: str = ""
    spaced: bool = False


class Lexer:
    """Scans one text once; `tokens()` gives the list or raises `Refusal`."""

    def __init__(self, sql: str, rules: LexRules) -> None:
        self._sql = sql
        self._rules = rules
        self._at = 0
        self._spaced = False
        self._out: list[Token] = []

    def tokens(self) -> list[Token]:
        """All tokens, in order, without comments."""
        while self._at < len(self._sql):
            if self._skip_space() or self._skip_comment():
                self._spaced = True
                continue
            self._next()
            self._spaced = False
        return self._out

    def _emit(self, kind: Kind, text: str, end: int, prefix: str = "") -> None:
        self._out.append(Token(kind, text, self._at, end, prefix, self._spaced))
        self._at = end

    def _skip_space(self) -> bool:
        char = self._sql[self._at]
        if char in _PLAIN_SPACE or (self._rules.unicode_space and char.isspace()):
            self._at += 1
            return True
        return False

    # -- comments ------------------------------------------------------------------------------------------------

    def _skip_comment(self) -> bool:
        sql, at, rules = self._sql, self._at, self._rules
        if sql.startswith("/*", at):
            self._block_comment()
            return True
        line = sql.startswith("--", at) and (
            not rules.dash_needs_space or at + 2 == len(sql) or sql[at + 2] in _PLAIN_SPACE or ord(sql[at + 2]) < 32
        )
        line = line or (rules.hash_comments and sql[at] == "#") or (rules.slash_comments and sql.startswith("//", at))
        if not line:
            return False
        ends = [i for i in (sql.find(c, at) for c in rules.line_ends) if i >= 0]
        self._at = min(ends, default=len(sql))
        if rules.cautious and sql[self._at - 1] in "\\\r":
            raise Refusal(RefusalCode.UNREADABLE, "A comment that may go on in the next line is not read.")
        return True

    def _block_comment(self) -> None:
        sql, at = self._sql, self._at
        after = sql[at + 2 : at + 4]
        if self._rules.executable_comments and (after.startswith("!") or after.upper() == "M!"):
            raise Refusal(
                RefusalCode.EXECUTABLE_COMMENT,
                "The comment /*! … */ is code to the server, so it cannot be checked. Write the query without it.",
            )
        if after.startswith("+"):
            self._hint(at)
        depth, at = 1, at + 2
        while depth:
            close, opened = sql.find("*/", at), sql.find("/*", at)
            if close < 0 and self._rules.open_comments:
                self._at = len(sql)
                return
            if close < 0:
                raise Refusal(RefusalCode.UNREADABLE, "A comment /* is never closed.")
            if self._rules.nested_comments and 0 <= opened < close:
                depth, at = depth + 1, opened + 2
            else:
                depth, at = depth - 1, close + 2
        if self._rules.cautious and "/*" in sql[self._at + 2 : at]:
            raise Refusal(RefusalCode.UNREADABLE, "A comment inside a comment is not read; write the query without it.")
        self._at = at

    def _hint(self, at: int) -> None:
        """Optimizer hints are comments that may set variables; only the plain ones of a known list pass."""
        if not self._rules.hints:
            return
        body = self._sql[at + 3 : max(self._sql.find("*/", at), at + 3)]
        for name in re.findall(r"(\w+)\s*\(", body):
            if name.lower() not in self._rules.hints:
                raise Refusal(
                    RefusalCode.EXECUTABLE_COMMENT,
                    f"The optimizer hint {name} can change settings or limits. Write the query without it.",
                )

    # -- tokens --------------------------------------------------------------------------------------------------

    def _next(self) -> None:
        sql, at, rules = self._sql, self._at, self._rules
        char = sql[at]
        if char == "\0":
            raise Refusal(RefusalCode.UNREADABLE, "The statement holds a NUL byte.")
        if char == "'" or char in rules.string_quotes:
            self._string(at, char, rules.backslash)
        elif char in rules.name_quotes:
            self._quoted(char, rules.name_quotes[char])
        elif char == "$" and rules.dollar_quotes and (tag := _DOLLAR_TAG.match(sql, at)):
            self._dollar(tag.group())
        elif match := _WORD.match(sql, at):
            self._word(match)
        elif match := _NUMBER.match(sql, at):
            self._number(match)
        elif char in rules.refused or (rules.cautious and sql.startswith("//", at)):
            raise Refusal(
                RefusalCode.UNREADABLE, f"The sign {char} stands outside a literal. Write the query without it."
            )
        elif char.isascii() and char.isprintable():
            self._emit(Kind.OP, char, at + 1)
        else:
            raise Refusal(
                RefusalCode.UNREADABLE,
                f"The character U+{ord(char):04X} stands outside a literal. Replace it by a plain one.",
            )

    def _string(self, at: int, quote: str, backslash: bool, prefix: str = "") -> None:
        """Reads a literal whose opening quote stands at `at`; `self._at` may be before it, at a prefix."""
        sql, parts, i = self._sql, [], at + 1
        triple = quote * 3
        if self._rules.triple_quotes and sql.startswith(triple, at):
            raise Refusal(RefusalCode.UNREADABLE, "Triple-quoted literals are not read; use plain quotes.")
        while True:
            if i >= len(sql):
                raise Refusal(RefusalCode.UNREADABLE, "A text literal is never closed.")
            char = sql[i]
            if char == "\\" and self._rules.cautious and sql[i + 1 : i + 2] == quote:
                raise Refusal(
                    RefusalCode.UNREADABLE, "A backslash before a quote is not read; write the quote twice instead."
                )
            if backslash and char == "\\" and i + 1 < len(sql):
                parts.append(_unescape(sql[i + 1]))
                i += 2
            elif char != quote:
                parts.append(char)
                i += 1
            elif sql.startswith(quote, i + 1):
                parts.append(quote)
                i += 2
            else:
                break
        if prefix == "e" and _CONTINUED.match(sql, i + 1):
            raise Refusal(RefusalCode.UNREADABLE, "An E'…' literal that goes on in the next line is not read.")
        self._emit(Kind.STRING, "".join(parts), i + 1, prefix if prefix in ("x", "b") else "")

    def _quoted(self, opening: str, closing: str) -> None:
        sql, parts, i = self._sql, [], self._at + 1
        while True:
            end = sql.find(closing, i)
            if end < 0:
                raise Refusal(RefusalCode.UNREADABLE, f"A quoted name that begins with {opening} is never closed.")
            parts.append(sql[i:end])
            i = end + 1
            if opening == "[" or not sql.startswith(closing, i):
                break
            parts.append(closing)
            i += 1
        if self._rules.cautious and "\\" in "".join(parts):
            raise Refusal(RefusalCode.UNREADABLE, "A name with a backslash is not read.")
        self._emit(Kind.QUOTED, "".join(parts), i)

    def _dollar(self, tag: str) -> None:
        body = self._at + len(tag)
        end = self._sql.find(tag, body)
        if end < 0:
            raise Refusal(RefusalCode.UNREADABLE, f"A literal that begins with {tag} is never closed.")
        self._emit(Kind.STRING, self._sql[body:end], end + len(tag))

    def _word(self, match: re.Match[str]) -> None:
        sql, rules, word, end = self._sql, self._rules, match.group(), match.end()
        following = sql[end : end + 1]
        prefix = word.lower()
        if following == "&" and prefix == "u" and rules.unicode_escapes:
            if sql[end + 1 : end + 2] == "'":
                # Its escapes are left as they are: no decision rests on what such a literal says.
                self._string(end + 1, "'", False)
                return
            if sql[end + 1 : end + 2] == '"':
                raise Refusal(RefusalCode.UNREADABLE, 'U&"…" names are not read; write the characters plainly.')
        if prefix == "uescape" and rules.unicode_escapes and (rest := re.compile(r"\s*'.'").match(sql, end)):
            self._at = rest.end()
            return
        if following == "'" and prefix not in rules.prefixes and (rules.cautious or prefix in ("q", "nq")):
            raise Refusal(RefusalCode.UNREADABLE, f"The literal {word}'…' is not read; write a plain one.")
        if following and following in rules.string_quotes + "'" and prefix in rules.prefixes:
            self._string(end, following, rules.prefixes[prefix], prefix)
            return
        if not word.isascii() and not all(c.isalnum() or c in "_$" for c in word):
            raise Refusal(RefusalCode.UNREADABLE, f"The name {word!r} holds an unusual character; quote it.")
        self._emit(Kind.WORD, word, end)

    def _number(self, match: re.Match[str]) -> None:
        sql, end = self._sql, match.end()
        if end < len(sql) and (sql[end].isalnum() or sql[end] in "_$"):
            word = re.compile(r"\d+[^\W\d]\w*").match(sql, self._at)
            if word and self._rules.digit_names and not re.match(r"\d+[eE]", word.group()):
                self._emit(Kind.WORD, word.group(), word.end())
                return
            raise Refusal(RefusalCode.UNREADABLE, f"The number {match.group()} runs into a word; put a space between.")
        self._emit(Kind.NUMBER, match.group(), end)


def _unescape(char: str) -> str:
    return {"n": "\n", "t": "\t", "r": "\r", "0": " ", "b": " ", "Z": " "}.get(char, char)


def render(tokens: list[Token], rules: LexRules) -> str:
    """Writes tokens as text that any scanner of this dialect reads the same way."""
    parts: list[str] = []
    before: Token | None = None
    for token in tokens:
        glued = before is not None and not token.spaced
        if glued and before is not None and before.kind is Kind.OP and token.kind is Kind.OP:
            glued = before.text + token.text not in ("--", "/*", "//")
        if not glued:
            parts.append(" ")
        parts.append(_written(token, rules))
        before = token
    return "".join(parts).strip()


def _written(token: Token, rules: LexRules) -> str:
    match token.kind:
        case Kind.STRING:
            text = token.text.replace("\\", "\\\\") if rules.backslash else token.text
            quote = "''" if rules.doubled_quotes else "\\'"
            return f"{token.prefix}'{text.replace(chr(39), quote)}'"
        case Kind.QUOTED:
            quote = rules.write_quote
            return f"{quote}{token.text.replace(quote, quote * 2)}{quote}"
        case _:
            return token.text
