"""What the engine is asked for a wording."""

from __future__ import annotations

from pipeline.domain.points import SparseVector
from pipeline.index.bm25 import Bm25Encoder
from pipeline.search.retrieve import queries_for
from pipeline.search.understand.model import Understood, Variant, Why

ENCODER = Bm25Encoder()


def _weights(variant: Variant) -> dict[int, float]:
    (query,) = queries_for(Understood(query=variant.text, variants=(variant,)), {}, ENCODER)
    assert isinstance(query.vector, SparseVector)
    assert list(query.vector.indices) == sorted(set(query.vector.indices))
    return dict(zip(query.vector.indices, query.vector.values, strict=True))


def _number(word: str) -> int:
    return ENCODER.encode_query(word).indices[0]


def test_all_words_of_a_wording_weigh_the_same() -> None:
    assert set(_weights(Variant("gallstones or jaundice", Why.ORIGINAL)).values()) == {1.0}


def test_terms_weigh_as_they_are_weighed_last() -> None:
    found = _weights(Variant("any", Why.FOCUS, terms=(("gallstones fever", 0.5), ("gallstone jaundice", 1.0))))
    assert found == {_number("gallstones"): 1.0, _number("jaundice"): 1.0, _number("fever"): 0.5}


def test_a_wording_whose_terms_hold_no_word_has_no_ranking_of_terms() -> None:
    assert queries_for(Understood(query="x", variants=(Variant("x", Why.FOCUS, terms=(("", 1.0),)),)), {}, ENCODER) == []
