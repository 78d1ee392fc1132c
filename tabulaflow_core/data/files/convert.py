"""SQL that turns a staged text column into its type. A value that does not fit gives NULL, and is counted."""

from __future__ import annotations

from tabulaflow_core.data.files.clocks import half_clock, is_half
from tabulaflow_core.data.files.infer import Finding, has_exponent, unit_of
from tabulaflow_core.data.files.report import DateOrder
from tabulaflow_core.data.files.scripts import DECIMAL, folding
from tabulaflow_core.data.files.values import EAST_CLOCK, EAST_DAY, EAST_MONTH, WEEKDAY, number_pattern
from tabulaflow_core.data.files.words import ALWAYS_MISSING, BOOLEANS, CURRENCIES, MONTHS

#: What is taken off both ends of a cell.
TRIMMED = " \t\r\n\u00a0\u2007\u202f"


def quoted(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """An SQL string."""
    return "'" + text.replace("'", "''") + "'"


def trimmed(column: str) -> str:
    """The cell (staged without outer blanks), NULL when nothing is left."""
    return f"nullif({column}, '')"


def plain(column: str, finding: Finding, mark: str = DECIMAL) -> str:
    """The cell as `trimmed` gives it, in the digits and signs of ASCII.

    Args:
        mark: What stands for the decimal mark of Arabic.
    """
    return f"trim({folding(trimmed(column), mark=mark)})" if finding.foreign else trimmed(column)


def text_expression(column: str, *, formulas: bool = False, exact: bool = False) -> str:
    """The cell as text; only the export marker for "no value" becomes NULL.

    Args:
        formulas: Cells such as `="00123"` stand for the text in them.
        exact: A person said what means "no value": the marker is text like any other.
    """
    if formulas:
        inner = f"regexp_replace({trimmed(column)}, '^=\"([^\"]*)\"$', '\\1')"
        return f"nullif({inner}, '')"
    if exact:
        return trimmed(column)
    words = ", ".join(literal(w) for w in sorted(ALWAYS_MISSING))
    return f"CASE WHEN lower({trimmed(column)}) IN ({words}) THEN NULL ELSE {trimmed(column)} END"


def boolean_expression(column: str) -> str:
    """True and false words of several languages."""
    true = ", ".join(literal(w) for w, value in BOOLEANS.items() if value)
    false = ", ".join(literal(w) for w, value in BOOLEANS.items() if not value)
    value = f"lower({trimmed(column)})"
    return f"CASE WHEN {value} IN ({true}) THEN true WHEN {value} IN ({false}) THEN false END"


def number_type(finding: Finding, mark: str) -> str:
    """The narrowest type that keeps every number as it is written.

    BIGINT to 18 digits, HUGEINT to 38; DECIMAL when all values with decimals have the same few (money);
    DOUBLE when 15 digits hold them, since a double gives back 15 digits exactly; else DECIMAL(38).
    """
    whole = scale = 0
    scales: set[int] = set()
    for shape in finding.numbers:
        if has_exponent(shape.text):
            return "DOUBLE"
        left, _, right = _core(shape.text).replace(DECIMAL, mark).partition(mark)
        whole = max(whole, left.count("9"))
        if right:
            scales.add(right.count("9"))
            scale = max(scale, right.count("9"))
    if not scale:
        return "BIGINT" if whole <= 18 else "HUGEINT" if whole <= 38 else "VARCHAR"
    if len(scales) == 1 and scale <= 4 and whole + scale <= 18:
        return f"DECIMAL(18,{scale})"
    if whole + scale <= 15:
        return "DOUBLE"
    return f"DECIMAL(38,{scale})" if whole + scale <= 38 else "DOUBLE"


def _core(shape: str) -> str:
    unit = unit_of(shape)
    return shape.replace(unit, "") if unit else shape


def number_expression(column: str, finding: Finding, mark: str, engine_type: str) -> str:
    """A number with this decimal mark; grouping, currency, percent and accounting signs are taken off."""
    value = plain(column, finding, mark)
    simple = all(s.text.removeprefix("-").strip("9") in ("", ".") for s in finding.numbers) and mark == "."
    if simple and not finding.misfits and not finding.foreign:
        return f"TRY_CAST({value} AS {engine_type})"
    bare = value
    if any(c.isalpha() or c == "." for s in finding.numbers for c in unit_of(s.text)):
        words = "|".join(regex_literal(w) for w in CURRENCIES if "." in w or "e" in w.casefold())
        bare = f"regexp_replace({value}, {literal(words)}, '', 'g')"  # `Rs.` is no decimal point, `EUR` no exponent
    if any(has_exponent(s.text) for s in finding.numbers):
        digits = f"regexp_replace({bare}, {literal(f'[^0-9eE+{mark}-]')}, '', 'g')"
        digits = f"ltrim({digits}, '+-')"
    else:
        digits = f"regexp_replace({bare}, {literal(f'[^0-9{mark}]')}, '', 'g')"
    if mark == ",":
        digits = f"replace({digits}, ',', '.')"
    negative = rf"regexp_matches({value}, '^[(−–-]|[^.,][−–-]$|DR$|^[^0-9.,]*[(−–-][^0-9]*[0-9.,]')"
    sign = f"CASE WHEN {negative} THEN '-' ELSE '' END"
    fits = f"regexp_full_match({value}, {literal(number_pattern(mark))})"
    number = f"TRY_CAST({sign} || {digits} AS {engine_type})"
    if engine_type == "DOUBLE":
        fits += f" AND NOT isinf({number})"  # 1e400 is a number that no double holds
    return f"CASE WHEN {fits} THEN {number} END"


def regex_literal(text: str) -> str:
    """The text as a pattern of RE2."""
    return "".join(f"\\{c}" if c in r"\.+*?()|[]{}^$" else c for c in text)


def date_expression(column: str, finding: Finding, order: DateOrder, engine_type: str) -> str:
    """A date or timestamp of any form that the column holds; the other forms give NULL."""
    value = plain(column, finding)
    forms = sorted({(form, sep if form in ("iso", "local") else "", year) for form, sep, year, _, _ in finding.forms})
    choices = [_date_choice(value, form, sep, len(year) == 4, order, engine_type) for form, sep, year in forms]
    return choices[0] if len(choices) == 1 else f"coalesce({', '.join(choices)})"


def _date_choice(value: str, form: str, sep: str, long_year: bool, order: DateOrder, engine_type: str) -> str:
    year = "%Y" if long_year else "%y"
    between, end = (r"\. ?", r"\.?") if sep == "." else (f"[{sep}]", "")
    if form == "iso":
        if engine_type == "DATE" and sep == "-":
            return f"TRY_CAST(try_strptime({value}, '%Y-%m-%d') AS DATE)"
        head = f"([0-9]{{4}}){between}([0-9]{{1,2}}){between}([0-9]{{1,2}}){end}"
        return _assembled(value, head, (1, 2, 3), "%Y-%m-%d", engine_type, dotted=sep == "-")
    if form == "local":
        digits = 4 if long_year else 2
        head = f"([0-9]{{1,2}}){between}([0-9]{{1,2}}){between}([0-9]{{{digits}}}){end}"
        places = (3, 1, 2) if order == "mdy" else (3, 2, 1)
        if order == "ymd" and not long_year:
            head, places = f"([0-9]{{2}}){between}([0-9]{{1,2}}){between}([0-9]{{1,2}}){end}", (1, 2, 3)
        return _assembled(value, head, places, f"{year}-%m-%d", engine_type)
    if form == "east":
        head = f"([0-9]{{{4 if long_year else 2}}}) ?{_captured(EAST_MONTH)} ?{_captured(EAST_DAY)}"
        return _assembled(value, head, (1, 2, 3), f"{year}-%m-%d", engine_type)
    if form == "east_month":
        month = literal(f"^([0-9]{{4}}) ?{_captured(EAST_MONTH)}$")
        first = f"regexp_replace({value}, {month}, '\\1-\\2-1')"
        return _assembled(first, "([0-9]{4})-([0-9]{1,2})-(1)", (1, 2, 3), "%Y-%m-%d", engine_type)
    first = f"regexp_replace(lower({value}), {literal('^' + WEEKDAY)}, '')"
    digits = 4 if long_year else 2
    head = f"[^0-9]*([0-9]{{1,2}})([^0-9]+)([0-9]{{{digits}}})"
    places = (3, 2, 1)
    if form == "unix":
        first = f"regexp_replace({first}, {literal(_UNIX)}, '\\1 \\4 \\2\\3')"
    if form in ("month_day", "unix"):
        head = "([^0-9]+)([0-9]{1,2})[^0-9]+([0-9]{4})"
        places = (3, 1, 2)
    elif form == "year_month":
        head = "([0-9]{4})([^0-9]+)([0-9]{1,2})"
        places = (1, 2, 3)
    return _assembled(first, head, places, f"{year}-%m-%d", engine_type, worded=True)


def _captured(pattern: str) -> str:
    """The pattern with its number as a group."""
    return pattern.replace("[0-9]{1,2}", "([0-9]{1,2})", 1)


def _assembled(
    value: str,
    head: str,
    places: tuple[int, int, int],
    pattern: str,
    engine_type: str,
    *,
    worded: bool = False,
    dotted: bool = False,
) -> str:
    """The year, month and day at these groups of `head`, and what stands behind as the time."""
    whole = literal(f"^{head}(.*)$")
    year, month, day = (f"regexp_extract({value}, {whole}, {place})" for place in places)
    if worded:
        month = _month_case(f"regexp_extract({month}, {literal(_MONTH_WORD)}, 1)")
    date = f"try_strptime({year} || '-' || {month} || '-' || {day}, {literal(pattern)})"
    rest = f"rtrim(ltrim(regexp_extract({value}, {whole}, 4), ' ,:tT'))"
    if engine_type == "DATE":
        return f"CASE WHEN {rest} = '' THEN CAST({date} AS DATE) END"
    rest = f"replace({rest}, ',', '.')"
    if dotted:
        rest = f"regexp_replace({rest}, '^-([0-9]{{2}})\\.([0-9]{{2}})\\.', '\\1:\\2:')"
    if "年" in head:
        rest = f"rtrim(regexp_replace({rest}, {literal(_EAST_CLOCK)}, '\\1:\\2:\\3'), ':')"
    rest = f"regexp_replace({rest}, '[ ]?(?:[zZ]|UTC|GMT|utc|gmt)$', '+00:00')"
    rest = f"regexp_replace({rest}, '[ ]?([+-][0-9]{{2}}):?([0-9]{{2}})$', '\\1:\\2')"
    clock = f"CASE WHEN {rest} = '' THEN '00:00:00' WHEN {is_half(rest)} THEN {half_clock(rest)} ELSE {rest} END"
    return f"TRY_CAST(strftime({date}, '%Y-%m-%d') || ' ' || {clock} AS {engine_type})"


#: The year of a date of Unix stands behind its time.
_UNIX = "^([^0-9]+[0-9]{1,2}) ([0-9:]{8})((?: (?:utc|gmt|[+-][0-9]{4}))?) ([0-9]{4})$"
_EAST_CLOCK = f"^{EAST_CLOCK.replace('[0-9]{1,2}', '([0-9]{1,2})')}$"
#: The longest names stand first: `mar` is a part of `march`.
_MONTH_WORD = r"(?:^|[^\pL])(" + "|".join(sorted(MONTHS, key=lambda m: (-len(m), m))) + r")(?:[^\pL]|$)"


def _month_case(name: str) -> str:
    by_number: dict[int, list[str]] = {}
    for month, number in MONTHS.items():
        by_number.setdefault(number, []).append(month)
    cases = " ".join(
        f"WHEN {name} IN ({', '.join(literal(m) for m in names)}) THEN '{number}'"
        for number, names in sorted(by_number.items())
    )
    return f"CASE {cases} END"
