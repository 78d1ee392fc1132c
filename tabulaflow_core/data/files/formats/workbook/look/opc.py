"""How the parts of an Office package refer to each other, and what that alone tells."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from urllib.parse import unquote

from tabulaflow_core.data.files.formats.workbook.look.model import SheetKind
from tabulaflow_core.data.files.formats.workbook.look.package import Package
from tabulaflow_core.data.files.formats.workbook.look.xml import Attributes, flag, read_xml
from tabulaflow_core.data.files.watch import ReadBounds

MACROS = "The workbook holds macros. They were not run."
LINKS = "Some formulas refer to other workbooks. The values stored with them were used; no link was followed."

#: Kinds of relations that lead to a sheet (ECMA-376 part 1, 12.3, and MS-OFFMACRO2 2.2.1.5).
SHEET_KINDS: dict[str, SheetKind] = {
    "worksheet": "sheet",
    "chartsheet": "chart",
    "dialogsheet": "dialog",
    "xlMacrosheet": "macro",
    "xlIntlMacrosheet": "macro",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """One reference of a part.

    Attributes:
        kind: The last word of its type.
        target: The name of the part it leads to; empty when it leads out of the file.
    """

    kind: str
    target: str


def relations(package: Package, part: str, *, bounds: ReadBounds) -> dict[str, Relation]:
    """The references of a part by their ids; of the whole package when `part` is empty.

    Raises:
        FileUnreadable: As `xml.read_xml`.
        xml.parsers.expat.ExpatError: It is not well-formed.
    """
    folder, name = posixpath.split(part)
    found: dict[str, Relation] = {}

    def start(element: str, attributes: Attributes) -> None:
        if element != "Relationship":
            return
        outside = attributes.get("TargetMode", "").lower() == "external"
        target = unquote(attributes.get("Target", "")).replace("\\", "/")
        inside = "" if outside else posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        found[attributes.get("Id", "")] = Relation(attributes.get("Type", "").rpartition("/")[2], inside)

    read_xml(package.blocks(posixpath.join(folder, "_rels", f"{name}.rels")), start, bounds=bounds)
    return found


def workbook_part(package: Package, *, bounds: ReadBounds, usual: str) -> str:
    """The name of the part that lists the sheets."""
    for relation in relations(package, "", bounds=bounds).values():
        if relation.kind == "officeDocument" and relation.target in package:
            return relation.target
    return usual


def notices_of(found: dict[str, Relation]) -> list[str]:
    """What a person should know of a workbook by its references."""
    kinds = {relation.kind for relation in found.values()}
    macros = {"vbaProject", "xlMacrosheet", "xlIntlMacrosheet"} & kinds
    return [MACROS] * bool(macros) + [LINKS] * ("externalLink" in kinds)


@dataclass(slots=True)
class ListedSheet:
    """A sheet as the workbook part lists it."""

    name: str
    state: str
    relation: str


def list_sheets(package: Package, part: str, *, bounds: ReadBounds) -> tuple[list[ListedSheet], bool]:
    """The sheets of an XLSX workbook part, and whether its dates count from 1904."""
    sheets: list[ListedSheet] = []
    date_1904 = False

    def start(element: str, attributes: Attributes) -> None:
        nonlocal date_1904
        if element == "workbookPr":
            date_1904 |= flag(attributes, "date1904")
        elif element == "sheet":
            relation = next((v for k, v in attributes.items() if k.endswith(":id")), "")
            sheets.append(ListedSheet(attributes.get("name", ""), attributes.get("state", "visible"), relation))

    read_xml(package.blocks(part), start, bounds=bounds)
    return sheets, date_1904
