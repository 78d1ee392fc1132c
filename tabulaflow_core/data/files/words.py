"""Words and signs that cells are made of: missing values, true and false, months, currencies, totals, units."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split("|"))


#: Words that mean "no value" in a column of numbers or dates. In a column of text they stay: NA is Namibia.
MISSING = _words(
    "na|n/a|n.a.|n.a|#n/a|#na|<na>|null|(null)|none|nil|nan|\\n|missing|unknown|not available|"
    "not applicable|tba|tbd|-|--|---|–|—|.|..|...|…|*|**|***|****|*****|******|?|??|/|:|#|##|###|####|"
    "#####|######|#null!|#div/0!|#div/9!|#value!|#ref!|#name?|#num!|#n/a n/a|#calc!|#spill!|k.a.|k.a|"
    "k. a.|s/d|nd|n.d.|n.d|n/d|s.d.|s/o|n.v.t.|nvt|b.d.|brak|keine angabe|-nan|1.#qnan|-1.#ind|1.#ind"
)
#: Always "no value", even in text: the marker that databases export.
ALWAYS_MISSING = frozenset({"\\n"})

_TRUE_FALSE = (
    "true/false wahr/falsch vrai/faux verdadero/falso verdadeiro/falso vero/falso waar/onwaar prawda/fałsz sant/falskt "
    "sand/falsk tosi/epätosi pravda/nepravda igaz/hamis adevărat/fals doğru/yanlış истина/ложь αληθής/ψευδής"
)
#: Words for true and false that spreadsheets and programs write, by language. Yes, no, 1 and 0 are not among them.
BOOLEANS: dict[str, bool] = {
    word: value for pair in _TRUE_FALSE.split() for word, value in zip(pair.split("/"), (True, False), strict=True)
}

_CODES = (
    "EUR USD GBP CHF JPY CNY INR PLN CZK SEK NOK DKK HUF BRL AUD CAD NZD HKD SGD KRW MXN ZAR TRY RUB ILS THB IDR "
    "MYR PHP RON BGN UAH AED SAR EGP NGN KES ARS CLP COP PEN VND TWD ISK"
)
_SIGNS = (
    "US$ CA$ AU$ NZ$ HK$ NT$ R$ A$ C$ S$ MX$ $ € £ ¥ ￥ ₹ ₽ ₩ ₺ ₪ ฿ ₫ ₴ ₦ ₱ ₡ ₲ ₵ ₸ ¢ zł kr. kr Kč "
    "Ft Fr. Fr SFr. Rs. Rs руб. руб лв. лв lei 元 円 원 DM \\"
)
#: Where Japanese code pages have the backslash, people see the sign of the yen.
YEN_OF_JAPAN = "\\"
#: Currency codes and signs, the longer ones before those that they begin with.
CURRENCIES = tuple(sorted({*_CODES.split(), *_SIGNS.split()}, key=lambda w: (-len(w), w)))

_MONTHS = {
    1: "january januar janvier enero gennaio januari janeiro styczeń stycznia jan janv ene gen jän jänner sty",
    2: "february februar février fevrier febrero febbraio februari fevereiro luty lutego feb febr févr fév fev lut",
    3: "march märz maerz mars marzo maart março marco marzec marca mar mär mrz mrt",
    4: "april avril abril aprile kwiecień kwietnia apr avr abr kwi",
    5: "may mai mayo maggio mei maio maj maja mag",
    6: "june juni juin junio giugno junho czerwiec czerwca jun giu cze",
    7: "july juli juillet julio luglio julho lipiec lipca jul juil lug lip",
    8: "august août aout agosto augustus augusti sierpień sierpnia aug aoû ago sie",
    9: "september septembre septiembre setiembre settembre setembro wrzesień września sep sept set wrz",
    10: "october oktober octobre octubre ottobre outubro październik października oct okt ott out paź",
    11: "november novembre noviembre novembro listopad listopada nov lis",
    12: "december dezember décembre decembre diciembre dicembre dezembro grudzień grudnia dec dez déc dic gru",
}
MONTHS: dict[str, int] = {name: number for number, names in _MONTHS.items() for name in names.split()}

#: First words of a row of totals, in the languages of European and East Asian reports.
TOTALS = _words(
    "total|totals|grand total|overall total|overall|sum|sum total|all|summe|gesamt|gesamtsumme|insgesamt|"
    "endsumme|zusammen|totaal|totale|total general|total général|total geral|total generale|suma|razem|"
    "ogółem|celkem|summa|totalt|i alt|yhteensä|összesen|итого|всего|разом|σύνολο|toplam|genel toplam|合计|"
    "合計|总计|總計|小计|小計|합계|총계|المجموع|subtotal|sub-total|sub total|zwischensumme|sous-total|subtotale|"
    "average|mean|durchschnitt|mittelwert|moyenne|media|promedio|ensemble|gesamtergebnis|eindtotaal|"
    "totale complessivo|suma total|suma końcowa|celkový součet|celkom|spolu|totalsumma|hovedtotal|общий итог|"
    "kokku|viso|iš viso|kopā|skupaj|ukupno|укупно|общо|всичко|jumlah|tổng|tổng cộng|총합계|総合計"
)
#: Those of them that state a mean: a sum cannot prove them.
MEANS = frozenset(("average", "mean", "durchschnitt", "mittelwert", "moyenne", "media", "promedio"))
#: Those of them that sum up only the rows since the last one.
SUBTOTALS = frozenset(
    ("subtotal", "sub-total", "sub total", "zwischensumme", "sous-total", "subtotale", "小计", "小計")
)

#: Units of measure as they stand in a row of their own below the header.
UNITS = _words(
    "%|‰|kg|g|mg|µg|ug|t|lb|lbs|oz|m|cm|mm|km|µm|nm|mi|ft|in|yd|m2|m²|m3|m³|km2|km²|ha|acres|l|ml|dl|hl|"
    "gal|s|ms|sec|min|h|hr|hrs|d|days|day|weeks|months|years|year|yr|°c|°f|°|deg|deg c|degc|c|k|hz|khz|"
    "mhz|ghz|w|kw|mw|gw|wh|kwh|mwh|gwh|twh|j|kj|mj|v|mv|kv|a|ma|ohm|pa|hpa|kpa|mpa|bar|mbar|n|mol|mmol|"
    "ppm|ppb|db|lux|m/s|km/h|mph|kt|knots|mg/l|µg/m3|µg/m³|g/l|kg/m3|l/min|1/s|pcs|pc|units|unit|count|"
    "number|no.|index|ratio|score|eur|usd|gbp|chf|jpy|pln|$|€|£|¥|k€|m€|mio. eur|mio eur|tsd. eur|eur m|"
    "usd m|million|millions|thousand|thousands|1000|stück|stk|stk.|anzahl|jahre|tage|std|personen|"
    "persons|people|unités|yyyy-mm-dd|dd.mm.yyyy|dd/mm/yyyy|mm/dd/yyyy|kb|mb|gb|tb|bytes"
)
