"""VINs and plates. The negatives are plates of agar, steel and bone."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.vehicles import Vehicles


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in Vehicles().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("VIN 1HGCM82633A004352", ["1HGCM82633A004352"]),
        ("1HGCM82633A004352", ["1HGCM82633A004352"]),
        ("VIN: 1HGCM82633A004353", ["1HGCM82633A004353"]),
        ("license plate 7KLM204", ["7KLM204"]),
        ("plate no. KLM-2041", ["KLM-2041"]),
        ("number plate AB12CDE", ["AB12CDE"]),
        ("plate KLM2041", ["KLM2041"]),
        ("Plate number: KLM 204", ["KLM 204"]),
        ("vehicle tag TX KLM-2041", ["TX KLM-2041"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "blood agar plate 12",
        "growth plate",
        "a 6-hole plate and 8 screws",
        "plate 3",
        "96-well plates 1-4",
        "1HGCM82633A004353",
        "AAAAAAAAAAAAAAAAA",
        "11111111111111111",
        "tag 5",
        "VINcristine 2 mg",
        "plate 3.5 mm",
        "plate number 4",
        "tag 12 weeks",
        "growth plate T12",
        "steel plate L4",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
