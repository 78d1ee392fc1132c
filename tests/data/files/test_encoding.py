"""UTF-8 is proved over all bytes, wherever blocks of them end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabulaflow_core.data.files import encoding
from tabulaflow_core.data.files.encoding import detect_encoding

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
