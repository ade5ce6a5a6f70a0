"""ZIP codes and postcodes, against counts, doses, stages and levels."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.zips import Zips
from pipeline.stages.deidentify.resolve import resolve


def found(text: str) -> list[str]:
    return [text[each.start : each.end] for each in resolve(Zips().find(text, None))]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ZIP 02139", "02139"),
        ("zip code: 60614-3391", "60614-3391"),
        ("What is your ZIP code?\nPatient: It's 90211.", "90211"),
        ("MA 02139", "02139"),
        ("TX 75001", "75001"),
        ("Minnesota 55401", "55401"),
        ("postcode LS2 9JT", "LS2 9JT"),
        ("letter to SW1A 2AB", "SW1A 2AB"),
        ("K1A 0B6", "K1A 0B6"),
        ("Calgary AB T2N 1M0", "T2N 1M0"),
        ("pin code 560001", "560001"),
        ("código postal 28001", "28001"),
    ],
)
def test_finds_codes_that_are_announced(text: str, code: str) -> None:
    assert found(text) == [code]


@pytest.mark.parametrize(
    "text",
    [
        "Platelets were 30417 per uL",
        "WBC 11800, dose 20000 units",
        "pT2N1M0 and T2N 1M0 disease",
        "T2N1M0",
        "PA 15000 ng, MD 20001 signed, CO 80000 ml",
        "patient ID 83702",
        "L4 1ST segment; L5 2ND level",
        "C5 6TH rib",
        "C3 4AB assay",
        "TX 10025 units",
        "zipper injury, 12345 cells",
        "B12 300 pg",
        "H1N1 2009; A1C 7.2",
        "5 FU 2400 mg",
    ],
)
def test_leaves_counts_and_stages(text: str) -> None:
    assert found(text) == []
