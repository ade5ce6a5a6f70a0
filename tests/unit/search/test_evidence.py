from datetime import date

import pytest

from pipeline.search.evidence import LEAST_HELD, NEAR, is_refused, share_held
from pipeline.search.request import make_request
from pipeline.search.route import Route, RouteName
from pipeline.search.search import search
from pipeline.search.understand import understand
from pipeline.search.understand.mentions import mentions
from pipeline.search.understand.spelling import TitleWords


class Words:
    """A vocabulary of a few words."""

    def __init__(self, *held: str) -> None:
        self.held = set(held)

    def holds(self, word: str) -> bool:
        return word in self.held

    def titles(self) -> TitleWords:
        return TitleWords()


HYBRID = Route(RouteName.HYBRID)


def refused(query, *held, cosine=None, way=HYBRID):
    return is_refused(understand(query), way, cosine, Words(*held))


def test_far_in_meaning_and_without_its_words_is_no_evidence():
    assert refused("octreotide in acromegaly", cosine=NEAR - 0.01)
    assert refused("octreotide in acromegaly", cosine=None)


def test_near_in_meaning_is_evidence_whatever_the_words():
    assert not refused("octreotide in acromegaly", cosine=NEAR)


def test_far_in_meaning_with_its_words_is_evidence():
    assert not refused("octreotide in acromegaly", "octreotide", "acromegaly", cosine=0.1)


def test_half_of_the_words_is_not_enough():
    assert refused("octreotide in acromegaly", "octreotide", cosine=0.1)
    assert LEAST_HELD > 0.5


@pytest.mark.parametrize(
    ("query", "held", "share"),
    [
        ("what is the dose of octreotide", ("octreotide",), 1.0),
        ("octreotide dose in acromegaly", ("octreotide",), 0.5),
        ("heart attack", ("myocardial", "infarction"), 1.0),
        ("Keytruda", ("pembrolizumab",), 1.0),
        ("how much is it", (), 0.0),
        ("5 mg", (), 0.0),
    ],
)
def test_words_of_weight_count_in_any_of_their_wordings(query, held, share):
    assert share_held(understand(query), Words(*held)) == share


def test_a_known_identifier_is_evidence_and_an_absent_one_is_none():
    (named,) = mentions("NCT01234567")
    assert not refused("NCT01234567", way=Route(RouteName.IDENTIFIER, (named,)))
    assert refused("NCT01234567", cosine=0.9, way=Route(RouteName.ABSENT, (), (named,)))
    assert refused("policy 510", "policy", cosine=0.9, way=Route(RouteName.HYBRID, (), (named,)))


WITHOUT = ["snake bite antivenom", "acromegaly octreotide", "what is the capital of France", "KEYNOTE-189", "policy 9941", "NCT99000999"]
WITH = [
    "HER2-positive breast cancer no prior taxane",
    "NCT99000001",
    "plaque psoriasis cream",
    "heart attack or stroke",
    "hypertention salt",
    "CKD",
]


@pytest.mark.parametrize("query", WITHOUT)
def test_a_query_without_evidence_in_the_samples_is_refused(services, query):
    assert search(services, make_request(query=query), today=date(2026, 1, 1)).refused


def test_a_query_with_evidence_is_not_refused(services):
    refused = [query for query in WITH if search(services, make_request(query=query), today=date(2026, 1, 1)).refused]
    assert refused == []


def test_what_is_refused_is_shown_all_the_same(services):
    found = search(services, make_request(query="snake bite antivenom"), today=date(2026, 1, 1))
    assert found.refused
    assert found.hits
