"""SQL that turns a staged text column into its type. A value that does not fit gives NULL, and is counted."""

from __future__ import annotations

from tabulaflow_core.data.files.infer import Finding, has_exponent, unit_of
from tabulaflow_core.data.files.report import DateOrder
from tabulaflow_core.data.files.values import ALWAYS_MISSING, BOOLEANS, MONTHS, number_pattern

#: What is taken off both ends of a cell.
TRIMMED = " \t\r\n\u00a0\u202f"


def quoted(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """An SQL string."""
    return "'" + text.replace("'", "''") + "'"


def trimmed(column: str) -> str:
    """The cell (staged without outer blanks), NULL when nothing is left."""
    return f"nullif({column}, '')"


def text_expression(column: str) -> str:
    """The cell as text; only the export marker for "no value" becomes NULL."""
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
        left, _, right = _core(shape.text).partition(mark)
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
    value = trimmed(column)
    simple = all(s.text.strip("9") in ("", "-", ".", "-.") for s in finding.numbers) and mark == "."
    if simple and not finding.misfits:
        return f"TRY_CAST({value} AS {engine_type})"
    digits = f"regexp_replace({value}, {literal(f'[^0-9eE{mark}]')}, '', 'g')"
    if any(has_exponent(s.text) for s in finding.numbers):
        digits = f"regexp_replace({value}, {literal(f'[^0-9eE+{mark}-]')}, '', 'g')"
        digits = f"ltrim({digits}, '+-')"
    else:
        digits = f"regexp_replace({value}, {literal(f'[^0-9{mark}]')}, '', 'g')"
    if mark == ",":
        digits = f"replace({digits}, ',', '.')"
    negative = rf"regexp_matches({value}, '^[(−-]|[-]$|^[^0-9.,]*[−-][^0-9]*[0-9.,]')"
    sign = f"CASE WHEN {negative} THEN '-' ELSE '' END"
    fits = f"regexp_full_match({value}, {literal(number_pattern(mark))})"
    number = f"TRY_CAST({sign} || {digits} AS {engine_type})"
    if engine_type == "DOUBLE":
        fits += f" AND NOT isinf({number})"  # 1e400 is a number that no double holds
    return f"CASE WHEN {fits} THEN {number} END"


def date_expression(column: str, finding: Finding, order: DateOrder, engine_type: str) -> str:
    """A date or timestamp of any form that the column holds; the other forms give NULL."""
    value = trimmed(column)
    choices: list[str] = []
    forms = {(form, sep, year) for form, sep, year, _, _ in finding.forms}
    timed = engine_type != "DATE"
    for form, sep, year in sorted(forms):
        year_mark = "%Y" if len(year) == 4 else "%y"
        if form == "iso":
            clean = value if sep == "-" else f"regexp_replace({value}, '^(\\d+)[./](\\d+)[./]', '\\1-\\2-')"
            clean = f"replace({clean}, ',', '.')" if timed else clean
            choices.append(_timed(clean, "%Y-%m-%d", engine_type))
        elif form == "local":
            pattern = sep.join(("%m", "%d", year_mark) if order == "mdy" else ("%d", "%m", year_mark))
            choices.append(_timed(value, pattern, engine_type))
        else:
            name = f"regexp_extract({value}, '\\pL+')"
            numbered = f"regexp_replace({value}, '\\pL+\\.?', {_month_case(name)})"
            blank = f"trim(regexp_replace(split_part({numbered}, ':', 1), '[ ,./-]+', ' ', 'g'))"
            if timed:
                blank = f"{blank} || regexp_extract({value}, ':.*$')"
            pattern = ("%d %m " if form == "day_month" else "%m %d ") + year_mark
            choices.append(_timed(blank, pattern, engine_type))
    return choices[0] if len(choices) == 1 else f"coalesce({', '.join(choices)})"


def _month_case(name: str) -> str:
    by_number: dict[int, list[str]] = {}
    for month, number in MONTHS.items():
        by_number.setdefault(number, []).append(month)
    cases = " ".join(
        f"WHEN lower({name}) IN ({', '.join(literal(m) for m in names)}) THEN ' {number} '"
        for number, names in sorted(by_number.items())
    )
    return f"CASE {cases} ELSE ' ' END"


def _timed(value: str, date: str, engine_type: str) -> str:
    if engine_type == "DATE":
        return f"TRY_CAST(try_strptime({value}, {literal(date)}) AS DATE)"
    if date == "%Y-%m-%d":
        return f"TRY_CAST({value} AS {engine_type})"
    day = f"regexp_extract({value}, '^[^ T]+(?: [0-9]+ [0-9]+)?')"
    if " " in date:
        day = f"regexp_extract({value}, '^[0-9]+ [0-9]+ [0-9]+')"
    rest = f"trim(replace(substr({value}, length({day}) + 1), 'T', ' '), ' ')"
    iso = f"strftime(try_strptime({day}, {literal(date)}), '%Y-%m-%d')"
    clock = (
        f"CASE WHEN {rest} = '' THEN '00:00:00' WHEN regexp_matches({rest}, '[AaPp]\\.?[Mm]') "
        f"THEN strftime(try_strptime(upper(replace(replace({rest}, ' ', ''), '.', '')), "
        f"['%I:%M%p', '%I:%M:%S%p']), '%H:%M:%S') ELSE {rest} END"
    )
    return f"TRY_CAST({iso} || ' ' || {clock} AS {engine_type})"
