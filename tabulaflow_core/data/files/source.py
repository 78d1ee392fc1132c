"""The file as it was given: refused when it is not there, or when its bytes are no text."""

from __future__ import annotations

import stat
from pathlib import Path

from tabulaflow_core.errors import FileUnreadable

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"-----BEGIN PGP", "an encrypted message"),
    (b"Salted__", "an encrypted file"),
    (b"{\\rtf", "a text document (RTF)"),
    (b"OggS", "a sound file"),
    (b"ID3", "a sound file"),
)
_BLANKS = b" \t\r\n\x00,;|\"'\xef\xbb\xbf\xff\xfe"
_CONTROLS = bytes([*range(32), 127])


def check_file(path: Path) -> None:
    """Refuse what is no file with something in it.

    Raises:
        FileUnreadable: It is missing, empty, a folder, no plain file, or may not be read.
    """
    try:
        if stat.S_ISFIFO(mode := path.stat().st_mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode):
            raise FileUnreadable(f"{path.name} is a pipe or a device, not a file. Save its output to a file first.")
        with path.open("rb") as file:
            head = file.read(8)
    except FileNotFoundError as error:
        raise FileUnreadable(f"There is no file {path.name} at that place. Check the path.") from error
    except IsADirectoryError as error:
        raise FileUnreadable(f"{path.name} is a folder, not a file. Name the file in it.") from error
    except PermissionError as error:
        raise FileUnreadable(
            f"{path.name} may not be read: permission denied. Give yourself the right to read it, or copy it."
        ) from error
    except OSError as error:
        raise FileUnreadable(
            f"{path.name} cannot be opened: {error.strerror or error}. Copy it to a folder of your own and try again."
        ) from error
    if not head:
        raise FileUnreadable(f"{path.name} is empty (0 bytes). Export it again, or choose another file.")


def is_text(head: bytes) -> bool:
    """True when the first bytes of a file are those of text and not of a binary format; blanks alone are no text."""
    if any(head.startswith(magic) for magic, _ in _MAGIC) or not head.strip(_BLANKS):
        return False
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if even or odd:  # two bytes a character, one of which is mostly zero
        half = max(len(head) // 2, 1)
        return min(even, odd) < half * 0.05 and max(even, odd) > half * 0.4
    control = sum(head.count(bytes([b])) for b in (*range(1, 9), *range(14, 27), 28, 29, 30, 127))
    return control <= len(head) // 100 or _parted(head)


def _parted(head: bytes) -> bool:
    """True for lines that one control character parts, as Hive writes tables: as often in each, and no other one."""
    lines = [line for line in head[: head.rfind(b"\n") + 1].splitlines() if line][:200]
    others = bytes({*range(1, 9), *range(14, 27), 28, 29, 30, 127} - {1, 30})
    if len(lines) < 2 or b"\x00" in head or len(head.translate(None, others)) < len(head):
        return False
    counts = [(line.count(b"\x01"), line.count(b"\x1e")) for line in lines]
    return len(set(counts)) == 1 and sum(1 for count in counts[0] if count) == 1


def refuse_binary(path: Path, name: str) -> None:
    """Refuse what is no text.

    Raises:
        FileUnreadable: With what the file is, as far as its first bytes tell.
    """
    with path.open("rb") as file:
        head = file.read(1 << 16)
    for magic, what in _MAGIC:
        if head.startswith(magic):
            raise FileUnreadable(f"{name} is {what}, not a table. Export the data as CSV and add that file.")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = max(len(head) // 2, 1)
    wide = (odd > half * 0.4 and even < half * 0.05) or (even > half * 0.4 and odd < half * 0.05)
    control = sum(head.count(bytes([b])) for b in (*range(1, 9), *range(14, 27), 28, 29, 30, 127))
    much = head.count(0) > max(2, len(head) // 500) or control > max(3, len(head) // 50)
    unprinted = not head.translate(None, _CONTROLS + _BLANKS) and head.translate(None, _BLANKS)
    if not wide and (much or unprinted) and not _parted(head):
        raise FileUnreadable(
            f"{name} holds binary data, not text: it may be encrypted, damaged, or of another kind than its name says. "
            "Export the data as CSV and add that file."
        )
    if not head.strip(_BLANKS):
        raise FileUnreadable(
            f"{name} holds no data, only blanks and separators. Export it again, or choose another file."
        )
