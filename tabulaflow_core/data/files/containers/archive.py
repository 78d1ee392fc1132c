"""The members of ZIP and TAR archives, with safe names and a word on those that hold no data.

Nothing is ever written under a name that an archive gives, and links are not followed.
"""

from __future__ import annotations

import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final, Literal

from tabulaflow_core.data.files.formats import ReadJob
from tabulaflow_core.errors import FileUnreadable

ArchiveKind = Literal["zip", "tar"]
#: `data` is read unless the person says otherwise, the others are listed or, as `noise`, only counted.
MemberState = Literal["data", "off", "empty", "unreadable", "noise"]

#: Packages of other programs: one document each, though ZIP archives inside.
_OFFICE: Final = frozenset(
    {".xlsx", ".xlsm", ".xlsb", ".xltx", ".xltm", ".ods", ".ots", ".docx", ".pptx", ".odt", ".numbers", ".epub"}
)
_OFFICE_PARTS: Final = frozenset({"[Content_Types].xml", "mimetype", "content.xml", "Index/Document.iwa"})
_SYSTEM_FILES: Final = frozenset({"thumbs.db", "desktop.ini"})
_ABOUT: Final = re.compile(
    r"(?:read[ _-]?me|licen[cs]e|copying|changelog|changes|notice|authors|contributing)[^/.]*"
    r"(?:\.(?:txt|md|rst|pdf|html?|docx?))?",
    re.IGNORECASE,
)
_LOCKED: Final = "it is locked by a password; unpack it yourself and add the file inside"
#: Info-ZIP's field with the name in UTF-8: APPNOTE 4.6.9.
_UNICODE_PATH: Final = 0x7075
_LOCAL_HEADER: Final = 30


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive.

    Attributes:
        name: Its path in the archive, without what would lead out of it.
        size: Bytes when unpacked, as the archive says.
        packed: Bytes when packed; 0 when it is not packed.
        message: Why it is not read, or what a person should know of it.
    """

    name: str
    size: int
    packed: int
    state: MemberState
    open: Callable[[], IO[bytes]]
    message: str = ""


_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA})
#: Further methods by their number: APPNOTE 4.4.5.
_OTHER_METHODS: Final = {
    **{1: "Shrink", 6: "Implode", 9: "Deflate64", 10: "Implode", 18: "Terse", 19: "LZ77"},
    **{2: "Reduce", 3: "Reduce", 4: "Reduce", 5: "Reduce"},
    **{20: "Zstandard", 93: "Zstandard", 94: "MP3", 95: "XZ", 96: "JPEG", 97: "WavPack", 98: "PPMd"},
}


def archive_kind(path: Path, name: str) -> ArchiveKind | None:
    """Which archive the file is; None for none, and for the packages of office programs."""
    with path.open("rb") as file:
        head = file.read(512)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        office = _is_office(path)
        if office is None:  # damaged: then its name is all there is to go by
            office = Path(name).suffix.lower() in _OFFICE
        return None if office else "zip"
    if head[257:262] == b"ustar":
        return "tar"
    if name.lower().endswith(".tar") and len(head) == 512 and tarfile.is_tarfile(path):
        return "tar"
    return None


def _is_office(path: Path) -> bool | None:
    """Whether a zip is the package of an office program; None when it cannot be opened."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return None
    return not _OFFICE_PARTS.isdisjoint(names) or any(n.startswith(("xl/", "word/", "ppt/")) for n in names)


@contextmanager
def open_archive(job: ReadJob, kind: ArchiveKind) -> Iterator[Sequence[Member]]:
    """The members of the archive, for as long as it is open.

    Raises:
        FileUnreadable: It is damaged, or its members lie over each other or are too many.
    """
    try:
        if kind == "zip":
            with zipfile.ZipFile(job.path) as archive:
                yield _named(_zip_members(job, archive))
        else:
            with tarfile.open(job.path, "r:") as tar:
                yield _named(_tar_members(job, tar))
    except (zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, zlib.error, ValueError, NotImplementedError) as e:
        if isinstance(e, FileUnreadable):
            raise
        raise FileUnreadable(
            f"{job.name} is a damaged {kind} file and cannot be unpacked. Pack it again, or give the unpacked files."
        ) from e


def _zip_members(job: ReadJob, archive: zipfile.ZipFile) -> list[Member]:
    entries = archive.infolist()
    _bounded(job, len(entries))
    end = 0
    for entry in sorted(entries, key=lambda e: e.header_offset):
        if entry.header_offset < end:
            raise FileUnreadable(
                f"{job.name} holds files that lie over each other, as archives do that are made to fill a disk. "
                "Unpack it yourself if you trust it."
            )
        end = entry.header_offset + _LOCAL_HEADER + entry.compress_size
    return [_zip_member(archive, e) for e in entries if not e.filename.endswith(("/", "\\"))]


