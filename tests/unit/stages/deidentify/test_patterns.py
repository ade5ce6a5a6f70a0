"""What is a contact. Negative rows are what registry texts are full of."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.gate import gate
from pipeline.stages.deidentify.recognisers.emails import Emails
from pipeline.stages.deidentify.recognisers.phones import Phones


def found(recogniser, text):
    return sorted({text[each.start : each.end] for each in recogniser.find(text, None)})


@pytest.mark.parametrize(
    "address", ["study.team@clinic.example", "a_b+c@sub.hospital.example", "info (at) trial.example", "INFO@TRIAL.EXAMPLE"]
)
def test_finds_email_addresses(address):
    assert found(Emails(), f"Write to {address}.") == [address]


@pytest.mark.parametrize("text", ["ANC @ baseline", "AUC@24h", "@home care", "10 mg @ 5 ml/h", "a@b"])
def test_other_at_signs_are_no_addresses(text):
    assert found(Emails(), text) == []
    assert gate(text) == ()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("call (301) 555-0142 today", "(301) 555-0142"),
        ("1-800-555-0142", "1-800-555-0142"),
        ("+49 30 1234 5678", "+49 30 1234 5678"),
        ("Fax: 030 5550142", "030 5550142"),
        ("phone number is 5550142", "5550142"),
        ("Tel. 020 7946 0123", "020 7946 0123"),
    ],
)
def test_finds_telephone_numbers(text, number):
    assert found(Phones(), text) == [number]


@pytest.mark.parametrize(
    "text",
    [
        "NCT90000001 and ISRCTN12345678",
        "EudraCT 2019-001234-56",
        "grant 5R01CA123456-04",
        "platelets 100,000-450,000/mm3",
        "from 2019-10-12 to 10-12-2020",
        "10.1016/j.example.2020.01.001",
        "telephone interviews at 12 and 24 months",
        "dose 100-200-3000 mg",
        "1,200 mg/m2 on days 1-8-15",
        "blood pressure 140/90 at 08:30-09:00",
        "titre of +1.25 to +2.50",
        "phone call at day 28",
        "UMIN000012345, CTRI/2020/01/012345",
    ],
)
def test_other_numbers_are_no_telephone_numbers(text):
    assert found(Phones(), text) == []
    assert found(Emails(), text) == []
    assert gate(text) == ()
