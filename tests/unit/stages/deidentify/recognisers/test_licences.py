"""Licences and professional numbers. The negatives are codes of drugs and years."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.licences import Licences


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in Licences().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("driver's license number is 281204417", ["281204417"]),
        ("DL# K4417-2039", ["K4417-2039"]),
        ("licence D1234567", ["D1234567"]),
        ("NPI 1234567890", ["1234567890"]),
        ("seen by 1245319599 today", ["1245319599"]),
        ("DEA AB1234563", ["AB1234563"]),
        ("BB1388568", ["BB1388568"]),
        ("passport no. X44170293", ["X44170293"]),
        ("Certificate # 20417-B", ["20417-B"]),
        ("GMC number 7204417", ["7204417"]),
        ("License No: CLN-204417", ["CLN-204417"]),
        ("DL: S530-4608-5531", ["S530-4608-5531"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "licensed in 2019",
        "license expired 2021",
        "LY2951742 300 mg",
        "rs9470080",
        "1245319590 cells",
        "certified on 12/03/2024",
        "board of 12 members",
        "birth certificate",
        "registration on 2019-02-11",
        "PF06463922",
        "AB1234567",
        "DEA schedule 4",
        "driving licence was returned",
        "5 mg/DL: 12",
        "DL 12.5",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
