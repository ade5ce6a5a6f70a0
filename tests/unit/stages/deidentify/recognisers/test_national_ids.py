"""Identity numbers of other countries. The negatives have wrong check digits and no label."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.national_ids import NationalIds


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in NationalIds().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("445896120v", ["445896120v"]),
        ("Aadhaar 2341 2341 2346", ["2341 2341 2346"]),
        ("234123412346", ["234123412346"]),
        ("DNI 11111111H", ["11111111H"]),
        ("X1234567L", ["X1234567L"]),
        ("529.982.247-25", ["529.982.247-25"]),
        ("GHA-204417001-3", ["GHA-204417001-3"]),
        ("NIN: 20441700123", ["20441700123"]),
        ("identity number 8001015009087", ["8001015009087"]),
        ("AB 12 34 56 C", ["AB 12 34 56 C"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "11111111A",
        "234123412345",
        "1234567890",
        "fin 3",
        "nin 2",
        "pan 12",
        "NIR 850 nm",
        "sin 30",
        "44589612v",
        "12.345.678-9 IU",
        "nie 4",
        "uid 3",
        "BRAF V600E",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
