"""Words that every case is told with, and numbers, weigh less than those that say what is the matter."""

from __future__ import annotations

import pytest

from pipeline.search.patient.narrative import NARRATIVE_WEIGHS, by_weight

TOLD = "A 61-year-old woman presented 3 days ago with gallstones; blood pressure 110/70 mmHg, CA19-9 normal, no fever."


def _lighter(text: str) -> set[str]:
    return {word for words, weight in by_weight(text) if weight == NARRATIVE_WEIGHS for word in words.split()}


@pytest.mark.parametrize("word", ["woman", "presented", "days", "ago", "pressure", "normal", "3", "110", "70", "mmhg"])
def test_the_words_of_any_case_and_numbers_weigh_less(word: str) -> None:
    assert word in _lighter(TOLD)


@pytest.mark.parametrize("word", ["gallstones", "ca19", "fever", "no"])
def test_what_is_the_matter_and_what_denies_it_weigh_in_full(word: str) -> None:
    assert word not in _lighter(TOLD)


def test_nothing_is_asked_that_the_description_does_not_say() -> None:
    (whole, full), (lighter, _) = by_weight(TOLD)
    assert (whole, full) == (TOLD, 1.0)
    assert "hospital" not in lighter.split()
