"""Stored biometric patterns. The negatives are examinations of the same organs."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.biometrics import Biometrics


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in Biometrics().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("fingerprint template ID FP-204417", ["FP-204417"]),
        ("Retina scan ref. RS20441", ["RS20441"]),
        ("voiceprint VP-88412", ["VP-88412"]),
        ("iris template IR20441", ["IR20441"]),
        ("DNA profile number 204417", ["204417"]),
        ("biometric hash 9f20a441", ["9f20a441"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "retinal scan showed 2 haemorrhages",
        "iris 12 mm",
        "fingerprints were taken",
        "voice scan 3 times",
        "DNA 150 copies",
        "retinal thickness 312 um",
        "facial recognition was impaired 2/5",
        "vein 4 mm",
        "fingerstick 110",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
