"""Citations read as a person would say them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from pipeline.domain.chunks import Chunk, Span
from pipeline.domain.vocabulary import Section
from pipeline.search.cite import age_in_days, citation, ordinal_word

CHUNK = Chunk(Section.INCLUSION_CRITERION, 3, False, "text", "text", "eligibility_criteria", Span(0, 4), 3)


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (111, "111th"),
        (122, "122nd"),
    ],
)
def test_ordinal_words(number: int, word: str):
    assert ordinal_word(number) == word


@pytest.mark.parametrize(
    ("chunk", "words"),
    [
        (CHUNK, "NCT99000001, 3rd inclusion criterion"),
        (replace(CHUNK, section=Section.EXCLUSION_CRITERION, ordinal=1), "NCT99000001, 1st exclusion criterion"),
        (replace(CHUNK, section=Section.TITLE_CONDITIONS, ordinal=1), "NCT99000001, title and conditions"),
        (replace(CHUNK, scope=("COHORT B",)), "NCT99000001, 3rd inclusion criterion [COHORT B]"),
        (replace(CHUNK, piece=2, pieces=3), "NCT99000001, 3rd inclusion criterion (part 2 of 3)"),
        (replace(CHUNK, repeats=(5,)), "NCT99000001, 3rd inclusion criterion (again as 5th)"),
    ],
)
def test_citation_names_study_section_and_place(chunk: Chunk, words: str):
    assert citation("NCT99000001", chunk) == words


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("discharge_summary", "discharge summary 0f3a91c2, 3rd passage of the text"),
        ("unknown", "document 0f3a91c2, 3rd passage of the text"),
    ],
)
def test_citation_of_a_sites_document_names_kind_key_and_place(kind: str, words: str):
    assert citation("0f3a91c2" + "0" * 24, replace(CHUNK, section=Section.NOTE_TEXT), kind=kind) == words


@pytest.mark.parametrize(
    ("as_of", "days"),
    [("2026-01-31", 1), ("2026-01", 31), ("2025", 396), (None, None), ("", None), ("soon", None), ("2026-13-01", None)],
)
def test_age_of_a_status_counts_from_the_first_day_it_can_mean(as_of: str | None, days: int | None):
    assert age_in_days(as_of, date(2026, 2, 1)) == days
