"""UTF-8 is proved over all bytes, wherever blocks of them end; names that are no encoding."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tabulaflow_core.data.files import ReadOptions, encoding, read_file
from tabulaflow_core.data.files.encoding import detect_encoding
from tabulaflow_core.errors import FileUnreadable

GOOD = "a,é\n日本,😀\nplain,text\n".encode()
BAD = {
    "a byte alone": b"a,\x80\n",
    "too long a form": b"a,\xc0\xaf\n",
    "a half pair": b"a,\xed\xa0\x80\n",
    "beyond the last character": b"a,\xf4\x90\x80\x80\n",
    "cut off in the middle": b"a,\xe6\x97\nb,c\n",
    "cut off at the end": b"a,b\xf0\x9f\x98",
}


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 100])
def test_utf8(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "_BLOCK", size)
    monkeypatch.setattr(encoding, "wide_codec", lambda head: None)
    path = tmp_path / "a.csv"
    path.write_bytes(GOOD * 3)
    assert (detect_encoding(path).codec, detect_encoding(path).certainty) == ("utf-8", "certain")
    for name, data in BAD.items():
        path.write_bytes(b"x,y\n" * 3 + data)
        found = detect_encoding(path)
        assert (found.codec, found.certainty) != ("utf-8", "certain"), name


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.html"])
def test_an_encoding_that_does_not_exist(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("<table><tr><td>1</td></tr></table>" if name == "a.html" else '[{"a": 1}]')
    with pytest.raises(FileUnreadable) as caught:
        read_file(path, storage=tmp_path / "s", options=ReadOptions(encoding="no-such"))
    assert "“no-such” is no known encoding" in caught.value.user_message
    assert "Excel writes on Western Windows" in caught.value.user_message


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp932", "日付,時刻,値\n1,2,3\n"),
        ("cp932", "商品コード,在庫数\n1,2\n"),
        ("cp932", "店舗名,達成率\n1,2\n"),
        ("euc_jp", "日付,時刻,値\n1,2,3\n"),
        ("gbk", "余额,账户\n1,2\n"),
        ("big5", "狀態,金額\n1,2\n"),
        ("cp949", "비율,건수\n1,2\n"),
    ],
)
def test_a_few_eastern_words_above_numbers(codec: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(codec))
    assert text.encode(codec).decode(detect_encoding(path).codec) == text


def test_bytes_without_words_are_not_eastern(tmp_path: Path) -> None:
    path, chance = tmp_path / "a.csv", random.Random(1)
    for _ in range(100):
        path.write_bytes(bytes(chance.choice((chance.randrange(128, 256), 44, 97)) for _ in range(40)))
        assert detect_encoding(path).codec not in ("cp932", "euc_jp", "gb18030", "big5hkscs", "cp949")
