from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from pipeline.domain.errors import ModelError
from pipeline.stages.embed.catalog import MINILM
from pipeline.stages.embed.check_texts import CHECK_TEXTS
from pipeline.stages.embed.identity import find_model, read_model_files
from pipeline.stages.embed.sentence_transformer_backend import SentenceTransformerEmbedder

TEXTS = ["no prior chemotherapy", "age at least years", "age", "", "unknown words", "age"]


@pytest.fixture(scope="module")
def tiny(tiny_model) -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(str(tiny_model), batch_size=2, device="cpu")


def test_a_models_own_sentence_transformers_vectors_come_back_with_its_prompts(tiny, tiny_model):
    from sentence_transformers import SentenceTransformer

    reference = SentenceTransformer(str(tiny_model), device="cpu")
    documents = reference.encode([f"passage : {text}" for text in TEXTS], normalize_embeddings=True)
    query = reference.encode("query : age", normalize_embeddings=True)

    np.testing.assert_allclose(tiny.embed_documents(TEXTS), documents, atol=1e-6)
    np.testing.assert_allclose(tiny.embed_query("age"), query, atol=1e-6)
    assert not np.allclose(query, documents[2], atol=1e-3)


def test_rows_are_unit_float32_though_the_model_does_not_normalise(tiny):
    vectors = tiny.embed_documents(TEXTS)

    assert vectors.shape == (6, 16) == (6, tiny.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert np.array_equal(vectors[2], vectors[5])
    assert tiny.embed_documents([]).shape == (0, 16)


def test_progress_closes_at_the_number_of_texts(tiny):
    settled: list[int] = []
    tiny.embed_documents([*TEXTS, *(f"age {number}" for number in range(100))], settled.append)

    assert len(settled) > 1
    assert sum(settled) == 106


def test_the_prompt_counts_when_a_text_is_held_against_the_window(tiny):
    assert tiny.window == 24
    assert tiny.embed_documents(["age " * 20]).shape == (1, 16)
    with pytest.raises(ModelError, match="window of 24 tokens"):
        tiny.embed_documents(["age " * 21])


def test_a_query_beyond_the_window_is_cut(tiny):
    np.testing.assert_allclose(tiny.embed_query("age " * 99), tiny.embed_query("age " * 20), atol=1e-6)


def test_a_lone_surrogate_does_not_fail(tiny):
    assert np.isfinite(tiny.embed_documents(["age \ud800"])).all()


def test_the_packaged_model_has_one_fingerprint_in_both_backends(onnx):
    embedder = SentenceTransformerEmbedder(MINILM.name, device="cpu")

    assert embedder.fingerprint == onnx.fingerprint == MINILM.identity.fingerprint
    assert embedder.dimensions == onnx.dimensions
    cosines = np.sum(embedder.embed_documents(CHECK_TEXTS) * onnx.embed_documents(CHECK_TEXTS), axis=1)
    assert cosines.min() >= 0.9999


def test_the_fingerprint_depends_on_contents_and_not_on_the_folders_name(tiny_model, tmp_path):
    shutil.copytree(tiny_model, tmp_path / "copy")

    assert _fingerprint(tmp_path / "copy") == _fingerprint(tiny_model)


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("tokenizer_config.json", {"model_max_length": 20}),
        ("sentence_bert_config.json", {"max_seq_length": 20}),
        ("sentence_bert_config.json", {"do_lower_case": True}),
        ("1_Pooling/config.json", {"pooling_mode": "cls"}),
        ("config_sentence_transformers.json", {"prompts": {"query": "", "document": ""}}),
    ],
)
def test_the_fingerprint_changes_with_what_changes_vectors(tiny_model, tmp_path, file, change):
    shutil.copytree(tiny_model, tmp_path / "copy")
    path = tmp_path / "copy" / file
    path.write_text(json.dumps(json.loads(path.read_text()) | change))

    assert _fingerprint(tmp_path / "copy") != _fingerprint(tiny_model)


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_the_fingerprint_changes_with_a_byte_of_weights_or_tokenizer(tiny_model, tmp_path, file):
    shutil.copytree(tiny_model, tmp_path / "copy")
    path = tmp_path / "copy" / file
    path.write_bytes(path.read_bytes() + b" ")

    assert _fingerprint(tmp_path / "copy") != _fingerprint(tiny_model)


def test_the_window_is_the_one_sentence_transformers_uses(tiny_model, tmp_path):
    from sentence_transformers import SentenceTransformer

    shutil.copytree(tiny_model, tmp_path / "copy")
    path = tmp_path / "copy" / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model_max_length": 10**30}))

    assert read_model_files(str(tmp_path / "copy")).identity.window == SentenceTransformer(str(tmp_path / "copy")).max_seq_length == 32
    assert read_model_files(str(tiny_model)).identity.window == SentenceTransformer(str(tiny_model)).max_seq_length == 24


def test_a_model_that_is_not_on_this_machine_is_a_model_error_and_no_download(tmp_path):
    for name in ("nobody/no-such-model", "not a name", str(tmp_path / "absent")):
        with pytest.raises(ModelError, match="is not on this machine"):
            find_model(name)


@pytest.mark.parametrize("files", [{}, {"modules.json": "[]"}, {"modules.json": "{"}, {"config.json": "{}"}])
def test_a_folder_without_a_whole_model_is_a_model_error(tmp_path, files):
    for name, content in files.items():
        (tmp_path / name).write_text(content)

    with pytest.raises(ModelError):
        read_model_files(str(tmp_path))


def test_weights_that_cannot_be_loaded_are_a_model_error(tiny_model, tmp_path):
    shutil.copytree(tiny_model, tmp_path / "copy")
    (tmp_path / "copy" / "model.safetensors").write_bytes(b"no weights")

    with pytest.raises(ModelError, match="cannot load"):
        SentenceTransformerEmbedder(str(tmp_path / "copy"), device="cpu").embed_query("age")


def _fingerprint(folder) -> str:
    return read_model_files(str(folder)).identity.fingerprint
