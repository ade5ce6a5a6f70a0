"""Web addresses and names in social networks. The negatives are abbreviations, versions and identifiers with dots."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.urls import Urls


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in Urls().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("see https://portal.site.example/p?id=3.", ["https://portal.site.example/p?id=3"]),
        ("www.janelind.example", ["www.janelind.example"]),
        ("visit site-clinic.com for", ["site-clinic.com"]),
        ("(linktr.ee/jane_l)", ["linktr.ee/jane_l"]),
        ("my.site.co.uk", ["my.site.co.uk"]),
        ("Twitter: @jane_lind", ["jane_lind"]),
        ("Instagram handle is @j.lind", ["j.lind"]),
        ("Facebook: jane.lind", ["jane.lind"]),
        ("http://10.1.1.9/records", ["http://10.1.1.9/records"]),
        ("@jane_lind on Twitter", ["jane_lind"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "e.g. aspirin, i.e. ASA",
        "pH.7",
        "version 2.1.0",
        "stable.In the morning",
        "Dr.No pain",
        "10.1016/j.example.2020.01.001",
        "doi:10.1016/j.example.2020",
        "https://doi.org/10.1016/j.example",
        "https://clinicaltrials.gov/study/NCT90000001",
        "http://loinc.org",
        "http://terminology.hl7.org/CodeSystem/v3-ActCode",
        "jo@site.example",
        "1.5mg/kg",
        "and/or",
        "t.i.d./prn",
        "b.i.d.",
        "Dr.Smith",
        "signal 3",
        "S.aureus/E.coli",
        "pain @rest on X-ray",
        "IG:1200",
        "Cancer.Net",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
