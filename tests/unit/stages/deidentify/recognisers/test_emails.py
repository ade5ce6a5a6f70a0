"""E-mail addresses as typed, hidden and spoken."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.emails import Emails


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in Emails().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Write to jo.lind@site.example.", ["jo.lind@site.example"]),
        ("mail o'neil@site.example now", ["o'neil@site.example"]),
        ("josé.ruiz@clínica.example", ["josé.ruiz@clínica.example"]),
        ("jo (at) site.example", ["jo (at) site.example"]),
        ("jo[at]site[dot]org", ["jo[at]site[dot]org"]),
        ("mailto:jo@site.example", ["jo@site.example"]),
        ("<jo@site.example>", ["jo@site.example"]),
        ("jo dot lind at site dot org", ["jo dot lind at site dot org"]),
        ("Email: jo@localhost", ["jo@localhost"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "ANC @ baseline",
        "AUC@24h",
        "@home care",
        "10 mg @ 5 ml/h",
        "a@b",
        "seen at clinic",
        "look at the dot plot",
        "pain 3/10 @ rest. No change",
        "email was sent",
        "dose at 5 mg",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