def _zip_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Member:
    name = _zip_name(entry)

    def read() -> IO[bytes]:
        return archive.open(entry)

    member = Member(name, entry.file_size, max(entry.compress_size, 1), _state(name, entry.file_size), read)
    if member.state == "noise":
        return member
    if stat.S_ISLNK(entry.external_attr >> 16):
        return replace(member, state="unreadable", message="it is a link, and links in archives are not followed")
    if entry.flag_bits & 1:
        return replace(member, state="unreadable", message=_LOCKED)
    if entry.compress_type not in _METHODS:
        method = _OTHER_METHODS.get(entry.compress_type, f"method {entry.compress_type}")
        message = f"it is packed by {method}, which is not unpacked here; pack it again by the usual method, Deflate"
        return replace(member, state="unreadable", message=message)
    return member


def _zip_name(entry: zipfile.ZipInfo) -> str:
    """The name; without the UTF-8 flag it is in code page 437 by the standard, but often UTF-8 all the same."""
    extra = entry.extra
    while len(extra) >= 4:
        kind, size = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
        if kind == _UNICODE_PATH and size > 5 and extra[4] == 1:
            return extra[9 : 4 + size].decode("utf-8", "replace")
        extra = extra[4 + size :]
    if not entry.flag_bits & 0x800 and not entry.orig_filename.isascii():
        try:
            return entry.filename.encode("cp437").decode("utf-8")
        except UnicodeError:
            return entry.filename
    return entry.filename


def _tar_members(job: ReadJob, tar: tarfile.TarFile) -> list[Member]:
    members: list[Member] = []
    for entry in tar:
        job.watch.advance("unpacking")
        _bounded(job, len(members) + 1)
        if not entry.isdir():
            members.append(_tar_member(tar, entry))
    return members


def _tar_member(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> Member:
    def read() -> IO[bytes]:
        stream = tar.extractfile(entry)
        assert stream is not None  # only for what is no file
        return stream

    member = Member(entry.name, entry.size, 0, _state(entry.name, entry.size), read)
    if member.state == "noise":
        return member
    if entry.issym() or entry.islnk():
        return replace(member, state="unreadable", message="it is a link, and links in archives are not followed")
    if not entry.isreg() or entry.issparse():
        return replace(member, state="unreadable", message="it is no plain file")
    return member


def _bounded(job: ReadJob, count: int) -> None:
    if count > job.watch.bounds.members:
        raise FileUnreadable(
            f"{job.name} holds more than {job.watch.bounds.members:,} files, the most that are looked at in one "
            "archive. Raise the bound (members), or add the files that you need one by one."
        )


def _state(name: str, size: int) -> MemberState:
    parts = name.replace("\\", "/").split("/")
    last = parts[-1]
    if (
        "__MACOSX" in parts
        or last.casefold() in _SYSTEM_FILES
        or any(p.startswith(".") and p.strip(".") for p in parts)
    ):
        return "noise"
    if not size:
        return "empty"
    return "off" if _ABOUT.fullmatch(last) else "data"


def _named(members: list[Member]) -> list[Member]:
    """The members under safe names, of which each stands once; of equal names the last one counts."""
    cleaned = [replace(m, name=_safe(m.name) or f"member {i}") for i, m in enumerate(members, 1)]
    last = {m.name: i for i, m in enumerate(cleaned)}
    taken = set(last)
    result = []
    for index, (member, raw) in enumerate(zip(cleaned, members, strict=True)):
        if member.state == "off" and not member.message:
            member = replace(member, message="it tells about the files and holds no data of its own")
        elif member.state == "empty":
            member = replace(member, message="it is empty (0 bytes)")
        if member.state != "noise":
            if last[member.name] != index:
                member = _older(member, taken)
            elif ".." in raw.name.replace("\\", "/").split("/"):
                member = replace(member, message=member.message or f"its path in the archive leads outside: {raw.name}")
        result.append(member)
    return result


def _older(member: Member, taken: set[str]) -> Member:
    count = 1
    while f"{member.name} ({count})" in taken:
        count += 1
    name = f"{member.name} ({count})"
    taken.add(name)
    state: MemberState = "off" if member.state == "data" else member.state
    return replace(member, name=name, state=state, message=member.message or "a later file has the same name")


def _safe(name: str) -> str:
    """The path without drive, root, `.` and `..`: it is only ever shown and compared."""
    parts = re.sub(r"^[A-Za-z]:", "", name.replace("\\", "/").replace("\x00", "")).split("/")
    return "/".join(p for p in parts if p not in ("", ".", ".."))
