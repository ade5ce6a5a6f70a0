"""Photographs. The negatives are other imaging."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.photos import Photos


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in Photos().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("photo IMG_2041.jpg", ["IMG_2041.jpg"]),
        ("wound-left.2.PNG attached", ["wound-left.2.PNG"]),
        ("DSC02041", ["DSC02041"]),
        ("photograph no. P-2041", ["P-2041"]),
        ("see clinical photograph of face", ["clinical photograph of face"]),
        ("attached full-face photo", ["full-face photo"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "photographs were taken",
        "photo 3",
        "pictures of the wound",
        "photocoagulation 532 nm",
        "photosensitivity grade 2",
        "facial droop",
        "face mask 5 l",
        "IMG 2",
        "the picture is mixed",
        "image 12",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
