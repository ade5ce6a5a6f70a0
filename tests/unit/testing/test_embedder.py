from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.errors import ModelError
from pipeline.testing.embedder import HashEmbedder


@given(st.lists(st.text(max_size=60), max_size=5))
def test_rows_are_unit_and_the_same_every_time(texts):
    vectors = HashEmbedder().embed_documents(texts)

    assert vectors.shape == (len(texts), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert np.array_equal(vectors, HashEmbedder().embed_documents(texts))


def test_texts_that_share_words_are_nearer_than_others():
    embedder = HashEmbedder()
    query = embedder.embed_query("breast cancer")
    related, unrelated = embedder.embed_documents(["Histologically confirmed breast cancer", "Serum potassium below 3.5 mmol/L"])

    assert query @ related > 0.5
    assert abs(query @ unrelated) < 0.3


def test_word_order_makes_another_vector_that_is_near():
    first, second = HashEmbedder().embed_documents(["drug A then drug B", "drug B then drug A"])

    assert not np.array_equal(first, second)
    assert first @ second > 0.999


def test_another_version_is_another_model():
    assert HashEmbedder(version="2").fingerprint != HashEmbedder().fingerprint
    assert not np.allclose(HashEmbedder(version="2").embed_query("age"), HashEmbedder().embed_query("age"))


def test_a_text_beyond_the_window_is_refused():
    with pytest.raises(ModelError, match="window of 8 tokens"):
        HashEmbedder(window=8).embed_documents(["age " * 7])


def test_it_counts_what_it_embedded_and_reports_progress():
    embedder, settled = HashEmbedder(), []
    embedder.embed_documents(["a", "b"], settled.append)
    embedder.embed_documents(["c"])

    assert embedder.embedded == 3
    assert settled == [2]
