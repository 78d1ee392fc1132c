"""The data styles of ODS as format codes, so that one module says what they mean.

Source: OpenDocument 1.3 part 3, 16.29 (number, currency, percentage, date, time and text styles) and 16.3 (maps).
"""

from __future__ import annotations

from tabulaflow_core.data.files.formats.workbook.look.formats import describe
from tabulaflow_core.data.files.formats.workbook.look.styles import Codes
from tabulaflow_core.data.files.formats.workbook.look.xml import Attributes, whole

_DATA_STYLES = {
    "number-style",
    "percentage-style",
    "currency-style",
    "date-style",
    "time-style",
    "text-style",
    "boolean-style",
}
#: Elements of dates and times: short and long form.
_PARTS = {
    "year": ("yy", "yyyy"),
    "month": ("m", "mm"),
    "day": ("d", "dd"),
    "day-of-week": ("ddd", "dddd"),
    "era": ("g", "ggg"),
    "hours": ("h", "hh"),
    "minutes": ("m", "mm"),
    "seconds": ("s", "ss"),
}
#: Codes for values whose cell has a type and no style that says the same.
_BY_TYPE = {"percentage": "0.00%", "date": "yyyy-mm-dd", "time": "[h]:mm:ss"}
_KINDS = {
    "percentage": {"percent"},
    "currency": {"currency"},
    "date": {"date", "datetime", "time"},
    "time": {"time", "duration", "datetime"},
}
_MOST_PARENTS = 10


class DataStyles:
    """Takes the elements of styles and says the code of a cell.

    Attributes:
        hidden_tables: Names of table styles that hide their sheet.
    """

    def __init__(self) -> None:
        self.codes = Codes()
        self.hidden_tables: set[str] = set()
        self._code: dict[str, str] = {}
        self._first_map: dict[str, str] = {}
        self._cell: dict[str, tuple[str, str]] = {}
        self._keys: dict[tuple[str, str, str], int] = {}
        self._open = ""
        self._table = ""
        self._pieces: list[str] = []
        self._elapsed = self._wants_text = False
        self._embedded: list[tuple[int, str]] = []
        self._number: Attributes | None = None

    def start(self, name: str, attributes: Attributes) -> None:
        """An element of the styles begins."""
        if name in _DATA_STYLES:
            self._open, self._pieces = attributes.get("style:name", ""), []
            self._elapsed = attributes.get("number:truncate-on-overflow") == "false"
        elif self._open:
            self._inside(name, attributes)
        elif name == "style":
            family, style = attributes.get("style:family"), attributes.get("style:name", "")
            self._table = style if family == "table" else ""
            if family == "table-cell":
                parent = attributes.get("style:parent-style-name", "")
                self._cell[style] = (attributes.get("style:data-style-name", ""), parent)
        elif name == "table-properties" and self._table and attributes.get("table:display") == "false":
            self.hidden_tables.add(self._table)

    def _inside(self, name: str, attributes: Attributes) -> None:
        if name in _PARTS:
            part = _PARTS[name][attributes.get("number:style") == "long"]
            if name == "month" and attributes.get("number:textual") == "true":
                part = "mmm" if part == "m" else "mmmm"
            if self._elapsed and not self._pieces and name in ("hours", "minutes", "seconds"):
                part = f"[{part}]"
            places = whole(attributes, "number:decimal-places")
            self._pieces.append(part + ("." + "0" * min(places, 9) if places else ""))
        elif name == "number":
            self._number, self._embedded = attributes, []
        elif name == "embedded-text":
            self._wants_text = True
            self._embedded.append((whole(attributes, "number:position"), ""))
        elif name == "scientific-number":
            self._pieces.append("0" + _places(attributes) + "E+00")
        elif name == "fraction":
            self._pieces.append("# ?/?")
        elif name == "am-pm":
            self._pieces.append("AM/PM")
        elif name == "text-content":
            self._pieces.append("@")
        elif name in ("text", "currency-symbol"):
            self._wants_text = True
        elif name == "map":
            self._first_map.setdefault(self._open, attributes.get("style:apply-style-name", ""))

    def text(self, text: str) -> None:
        """Character data."""
        if not (self._open and self._wants_text):
            return
        if self._number is not None and self._embedded:
            place, before = self._embedded[-1]
            self._embedded[-1] = (place, before + text[:100])
        else:
            self._pieces.append("".join(c if c in " -/.:,()%+" else _quoted(c) for c in text[:100]))

    def end(self, name: str) -> None:
        """An element ends."""
        if name in ("text", "currency-symbol", "embedded-text"):
            self._wants_text = False
        elif name == "number" and self._number is not None:
            self._pieces.append(_number_code(self._number, self._embedded))
            self._number = None
        elif name in _DATA_STYLES:
            self._code[self._open] = "".join(self._pieces)
            self._open = ""

    def key(self, style: str, value_type: str, currency: str) -> int:
        """The key (see `FormatRuns`) of a cell with that style, type and currency."""
        wanted = (style, value_type, currency)
        if wanted not in self._keys:
            number = value_type in ("float", "percentage", "currency", "date", "time")
            self._keys[wanted] = self.codes.key(self._code_of(*wanted)) + number
        return self._keys[wanted]

    def _code_of(self, style: str, value_type: str, currency: str) -> str:
        data = ""
        for _ in range(_MOST_PARENTS):
            data, style = self._cell.get(style, ("", ""))
            if data or not style:
                break
        code = self._code.get(self._first_map.get(data, ""), "") or self._code.get(data, "")
        kinds = _KINDS.get(value_type)
        if kinds is None or describe(code).kind in kinds:
            return code
        if value_type == "currency":
            return f"#,##0.00 [${currency}]" if currency.isalpha() else "#,##0.00 ¤"
        return _BY_TYPE[value_type]


def _quoted(character: str) -> str:
    return '\\"' if character == '"' else f'"{character}"'


def _places(attributes: Attributes) -> str:
    places = min(whole(attributes, "number:decimal-places"), 30)
    return "." + "0" * places if places else ""


def _number_code(attributes: Attributes, embedded: list[tuple[int, str]]) -> str:
    """The code of `number:number`, empty for the general one."""
    whole_digits = min(whole(attributes, "number:min-integer-digits"), 30)
    if "number:decimal-places" not in attributes and whole_digits <= 1 and not embedded:
        return "General"
    if attributes.get("number:grouping") == "true":
        digits = "#,##0" if whole_digits < 5 else "0,000" + "0" * (whole_digits - 4)
    else:
        digits = "0" * whole_digits or "#"
        for position, text in sorted(embedded, reverse=False)[:30]:
            if 0 < position < len(digits):
                cut = len(digits) - position
                digits = digits[:cut] + "".join(_quoted(c) for c in text) + digits[cut:]
    factor = attributes.get("number:display-factor", "")
    return digits + _places(attributes) + "," * ((len(factor) - 1) // 3 if factor.strip("0") == "1" else 0)
