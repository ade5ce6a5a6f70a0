"""Accounts, visits and cards. The negatives are study visits, accounts of events and long numbers with a wrong check digit."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.accounts import Accounts
from pipeline.stages.deidentify.recognisers.site import SiteFormats


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in Accounts().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Account Number: 9021445517", ["9021445517"]),
        ("Acct# LK-204417", ["LK-204417"]),
        ("billing no. 90214455", ["90214455"]),
        ("Encounter ID 7719023", ["7719023"]),
        ("CSN: 300412345", ["300412345"]),
        ("Invoice 220417", ["220417"]),
        ("IBAN GB29 NWBK 6016 1331 9268 19", ["GB29 NWBK 6016 1331 9268 19"]),
        ("paid with 4242 4242 4242 4242", ["4242 4242 4242 4242"]),
        ("card 5105105105105100", ["5105105105105100"]),
        ("Visa ending in 4417", ["4417"]),
        ("routing number 021000021", ["021000021"]),
        ("visit number V-8841902", ["V-8841902"]),
        ("HAR 500204417", ["500204417"]),
        ("bill # 881204", ["881204"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "Visit 3",
        "visit number 4",
        "on account of 3 falls",
        "encounter 2 of 5",
        "visits on 12/03/2024",
        "4242424242424243",
        "fin 2 mm",
        "card 2 of the test",
        "1,234,567,890,123",
        "accounts for 4500 ml",
        "accounted for 12 %",
        "sort by 3",
        "harness 4",
        "GB30 NWBK 6016 1331 9268 19",
        "HAR 12",
        "harm 500204417",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []


def test_finds_a_sites_own_format_without_a_label():
    site = Accounts(SiteFormats(account=(r"HB\d{5}",)))
    text = "HB20417 was settled, HB2041 was not."
    assert [text[each.start : each.end] for each in site.find(text, None)] == ["HB20417"]
