"""Codes without a label. The negatives are quantities, dates, terminologies, drugs and variants."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.lone_codes import LoneCodes


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in LoneCodes().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Bo Lee, 8812034, was seen", ["8812034"]),
        ("29801011204417", ["29801011204417"]),
        ("Lee (KX204417) is stable", ["KX204417"]),
        ("seen: PAT-204417", ["PAT-204417"]),
        ("0f8fad5b-d9cb-469f-a165-70867728950e", ["0f8fad5b-d9cb-469f-a165-70867728950e"]),
        ("| 9021445517 |", ["9021445517"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "viral load 1234567",
        "1234567 copies/mL",
        "5000000 units",
        "WBC 12500",
        "20240312",
        "03122024",
        "SNOMED CT 73211009",
        "SNOMED CT code 249224006",
        "PMID 30012345",
        "NCT90000001",
        "LY2951742 300 mg",
        "GSK1120212",
        "PF-06463922",
        "rs9470080",
        "CA-125",
        "I-125 seeds",
        "MK-3475",
        "CD34",
        "E11.65",
        "12,345,678",
        "1.2345678",
        "n=1234567",
        "$1234567",
        "LOINC 2345-7",
        "NM_000059",
        "protocol CA116001",
        "grant R01HL123456",
        "F13640 injection",
        "TEV-48125",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
