"""Shapes of exports from banks, bookkeeping, statistics offices and services."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabulaflow_core.data.files.encoding import detect_encoding
from tabulaflow_core.errors import FileUnreadable
from tests.data.files.conftest import Reader


def test_a_semicolon_outranks_decimal_commas_below_a_title(read: Reader) -> None:
    text = (
        "Movimientos\nTitular: Una S.L.\n\nFecha;Concepto;Importe;Saldo\n05/02/2026;A;1.800,00;3.210,45\n"
        "20/02/2026;B;-650,00;2.560,45\n25/02/2026;C;-60,15;2.500,30\n"
    )
    seen = read(text)
    assert seen.names == ["Fecha", "Concepto", "Importe", "Saldo"]
    assert seen.types == ["date", "text", "number", "number"]


@pytest.mark.parametrize("wide", [False, True])
def test_a_first_line_that_tells_of_the_file_is_no_header(read: Reader, wide: bool) -> None:
    more = ";x;y;z" * 4 if wide else ""
    blank = ";" * (more.count(";"))
    text = (
        '"EXTF";700;21;"Buchungen";9;20260201;;"RE";;1001\n' + f"Umsatz;Kennzeichen;Konto;Text{more}\n"
        f'100,50;"S";1200;"Eins"{blank}\n2500,00;"H";1600;"Zwei"{blank}\n'
    )
    seen = read(text)
    assert seen.names[:4] == ["Umsatz", "Kennzeichen", "Konto", "Text"]
    assert (len(seen.rows), seen.types[:3]) == (2, ["number", "text", "integer"])
    assert seen.report.skipped[0].line == 1


@pytest.mark.parametrize(
    "notes",
    [
        "\nSource: an office\nNotes:\n1. Mid-year.\n",
        ',,\n"Source: an office, here",,\nNotes,,\nRounded,,\n',
        '"---"\n"Data set: deaths"\n"Title:"\n"How to cite"\n',
    ],
)
def test_several_notes_below_a_small_table(read: Reader, notes: str) -> None:
    seen = read("Area,2019,2020\nWales,3152,3169\nScotland,5463,5466\n" + notes)
    assert (len(seen.rows), seen.types) == (2, ["text", "integer", "integer"])
    assert seen.report.skipped_count > 2


def test_sparse_last_rows_are_no_notes(read: Reader) -> None:
    text = "name,x,y\nAnn,1,2\nBob,7,8\nCy,3,4\nDora,,\nEve,,\n"
    assert len(read(text).rows) == 5


def test_the_end_mark_of_dos_is_no_row(read: Reader) -> None:
    assert read(b"id,v\r\n1,a\r\n2,b\r\n\x1a").rows == [(1, "a"), (2, "b")]


def test_an_escaped_escape_is_one(read: Reader) -> None:
    seen = read('id,t\n1,"say \\"hi\\" now"\n2,"a\\\\"\n3,"b \\n c"\n')
    assert seen.column("t") == ['say "hi" now', "a\\", "b \\n c"]


def test_a_control_character_parts_cells(read: Reader) -> None:
    seen = read("id\x01name\x01v\n1\x01ann\x012.5\n2\x01bob\x013.5\n", "hive.txt")
    assert seen.types == ["integer", "text", "number"]
    with pytest.raises(FileUnreadable, match="binary"):
        read(bytes([1, 2, 3, 10, 65, 1, 5, 6, 10]) * 9, "binary.txt")


def test_turkish_capitals_are_read(tmp_path: Path) -> None:
    (tmp_path / "tr.csv").write_bytes("Şehir;Nüfus\nİstanbul;15840900\nİzmir;4425789\n".encode("cp1254"))
    assert detect_encoding(tmp_path / "tr.csv").codec == "cp1254"


@pytest.mark.parametrize("nothing", ["[]", "null"])
def test_pages_without_records_are_said_to_be_empty(read: Reader, nothing: str) -> None:
    with pytest.raises(FileUnreadable, match="no records"):
        read('[{"page":1,"pages":0,"total":0},' + nothing + "]", "wb.json")
    assert read('[{"a":1},null]', "records.json").rows == [(1,)]
