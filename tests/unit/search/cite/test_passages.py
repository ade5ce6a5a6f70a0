"""What became of a passage: a table of edits, each with what a reader of the old citation must be told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pipeline.domain.vocabulary import Section
from pipeline.search.cite.model import CitationStatus
from pipeline.search.cite.passages import Outcome, differs
from tests.unit.search.cite.conftest import Text, chunk, cited_from

Became = Callable[..., Outcome]
OLD = Text.of(
    "Adults of 18 years or more", "ECOG performance status 0 or 1", "Serum creatinine below 1.5 mg/dL in the last week", "-Pregnancy"
)


@pytest.mark.parametrize(
    ("which", "new", "status"),
    [
        (1, OLD, "same"),
        (1, Text.of("Written consent", "Adults of 18 years or more", "ECOG performance status 0 or 1", "-Pregnancy"), "moved"),
        (0, Text.of("ECOG performance status 0 or 1", "-Adults of 18 years or more"), "moved"),
        (1, Text.of("Adults of 18 years or more", "ECOG performance status 0 to 2", "-Pregnancy"), "changed"),
        (2, Text.of("Adults of 18 years or more", "ECOG performance status 0 or 1", "Serum creatinine below 2.0 mg/dL"), "changed"),
        (1, Text.of("Adults of 18 years or more", "-Pregnancy"), "removed"),
        (3, Text.of("Adults of 18 years or more"), "removed"),
        (1, Text.of("Quillwort tea every day", "-Pregnancy"), "removed"),
        (0, Text.of(), "removed"),
    ],
)
def test_a_passage_in_a_new_version(became: Became, which: int, new: Text, status: str):
    assert became(OLD, which, new.chunks).status == status


def test_a_passage_that_only_another_ones_twin_is_like_was_removed_not_changed(became: Became):
    old = Text.of("No antibiotics in the last 4 weeks", "No antivirals in the last 4 weeks")
    assert became(old, 0, Text.of("No antivirals in the last 4 weeks").chunks).status == "removed"


def test_of_a_changed_passage_both_texts_are_known(became: Became):
    found = became(OLD, 1, Text.of("ECOG performance status 0 to 2").chunks)
    assert (found.old_text, [one.text for one in found.chunks]) == ("ECOG performance status 0 or 1", ["ECOG performance status 0 to 2"])


def test_a_passage_whose_version_is_not_kept_is_compared_with_what_stands_in_its_place(became: Became):
    found = became(OLD, 1, Text.of("Adults of 18 years or more", "Any other thing").chunks, known=False)
    assert (found.status, found.old_text, found.chunks[0].text) == ("changed", None, "Any other thing")
    assert became(OLD, 2, Text.of("Adults").chunks, known=False).status == "removed"


def test_an_unchanged_passage_whose_version_is_not_kept_is_found_by_its_hash(became: Became):
    new = Text.of("Written consent", "ECOG performance status 0 or 1")
    assert became(OLD, 1, OLD.chunks, known=False).status == "same"
    assert became(OLD, 0, Text.of("Consent", "Adults of 18 years or more").chunks, known=False).status == "moved"
    assert became(OLD, 1, new.chunks, known=False).status == "moved"


def test_of_two_equal_passages_the_nearest_in_the_same_section_is_meant(became: Became):
    new = Text.of("Adults of 18 years or more", "-ECOG performance status 0 or 1", "x", "ECOG performance status 0 or 1")
    assert became(OLD, 1, new.chunks).chunks[0].section is Section.INCLUSION_CRITERION


def test_another_lead_in_is_a_change_although_the_words_of_the_passage_are_the_same(became: Became):
    with_lead_in = [replace(one, context=("None of these",), text=f"None of these: {one.text}") for one in OLD.chunks]
    found = became(OLD, 1, with_lead_in)
    assert found.status == "changed"
    assert found.chunks[0].text.startswith("None of these")


WHOLE = "One sentence stands here. Another one follows it. The third one ends it."


def cut(*ends: int) -> list:
    starts = (0, *ends)
    pieces = [WHOLE[start:end] for start, end in zip(starts, (*ends, len(WHOLE)), strict=True)]
    return [
        chunk(piece.strip(), section=Section.NOTE_TEXT, ordinal=number, start=start, page=1)
        for number, (piece, start) in enumerate(zip(pieces, starts, strict=True), start=1)
    ]


def test_cut_otherwise_an_unchanged_text_needs_no_archive(became: Became):
    old = Text(tuple(cut(50)))
    for ends in ((26,), (26, 50), (10, 20, 30), ()):
        found = became(old, 0, cut(*ends), known=False, same_text=True)
        assert found.status == "same", ends
        assert "One" in found.chunks[0].text
    found = became(old, 1, cut(26, 50), known=False, same_text=True)
    assert (found.status, found.chunks[0].ordinal) == ("moved", 3)
    assert differs(cited_from(old.chunks[1]), found.chunks, same_text=True) == ["ordinal"]


def test_cut_otherwise_in_a_new_version_the_words_are_found_across_passages(became: Became):
    old = Text(tuple(cut(50)))
    new = [replace(one, span=replace(one.span, start=one.span.start + 9, end=one.span.end + 9)) for one in cut(26)]
    found = became(old, 0, new)
    assert (found.status, len(found.chunks)) == ("moved", 2)


def test_words_that_are_part_of_longer_words_are_not_found_in_them(became: Became):
    old = Text.of("Pain")
    assert became(old, 0, Text.of("Painful joints of the hand").chunks).status == CitationStatus.REMOVED


def test_a_passage_stands_on_its_page_when_a_larger_one_begins_before_it(became: Became):
    old = replace(chunk("Second page.", start=40, page=2), page_to=2)
    larger = replace(chunk("First page. Second page.", start=0, page=1), page_to=2, span=replace(old.span, start=0, end=52))
    assert differs(cited_from(old), [larger], same_text=True) == []
    assert differs(cited_from(old), [replace(larger, page_to=None)], same_text=True) == ["page"]
