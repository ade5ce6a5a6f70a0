"""Placeholders are not found again; a place that goes over one is cut and keeps the rest."""

from __future__ import annotations

import pytest

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.placeholders import without_placeholders


def left(text: str, part: str) -> list[str]:
    start = text.index(part)
    found = [Found(start, start + len(part), IdentifierClass.NAME, 0.9, "test")]
    return [text[each.start : each.end] for each in without_placeholders(text, found, ["[NAME]", "[AGE 90+]"])]


@pytest.mark.parametrize(
    ("text", "part", "stays"),
    [
        ("by [NAME].", "NAME", []),
        ("by [NAME].", "[NAME].", []),
        ("by [NAME] Frost.", "[NAME] Frost", ["Frost"]),
        ("by Will [NAME] Frost", "Will [NAME] Frost", ["Will", "Frost"]),
        ("a 90+-year-old", "90", []),
        ("[AGE 90+] here", "AGE 90", []),
        ("by Frost", "Frost", ["Frost"]),
        ("190+ beds", "190", ["190"]),
        ("[OTHER] Frost", "OTHER", ["OTHER"]),
    ],
)
def test_cuts_placeholders_out_of_what_was_found(text, part, stays):
    assert left(text, part) == stays
