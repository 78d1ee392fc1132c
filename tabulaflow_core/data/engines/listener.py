"""What listens at an address where a driver found no database of its kind: told by its first words."""

from __future__ import annotations

import socket
from contextlib import suppress
from enum import StrEnum
from typing import Final


class Listener(StrEnum):
    """Who answers, as a person would call it; a closed set."""

    POSTGRES = "PostgreSQL"
    MYSQL = "MariaDB or MySQL"
    WEB = "a web server"
    REDIS = "Redis"
    SSH = "an SSH server"
    OTHER = "something else"
    SILENT = "nobody who speaks"  # the connection is taken, and nothing is said


#: PostgreSQL's SSLRequest, to which it answers one byte: postgresql.org/docs/current/protocol-message-formats.html.
_SSL_REQUEST: Final = bytes.fromhex("0000000804d2162f")
#: What a web server answers, and what Redis takes for a command that it does not know.
_GET: Final = b"GET / HTTP/1.0\r\n\r\n"
#: Seconds; MariaDB, MySQL and SSH speak first, and on the way to a far host.
_CONNECT_SECONDS: Final = 1.5
_GREETING_SECONDS: Final = 0.5
_ANSWER_SECONDS: Final = 0.8
_REDIS: Final = (b"-ERR", b"-NOAUTH", b"-DENIED", b"-NOPERM", b"+OK")


def who_listens(host: str, port: int) -> Listener | None:
    """Connect, listen, and ask what a PostgreSQL and a web server answer; blocks for 5 seconds at most.

    Returns:
        None where no connection is taken, or where it is closed without a word.
    """
    silent = False
    for wait, question in ((_GREETING_SECONDS, _SSL_REQUEST), (0.0, _GET)):
        try:
            with socket.create_connection((host, port), timeout=_CONNECT_SECONDS) as talk:
                answer = _heard(talk, wait) if wait else None
                if answer is None:
                    talk.sendall(question)
                    answer = _heard(talk, _ANSWER_SECONDS)
        except OSError:
            continue
        if answer:
            return _who(answer)
        silent = silent or answer is None
    return Listener.SILENT if silent else None


def _heard(talk: socket.socket, seconds: float) -> bytes | None:
    """The first words; None where nothing is said in time, nothing where the connection is closed."""
    talk.settimeout(seconds)
    with suppress(TimeoutError):
        return talk.recv(256)
    return None


def _who(words: bytes) -> Listener:
    # A packet of the server's first words: its length, its number 0, and the version of the protocol or an error.
    if words[3:4] == b"\0" and words[4:5] in (b"\x0a", b"\xff"):
        return Listener.MYSQL
    if words in (b"S", b"N") or (words[:1] == b"E" and words[1:2] in (b"\0", b"F")):
        return Listener.POSTGRES
    if words.startswith(b"SSH-"):
        return Listener.SSH
    if words.startswith(_REDIS):
        return Listener.REDIS
    return Listener.WEB if words.startswith((b"HTTP/", b"<")) else Listener.OTHER
