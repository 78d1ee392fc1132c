"""Tables written as text in random dialects, for reading them back.

What is truly ambiguous is never written, and each such rule says why. A case is made from one number alone.
"""

from __future__ import annotations

import datetime as dt
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import duckdb

from tabulaflow_core.data.files import read_file
from tabulaflow_core.data.files.values import looks_like
from tabulaflow_core.data.files.words import TOTALS

Value = None | bool | int | Decimal | str | dt.date | dt.datetime


def _split(words: str) -> list[str]:
    return words.split()


_ASCII = _split(
    "apple river stone cloud paper green north window garden silver copper bridge market valley engine harbor candle "
    "forest planet signal ladder meadow basket tunnel"
)
_LANGUAGES = {
    "cp1252": "Größe Müller Straße München Übung Gebäude schön Käse Tür grün Jäger Öl Ärzte hören löschen Mädchen",
    "iso8859-1": "élève château garçon déjà été hôtel forêt première août Réunion crème vérité pâte Zoë façade",
    "cp1250": "Łódź źródło końcowe żółć święta Kraków miesiąc dzień pięć Gdańsk wartość ilość złoty zażółć",
    "iso8859-2": "Łódź źródło końcowe żółć święta Kraków miesiąc dzień pięć Gdańsk wartość ilość złoty zażółć",
    "cp1251": "Москва Новосибирск продажи количество цена товар регион область Иванов столица",
    "cp1253": "Αθήνα Θεσσαλονίκη πωλήσεις ποσότητα τιμή προϊόν περιοχή σύνολα Ηράκλειο",
    "cp1254": "İstanbul Beşiktaş Üsküdar Kadıköy satış ürün fiyatı çağrı Şişli Diyarbakır güneş",
    "cp932": "東京 大阪 売上高 商品名 北海道 カタカナ ひらがな 数量 株式会社 横浜市",
    "gb18030": "北京 上海 销售额 产品名称 数量 价格 地区 有限公司 客户 订单 中国",
    "big5": "台北 高雄 銷售額 產品名稱 數量 價格 地區 有限公司 客戶 訂單",
    "euc_kr": "서울 부산 매출액 상품명 수량 가격 지역 주식회사 고객 주문",
}
_UNICODE = ("utf-8", "utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
_TRUE_FALSE = (("true", "false"), ("TRUE", "FALSE"), ("True", "False"), ("wahr", "falsch"), ("vrai", "faux"))
_MONTHS = _split("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
_LONG_MONTHS = (
    _split("January February March April May June July August September October November December"),
    _split("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
    _split("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    _split("stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"),
)


@dataclass(slots=True)
class Column:
    """A column as it should be read, and as it stands in the file."""

    name: str
    kind: str
    values: list[Value]
    cells: list[str]


@dataclass(slots=True)
class Case:
    """A table, the bytes of its file, and what was chosen for it."""

    seed: int
    columns: list[Column]
    content: bytes
    choices: dict[str, object] = field(default_factory=dict)


class Maker:
    """Makes the case of one seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        pick = self.random.choice
        self.fixed = self.random.random() < 0.05
        self.delimiter = pick([",", ",", ",", ";", ";", "\t", "\t", "|", "^", "~", "||", "::", "|~|"])
        self.encoding = pick(list(_LANGUAGES)) if self.random.random() < 0.35 else pick(_UNICODE)
        # Values are other words than names: a first line whose words stand again below it may be a row.
        words = _LANGUAGES.get(self.encoding, "")
        self.words = words.split() if words else _ASCII[12:] + ["naïve", "Łódź", "北京", "größer"][: pick([0, 4])]
        self.quoting = pick(["minimal", "minimal", "all", "text"])
        self.quote = "'" if self.random.random() < 0.06 and not self.fixed else '"'
        # Doubled or escaped, but only where cells hold quotes does the file show which.
        self.escape = "\\" if self.random.random() < 0.1 else ""
        self.decimal = pick([".", ".", ","])
        self.rows = pick([5, 6, 8, 12, 20, 40, 60])
        if self.random.random() < 0.03:
            self.rows = 700
        self.end = pick(["\n", "\n", "\r\n", "\r\n", "\r"])
        self.comment = self.random.random() < 0.1

    def make(self) -> Case:
        pick = self.random.choice
        wide = self.delimiter in ("^", "~", "||", "::", "|~|") or self.fixed
        # A rare sign that cuts a file into two columns is as likely a part of its words.
        width = self.random.randint(3 if wide else 1, 8)
        if width == 1:
            # In one column single quotes may be a part of the words, and decimal commas may part two columns.
            self.quote, self.decimal = '"', "."
        order = pick(["dmy", "mdy"])
        makers: list[Callable[[], tuple[str, list[Value], list[str]]]] = [
            self.integers,
            self.decimals,
            lambda: self.dates(order),
            self.datetimes,
            self.texts,
            self.texts,
            self.codes,
            self.booleans,
            self.times,
        ]
        drawn = [pick(makers)() for _ in range(width)]
        strange = self.encoding in _LANGUAGES
        if strange and not any(kind == "text" and any(not c.isascii() for c in cells) for kind, _, cells in drawn):
            drawn[0] = self.texts()
        if strange and sum(not c.isascii() for _, _, cells in drawn for c in cells) < 8:
            # Three letters say nothing about a code page.
            self.encoding = "utf-8"
        # Without a header, a first row of texts could be one: numbers or dates must show that it is not.
        headed = self.random.random() < 0.85 or not any(k in ("integer", "number", "date") for k, _, _ in drawn)
        names = self.names(width) if headed else [f"column_{i + 1}" for i in range(width)]
        columns = [Column(n, *d) for n, d in zip(names, drawn, strict=True)]
        self.nulls(columns)
        lines = self.lines(columns, headed)
        text = self.end.join(lines) + (self.end if self.random.random() < 0.85 else "")
        return Case(self.seed, columns, text.encode(self.encoding), self.chosen(headed))

    def chosen(self, headed: bool) -> dict[str, object]:
        names = ("delimiter", "encoding", "quoting", "quote", "escape", "decimal", "rows", "end", "fixed")
        return {name: getattr(self, name) for name in names} | {"headed": headed}

    def names(self, width: int) -> list[str]:
        bases = self.random.sample(_ASCII[:12], width)
        style = self.random.choice(["plain", "upper", "words", "unit", "snake"])
        forms: dict[str, Callable[[str], str]] = {
            "plain": str,
            "upper": str.upper,
            "words": lambda b: f"{b.title()} of all",
            "unit": lambda b: f"{b} (kg)",
            "snake": lambda b: f"{b}_id",
        }
        return [forms[style](b) for b in bases]

    def integers(self) -> tuple[str, list[Value], list[str]]:
        top = self.random.choice([9, 100, 5_000, 10**6, 10**9, 10**17, 10**25])
        low = self.random.choice([0, -top])
        values = [self.random.randint(low, top) for _ in range(self.rows)]
        group = self.random.choice(["", "", "", " ", "\u00a0", "'", "." if self.decimal == "," else ","])
        if group in (" ", "\u00a0") and self.fixed:
            group = ""
        if group in (".", ","):
            # `1.234` alone may be a decimal; two groups prove that it is none.
            values[self.random.randrange(self.rows)] = self.random.randint(10**6, 10**8)
        cells = [f"{v:,}".replace(",", group) for v in values]
        if not group and self.random.random() < 0.1:
            cells = [f"({-v})" if v < 0 else str(v) for v in values]
        return "integer", list(values), self.encodable(cells, [str(v) for v in values])

    def decimals(self) -> tuple[str, list[Value], list[str]]:
        # Three decimals look like a group of thousands.
        scale = self.random.choice([1, 2, 2, 2, 4, 6])
        top = self.random.choice([1, 100, 10**4, 10**7])
        values = [
            Decimal(self.random.randint(-top * 10**scale, top * 10**scale)).scaleb(-scale) for _ in range(self.rows)
        ]
        group = self.random.choice(["", "", " ", "\u00a0", "'", "." if self.decimal == "," else ","])
        if group in (" ", "\u00a0") and self.fixed:
            group = ""
        cells = [
            f"{v:,.{scale}f}".replace(".", "\x00").replace(",", group).replace("\x00", self.decimal) for v in values
        ]
        plain = [f"{v:.{scale}f}".replace(".", self.decimal) for v in values]
        form = self.random.random()
        if form < 0.15 and not self.fixed:
            sign = self.random.choice(["€", "$", "EUR ", "£"])
            cells = [f"-{sign}{c[1:]}" if c.startswith("-") else f"{sign}{c}" for c in cells]
        elif form < 0.25:
            cells = [f"{c}%" for c in cells]
        elif form < 0.3:
            cells = [f"({c[1:]})" if c.startswith("-") else c for c in cells]
        return "number", list(values), self.encodable(cells, plain)

    def encodable(self, cells: list[str], plain: list[str]) -> list[str]:
        try:
            "".join(cells).encode(self.encoding)
        except UnicodeEncodeError:
            return plain
        # A no-break space and a currency are few bytes to tell a code page by.
        if self.encoding in _LANGUAGES and not "".join(cells).isascii():
            return plain
        return cells

    def dates(self, order: str) -> tuple[str, list[Value], list[str]]:
        days = [dt.date(1970, 1, 1) + dt.timedelta(days=self.random.randrange(29_000)) for _ in range(self.rows)]
        form = self.random.choice(["iso", "slash", "local", "local", "short", "month", "long"])
        if form in ("local", "short"):
            # Days up to 12 show no order.
            days[self.random.randrange(self.rows)] = dt.date(2026, self.random.randint(1, 12), 27)
        separator = "/" if order == "mdy" else self.random.choice("./-")
        pattern = {"dmy": f"%d{separator}%m{separator}%Y", "mdy": f"%m{separator}%d{separator}%Y"}[order]
        if form == "iso":
            cells = [d.isoformat() for d in days]
        elif form == "slash":
            cells = [d.strftime("%Y/%m/%d") for d in days]
        elif form == "local":
            cells = [d.strftime(pattern) for d in days]
        elif form == "short":
            days = [d.replace(year=1970 + d.year % 60) for d in days if (d.month, d.day) != (2, 29)]
            days += [dt.date(2026, 1, 27)] * (self.rows - len(days))
            cells = [d.strftime(pattern.replace("%Y", "%y")) for d in days]
        elif form == "month":
            cells = [f"{d.day:02}-{_MONTHS[d.month - 1]}-{d.year}" for d in days]
        else:
            months = self.random.choice(_LONG_MONTHS)
            plain = [d.isoformat() for d in days]
            cells = self.encodable([f"{d.day} {months[d.month - 1]} {d.year}" for d in days], plain)
            if self.fixed:
                cells = plain
        return "date", list(days), cells

    def datetimes(self) -> tuple[str, list[Value], list[str]]:
        start = dt.datetime(1971, 1, 1)
        times = [start + dt.timedelta(seconds=self.random.randrange(10**9)) for _ in range(self.rows)]
        form = self.random.choice(["T", " ", "minutes", "fraction", "zone", "german"])
        if self.fixed and form in (" ", "minutes", "german"):
            form = "T"
        if form == "minutes":
            times = [t.replace(second=0) for t in times]
            return "datetime", list(times), [f"{t:%Y-%m-%d %H:%M}" for t in times]
        if form == "fraction":
            times = [t.replace(microsecond=self.random.randrange(1000) * 1000) for t in times]
            return "datetime", list(times), [f"{t:%Y-%m-%dT%H:%M:%S}.{t.microsecond // 1000:03}" for t in times]
        if form == "zone":
            zones = [dt.timezone(dt.timedelta(hours=self.random.choice([-5, 0, 2, 9]))) for _ in times]
            aware = [t.replace(tzinfo=z) for t, z in zip(times, zones, strict=True)]
            return "datetime", list(aware), [a.isoformat() for a in aware]
        if form == "german":
            times[0] = times[0].replace(day=27)
            return "datetime", list(times), [f"{t:%d.%m.%Y %H:%M:%S}" for t in times]
        return "datetime", list(times), [t.isoformat(sep=form) for t in times]

    def texts(self) -> tuple[str, list[Value], list[str]]:
        rich = self.random.random() < 0.4 and not self.fixed
        values: list[str] = []
        while len(values) < self.rows:
            text = " ".join(self.random.choice(self.words) for _ in range(self.random.choice([1, 1, 2, 3])))
            if rich:
                text += self.random.choice(
                    ["", "", ", x", "; y", " | z", f" {self.quote}q{self.quote} r", "\ntwo", " 5"]
                )
            # A word for a total could be one, and `May 5` is no text for sure.
            if looks_like(text) == "text" and text.casefold() not in TOTALS and not text.startswith(self.quote):
                values.append(text)
        return "text", list(values), values

    def codes(self) -> tuple[str, list[Value], list[str]]:
        length = self.random.choice([5, 8, 12])
        values = [f"{self.random.randrange(10**length):0{length}}" for _ in range(self.rows)]
        values[self.random.randrange(self.rows)] = "0" + values[0][1:]
        return "text", list(values), values

    def booleans(self) -> tuple[str, list[Value], list[str]]:
        words = self.random.choice(_TRUE_FALSE)
        values = [self.random.random() < 0.5 for _ in range(self.rows)]
        return "boolean", list(values), [words[0] if v else words[1] for v in values]

    def times(self) -> tuple[str, list[Value], list[str]]:
        values = [f"{self.random.randrange(24):02}:{self.random.randrange(60):02}" for _ in range(self.rows)]
        return "text", list(values), values

    def nulls(self, columns: list[Column]) -> None:
        """Take some values away, but never all of a row: an empty line is no row."""
        if len(columns) < 2:
            return
        for column in columns[1:]:
            share = self.random.choice([0, 0, 0.1, 0.3])
            word = self.random.choice(["", "", "NA", "n/a", "NULL", "-", "\\N"])
            # In text NA is Namibia, and a column of fewer than three values proves little.
            if column.kind == "text" or self.fixed:
                word = ""
            if column.cells[0].startswith("0") or column.kind == "text":
                share = min(share, 0.1)
            keep = {0, 1, 2, self.rows - 1}
            proof = [i for i, v in enumerate(column.values) if isinstance(v, dt.date) and v.day > 12]
            keep |= set(proof) | {i for i, c in enumerate(column.cells) if c.count(".") + c.count(",") > 1}
            keep |= {i for i, c in enumerate(column.cells) if c.startswith("0")}
            for index in range(self.rows):
                if index not in keep and self.random.random() < share:
                    column.values[index], column.cells[index] = None, word

    def lines(self, columns: list[Column], headed: bool) -> list[str]:
        rows = [list(cells) for cells in zip(*(c.cells for c in columns), strict=True)]
        table = ([[c.name for c in columns]] if headed else []) + rows
        if self.fixed:
            lines = self.padded(table, columns)
        else:
            lines = [self.delimiter.join(self.cell(c) for c in row) for row in table]
        return self.around(lines, columns, headed)

    def padded(self, table: list[list[str]], columns: list[Column]) -> list[str]:
        widths = [max(len(row[i]) for row in table) for i in range(len(columns))]
        return [
            "  ".join(
                c.rjust(w) if column.kind in ("integer", "number") else c.ljust(w)
                for c, w, column in zip(row, widths, columns, strict=True)
            ).rstrip()
            for row in table
        ]

    def cell(self, cell: str) -> str:
        special = self.delimiter in cell or self.quote in cell or "\n" in cell or "\r" in cell
        wanted = self.quoting == "all" or (self.quoting == "text" and looks_like(cell) == "text")
        if not special and not wanted:
            return cell
        return self.quote + cell.replace(self.quote, (self.escape or self.quote) + self.quote) + self.quote

    def around(self, lines: list[str], columns: list[Column], headed: bool) -> list[str]:
        """Title lines, comments, a footer and a totals row."""
        before: list[str] = []
        after: list[str] = []
        # Above one column every line is a line of it.
        if len(columns) > 2 and headed and not self.fixed:
            if self.random.random() < 0.15:
                before = ["Report on apples", "made on Monday"][: self.random.choice([1, 2])]
                before += [""] if self.random.random() < 0.5 else []
            elif self.comment:
                before = ["# made by a program", "# on Monday"]
                lines.insert(self.random.randint(2, len(lines)), "# odd one")
            elif self.delimiter in ",;" and self.random.random() < 0.05:
                before = [f"sep={self.delimiter}"]
            if self.random.random() < 0.1:
                after = self.random.choice([["Source: the office"], ["", "Note: some apples were counted by hand"]])
            sums = [c for c in columns[1:] if c.kind == "integer" and all(isinstance(v, int) for v in c.values)]
            if sums and columns[0].kind == "text" and self.random.random() < 0.2:
                total = sum(v for v in sums[0].values if isinstance(v, int))
                if total:
                    cells = ["Total"] + [str(total) if c is sums[0] else "" for c in columns[1:]]
                    after = [self.delimiter.join(self.cell(c) for c in cells), *after]
        return before + lines + after


def check(case: Case, storage: Path) -> str:
    """What is wrong with the table that is read from the case's bytes; empty when it is the same."""
    path = storage / f"case-{case.seed}.txt"
    path.write_bytes(case.content)
    reading = read_file(path, storage=storage / "read")
    path.unlink()
    if len(reading.tables) != 1:
        return f"{len(reading.tables)} tables"
    (table,) = reading.tables
    with duckdb.connect(str(table.database), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'").fetchall()
        rows = connection.execute(f'SELECT * FROM "{table.table}"').fetchall()
    table.database.unlink()
    if list(table.columns) != [c.name for c in case.columns]:
        return f"names {list(table.columns)} instead of {[c.name for c in case.columns]}"
    for column, kind in zip(case.columns, table.types, strict=True):
        if kind != column.kind and not (column.kind == "number" and kind == "integer"):
            return f"“{column.name}” is {kind} instead of {column.kind}: {column.cells[:4]}"
    if len(rows) != len(case.columns[0].values):
        return f"{len(rows)} rows instead of {len(case.columns[0].values)}"
    for index, column in enumerate(case.columns):
        for number, (row, value) in enumerate(zip(rows, column.values, strict=True)):
            if not _same(row[index], value):
                return f"“{column.name}” row {number}: {row[index]!r} instead of {value!r} ({column.cells[number]!r})"
    return ""


def _same(read: object, value: Value) -> bool:
    if isinstance(value, Decimal) and not isinstance(value, bool):
        return isinstance(read, int | float | Decimal) and (read == value or float(read) == float(value))
    if isinstance(value, str):
        return isinstance(read, str) and read.replace("\r\n", "\n") == value
    if isinstance(value, dt.datetime) and isinstance(read, dt.datetime):
        return read == value
    return type(read) is type(value) and read == value


def run(seeds: range, told: Callable[[int, Case, str], None]) -> int:
    """Read every case back; the number of failures, each of which is told."""
    failures = 0
    with tempfile.TemporaryDirectory(prefix="tabulaflow-") as folder:
        for seed in seeds:
            case = Maker(seed).make()
            if wrong := check(case, Path(folder)):
                failures += 1
                told(seed, case, wrong)
    return failures
