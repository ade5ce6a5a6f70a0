"""Identifiers that OCR has misread are found where OCR has read, and nowhere is a text changed."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify import Scrubber, policy_for
from pipeline.stages.deidentify.misread import repaired

SCRUBBER = Scrubber()
POLICY = policy_for("note", "documents")


def scrubbed(text: str, *, by_machine: bool) -> str:
    return SCRUBBER.scrub_all([text], POLICY, by_machine=[0] if by_machine else [])[0].text


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("SSN 5S2-83-447l", "SSN 552-83-4471"),
        ("4O6-555-O177", "406-555-0177"),
        ("07/l9/1958", "07/19/1958"),
        ("O7/l9/58", "07/19/58"),
        ("D0B: 07/19/1958", "DOB: 07/19/1958"),
        ("55N", "SSN"),
        ("Accession number: $31-0098872", "Accession number: S31-0098872"),
        ("Mr. Brenn1ck", "Mr. Brennick"),
        ("Pt: Smith, HarOld", "Pt: Smith, Harold"),
        ("MRN: 1004482]", "MRN: 10044821"),
        ("DOB; 07/l9/1958", "DOB: 07/19/1958"),
        ("DOB: O719A958 MRN", "DOB: 01/01/50 MRN"),
    ],
)
def test_what_was_misread_is_repaired_and_keeps_its_length(read: str, meant: str):
    assert repaired(read) == meant


@pytest.mark.parametrize(
    "text",
    [
        "Potassium 4.1 mmol/L, 50 mg, 1.25 g/dL, SpO2 98%",
        "BP 120/80, T 98.6, L5-S1, S1, B12, p53, CD20, T4, 5IU, 1OO mg",
        "$1,200 or $31 a day, $31-50",
        "07/19/1958, 406-555-0177, 529-83-4471, 2 Oz",
        "DOB unknown, date of birth: not given; birth date (March)",
        "Seen before [12345], [1] and McOmber",
        "Zolpidem, Bisoprolol, Losartan, ISO, SOS",
    ],
)
def test_what_was_read_right_stays(text: str):
    assert repaired(text) == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("SSN: 5S2-83-447l.", "SSN: [ID]."),
        ("Accession number: $31-0098872. Potassium 4.1", "Accession number: [ID]. Potassium 4.1"),
        ("DOB: O719A958 MRN: 1004482]", "DOB: [DATE] MRN: [ID]"),
        ("Seen on O7/l9/58 with cough", "Seen on [DATE] with cough"),
    ],
)
def test_misread_identifiers_are_replaced_in_what_ocr_has_read_alone(text: str, wanted: str):
    assert scrubbed(text, by_machine=True) == wanted
    assert scrubbed(text, by_machine=False) != wanted


def test_clinical_values_beside_are_kept_as_they_were_read():
    text = "Metoprolol 5O mg, potassium 4.l mmol/L, BP l20/80, Hgb 13.2 g/dL; L5-S1 fusion."
    assert scrubbed(text, by_machine=True) == text
