"""Other codes. The negatives are numbers of studies, codes of terminologies, doses and counts."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.other_ids import OtherIds
from pipeline.stages.deidentify.recognisers.site import SiteFormats


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in OtherIds().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Accession: W204417", ["W204417"]),
        ("specimen ID S24-20441", ["S24-20441"]),
        ("Order # 9920441", ["9920441"]),
        ("case #JH-204417", ["#JH-204417"]),
        ("claim number 2044-17", ["2044-17"]),
        ("employee ID EMP20441", ["EMP20441"]),
        ("Subject ID: 0417-0032", ["0417-0032"]),
        ("badge 20441", ["20441"]),
        ("ref no KX/2044/17", ["KX/2044/17"]),
        ("My ID is BX204417", ["BX204417"]),
        ("Unit number 204417", ["204417"]),
        ("his ID?\nBo: Yes, it is KX20441.", ["KX20441"]),
        ("EMP20441 signed", ["EMP20441"]),
        ("Subject 0012-0045 was treated", ["0012-0045"]),
        ("Lab no. 24L-00123", ["24L-00123"]),
        ("Job: 441204", ["441204"]),
        ("unit W1204 24 120441 given", ["W1204 24 120441"]),
        ("Interpreter Tran #88417 used", ["Tran #88417"]),
        ("UNIT NO: W0417 23 120441 00  RBC", ["W0417 23 120441 00"]),
        ("Run #: 2024-0044120", ["2024-0044120"]),
        ("privacy code 4417 verified", ["4417"]),
        ("ACS case 0044-1204-B open", ["0044-1204-B"]),
        ("family no. F-20441", ["F-20441"]),
        ("kv/jm Job 441204", ["441204"]),
        ("employee E-20441", ["E-20441"]),
        ("Study PSG-0441-23", ["PSG-0441-23"]),
        ("certified letter 7019 2280 0001 4471 0012 sent", ["7019 2280 0001 4471 0012"]),
        ("Our ref: 20441/7712", ["20441/7712"]),
        ("identifier: KX20417", ["KX20417"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "NCT90000001",
        "ID consulted on day 3",
        "interpreter used for 30 min",
        "in this case 4 units",
        "study of 120 patients",
        "a run of 3 beats",
        "family of 5",
        "EudraCT 2019-001234-56",
        "study ID 205801",
        "protocol 3000-02-005",
        "protocol number CA116001",
        "KEYNOTE-189",
        "A1-2026 panel",
        "panel code A1-2026",
        "case 12",
        "order 3",
        "ref. 14",
        "CPT code 99213",
        "ICD-10 code E11.65",
        "LOINC 2160-0",
        "SNOMED code 12345678901",
        "grant 5R01CA123456-04",
        "PMID: 30012345",
        "sample of 1200 patients",
        "BRCA1 c.5266dupC",
        "platelets 100,000-450,000/mm3",
        "Subject 3",
        "unit 12",
        "room 204",
        "bed 12",
        "samples 2020-2021",
        "tests 12 mg",
        "1,250,000,000,000",
        "ISRCTN12345678",
        "case of 2019",
        "ref 4.5-11.0",
        "Ref: 150-450",
        "reference 1200",
        "subjects 18-75 years",
        "patients 2019-2020",
        "subjects 1200",
        "Identification of T315I",
        "ID T315I",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []


def test_finds_a_sites_own_format_without_a_label():
    site = OtherIds(SiteFormats(other=(r"Z-\d{4}",)))
    text = "Z-2041 was read, Z-20411 was not."
    assert [text[each.start : each.end] for each in site.find(text, None)] == ["Z-2041"]
