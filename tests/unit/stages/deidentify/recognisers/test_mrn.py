"""Record numbers; the negatives are what stands near such labels in notes and trials."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.mrn import MedicalRecordNumbers
from pipeline.stages.deidentify.recognisers.site import SiteFormats


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in MedicalRecordNumbers().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("MRN: 5550817", ["5550817"]),
        ("MRN# is 5550817", ["5550817"]),
        ("mrn 00-12-34", ["00-12-34"]),
        ("Patient,Quayle,Ines,MRN,90114417", ["90114417"]),
        ("Seen today (MRN 717).", ["717"]),
        ("Medical Record Number (MRN): AB-40021, ward 3", ["AB-40021"]),
        ("med rec #8812034", ["#8812034"]),
        ("Chart no. 40021", ["40021"]),
        ("Hospital number 77 41 09", ["77 41 09"]),
        ("Patient ID:            31", ["31"]),
        ("UHID 20019934", ["20019934"]),
        ("| MRN | 881234 |", ["881234"]),
        ('"mrn": "881234"', ["881234"]),
        ("**MRN:** 881234", ["881234"]),
        ("MRN\n881234", ["881234"]),
        ("MRN is four four one oh nine two", ["four four one oh nine two"]),
        ("MRN is 31 no sorry 8812034", ["31", "8812034"]),
        ("MRN 8812034, or is it 8812035?", ["8812034", "8812035"]),
        ("file LEE_MRN4829100_letter", ["MRN4829100"]),
        ("Bo Lee, MRN8812034, is stable", ["MRN8812034"]),
        ("NHS number 943 476 5919", ["943 476 5919"]),
        ("Do you have the MRN?\nClerk: Yes, it is 8812034.", ["8812034"]),
        ("See chart 8812034", ["8812034"]),
        ("MRN; 8812034", ["8812034"]),
        ("his MRN was changed to 8812034", ["8812034"]),
        ("Patient No: 8842-11", ["8842-11"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "MRN not available; 45 years old",
        "MRN: pending, seen at 10:30",
        "MR grade 2 with EF 55%",
        "MR brain 2019",
        "medical records from 2019 were reviewed",
        "charts of 212 patients",
        "patient 3 of 12",
        "patient numbers fell by 12 percent",
        "NCT90000001",
        "MRN NCT90000001",
        "UR 1.020, pH 6.5",
        "hospital day 4",
        "unit 5 East",
        "record high of 41.2",
        "PID-5 short form",
        "chart review 2015-2019",
        "MR 1.5 T",
        "EMR was down for 3 hours",
        "file no longer needed",
        "patient no 3",
        "unit no 3",
        "MPI 2019",
        "patient 1234 g",
        "PT: 12.5 INR 1.1",
        "chart reviewed at 08:30",
        "hospital stay of 12 days",
        "MRN unknown; BP 120/80",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []


def test_finds_a_sites_own_format_without_a_label():
    site = MedicalRecordNumbers(SiteFormats(mrn=(r"K\d{3}/\d{2}",)))
    text = "Known here as K404/19, not as K404/199."
    assert [text[each.start : each.end] for each in site.find(text, None)] == ["K404/19"]
