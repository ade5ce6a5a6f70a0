"""A patient's description through the search, on the sample trials."""

from __future__ import annotations

from datetime import date
from typing import Any

from pipeline.domain.vocabulary import DocumentKind
from pipeline.search.request import make_request
from pipeline.search.search import search
from pipeline.wiring import Services

TODAY = date(2026, 6, 1)
DESCRIPTION = (
    "A 58-year-old woman was diagnosed with metastatic breast cancer last spring. The tumor is HER2 positive. She has had one line of "
    "chemotherapy, denies chest pain, and her heart function is normal. She is otherwise well and asks whether a study would take her."
)


def _search(services: Services, **more: Any) -> Any:
    return search(services, make_request(**{"query": DESCRIPTION, "limit": 5, **more}), today=TODAY)


def test_a_description_is_answered_with_trials_and_the_signals_that_ordered_them(services: Services) -> None:
    hits = _search(services).hits
    assert hits
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all("problem_dense" in hit.scores.signals for hit in hits if hit.kind == DocumentKind.TRIAL)


def test_the_same_description_gives_the_same_answer(services: Services) -> None:
    first, second = (_search(services) for _ in range(2))
    assert [hit.nct_id for hit in first.hits] == [hit.nct_id for hit in second.hits]


def test_filters_hold_in_both_looks(services: Services) -> None:
    found = _search(services, limit=20)
    only = [hit.nct_id for hit in found.hits if hit.nct_id][1]
    narrowed = _search(services, nct_ids=(only,))
    assert [hit.nct_id for hit in narrowed.hits] == [only]
    assert not [hit for hit in _search(services, exclude_exclusion_criteria=True).hits if hit.is_exclusion]


def test_an_index_without_the_wanted_kind_gives_nothing(services: Services) -> None:
    assert _search(services, kinds=("guideline",)).hits == []


def test_the_longest_answer_holds_no_trial_twice(services: Services) -> None:
    found = [hit.document_id for hit in _search(services, limit=1000).hits]
    assert len(found) == len(set(found)) > 5
