"""Encoding, delimiter, quotes and line ends."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.data.files.conftest import Reader


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^", "~"])
def test_delimiters(read: Reader, delimiter: str) -> None:
    seen = read(
        "\n".join(delimiter.join(row) for row in (["id", "name", "n"], ["1", "Ana", "2.5"], ["2", "Bo", "3.5"]))
    )
    assert seen.names == ["id", "name", "n"]
    assert [tuple(map(str, r)) for r in seen.rows] == [("1", "Ana", "2.5"), ("2", "Bo", "3.5")]


def test_a_delimiter_inside_text_does_not_win(read: Reader) -> None:
    seen = read("id;remark\n1;red|blue\n2;green|grey\n")
    assert seen.names == ["id", "remark"]
    assert seen.column("remark") == ["red|blue", "green|grey"]


def test_header_with_the_other_delimiter_in_quotes(read: Reader) -> None:
    assert read('"a, b";c\n1;2\n').names == ["a, b", "c"]


def test_decimal_commas_do_not_make_commas_the_delimiter(read: Reader) -> None:
    seen = read("".join(f"k{i};1,5;2,25\n" for i in range(50)))
    assert len(seen.names) == 3
    assert seen.choice("delimiter") == "semicolon"


def test_sentences_stay_one_column(read: Reader) -> None:
    seen = read("remark\nHello, world\nIt rained; we left\nNo more, no less, none\nPlain\n")
    assert seen.names == ["remark"]
    assert len(seen.rows) == 4


def test_separator_line_of_spreadsheets(read: Reader) -> None:
    seen = read("sep=;\na;b\n1;2\n")
    assert seen.names == ["a", "b"]
    assert seen.rows == [(1, 2)]


def test_one_unclosed_quote_spoils_one_line(read: Reader) -> None:
    seen = read('id,name\n1,"Ana\n2,Bo\n3,Cy\n')
    assert [r[0] for r in seen.rows] == [1, 2, 3]
    assert seen.column("name")[1:] == ["Bo", "Cy"]
    assert "Ana" in str(seen.column("name")[0])
    assert seen.told("line 2", "quote")


def test_an_unclosed_quote_before_good_quoted_rows(read: Reader) -> None:
    rows = ["id,name,note", '1,"Ana,x'] + [f'{i},"B, {i}",y' for i in range(2, 40)]
    seen = read("\n".join(rows) + "\n")
    assert seen.column("id") == list(range(1, 40))
    assert seen.column("name")[5] == "B, 6"


def test_quotes_that_are_plain_characters(read: Reader) -> None:
    seen = read('a\tb\n1\tthe "big" one\n2\t"Q" is a letter\n3\t5" pipe\n')
    assert seen.column("b") == ['the "big" one', '"Q" is a letter', '5" pipe']


def test_doubled_and_escaped_quotes(read: Reader) -> None:
    assert read('a,b\n1,"say ""hi"", ok"\n').column("b") == ['say "hi", ok']
    assert read('"a","b"\n"1","\\"x\\", y"\n"2","z"\n').column("b") == ['"x", y', "z"]


def test_line_breaks_in_cells(read: Reader) -> None:
    seen = read('a,b\r\n"one\r\ntwo",1\r\nthree,2\r\n')
    assert [str(v).replace("\r", "") for v in seen.column("a")] == ["one\ntwo", "three"]
    assert seen.column("b") == [1, 2]


def test_space_after_the_delimiter(read: Reader) -> None:
    assert read('a, b\n1, "6,000"\n2, "7,000"\n').column("b") == [6000, 7000]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(read: Reader, end: str) -> None:
    seen = read(end.join(["a,b", "1,x", "2,y", ""]))
    assert seen.rows == [(1, "x"), (2, "y")]
    assert seen.choice("line_end") == {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}[end]


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("utf-8", "naïve,Zoë,Łódź"),
        ("utf-8-sig", "id,v"),
        ("utf-16", "größe,北京"),
        ("utf-16-le", "alpha,beta"),
        ("utf-16-be", "alpha,beta"),
        ("cp1252", "Müller,“Ana”,Straße – groß"),
        ("cp1252", "Réunion,château,garçon,élève"),
        ("cp1252", "mañana,niño,España"),
        ("cp1252", "Ærø,smørrebrød,Århus"),
        ("cp1250", "Łódź,źródło,końcowe,żółć,święta"),
        ("cp1250", "Plzeň,příliš žluťoučký kůň,město"),
        ("iso8859-2", "Łódź,źródło,końcowe,żółć,święta"),
        ("cp1251", "Москва,Санкт-Петербург,Новосибирск,продажи"),
        ("koi8-r", "Москва,Санкт-Петербург,Новосибирск,продажи"),
        ("cp1253", "Αθήνα,Θεσσαλονίκη,πωλήσεις"),
        ("cp1254", "İstanbul,Beşiktaş,Üsküdar,Kadıköy,satış"),
        ("shift_jis", "東京,大阪,売上高,商品の名前"),
        ("gb18030", "北京,上海,销售额,产品名称"),
        ("euc_kr", "서울,부산,매출액,상품명"),
        ("euc_jp", "東京,カタカナ,売上高,商品の名前"),
        ("big5", "台北,銷售額,產品名稱,數量"),
        ("cp1255", "ירושלים,מכירות,כמות,מחיר"),
        ("cp1256", "القاهرة,الرياض,المبيعات,السعر"),
        ("cp1257", "Šiauliai,Klaipėda,Panevėžys,vertė,žmonės"),
        ("cp874", "กรุงเทพ,ยอดขาย,จำนวน,สินค้า"),
        ("iso8859-7", "Αθήνα,Θεσσαλονίκη,πωλήσεις"),
        ("cp866", "Москва,Санкт-Петербург,Новосибирск,продажи"),
        ("mac_roman", "Müller,Straße,Köln,größer,Mädchen,schön"),
        ("cp1250", "Győr,őszi,szürke,árvíztűrő,összeg"),
        ("utf-32", "größe,北京"),
        ("utf-32-le", "größe,north"),
        ("utf-32-be", "größe,north"),
    ],
)
def test_encodings(read: Reader, codec: str, text: str) -> None:
    cells = text.split(",")
    header = ",".join(f"c{i}" for i in range(len(cells)))
    seen = read((header + "\n" + text + "\n").encode(codec))
    assert [str(v) for v in seen.rows[0]] == cells
    assert seen.names[0] == "c0"


def test_a_guessed_encoding_is_said(read: Reader) -> None:
    seen = read("a,b\n1,\xe6\n".encode("latin-1"))
    assert seen.told("encoding", "guess")
    told = read("a,b\n1,\xe6\n".encode("latin-1"), encoding="iso8859-1")
    assert told.column("b") == ["æ"]
    assert not told.told("encoding", "guess")


def test_bytes_outside_the_encoding_are_said(read: Reader) -> None:
    seen = read(b"a,b\n1,x\x81y\n", encoding="utf-8")
    assert seen.told("encoding does not know")


def test_choices_of_a_person(read: Reader) -> None:
    seen = read("a;b,c\n1;2,3\n", delimiter=",", header=False, quote="")
    assert seen.names == ["column_1", "column_2"]
    assert seen.rows == [("a;b", "c"), ("1;2", "3")]


@pytest.mark.parametrize(
    ("text", "names", "values"),
    [
        ("Preis\n€1.234,50\n€99,90\n", ["Preis"], [Decimal("1234.50"), Decimal("99.90")]),
        ("Preis\n1,50\n\n-\n99,90\n", ["Preis"], [Decimal("1.50"), None, Decimal("99.90")]),
        ('Betrag\n"1.234,50 €"\n99,90 €\n', ["Betrag"], [Decimal("1234.50"), Decimal("99.90")]),
        ("a,b\n1,50\n2,30\n", ["a", "b"], [1, 2]),
        ("1,50\n2,30\n", ["column_1", "column_2"], [1, 2]),
    ],
)
def test_decimal_commas_below_one_name_are_one_column(
    read: Reader, text: str, names: list[str], values: list[object]
) -> None:
    seen = read(text)
    assert seen.names == names
    assert seen.column(names[0]) == values


def test_a_few_damaged_bytes_do_not_change_the_encoding(read: Reader) -> None:
    text = "name,city\nÜnal,Köln\nMüller,Zürich\nJäger,Łódź\n".encode() + b"Bad\xff,x\n"
    seen = read(text)
    assert seen.column("city")[:3] == ["Köln", "Zürich", "Łódź"]
    assert seen.choice("encoding") == "utf-8"
    assert seen.told("encoding does not know", "line 5")


def test_letters_that_make_no_words_are_kept_byte_for_byte(read: Reader) -> None:
    seen = read(b"a,b\n1,x?\x8c\xe6\n2,y\n")
    assert seen.choice("encoding") == "iso8859-1"
    assert seen.told("encoding", "guess")


def test_wrongly_decoded_letters_are_not_mended(read: Reader) -> None:
    assert read("a,b\n1,MÃ¼ller\n").column("b") == ["MÃ¼ller"]


def test_single_quotes(read: Reader) -> None:
    assert read("a,b\n1,'x, y'\n2,'z'\n").column("b") == ["x, y", "z"]
    assert read("a,b\n1,it's\n2,'tis\n").column("b") == ["it's", "'tis"]


def test_words_for_delimiters(read: Reader) -> None:
    assert read("a;b\n1;2\n", delimiter="semicolon").rows == [(1, 2)]
    assert read("a b\n1 2\n", delimiter="space").rows == [(1, 2)]
    assert read("a;b\n1;2\n", delimiter="none").names == ["a;b"]
    assert read("a||b\n1||2\n", delimiter="||").rows == [(1, 2)]
    assert read("a  b\nx y  2\n", delimiter="blanks").rows == [("x y", 2)]


def test_windows_quotes(read: Reader) -> None:
    assert read(b"name\r\n\x93Ana\x94\r\n").column("name") == ["“Ana”"]


def test_nul_bytes_and_line_ends_of_several_kinds(read: Reader) -> None:
    assert read(b"a,b\n1,x\x00y\n2,z\n").column("b") == ["xy", "z"]
    assert read(b"a,b\r\n1,x\n2,y\r\n3,z\n").rows == [(1, "x"), (2, "y"), (3, "z")]


@pytest.mark.parametrize("quote", ['"', "'"])
def test_line_breaks_in_cells_are_no_line_ends(read: Reader, quote: str) -> None:
    cells = [f"{quote}a{i}\nb\nc\nd{quote}" for i in range(4)]
    seen = read("id,note\r" + "".join(f"{i},{c}\r" for i, c in enumerate(cells)))
    assert seen.choice("line_end") == "CR"
    assert seen.rows[1] == (1, "a1\nb\nc\nd")
    lf = read("id,note\n" + "".join(f"{i},{c}\n" for i, c in enumerate(cells)).replace("\nb\nc", "\rb\rc"))
    assert lf.choice("line_end") == "LF"
    assert lf.rows[1] == (1, "a1\rb\rc\nd")


def test_a_comma_that_parts_thousands_in_aligned_columns(read: Reader) -> None:
    rows = ["08:10         8,956,695,993,762  01:59", "04:14         3,180,673,482,744  19:58"]
    seen = read("\n".join(["start (h)           stone (kg)  end (h)", *rows, "19:51                35,389,277  12:27"]))
    assert seen.names == ["start (h)", "stone (kg)", "end (h)"]
    assert seen.column("stone (kg)") == [8956695993762, 3180673482744, 35389277]
    single = read("town sales cost\nOslo 1,234 5,678,901\nRome 22,345 1,000\nBonn 1,111 2,222\n")
    assert single.column("cost") == [5678901, 1000, 2222]
    assert read("12,345\n13,456\n17,890\n").rows == [(12, 345), (13, 456), (17, 890)]
