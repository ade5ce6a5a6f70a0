"""Device numbers. The negatives are drugs, settings and counts."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.devices import Devices


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in Devices().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Pacemaker SN: KQ742211H", ["KQ742211H"]),
        ("serial number 5529017", ["5529017"]),
        ("S/N 44-10293", ["44-10293"]),
        ("Lot # B2041", ["B2041"]),
        ("lot B20417", ["B20417"]),
        ("(01)00844588003288(17)141120(21)4410", ["(01)00844588003288(17)141120(21)4410"]),
        ("IMEI 490154203237518", ["490154203237518"]),
        ("MAC address 00:1B:44:11:3A:B7", ["00:1B:44:11:3A:B7"]),
        ("insulin pump ID KX-20417", ["KX-20417"]),
        ("device serial no. is A1B2C3D4", ["A1B2C3D4"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "SN-38 at 5 mg",
        "SN 38",
        "a lot of pain for 3 weeks",
        "lot 2",
        "pump at 12 ml/h",
        "lead II",
        "sensor 3",
        "stent 3.0 mm",
        "batch of 12",
        "serial 7 test",
        "serial troponins 12 and 14",
        "valve area 1.2 cm",
        "ICD-10 E11.9",
        "ICD code I50.22",
        "port 3",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
