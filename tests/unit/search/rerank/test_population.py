"""Whom a query, a document and a passage are about."""

from __future__ import annotations

import pytest

from pipeline.domain.vocabulary import Section
from pipeline.search.rerank.population import Population, agreement, of_chunk, of_document, of_query, of_words
from pipeline.search.understand.model import Intent, Understood, Variant, Why

CHILD, ADULT, ANY = Population.CHILD, Population.ADULT, Population.ANY


def asked(query: str, **known) -> Understood:
    return Understood(query=query, variants=(Variant(query, Why.ORIGINAL),), **known)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Pediatric Dose", CHILD),
        ("paediatrics", CHILD),
        ("Neonatal resuscitation", CHILD),
        ("Children", CHILD),
        ("Adult Dose", ADULT),
        ("Adult and Pediatric Dose", ANY),
        ("Childbirth", ANY),
        ("Adulterated samples", ANY),
        ("Chest pain", ANY),
    ],
)
def test_words(words, expected):
    assert of_words(words) is expected


@pytest.mark.parametrize(
    ("understood", "expected"),
    [
        (asked("wheezing", intents=(Intent.PEDIATRIC,)), CHILD),
        (asked("wheezing", age_years=4.0), CHILD),
        (asked("wheezing", age_years=15.0), ADULT),
        (asked("wheezing in adults"), ADULT),
        (asked("wheezing"), ANY),
    ],
)
def test_queries(understood, expected):
    assert of_query(understood) is expected


@pytest.mark.parametrize(
    ("title", "facets", "expected"),
    [
        ("Wheezing", {"reference_number": "1412-P"}, CHILD),
        ("Wheezing", {"reference_number": "1412P"}, CHILD),
        ("Wheezing", {"reference_number": "1412"}, ANY),
        ("Wheezing", {"reference_number": "MAP"}, ANY),
        ("Wheezing of infants", {}, CHILD),
    ],
)
def test_documents(group, passage, title, facets, expected):
    assert of_document(group(title, passage("text"), **facets).document) is expected


def test_a_passage_goes_by_its_section_then_by_its_nearest_heading(passage):
    assert of_chunk(passage("x", Section.PEDIATRIC).row.chunk) is CHILD
    assert of_chunk(passage("x", Section.ADULT, headings=("Children",)).row.chunk) is ADULT
    assert of_chunk(passage("x", headings=("Adult", "Children below 10 kg")).row.chunk) is CHILD
    assert of_chunk(passage("x for a child").row.chunk) is ANY


@pytest.mark.parametrize(
    ("wanted", "offered", "expected"),
    [(CHILD, CHILD, 1), (CHILD, ADULT, -1), (ADULT, CHILD, -1), (CHILD, ANY, 0), (ANY, CHILD, -1), (ANY, ADULT, 0), (ANY, ANY, 0)],
)
def test_agreement(wanted, offered, expected):
    assert agreement(wanted, offered) == expected
