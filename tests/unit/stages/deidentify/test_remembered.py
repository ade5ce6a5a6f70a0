"""A short text that comes again is not read again, and what was found in it is nobody's to change."""

from __future__ import annotations

from dataclasses import replace

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify import KnownIdentifiers
from pipeline.stages.deidentify.policy import policy_for
from pipeline.stages.deidentify.scrubber import Scrubber

TEXT = "Seen by Dr. Winterbourne, call 301-555-0142."


def test_the_same_text_gives_the_same_again_and_a_patients_own_values_are_not_remembered():
    scrubber, policy = Scrubber(), policy_for("note", "documents")
    first = scrubber.scrub("Walnut sleeps well.", policy, known=KnownIdentifiers({IdentifierClass.NAME: ("Walnut,",)}))
    assert "Walnut" not in first.text
    assert scrubber.scrub("Walnut sleeps well.", policy).text == "Walnut sleeps well."
    assert [scrubber.scrub(TEXT, policy).text for _ in range(3)] == [scrubber.scrub(TEXT, policy).text] * 3


def test_another_policy_reads_for_itself():
    scrubber, policy = Scrubber(), policy_for("note", "documents")
    phones = replace(policy, classes=frozenset({IdentifierClass.PHONE}))
    assert "Winterbourne" not in scrubber.scrub(TEXT, policy).text
    assert "Winterbourne" in scrubber.scrub(TEXT, phones).text
    assert "0142" not in scrubber.scrub(TEXT, phones).text


def test_what_ocr_may_have_misread_is_not_added_to_what_is_remembered():
    scrubber, policy = Scrubber(), policy_for("note", "documents")
    text = "Phone 3O1-555-O142"
    plainly = scrubber.scrub(text, policy).text
    scrubber.scrub_all([text], policy, by_machine=(0,))
    assert scrubber.scrub(text, policy).text == plainly
