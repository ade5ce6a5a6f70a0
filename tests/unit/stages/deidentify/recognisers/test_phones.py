"""Telephone, fax and pager numbers. The negatives are doses, dates, ranges, angles and numbers of studies."""

from __future__ import annotations

import pytest

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify.recognisers.phones import Phones


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in Phones().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("call (301) 555-0142 today", ["(301) 555-0142"]),
        ("reached at 001-301-555-0142x4417", ["001-301-555-0142x4417"]),
        ("(301)555-0142", ["(301)555-0142"]),
        ("301.555.0142 ext. 4417", ["301.555.0142 ext. 4417"]),
        ("Contact: 555-0142", ["555-0142"]),
        ("at 3015550142.", ["3015550142"]),
        ("pager 4417", ["4417"]),
        ("Ph: (2l6) 555-Ol33", ["(2l6) 555-Ol33"]),
        ("at harbor drug 931 555 0141.", ["931 555 0141"]),
        ("T. Quayle, MD PGY-2 #4417", ["4417"]),
        ("J. Quayle MD p4417", ["4417"]),
        ("ext. 4417", ["4417"]),
        ("Fax: 301-555-0142", ["301-555-0142"]),
        ("(Phone: 301-555-0142)?", ["301-555-0142"]),
        ("+44 20 7946 0142", ["+44 20 7946 0142"]),
        ("(+94) 706540142", ["(+94) 706540142"]),
        ("at like 001-301-555-0142 for uh", ["001-301-555-0142"]),
        ("cell is five five five oh one four two", ["five five five oh one four two"]),
        ("077-729 8142", ["077-729 8142"]),
        ("44 204 417 office", ["44 204 417"]),
        ("call Bo Lee at 555-0142", ["555-0142"]),
        ("Phone:\n60-56-85-42", ["60-56-85-42"]),
        ("mobile 0827650142", ["0827650142"]),
        ("(301)-555-0142", ["(301)-555-0142"]),
        ("301/555-0142", ["301/555-0142"]),
        ("0049 30 1204417", ["0049 30 1204417"]),
        ("020 7946 0142", ["020 7946 0142"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "NCT90000001 and ISRCTN12345678",
        "220 330 4400 510 platelets",
        "I-O 120-400-2000",
        "PGY-2 #3 on call",
        "MD 2023",
        "EudraCT 2019-001234-56",
        "grant 5R01CA123456-04",
        "platelets 100,000-450,000/mm3",
        "from 2019-10-12 to 10-12-2020",
        "dose 100-200-3000 mg",
        "1,200 mg/m2 on days 1-8-15",
        "Extension 25/25",
        "extension 120 degrees",
        "phone call at day 28",
        "called on 12/03/2024",
        "contacted in 2019 2020",
        "at 1200 mg",
        "SNOMED 73211009",
        "counts one two three",
        "Site Number : 7920417",
        "12 10 office visits",
        "office BP 140/90",
        "home 2 l oxygen",
        "pager was off for 3 hours",
        "heart rate 80 x10",
        "work 8 hours",
        "text 3 of 12",
        "protocol 3000-02-005",
        "reached 1250 ml",
        "100-200-3000",
        "reached 1250000 copies",
        "ext 30",
        "home 120/80",
        "scores 12-24-36",
        "123 456 7890 cells/uL",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []


def test_a_fax_number_is_both_a_fax_and_a_telephone_number():
    text = "Fax: 301-555-0142"
    classes = {each.category for each in Phones().find(text, None) if text[each.start : each.end] == "301-555-0142"}
    assert classes == {IdentifierClass.FAX, IdentifierClass.PHONE}
