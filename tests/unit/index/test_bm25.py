"""Term weights: computed here, the same for both engines."""

from __future__ import annotations

import pytest

from pipeline.index.bm25 import AVERAGE_LENGTH, LENGTH_NORMALISATION, SATURATION, Bm25Encoder, term_number
from pipeline.index.checks import check_sparse


def test_weights_follow_the_formula() -> None:
    (vector,) = Bm25Encoder().encode_documents(["asthma asthma copd"])
    norm = SATURATION * (1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * 3 / AVERAGE_LENGTH)
    weights = dict(zip(vector.indices, vector.values, strict=True))
    assert weights == pytest.approx(
        {
            term_number("asthma"): 2 * (SATURATION + 1) / (2 + norm),
            term_number("copd"): (SATURATION + 1) / (1 + norm),
        }
    )


def test_a_query_weighs_each_distinct_term_once() -> None:
    vector = Bm25Encoder().encode_query("copd COPD asthma")
    assert vector.values == (1.0, 1.0)
    assert set(vector.indices) == {term_number("asthma"), term_number("copd")}


def test_vectors_are_well_formed() -> None:
    encoder = Bm25Encoder()
    for text in ("", "the", "no prior anti-PD-L1 therapy within 28 days, ≥ 2 lines", "x " * 5000):
        for vector in (*encoder.encode_documents([text]), encoder.encode_query(text)):
            check_sparse(vector)
    assert encoder.encode_documents(["the of"])[0].indices == ()


def test_forms_of_a_word_share_a_number_and_opposites_do_not() -> None:
    assert term_number("patients") == term_number("patient")
    assert term_number("allergies") == term_number("allergy")
    assert len({term_number(each) for each in ("no", "not", "without", "with", "≥18", "≤18", "18")}) == 7


def test_numbers_of_terms_are_stable() -> None:
    """Stored vectors hold these: if they change, every home must be indexed anew, and the fingerprint changes with them."""
    assert [term_number(each) for each in ("no", "not", "≥18", "patients")] == [455026286, 572399988, 1643525028, 1796268431]


def test_the_fingerprint_names_the_parameters() -> None:
    assert Bm25Encoder().fingerprint == Bm25Encoder(average_length=AVERAGE_LENGTH).fingerprint
    assert Bm25Encoder().fingerprint != Bm25Encoder(average_length=AVERAGE_LENGTH + 1).fingerprint


def test_an_average_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError):
        Bm25Encoder(average_length=0)
