"""Internet addresses. The negatives are versions, sections, times, alleles and ratios."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.ip_addresses import IpAddresses


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in IpAddresses().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("login from 192.168.4.77", ["192.168.4.77"]),
        ("IP address 8.8.8.8.", ["8.8.8.8"]),
        ("fe80::1ff:fe23:4567:890a seen", ["fe80::1ff:fe23:4567:890a"]),
        ("2001:db8:0:0:0:0:0:1", ["2001:db8:0:0:0:0:0:1"]),
        ("fe80::1", ["fe80::1"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "version 21.30.2.4",
        "section 9.4.1.2",
        "5.1.2.3 Withdrawal",
        "300.1.2.3",
        "10.20.30",
        "at 12:30:45",
        "HLA-A*02:01:01:01",
        "ratio 1::2",
        "C::B",
        "1.2.3.4.5",
        "LOINC 1.2.840.113619.2",
        "12:30",
        "ab::1",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
