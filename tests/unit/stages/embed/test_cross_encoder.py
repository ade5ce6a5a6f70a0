"""A tiny cross-encoder that the test makes: its own scores come back, and what ranks nothing is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.domain.errors import ModelError
from pipeline.settings import Settings
from pipeline.stages.embed import open_cross_encoder
from pipeline.stages.embed.cross_encoder import SentenceTransformerCrossEncoder
from pipeline.testing.tiny_model import make_tiny_cross_encoder

PASSAGES = ["no prior chemotherapy", "age at least years", "", "age " * 100]


@pytest.fixture(scope="module")
def tiny_ranker(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("ranker")
    make_tiny_cross_encoder(folder, seed=0)
    return folder


def test_the_models_own_scores_come_back_in_order(tiny_ranker):
    import torch
    from sentence_transformers import CrossEncoder

    scorer = SentenceTransformerCrossEncoder(str(tiny_ranker), device="cpu")
    reference = CrossEncoder(str(tiny_ranker), device="cpu").predict([("age", one) for one in PASSAGES], activation_fn=torch.nn.Identity())
    assert scorer.score("age", PASSAGES) == pytest.approx([float(one) for one in reference], abs=1e-5)
    assert len(set(scorer.score("age", PASSAGES[:3]))) == 3
    assert scorer.score("age", []) == []


def test_a_fingerprint_names_the_weights(tiny_ranker, tmp_path):
    make_tiny_cross_encoder(tmp_path, seed=1)
    one, other = (SentenceTransformerCrossEncoder(str(folder)) for folder in (tiny_ranker, tmp_path))
    assert one.fingerprint == SentenceTransformerCrossEncoder(str(tiny_ranker)).fingerprint != other.fingerprint


def test_a_model_with_several_outputs_is_refused(tmp_path):
    make_tiny_cross_encoder(tmp_path, seed=0, outputs=3)
    with pytest.raises(ModelError, match="3 outputs"):
        SentenceTransformerCrossEncoder(str(tmp_path), device="cpu").score("age", ["age"])


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match="cannot load a cross-encoder"):
        SentenceTransformerCrossEncoder(str(tmp_path), device="cpu").score("age", ["age"])


def test_settings_that_name_none_open_none(tiny_ranker):
    assert open_cross_encoder(Settings()) is None
    opened = open_cross_encoder(Settings(cross_encoder=str(tiny_ranker), embedding_device="cpu"))
    assert opened is not None
    assert len(opened.score("age", PASSAGES)) == 4
