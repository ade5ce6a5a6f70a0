"""Social security numbers. The negatives are triples of values, dates and ranges."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.ssn import SocialSecurityNumbers


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in SocialSecurityNumbers().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("SSN: 219-09-4413", ["219-09-4413"]),
        ("ssn 123-45-6789", ["123-45-6789"]),
        ("078-05-1120", ["078-05-1120"]),
        ("987-65-4320 and gone", ["987-65-4320"]),
        ("SSN:219094413", ["219094413"]),
        ("SSN 219-09-4413, 219 09 4413", ["219-09-4413", "219 09 4413"]),
        ("social security number is 219 09 4413", ["219 09 4413"]),
        ("SS# 219094413", ["219094413"]),
        ("last four 4413", ["4413"]),
        ("last 4 of SSN: 4413", ["4413"]),
        ("SSN ending in 4413", ["4413"]),
        ("xxx-xx-4413", ["4413"]),
        ("SSN is two one nine oh nine four four one three", ["two one nine oh nine four four one three"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "BP and glucose 120 80 1234",
        "2019-01-12",
        "last four days",
        "last four 2021 visits",
        "last 4 cycles of 1200 mg",
        "in the last four weeks",
        "123-456-7890",
        "0012-34-5678-9",
        "grant 219-09-44131",
        "SSI 40 mg",
        "SS 2 of 3",
        "the social worker saw 4 of them",
        "EudraCT 2019-001234-56",
        "1-2-3",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
