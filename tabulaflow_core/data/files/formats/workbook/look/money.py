"""Which currency a sign in a number format means."""

from __future__ import annotations

import re

#: Signs that mean one currency wherever they stand.
_ONE = {
    "€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₺": "TRY", "₩": "KRW", "₪": "ILS", "฿": "THB", "₫": "VND",
    "₴": "UAH", "₸": "KZT", "₦": "NGN", "₱": "PHP", "₲": "PYG", "₡": "CRC", "₵": "GHS", "₭": "LAK", "₮": "MNT",
    "₾": "GEL", "₼": "AZN", "₿": "XBT", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "лв": "BGN", "лв.": "BGN",
    "руб.": "RUB", "руб": "RUB", "R$": "BRL", "US$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD",
    "HK$": "HKD", "NT$": "TWD", "NZ$": "NZD", "S$": "SGD", "SFr.": "CHF", "Fr.": "CHF", "RM": "MYR", "Rp": "IDR",
    "S/": "PEN", "S/.": "PEN", "円": "JPY", "元": "CNY", "원": "KRW", "grn.": "UAH", "грн": "UAH", "lei": "RON",
    "din.": "RSD", "Rs.": "INR", "Rs": "INR", "₨": "INR",
}  # fmt: skip
#: Signs that mean another currency in each country.
_SHARED = {"$", "¥", "￥", "kr", "kr.", "Kr", "Kr.", "R", "Fr", "L", "¤", "﷼", "د.إ.‏"}
#: The currency of a country by the language id that a format carries, low 16 bits, in hexadecimal.
_BY_LOCALE = {
    ("$", "409"): "USD", ("$", "1009"): "CAD", ("$", "C0C"): "CAD", ("$", "C09"): "AUD", ("$", "1409"): "NZD",
    ("$", "1004"): "SGD", ("$", "4809"): "SGD", ("$", "C04"): "HKD", ("$", "3C09"): "HKD", ("$", "404"): "TWD",
    ("$", "80A"): "MXN", ("$", "2C0A"): "ARS", ("$", "340A"): "CLP", ("$", "240A"): "COP", ("$", "380A"): "UYU",
    ("¥", "804"): "CNY", ("¥", "411"): "JPY", ("￥", "804"): "CNY", ("￥", "411"): "JPY",
    ("kr", "41D"): "SEK", ("kr", "414"): "NOK", ("kr", "814"): "NOK", ("kr", "406"): "DKK", ("kr", "40F"): "ISK",
    ("R", "1C09"): "ZAR", ("R", "436"): "ZAR", ("Fr", "807"): "CHF", ("$", "440A"): "USD", ("$", "300A"): "USD",
}  # fmt: skip
#: ISO 4217 codes that people write into formats.
_ISO_CODES = (
    "AED AFN ALL AMD ARS AUD AZN BAM BDT BGN BHD BIF BMD BND BOB BRL BSD BWP BYN CAD CHF CLP CNY COP CRC CUP CZK "
    "DKK DOP DZD EGP ETB EUR FJD GBP GEL GHS GTQ HKD HNL HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KRW "
    "KWD KYD KZT LAK LBP LKR LYD MAD MDL MGA MKD MMK MNT MOP MUR MVR MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB "
    "PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SCR SDG SEK SGD SOS SYP THB TJS TMT TND TRY TTD TWD TZS UAH "
    "UGX USD UYU UZS VES VND XAF XCD XOF XPF YER ZAR ZMW"
)
_ISO = frozenset(_ISO_CODES.split())


def currency_of(sign: str, locale: str = "") -> str:
    """The ISO 4217 code that a sign means, the sign itself when several currencies share it, "" when it is none.

    Args:
        locale: The language id of `[$kr-41D]`, in hexadecimal.
    """
    if sign in _ISO:
        return sign
    country = re.sub(r"^0+", "", locale.split(",")[0][-4:]).upper()
    found = _BY_LOCALE.get((sign.rstrip(".").lower() if sign[:1] in "kK" else sign, country))
    return found or _ONE.get(sign) or (sign if sign in _SHARED else "")
