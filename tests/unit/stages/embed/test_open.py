from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from pipeline.domain.errors import ConfigurationError, ModelError
from pipeline.settings import Settings
from pipeline.stages.embed import embedder_fingerprint, exported_model_folder, open_embedder, open_token_counter, prepare_model
from pipeline.stages.embed.catalog import MINILM
from pipeline.stages.embed.onnx_backend import OnnxEmbedder
from pipeline.stages.embed.sentence_transformer_backend import SentenceTransformerEmbedder


@pytest.fixture
def settings(tmp_path, export_report) -> Settings:
    """A home whose export is there already."""
    settings = Settings(home=tmp_path)
    settings.models_folder.mkdir()
    exported_model_folder(settings, MINILM).symlink_to(export_report.folder)
    return settings


def test_the_packaged_model_runs_from_its_export(settings):
    assert prepare_model(settings).created is False
    assert isinstance(open_embedder(settings), OnnxEmbedder)
    assert embedder_fingerprint(settings) == open_embedder(settings).fingerprint


def test_before_init_the_error_names_the_remedy(tmp_path):
    with pytest.raises(ModelError) as caught:
        open_embedder(Settings(home=tmp_path))
    assert "clindex init" in caught.value.remedy


def test_counter_and_fingerprint_need_no_export(tmp_path):
    settings = Settings(home=tmp_path)

    assert open_token_counter(settings).count("Age ≥ 18 years") == 6
    assert open_token_counter(settings).window == 256
    assert embedder_fingerprint(settings) == MINILM.identity.fingerprint


def test_moving_between_backends_keeps_the_fingerprint(settings):
    other = settings.model_copy(update={"embedding_backend": "sentence-transformers"})

    assert isinstance(open_embedder(other), SentenceTransformerEmbedder)
    assert embedder_fingerprint(other) == embedder_fingerprint(settings)
    assert prepare_model(other) is None


def test_any_other_model_runs_through_sentence_transformers(tmp_path, tiny_model):
    settings = Settings(home=tmp_path, model=str(tiny_model))
    embedder = open_embedder(settings)

    assert prepare_model(settings) is None
    assert isinstance(embedder, SentenceTransformerEmbedder)
    assert embedder.fingerprint == embedder_fingerprint(settings) != MINILM.identity.fingerprint
    assert open_token_counter(settings).window == embedder.window == 24
    assert np.linalg.norm(embedder.embed_query("age")) == pytest.approx(1, abs=1e-6)


def test_the_onnx_backend_refuses_a_model_that_is_not_packaged(tmp_path, tiny_model):
    settings = Settings(home=tmp_path, model=str(tiny_model), embedding_backend="onnx")

    for call in (open_embedder, prepare_model):
        with pytest.raises(ConfigurationError, match="packaged models only"):
            call(settings)


def test_opening_an_embedder_loads_nothing_before_the_first_text(settings):
    code = f"""
import sys
from pipeline.settings import Settings
from pipeline.stages.embed import embedder_fingerprint, open_embedder, open_token_counter
settings = Settings(home={str(settings.home)!r})
open_token_counter(settings), embedder_fingerprint(settings)
embedder = open_embedder(settings)
embedder.dimensions
print(sorted({{"torch", "onnxruntime", "transformers"}} & set(sys.modules)))
embedder.embed_query("age")
print(sorted({{"torch", "onnxruntime", "transformers"}} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[]", "['onnxruntime']"]
