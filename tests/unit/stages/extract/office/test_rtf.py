"""RTF is read with its signs, its rows and without what was withdrawn."""

from __future__ import annotations

import pytest

from pipeline.domain.errors import RecordError
from pipeline.domain.marks import MarkKind
from pipeline.domain.reading import ReadFile
from pipeline.stages.extract.office.rtf import read_rtf

NAME = "Quartermain"
FONTS = rb"{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\froman\fcharset2{\*\panose 0505}Symbol;}{\f2\fnil\fcharset2 Wingdings;}}"


def read(body: bytes) -> ReadFile:
    return read_rtf(rb"{\rtf1\ansi\ansicpg1252\deff0" + FONTS + rb"{\info{\author Quartermain}}" + body + b"}")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb"No fever.\par Second.\par\par Third.", "No fever.\nSecond.\n\nThird."),
        (rb"{\b Bold} a|b \{x\} \\cell 38\'b0C", "Bold a|b {x} \\cell 38°C"),
        (rb"\u8805 ?5 \'b5g", "≥5 µg"),
        (rb"10{\super 9}/L m\super 2\nosupersub  x", "10⁹/L m² x"),
        (rb"\f1 \'b3\f0 5 {\f1 m}g \f0 m", "≥5 µg m"),
        (rb"{\f2 \'fc} done", "✓ done"),
        (rb"\u-3917 ?5", "≥5"),
        (rb"Pill \u-10179?\u-9078? twice", "Pill \N{PILL} twice"),
        (rb"Half \u-10240? a pair, a NUL \u0?.", "Half \ufffd a pair, a NUL \ufffd."),
        (rb"Give {\v Quartermain}250{\deleted\b Quartermain} mg\strike Quartermain\strike0  daily", "Give 250 mg daily"),
        (rb"\viewkind4 Vital \strike0 signs", "Vital signs"),
    ],
)
def test_text_is_read(body: bytes, text: str):
    assert read(body).text == text


def test_rows_of_tables_are_marked_and_say_their_columns_where_these_are_marked():
    row = rb"\trowd%s\cellx1000\cellx2000 %s\cell %s\cell\row "
    file = read(rb"Before.\par " + row % (rb"\trhdr", b"Drug", b"Dose") + row % (b"", b"Aspirin", b"81 mg|d") + rb"\pard After.")
    assert file.text == "Before.\n\nDrug; Dose\nDrug: Aspirin; Dose: 81 mg|d\n\nAfter."
    cells = [file.text[mark.start : mark.end] for mark in file.marks if mark.kind is MarkKind.TABLE_CELL]
    assert cells == ["Drug", "Dose", "Aspirin", "81 mg|d"]
    assert read(row % (b"", b"Aspirin", b"daily") + row % (b"", b"Metformin", b"")).text == "Aspirin | daily\nMetformin"


def test_running_headers_are_left_out_and_noticed():
    file = read(rb"{\header Quartermain\par}No fever.")
    assert (file.text, file.notices) == ("No fever.", ("headers_left_out",))
    assert read(rb"No fever.").notices == ()


@pytest.mark.parametrize("data", [b"", b"Quartermain", b"{\\rt Quartermain", b"PK\x03\x04", b"{\\rtf1 \\u999999999 Quartermain}"])
def test_what_is_no_rtf_fails_by_name_and_is_not_quoted(data: bytes):
    with pytest.raises(RecordError) as refused:
        read_rtf(data)
    assert refused.value.category == "damaged_file"
    assert NAME not in str(refused.value)
    assert refused.value.__context__ is None or refused.value.__suppress_context__


@pytest.mark.parametrize("body", [b"{" * 50_000, rb"\v " * 5_000, rb"\f1 a" * 5_000, rb"\super 9" * 5_000, rb"x\cell" * 5_000])
def test_hostile_markup_ends(body: bytes):
    assert isinstance(read(body).text, str)
