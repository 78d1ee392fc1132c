"""Passwords in a text that was meant to be a database URL and cannot be read as one: cut out, and put back."""

from __future__ import annotations

import re
from typing import Final

from tabulaflow_core.data.engines.generic.profiles import PROFILES

#: What stands where a secret was cut out.
MASK: Final = "***"

_SCHEMES: Final = frozenset({"jdbc", "postgres", "mariadb", "duckdb", "http", "https", *PROFILES})
_SCHEME: Final = re.compile(r"(?P<name>[a-z][a-z0-9.\-]*)(?:\+[a-z0-9_]*)?:(?!/)", re.IGNORECASE)
#: `password=…` as in a URL's query, a connection string, an environment variable, a command line or JSON; its value
#: reaches to the next `&` or `;`, or to a blank before another `name=`.
_NAMED: Final = re.compile(
    r"(?:passwo?r?d|passphrase|pwd|secret|token|private_?key|credentials_base64)\"?\s*[=:]\s*(?:"
    r"'(?P<single>(?:[^'\\]|\\.|'')*)|\"(?P<double>(?:[^\"\\]|\\.)*)|\{(?P<braced>[^}]*)"
    r"|(?P<bare>(?:(?!\s+-{0,2}\w+\s*=|\s--?\w)[^&;])+))",
    re.IGNORECASE,
)
#: `-pSECRET` of MySQL's own client.
_SWITCH: Final = re.compile(r"\s-p(?P<secret>[^\s=]\S*)")
_CLIENT: Final = re.compile(r"\s*(?:mysql|mariadb)\w*\s", re.IGNORECASE)


def cut_secrets(text: str) -> tuple[str, tuple[str, ...]]:
    """Take what may be a password out of a text.

    Nothing is known of the text but that it is no URL that can be read: rather too much is cut than too little.

    Args:
        text: As somebody typed it.

    Returns:
        The text with `***` in each secret's place, and the secrets in their order, as they were written.
    """
    spans = [match.span(match.lastgroup or 0) for match in _NAMED.finditer(text)]
    rest = text
    for start, end in spans:  # an `@` in one of these ends no login
        rest = rest[:start] + " " * (end - start) + rest[end:]
    if _CLIENT.match(text):
        spans += [match.span("secret") for match in _SWITCH.finditer(text)]
    spans.append(_login(rest))
    kept, reached = "", 0
    secrets: list[str] = []
    for start, end in sorted(spans):
        if start < reached:  # inside one that is cut already: that one reaches on
            start = reached
        if start >= end:
            continue
        if start == reached and secrets:
            secrets[-1] += text[start:end]
        else:
            kept += text[reached:start] + MASK
            secrets.append(text[start:end])
        reached = end
    return kept + text[reached:], tuple(secrets)


def put_back(text: str, secrets: tuple[str, ...]) -> str:
    """The text with the secrets in place of the `***`; as it is when their numbers differ."""
    parts = text.split(MASK)
    if len(parts) != len(secrets) + 1:
        return text
    return parts[0] + "".join(secret + part for secret, part in zip(secrets, parts[1:], strict=True))


def _login(text: str) -> tuple[int, int]:
    """Where the password before the host stands: from the user's `:` to the last `@`; empty where there is none."""
    slashes = re.search("//+", text)
    begin = slashes.end() if slashes else 0
    while not slashes and (scheme := _SCHEME.match(text, begin)) and scheme["name"].lower() in _SCHEMES:
        begin = scheme.end()
    at = text.rfind("@")
    if at > begin:
        colon = text.find(":", begin, at)
        return (colon + 1, at) if colon >= 0 else (0, 0)
    if not slashes:
        return 0, 0
    # Without an `@`: what follows the `:` is a port, an address in brackets, or a password whose host is missing.
    place = re.compile(r"(?:\[[0-9a-f:.%]*\])?[^:/?]*", re.IGNORECASE).match(text, begin)
    colon = place.end() if place else begin
    if text[colon : colon + 1] != ":" or re.match(r"\d*(?:[/?,;]|$)", text[colon + 1 :]):
        return 0, 0
    return colon + 1, len(text.partition("?")[0])
