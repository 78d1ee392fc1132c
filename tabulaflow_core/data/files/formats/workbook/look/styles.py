"""The number formats of an XLSX workbook: which code each cell style has."""

from __future__ import annotations

from collections.abc import Iterable

from tabulaflow_core.data.files.formats.workbook.look.builtin import BUILT_IN
from tabulaflow_core.data.files.formats.workbook.look.xml import Attributes, read_xml, whole
from tabulaflow_core.data.files.watch import ReadBounds

#: Excel keeps at most 65,490 cell styles.
MOST_STYLES = 100_000


class Codes:
    """Format codes, each once; the first is "" and stands for General."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {"": 0}

    def key(self, code: str) -> int:
        """Twice the index of the code, as `FormatRuns` keeps it."""
        if code.strip().lower() in ("", "general", "standard"):
            return 0
        return 2 * self._index.setdefault(code, len(self._index))

    def all(self) -> tuple[str, ...]:
        """The codes in the order of their indexes."""
        return tuple(self._index)


class StyleKeys:
    """Keys of cell styles, from formats by their ids and the ids that the styles name."""

    def __init__(self) -> None:
        self.codes = Codes()
        self._by_id: dict[int, str] = {}
        self._ids: list[int] = []

    def add_format(self, number: int, code: str) -> None:
        """A format that the workbook defines; it outranks a built-in one of its id."""
        self._by_id[number] = code

    def add_style(self, format_id: int) -> None:
        """The next cell style."""
        if len(self._ids) < MOST_STYLES:
            self._ids.append(format_id)

    def keys(self) -> list[int]:
        """A key for each cell style."""
        return [self.codes.key(self._by_id.get(i, BUILT_IN.get(i, ""))) for i in self._ids]


def read_styles(blocks: Iterable[bytes], *, bounds: ReadBounds) -> StyleKeys:
    """Read `styles.xml`.

    Raises:
        FileUnreadable: As `xml.read_xml`.
        xml.parsers.expat.ExpatError: It is not well-formed.
    """
    found = StyleKeys()
    path: list[str] = []

    def start(name: str, attributes: Attributes) -> None:
        parent = path[-1] if path else ""
        if name == "numFmt" and parent == "numFmts":
            number = whole(attributes, "numFmtId", -1)
            if number >= 0:
                found.add_format(number, attributes.get("formatCode", ""))
        elif name == "xf" and parent == "cellXfs":
            found.add_style(whole(attributes, "numFmtId"))
        path.append(name)

    def end(name: str) -> None:
        path.pop()

    read_xml(blocks, start, end, bounds=bounds)
    return found
